package value

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestCountry(t *testing.T) {
	for _, test := range []struct{ cell, want string }{
		{"DE", "DE"},
		{"de", "DE"},
		{"DEU", "DE"},
		{"deu", "DE"},
		{"USA", "US"},
		{"U.S.A.", "US"},
		{"us", "US"},
		{"U.K.", "GB"},
		{"UK", "GB"},
		{"England", "GB"},
		{"Deutschland", "DE"},
		{"Brasil", "BR"},
		{"brazil", "BR"},
		{"Allemagne", "DE"},
		{"Niemcy", "DE"},
		{"Duitsland", "DE"},
		{"Alemanha", "DE"},
		{"Alemania", "DE"},
		{"Germania", "DE"},
		{"The Netherlands", "NL"},
		{"Bosnia and Herzegovina", "BA"},
		{"Bosnia & Herzegovina", "BA"},
		{"Viet Nam", "VN"},
		{"Korea, Republic of", "KR"},
		{"Côte d'Ivoire", "CI"},
		{"Cote d’Ivoire", "CI"},
		{"Türkiye", "TR"},
		{"Turkey", "TR"},
		{"Saint Lucia", "LC"},
		{"St. Lucia", "LC"},
		{"Kosovo", "XK"},
		{"🇩🇪", "DE"},
		{"🇩🇪 Germany", "DE"},
		{"Georgia", "GE"},
		{"NO", "NO"},
		{"Porto, Portugal", "PT"},
		{"Hong Kong", "HK"},
		{"Taiwan, Province of China", "TW"},
		{"Namibia", "NA"},
		{"Niger", "NE"},
		{"Nigeria", "NG"},
		{"Guinea-Bissau", "GW"},
		{"n/a", ""},
	} {
		if got, remark := Country(test.cell); got != test.want || remark != "" {
			t.Errorf("%q: %q (%s), want %q", test.cell, got, remark, test.want)
		}
	}

	for _, cell := range []string{
		"no", "NA", "Congo",
		"Kongo", "Earth", "XX", "DD", "EU", "Atlantis", "42", "276", "🇩🇪 France", "Berlin", "Remote", "Sun", "D",
	} {
		if got, remark := Country(cell); got != "" || remark == "" {
			t.Errorf("%q: %q (%s), want a remark", cell, got, remark)
		}
	}
}

func TestCountryOf(t *testing.T) {
	for _, test := range []struct{ place, want string }{
		{"Porto, Portugal", "PT"},
		{"Austin, TX, USA", "US"},
		{"Austin, Texas, United States", "US"},
		{"Germany", "DE"},
		{"Lyon (France)", "FR"},
		{"Lyon, France (remote)", "FR"},
		{"Wien / Österreich", "AT"},
		{"Oslo - Norway", "NO"},
		{"Warszawa, PL", "PL"},
		{"London, England, United Kingdom", "GB"},
		{"Kyiv, UA", "UA"},
		{"Toronto, ON, CAN", "CA"},
		{"Georgia, USA", "US"},
		{"Limerick, Ireland", "IE"},
		{"Leeds, UK", "GB"},
		{"🇪🇸", "ES"},
		{"Austin, TX", ""},
		{"Dover, DE", ""},
		{"San Francisco, CA", ""},
		{"Atlanta, Georgia", ""},
		{"Georgia", ""},
		{"Germany / Austria", ""},
		{"Berlin", ""},
		{"Remote", ""},
		{"", ""},
		{"CA", ""},
		{"Milano, MI", ""},
		{"Salvador, BA", ""},
		{"Paris, fr", ""},
		{"Europe", ""},
		{"USA or Canada", ""},
		{"Beirut, Lebanon", "LB"},
		{"Jordan", "JO"},
		{"Lebanon, PA, USA", "US"},
		{"Hong Kong, China", ""},
		{"North Macedonia", "MK"},
	} {
		if got := CountryOf(test.place); got != test.want {
			t.Errorf("%q: %q, want %q", test.place, got, test.want)
		}
	}
}

// Names that mean different countries in different languages must be in the data.
func TestCountryNamesAgree(t *testing.T) {
	if n := len(countries().codes); n != 250 {
		t.Errorf("%d countries, want the 249 of ISO 3166-1 and Kosovo", n)
	}
	for code := range countries().codes {
		if got, _ := Country(code); got != code && code != "NA" {
			t.Errorf("%s: %q", code, got)
		}
	}
}

func TestTimeZone(t *testing.T) {
	for _, test := range []struct{ cell, want string }{
		{"Europe/Berlin", "Europe/Berlin"},
		{"europe/berlin", "Europe/Berlin"},
		{"America/New York", "America/New_York"},
		{"Asia/Calcutta", "Asia/Calcutta"},
		{"UTC", "UTC"},
		{"GMT", "GMT"},
		{"UTC+5:30", "UTC+05:30"},
		{"GMT-3", "UTC-03:00"},
		{"UTC +2", "UTC+02:00"},
		{"UTC−5", "UTC-05:00"},
		{"+0200", "UTC+02:00"},
		{"-03:00", "UTC-03:00"},
		{"UTC+0", "UTC"},
		{"UTC±0", "UTC"},
		{"UTC+5.5", "UTC+05:30"},
		{"(UTC+01:00) Europe/Berlin", "Europe/Berlin"},
		{"(UTC-05:00) Eastern Time (US & Canada)", "America/New_York"},
		{"CET", "CET"},
		{"CEST", "CET"},
		{"CET (UTC+1)", "CET"},
		{"UTC+5:30 (IST)", "UTC+05:30"},
		{"MSK", "Europe/Moscow"},
		{"JST", "Asia/Tokyo"},
		{"Etc/GMT+5", "Etc/GMT+5"},
		{"Europe/Berlin (CET)", "Europe/Berlin"},
		{"UTC+1000", "UTC+10:00"},
		{"UTC+14", "UTC+14:00"},
		{"(GMT+02:00) Somewhere", "UTC+02:00"},
		{"N/A", ""},
	} {
		if got, remark := TimeZone(test.cell); got != test.want || remark != "" {
			t.Errorf("%q: %q (%s), want %q", test.cell, got, remark, test.want)
		}
	}

	for _, cell := range []string{
		"IST", "CST", "BST", "PST", "UTC+15", "UTC+5:17", "UTC+5 to UTC+8", "5", "Berlin", "Local", "Factory",
		"Europe/Berlin or Asia/Tokyo", "+", "../../etc/passwd", "GMT+99",
	} {
		if got, remark := TimeZone(cell); got != "" || remark == "" {
			t.Errorf("%q: %q (%s), want a remark", cell, got, remark)
		}
	}
}

// A zone of the data that package zones doesn't know would be invisible to filters.
func TestZonesOfTheDataExist(t *testing.T) {
	for _, e := range load("zonenames.txt") {
		if zone, ok := zoneNames().Find(e.list); !ok || zone != e.list {
			t.Errorf("unknown zone %s", e.list)
		}
	}
	for country, want := range zoneNames().ofCountry {
		if zone, ok := zoneNames().Find(want); want != "" && (!ok || zone != want) {
			t.Errorf("%s: unknown zone %s", country, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, test := range []struct {
		name     string
		in, want matching.Details
		derived  [2]bool
	}{
		{
			"both",
			matching.Details{Location: "Porto, Poland"},
			matching.Details{Location: "Porto, Poland", Country: "PL", TimeZone: "Europe/Warsaw"},
			[2]bool{true, true},
		},
		{
			"several zones",
			matching.Details{Location: "Austin, TX, USA"},
			matching.Details{Location: "Austin, TX, USA", Country: "US"},
			[2]bool{true, false},
		},
		{
			"known",
			matching.Details{Location: "Rome, Italy", Country: "DE", TimeZone: "UTC"},
			matching.Details{Location: "Rome, Italy", Country: "DE", TimeZone: "UTC"},
			[2]bool{},
		},
		{"nothing", matching.Details{}, matching.Details{}, [2]bool{}},
	} {
		country, zone := Complete(&test.in)
		if diff := cmp.Diff(test.want, test.in); diff != "" || test.derived != [2]bool{country, zone} {
			t.Errorf("%s: derived %v, %v: %s", test.name, country, zone, diff)
		}
	}
}

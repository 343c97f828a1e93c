package match

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

func TestLabels(t *testing.T) {
	languages := func(of ...string) (all []matching.SpokenLanguage) {
		for i := 0; i < len(of); i += 2 {
			all = append(all, matching.SpokenLanguage{Tag: of[i], Level: matching.LanguageLevel(of[i+1])})
		}
		return all
	}
	for _, c := range []struct {
		name    string
		details matching.Details
		want    []string
	}{
		{"nothing known", matching.Details{}, []string{"country:?", "zone:?", "lang:?", "verified:?"}},
		{
			"everything known",
			matching.Details{
				Country: "DE", TimeZone: "Europe/Berlin", Languages: languages("de", "native", "en", "C1"),
				Verified: matching.Some(true),
			},
			[]string{
				"country:DE", "zone:Europe/Berlin", "lang:de", "lang:de/native", "lang:en", "lang:en/C1", "verified:yes",
			},
		},
		{
			"fixed offset, not verified",
			matching.Details{TimeZone: "UTC+05:30", Verified: matching.Some(false)},
			[]string{"country:?", "zone:UTC+05:30", "lang:?", "verified:no"},
		},
		{
			"regional tag, unknown level",
			matching.Details{Languages: languages("pt-BR", "B2", "fr", "", "zh-Hant-TW", "fluent")},
			[]string{
				"country:?", "zone:?", "lang:pt-BR", "lang:pt-BR/B2", "lang:pt", "lang:pt/B2", "lang:fr", "lang:fr/?",
				"lang:zh-Hant-TW", "lang:zh-Hant-TW/?", "lang:zh-Hant", "lang:zh-Hant/?", "lang:zh", "lang:zh/?", "verified:?",
			},
		},
		{
			"the level of one variant is known",
			matching.Details{Languages: languages("pt-BR", "", "pt", "C1")},
			[]string{"country:?", "zone:?", "lang:pt-BR", "lang:pt-BR/?", "lang:pt", "lang:pt/C1", "verified:?"},
		},
		{
			"private use",
			matching.Details{Languages: languages("en-x-pirate", "A1")},
			[]string{
				"country:?", "zone:?", "lang:en-x-pirate", "lang:en-x-pirate/A1", "lang:en", "lang:en/A1", "verified:?",
			},
		},
	} {
		if diff := cmp.Diff(c.want, Labels(&c.details)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A document's labels and those of a filter fit each other.
func TestLabels_Filters(t *testing.T) {
	const (
		excluded = "excluded"
		unknown  = "unknown"
		found    = "found"
	)
	for _, c := range []struct {
		name    string
		details matching.Details
		filter  []string
		want    string
	}{
		{"country", matching.Details{Country: "DE"}, CountryLabels([]string{"AT", "DE"}), found},
		{"other country", matching.Details{Country: "CH"}, CountryLabels([]string{"AT", "DE"}), excluded},
		{"unknown country", matching.Details{}, CountryLabels([]string{"AT", "DE"}), unknown},
		{"zone", matching.Details{TimeZone: "Asia/Tokyo"}, ZoneLabels([]string{"Asia/Tokyo"}), found},
		{"other zone", matching.Details{TimeZone: "Asia/Tokyo"}, ZoneLabels([]string{"Asia/Seoul"}), excluded},
		{"unknown zone", matching.Details{}, ZoneLabels([]string{"Asia/Seoul"}), unknown},
		{"language", speaks("de", ""), LanguageLabels("de", ""), found},
		{"other language", speaks("de", ""), LanguageLabels("fr", ""), excluded},
		{"unknown languages", matching.Details{}, LanguageLabels("fr", ""), unknown},
		{"region of the language", speaks("pt-BR", ""), LanguageLabels("pt", ""), found},
		{"language without region", speaks("pt", ""), LanguageLabels("pt-BR", ""), excluded},
		{"same level", speaks("de", "B2"), LanguageLabels("de", "B2"), found},
		{"higher level", speaks("de-CH", "native"), LanguageLabels("de", "B2"), found},
		{"lower level", speaks("de", "B1"), LanguageLabels("de", "B2"), excluded},
		{"unknown level", speaks("de", ""), LanguageLabels("de", "A1"), unknown},
		{"unknown level of another language", speaks("fr", ""), LanguageLabels("de", "A1"), excluded},
		{"invalid level", speaks("de", "C2"), LanguageLabels("de", "fluent"), excluded},
		{"verified", matching.Details{Verified: matching.Some(true)}, VerifiedLabels(true), found},
		{"not verified", matching.Details{Verified: matching.Some(false)}, VerifiedLabels(true), excluded},
		{"known as not verified", matching.Details{Verified: matching.Some(false)}, VerifiedLabels(false), found},
		{"unknown verification", matching.Details{}, VerifiedLabels(false), unknown},
	} {
		has := func(set []string) bool {
			return slices.ContainsFunc(Labels(&c.details), func(l string) bool { return slices.Contains(set, l) })
		}
		got := excluded
		switch {
		case has(c.filter):
			got = found
		case has(engine.UnknownLabels(c.filter)):
			got = unknown
		}

		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func speaks(tag string, level matching.LanguageLevel) matching.Details {
	return matching.Details{Languages: []matching.SpokenLanguage{{Tag: tag, Level: level}}}
}

func TestDay(t *testing.T) {
	for _, c := range []struct {
		date string
		want int
		ok   bool
	}{
		{"1970-01-01", 0, true},
		{"1970-01-02", 1, true},
		{"1969-12-31", -1, true},
		{"2026-12-01", 20788, true},
		{"0001-01-01", -719162, true},
		{"2026-02-30", 0, false},
		{"2026-12-01T00:00:00Z", 0, false},
		{"", 0, false},
	} {
		if got, ok := Day(c.date); got != c.want || ok != c.ok {
			t.Errorf("Day(%q) = %d, %v; want %d, %v", c.date, got, ok, c.want, c.ok)
		}
	}
}

func TestPrepare_LabelsAndSchedule(t *testing.T) {
	p := newPreparer(t)
	for _, c := range []struct {
		name  string
		f     matching.Freelancer
		from  matching.Optional[int]
		hours matching.Optional[float64]
	}{
		{
			"a date",
			matching.Freelancer{Details: matching.Details{AvailableFrom: "1970-02-01", HoursPerWeek: matching.Some(33.33)}},
			matching.Some(31), matching.Some(33.3),
		},
		{
			"a date of someone available or not",
			matching.Freelancer{
				Details: matching.Details{AvailableFrom: "1970-02-01"},
				Signals: matching.Signals{Availability: matching.Some(false)},
			},
			matching.Some(31),
			matching.Optional[float64]{},
		},
		{
			"available now",
			matching.Freelancer{
				Details: matching.Details{HoursPerWeek: matching.Some(0.0)},
				Signals: matching.Signals{Availability: matching.Some(true)},
			},
			matching.Some(0),
			matching.Optional[float64]{},
		},
		{
			"not available now",
			matching.Freelancer{Signals: matching.Signals{Availability: matching.Some(false)}},
			matching.Optional[int]{},
			matching.Optional[float64]{},
		},
		{"unknown", matching.Freelancer{}, matching.Optional[int]{}, matching.Optional[float64]{}},
	} {
		documents, err := p.Prepare(t.Context(), []matching.Freelancer{c.f})
		if err != nil {
			t.Fatal(err)
		}

		if got := documents[0].Schedule; got.From != c.from || got.HoursPerWeek != c.hours {
			t.Errorf("%s: schedule %v, want from %v and %v hours", c.name, got, c.from, c.hours)
		}

		if diff := cmp.Diff(Labels(&c.f.Details), documents[0].Labels); diff != "" {
			t.Errorf("%s: labels (-want +got):\n%s", c.name, diff)
		}
	}
}

package source

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/matching"
)

// readContent reads the rows of a file with some content.
func readContent(t *testing.T, content string, o Options) (f *File, all []Row) {
	t.Helper()
	f, err := Open(input.FromPath(write(t, content)), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return f, all
}

// wantDetails checks the details of the first row, what was derived, and the reasons of its warnings.
func wantDetails(t *testing.T, row *Row, want matching.Details, derived []string, warnings ...string) {
	t.Helper()
	if diff := cmp.Diff(want, row.Freelancer.Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(derived, row.Derived.Names()); diff != "" {
		t.Errorf("derived (-want +got):\n%s", diff)
	}
	if len(row.Warnings) != len(warnings) {
		t.Errorf("warnings %v, want %q", row.Warnings, warnings)
		return
	}
	for i, w := range row.Warnings {
		if !strings.Contains(w.Column+": "+w.Reason, warnings[i]) {
			t.Errorf("warning %v, want %q", w, warnings[i])
		}
	}
}

func TestDetails(t *testing.T) {
	de := matching.SpokenLanguage{Tag: "de", Level: matching.LevelNative}
	en := matching.SpokenLanguage{Tag: "en", Level: "B2"}
	for _, test := range []struct {
		name, content string
		want          matching.Details
		derived       []string
		warnings      []string
	}{
		{
			name: "all columns of CSV",
			content: "name;title;rate;city;country;time zone;languages;currency;available from;hours per week;verified\n" +
				"Ada;Nurse;40;Porto;Portugal;Europe/Lisbon;German (native), English B2;USD;2027-02-01;30+ hrs/week;yes\n",
			want: matching.Details{
				Country: "PT", Location: "Porto", TimeZone: "Europe/Lisbon", Languages: []matching.SpokenLanguage{de, en},
				Currency: "USD", AvailableFrom: "2027-02-01", HoursPerWeek: matching.Some(30.0), Verified: matching.Some(true),
			},
		},
		{
			name: "members of JSON",
			content: `{"name": "Ada", "title": "Nurse", "location": "Kraków, Poland", "verified": true, "hours_per_week": 20,` +
				`"languages": [{"language": "de", "level": "native"}, {"name": "English", "proficiency": "B2"}]}`,
			want: matching.Details{
				Country: "PL", Location: "Kraków, Poland", TimeZone: "Europe/Warsaw",
				Languages:    []matching.SpokenLanguage{de, en},
				HoursPerWeek: matching.Some(20.0), Verified: matching.Some(true),
			},
			derived: []string{"country from location", "time_zone from country"},
		},
		{
			name:    "a country with several time zones",
			content: "name;title;location\nAda;Nurse;Austin, TX, USA\n",
			want:    matching.Details{Country: "US", Location: "Austin, TX, USA"},
			derived: []string{"country from location"},
		},
		{
			name:    "a doubtful location",
			content: "name;title;location\nAda;Nurse;Dover, DE\n",
			want:    matching.Details{Location: "Dover, DE"},
		},
		{
			name:    "a doubtful name in a column of countries",
			content: "name;title;location\nAda;Nurse;Georgia\nBo;Cook;Peru\nCy;Cook;Kenya\nDi;Cook;Mali\nEd;Cook;Italy\n",
			want:    matching.Details{Country: "GE", Location: "Georgia", TimeZone: "Asia/Tbilisi"},
			derived: []string{"country from location", "time_zone from country"},
		},
		{
			name:    "languages by column",
			content: "name;title;Muttersprache;Englisch;weitere Sprachen\nAda;Nurse;Deutsch;B2;Polnisch, Deutsch\n",
			want:    matching.Details{Languages: []matching.SpokenLanguage{{Tag: "pl"}, de, en}},
		},
		{
			name:    "whether somebody speaks English",
			content: "name;title;English\nAda;Nurse;yes\n",
			want:    matching.Details{Languages: []matching.SpokenLanguage{{Tag: "en"}}},
		},
		{name: "no English", content: "name;title;English\nAda;Nurse;no\n"},
		{
			name:    "availability with hours",
			content: "name;title;availability\nAda;Nurse;30+ hrs/week\n",
			want:    matching.Details{HoursPerWeek: matching.Some(30.0)},
			derived: []string{"hours_per_week from availability"},
		},
		{
			name:     "availability with a date",
			content:  "name;title;availability\nAda;Nurse;ab 01.02.2027\n",
			want:     matching.Details{AvailableFrom: "2027-02-01"},
			derived:  []string{"available_from from availability"},
			warnings: []string{"available from a date"},
		},
		{name: "availability as a number", content: "name;title;availability\nAda;Nurse;1\n"},
		{
			name:    "a word in a column of dates",
			content: "name;title;available from\nAda;Nurse;now\n",
			derived: []string{"availability from available_from"},
		},
		{
			name:    "dates of the column show the order",
			content: "name;title;available from\nAda;Nurse;2/1/2027\nBo;Cook;31/1/2027\n",
			want:    matching.Details{AvailableFrom: "2027-01-02"},
		},
		{
			name:     "nothing shows the order of dates",
			content:  "name;title;available from\nAda;Nurse;2/1/2027\n",
			warnings: []string{"available from: day and month can't be told apart"},
		},
		{
			name: "unreadable values",
			content: "name;title;country;timezone;languages;hours per week;verified\n" +
				"Ada;Nurse;Congo;IST;Elvish;99 per day;perhaps\n",
			warnings: []string{
				"country: several countries", "timezone: several time zones", "languages: not a language",
				"hours per week: not a number of hours", "verified: neither",
			},
		},
		{
			name:    "the currency of the cell",
			content: "name;title;rate\nAda;Nurse;€40\n", want: matching.Details{Currency: "EUR"},
			warnings: []string{"rate: an amount in EUR without an exchange rate"},
		},
		{
			name:    "the currency of the header",
			content: "name;title;rate (CHF)\nAda;Nurse;40\n", want: matching.Details{Currency: "CHF"},
			warnings: []string{"an amount in CHF without an exchange rate"},
		},
		{name: "no currency", content: "name;title;rate\nAda;Nurse;40\n"},
		{
			name:    "the currency of rates beside the one that the person charges in",
			content: "name;title;rate;hourly_rate_currency;currency\nAda;Nurse;40;USD;EUR\n",
			want:    matching.Details{Currency: "EUR"},
		},
		{
			name:    "no currency beside the one of rates",
			content: "name;title;rate;hourly_rate_currency;currency\nAda;Nurse;40;USD;\n",
		},
		{
			name:    "only the currency of rates",
			content: "name;title;rate;hourly_rate_currency\nAda;Nurse;40;USD\n",
			want:    matching.Details{Currency: "USD"},
		},
		{
			name:    "an unreadable currency without a rate",
			content: "name;title;rate;currency\nAda;Nurse;;beads\n", warnings: []string{"currency: not a currency"},
		},
		{name: "a country of origin", content: "name;title;country of origin\nAda;Nurse;Peru\n"},
		{name: "a numbered place", content: "name;title;location\nAda;Nurse;3\nBo;Cook;4\nCy;Cook;5\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, all := readContent(t, test.content, Options{})
			wantDetails(t, &all[0], test.want, test.derived, test.warnings...)

			// The mapping file reads the same.
			text, err := mappingfile.New([]mappingfile.File{f.Mapping()}).YAML()
			if err != nil {
				t.Fatal(err)
			}

			mapping, err := mappingfile.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			_, again := readContent(t, test.content, Options{Mapping: mapping})
			for i := range again {
				again[i].Raw = nil
				all[i].Raw = nil
			}

			if diff := cmp.Diff(all, again); diff != "" {
				t.Errorf("with the mapping file (-recognized +mapped):\n%s%s", diff, text)
			}
		})
	}
}

// The order of dates may show only after the first rows.
func TestDetails_OrderOfDatesAfterTheSample(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"%d;Nurse;%s\n", `{"id": %d, "title": "Nurse", "available from": %q}` + "\n"} {
		var b bytes.Buffer
		if format[0] == '%' {
			b.WriteString("id;title;available from\n")
		}
		for i := range 2 * table.SampleRows {
			fmt.Fprintf(&b, format, i, "2/1/2027")
		}
		fmt.Fprintf(&b, format, 1_000_000, "31/1/2027")
		_, all := readContent(t, b.String(), Options{})
		wantDetails(t, &all[0], matching.Details{AvailableFrom: "2027-01-02"}, nil)
	}
}

// Countries and locations identify people in the order of the header files, whichever of them has a field of its own.
// Releases without details found the wanted places.
func TestDetails_KeepIdentity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		header, row, want string
		o                 Options
	}{
		{"name;title;city;country", "Ada;Nurse;Oslo;Norway", "Norway", Options{}},
		{"name;title;city;country", "Ada;Nurse;Oslo;", "Oslo", Options{}},
		{"name;title;location;country", "Ada;Nurse;Oslo;Norway", "Oslo", Options{}},
		{"name;title;country;location", "Ada;Nurse;Norway;Oslo", "Oslo", Options{}},
		{"name;title;state;country of origin", "Ada;Nurse;Bavaria;Peru", "Bavaria", Options{}},
		{"name;title;country of origin", "Ada;Nurse;Peru", "Peru", Options{}},
		{"name;title;country", "Ada;Nurse;3", "3", Options{}},
		{
			"name;title;city;country", "Ada;Nurse;;Norway", "", Options{Map: map[string]string{"location": "city"}},
		},
		{
			"name;title;city;country", "Ada;Nurse;Oslo;Norway", "Norway", Options{Map: map[string]string{"country": "country"}},
		},
		{
			"name;title;city;country;land", "Ada;Nurse;Oslo;Norway;Peru", "Norway",
			Options{Map: map[string]string{"country": "land"}},
		},
	} {
		f, all := readContent(t, test.header+"\n"+test.row+"\n", test.o)
		if got := all[0].Location; got != test.want {
			t.Errorf("%s: the place is %q, want %q", test.header, got, test.want)
		}
		_, again := readContent(t, test.header+"\n"+test.row+"\n", f.Options())
		if again[0].Freelancer.ID != all[0].Freelancer.ID || again[0].Location != test.want {
			t.Errorf("%s: the second pass finds %q", test.header, again[0].Location)
		}
	}
}

// A change of some values must not change others.
func TestDetails_PartialRowsDeriveNothing(t *testing.T) {
	t.Parallel()
	_, all := readContent(t, "id;location\n7;Porto, Portugal\n", Options{Partial: true})
	wantDetails(t, &all[0], matching.Details{Location: "Porto, Portugal"}, nil)
}

func TestDetails_Converted(t *testing.T) {
	t.Parallel()
	_, all := readContent(t, "id;title;rate\n7;Nurse;€40\n8;Cook;$40\n", Options{Rates: map[string]float64{"EUR": 1.5}})
	if all[0].From != "EUR" || all[1].From != "" || all[0].Freelancer.HourlyRate != matching.Some(60.0) {
		t.Errorf("from %q and %q, rate %v", all[0].From, all[1].From, all[0].Freelancer.HourlyRate)
	}
	wantDetails(t, &all[0], matching.Details{Currency: "EUR"}, nil)
}

func TestMappingFile_ChecksDetails(t *testing.T) {
	t.Parallel()
	for _, column := range []string{
		"{column: x, field: country, identity: only}", "{column: x, field: name, identity: never}",
		"{column: x, field: location, identity: x}", "{column: x, field: languages, use: rate}",
		"{column: x, field: currency, use: native}", "{column: x, field: languages, use: elvish}",
	} {
		text := "version: 1\nfiles:\n  - file: a.csv\n    columns:\n      - " + column + "\n"
		if _, err := mappingfile.Parse([]byte(text)); err == nil {
			t.Errorf("accepted %s", column)
		}
	}
}

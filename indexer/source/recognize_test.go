package source

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/matching"
)

// The ways to recognize a column.
const (
	byFlag   = columns.ByFlag
	byHeader = columns.ByHeader
	byBoth   = columns.ByBoth
	byValues = columns.ByValues
)

// words is a Vocabulary of a few words.
type words struct{}

func (words) IsSkill(name string) bool {
	return slices.Contains(strings.Fields("go sql rust figma seo photoshop css html docker"), strings.ToLower(name))
}

func (words) IsJob(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, "developer") || strings.HasSuffix(lower, "designer") ||
		strings.HasSuffix(lower, "writer")
}

// column returns a table with names, skills and one more column.
func column(header string, cells ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name;skills;%s\n", header)
	for i, cell := range cells {
		fmt.Fprintf(&b, "Person %c;Go;%s\n", 'A'+rune(i), cell)
	}
	return b.String()
}

// columnOf returns the last column of a file.
func columnOf(t *testing.T, content string, o Options) columns.Column {
	t.Helper()
	o.Vocabulary = words{}
	o.Delimiter = ';'
	f, err := Open(input.FromPath(write(t, content)), o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Columns()[len(f.Columns())-1]
}

func TestColumnsAreRecognizedByHeadersAndValues(t *testing.T) {
	long := "I build web shops and keep them running for years, with tests, backups and a phone number " +
		"that somebody answers."
	tests := []struct {
		name, header string
		cells        []string
		field        string
		how          columns.How
		doubt, note  string // parts
	}{
		{
			"rates per hour under an unknown header", "Col 7",
			[]string{"$51/hr", "$20/hr", "$33/hr"},
			"hourly_rate", byValues, "", "per hour",
		},
		{
			"rates per hour under the header of a price", "Price",
			[]string{"$51/hr", "20/hr", "€33 an hour"},
			"hourly_rate", byValues,
			"the header does not say so", "per hour",
		},
		{"amounts under the header of a price", "Price", []string{"$51", "$20", "$33"}, "", byHeader, "", "a piece of work"},
		{"amounts under an unknown header", "Col 7", []string{"$51", "$20", "$33"}, "", "", "", ""},
		{"hours under an unknown header", "Col 7", []string{"40 hours", "20 hours", "33 hours"}, "", "", "", ""},
		{
			"amounts per hour and per day", "Rate",
			[]string{"$60/hr", "$320/day", "$50/hr", "$40/hr", "$70/hr"},
			"hourly_rate", byHeader,
			"", "warnings in 1 of",
		},
		{"percentages under the header of a rate", "rate", []string{"98%", "87%", "100%"}, "", byHeader, "", "percentages"},
		{
			"rates per day under the header of a rate", "rate",
			[]string{"$980/day", "$870/day", "$1000/day"},
			"hourly_rate", byHeader, "", "warnings in 3 of",
		},
		{
			"rates per project under the header of a rate", "rate",
			[]string{"$980 fixed", "$870 fixed", "$1000 fixed"},
			"", byHeader, "", "other units",
		},
		{
			"ratings under the header of a rate", "rate",
			[]string{"4.9", "4.8", "4.7", "5.0", "4.4", "3.9", "4.2", "4.1", "4.6", "4.5"},
			"", byHeader, "", "look like ratings",
		},
		{
			"part of a header with amounts", "hourly rate asked",
			[]string{"45", "20", "33"},
			"hourly_rate", byBoth, "part of the header", "",
		},
		{"part of a header with other values", "hourly rate asked", []string{"yes", "no", "yes"}, "", "", "", ""},
		{"a rate of something else", "exchange rate", []string{"1.2", "1.3", "1.4"}, "", "", "", ""},

		{"stars under an unknown header", "Col 7", []string{"★★★★☆", "★★★★★", "★★★☆☆"}, "rating", byValues, "", ""},
		{"scores out of 5", "Col 7", []string{"4.9/5", "4.5/5", "5/5"}, "rating", byValues, "", ""},
		{"scores with counts", "Col 7", []string{"4.9 (123)", "4.5 (3)", "5 (1k+)"}, "rating", byValues, "", ""},
		{"numbers up to 5 under an unknown header", "Col 7", []string{"4.9", "4.5", "5"}, "", "", "", ""},
		{"percentages under an unknown header", "Col 7", []string{"98%", "87%", "100%"}, "", "", "", ""},
		{
			"addresses under the header of a rating", "rating",
			[]string{"https://a.example/1", "https://a.example/2", "https://a.example/3"},
			"profile_url", byValues, "the header does not say so", "",
		},
		{"large numbers under the header of a rating", "rating", []string{"1200", "340", "560"}, "", byHeader, "", "1200"},

		{"years with a unit", "Col 7", []string{"7 yrs", "3 years", "18 months"}, "experience", byValues, "the header", ""},
		{"a unit as the header", "yrs", []string{"7", "3", "1"}, "experience", byBoth, "part of the header", ""},
		{"calendar years", "year", []string{"2015", "2019", "2007"}, "", "", "", ""},
		{"ages", "Col 7", []string{"27 years", "33 years", "48 years"}, "", "", "", ""},
		{
			"levels under the header of experience", "experience",
			[]string{"Expert", "Senior", "Junior"},
			"", byHeader, "", "not used",
		},
		{
			"calendar years under the header of experience", "experience",
			[]string{"2015", "2019", "2007"},
			"", byHeader, "", "not used",
		},

		{
			"pages of one site", "Col 7",
			[]string{"https://a.example/u/1", "https://a.example/u/2", "https://a.example/u/3"},
			"profile_url",
			byValues, "the header", "",
		},
		{
			"pictures", "Col 7",
			[]string{"https://a.example/1.png", "https://a.example/2.png", "https://a.example/3.jpg"},
			"", "", "", "",
		},
		{
			"pages of many sites", "Col 7",
			[]string{"https://a.example/", "https://b.example/", "https://c.example/"},
			"", "", "", "",
		},
		{"pictures under the header of an address", "url", []string{
			"https://a.example/1.png", "https://a.example/2.png",
			"https://a.example/3.jpg",
		}, "", byHeader, "", "pictures"},

		{
			"words of availability", "Col 7",
			[]string{"Available", "Busy", "Available now"},
			"availability", byValues, "the header", "",
		},
		{"yes and no", "Col 7", []string{"yes", "no", "yes"}, "", "", "", ""},
		{
			"dates under the header of availability", "availability",
			[]string{"2026-01-01", "2026-02-01", "2026-03-01"},
			"", byHeader, "",
			"dates",
		},

		{
			"counts of projects", "Col 7",
			[]string{"12 projects", "3 projects", "40 projects"},
			"total_sales", byValues, "the header", "",
		},
		{
			"hours under the header of projects", "projects",
			[]string{"8 hours", "12 hours", "3 hours"},
			"", byHeader, "", "other units",
		},
		{
			"counts under the header of projects", "projects",
			[]string{"8 jobs", "12 projects", "3 orders"},
			"total_sales", byHeader, "", "",
		},
		{
			"a letter as the header", "u",
			[]string{"https://a.example/u/1", "https://a.example/u/2", "https://a.example/u/3"},
			"profile_url", byValues, "the header", "",
		},
		{"counts of something", "Col 7", []string{"12 cats", "3 cats", "40 cats"}, "", "", "", ""},
		{"ratings under the header of reviews", "reviews", []string{"4.9", "4.8", "5"}, "", byHeader, "", "fractions"},

		{
			"e-mail addresses", "Col 7",
			[]string{"a@x.example", "b@x.example", "c@x.example"},
			"email", byValues, "the header", "",
		},
		{"one e-mail address", "Col 7", []string{"a@x.example", "a@x.example", "a@x.example"}, "", "", "", ""},
		{"countries", "Col 7", []string{"Kenya", "Tartu, Estonia", "Peru"}, "location", byValues, "the header", ""},
		{
			"countries in German", "Col 7",
			[]string{"Deutschland", "Österreich", "Spanien"},
			"location", byValues, "the header", "",
		},
		{"currencies", "Col 7", []string{"USD", "EUR", "INR"}, "currency", byValues, "the header", ""},
		{
			"languages", "Col 7",
			[]string{"English, Spanish", "English", "German (native), English"},
			"languages", byValues, "the header", "",
		},
		{"countries under their header", "country", []string{"Kenya", "DE", "Brasil"}, "country", byHeader, "", ""},
		{
			"cities under the header of countries", "country",
			[]string{"Tartu", "Lyon", "Porto"},
			"location", byHeader, "", "also distinguishes",
		},
		{
			"some cities under the header of countries", "country",
			[]string{"Kenya", "Peru", "Chile", "Mali", "Porto"},
			"country", byHeader, "20% of the values are not countries", "",
		},
		{"numbers under the header of countries", "country", []string{"1", "2", "3"}, "", byHeader, "", "distinguishes"},
		{
			"languages under their header", "Languages",
			[]string{"English (fluent)", "Deutsch", "en, fr"},
			"languages", byHeader, "", "",
		},
		{
			"languages of programmers", "Languages",
			[]string{"Python, Java", "Go", "Rust, C++"},
			"", byHeader, "", "not used for languages",
		},
		{"levels of English", "English level", []string{"B2", "fluent", "native"}, "languages", byHeader, "", "English"},
		{"time zones", "Timezone", []string{"UTC+1", "Europe/Rome", "CET"}, "time_zone", byHeader, "", ""},
		{"dates", "Available from", []string{"2026-12-01", "1 Jan 2027", "now"}, "available_from", byHeader, "", ""},
		{"hours", "Hours per week", []string{"40", "20-30", "full-time"}, "hours_per_week", byHeader, "", ""},
		{"verified", "Verified", []string{"yes", "no", "yes"}, "verified", byHeader, "", ""},
		{
			"job titles", "Col 7",
			[]string{"Web developer", "Logo designer", "Writer"},
			"job_title", byValues, "the header", "",
		},
		{
			"forms of address under the header of a title", "title",
			[]string{"Mr", "Mrs", "Mr", "Ms", "Dr"},
			"", byHeader, "", "address",
		},
		{"long texts", "Col 7", []string{long + " A", long + " B", long + " C"}, "description", byValues, "the header", ""},
		{"one long text", "Col 7", []string{long, long, long}, "", "", "", ""},
		{"numbers under the header of a description", "description", []string{"1", "2", "3"}, "", byHeader, "", "numbers"},
		{"names beside names", "Col 7", []string{"Ada Bell", "Cid Dorn", "Eva Frey"}, "", "", "", ""},
		{"codes", "Col 7", []string{"x1", "x2", "x3"}, "", "", "", ""},
		{"telephone numbers", "Col 7", []string{"+49 30 1234567", "+1 (555) 010-9999", "+48 600 100 200"}, "", "", "", ""},
		{"two odd cells", "rating", []string{"https://a.example/1", "Top"}, "rating", byHeader, "", ""},
		{"no values", "rating", []string{"", "-", "n/a"}, "rating", byHeader, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := columnOf(t, column(test.header, test.cells...), Options{})
			if got.Field != test.field || got.How != test.how {
				t.Errorf("field %q by %q, want %q by %q (%s)", got.Field, got.How, test.field, test.how, got.Note)
			}

			if !strings.Contains(got.Doubt, test.doubt) || (test.doubt == "") != (got.Doubt == "") {
				t.Errorf("doubt %q, want %q", got.Doubt, test.doubt)
			}

			if !strings.Contains(got.Note, test.note) {
				t.Errorf("note %q, want %q", got.Note, test.note)
			}
		})
	}
}

func TestSkillsAreRecognizedByValues(t *testing.T) {
	tests := []struct {
		name  string
		cells []string
		want  string
	}{
		{"lists", []string{"Go, SQL", "Go, Docker, Rust", "Figma, Photoshop"}, "skills"},
		{"lists of other things", []string{"cats, dogs", "birds, fish", "mice, owls"}, ""},
		{"languages", []string{"English, German", "English, Dutch", "Polish, English"}, "languages"},
		{"one skill in each row", []string{"Go", "SQL", "Go"}, "skills"},
		{"categories", slices.Repeat([]string{"Go", "SQL"}, 20), ""},
		{"numbers", []string{"3", "4", "12"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			content := "name;Col 7\n"
			for i, cell := range test.cells {
				content += fmt.Sprintf("Person %d;%s\n", i, cell)
			}

			if got := columnOf(t, content, Options{}); got.Field != test.want {
				t.Errorf("field %q, want %q (%s)", got.Field, test.want, got.Note)
			}
		})
	}
}

// TestSkillsHeaderWithCounts checks a column that the header names, but that counts skills.
func TestSkillsHeaderWithCounts(t *testing.T) {
	got := columnOf(t, "name;bio;skills\nA;x;3\nB;y;4\nC;z;12\n", Options{})
	if got.Field != "" || !strings.Contains(got.Note, "not used for skills, because the values are numbers") {
		t.Errorf("column %+v", got)
	}
}

func TestGuessNeverBeatsAHeader(t *testing.T) {
	got := columnOf(t, "name;skills;hourly rate;Col 7\nA;Go;20;$51/hr\nB;SQL;30;$20/hr\nC;Go;40;$33/hr\n", Options{})
	if got.Field != "" || !strings.Contains(got.Note, `column "hourly rate" holds hourly_rate`) {
		t.Errorf("column %+v", got)
	}
	o := Options{Map: map[string]string{"hourly_rate": ""}}
	got = columnOf(t, column("Col 7", "$51/hr", "$20/hr", "$33/hr"), o)
	if got.Field != "" {
		t.Errorf("column %+v although -map leaves the field unknown", got)
	}
	o = Options{Map: map[string]string{"rating": "rating"}}
	got = columnOf(t, column("rating", "https://a.example/1", "x", "y"), o)
	if got.Field != "rating" || got.How != byFlag {
		t.Errorf("column %+v although -map chooses it", got)
	}
}

// TestTableWithoutKnownHeaders checks that values alone show a table of people only if two core fields appear.
func TestTableWithoutKnownHeaders(t *testing.T) {
	people := "A1;A2;A3\nAda Bell;Web developer;Go, SQL\nCid Dorn;Logo designer;Figma, CSS\nEva Frey;Writer;SEO, Go\n"
	f, err := Open(input.FromPath(write(t, people)), Options{Vocabulary: words{}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for _, c := range f.Columns() {
		got = append(got, c.Field)
	}
	if diff := cmp.Diff([]string{"name", "job_title", "skills"}, got); diff != "" {
		t.Errorf("fields (-want +got)\n%s", diff)
	}
	one := "A1;A2\nGo, SQL;1\nFigma, CSS;2\nSEO, Go;3\n"
	if _, err := Open(input.FromPath(write(t, one)), Options{Vocabulary: words{}}); err == nil {
		t.Error("a table with nothing but lists of skills was accepted")
	}
}

func TestCurrencyOfRows(t *testing.T) {
	o := Options{Rates: map[string]float64{"INR": .01, "EUR": 1.1}}
	tests := []struct{ name, content, want, warning string }{
		{"codes", "name;rate;currency\nA;1500;INR\n", "15", ""},
		{"signs", "name;rate;currency\nA;30;€\n", "33", ""},
		{"before the rate", "name;currency;rate\nA;INR;1500\n", "15", ""},
		{"the base currency", "name;rate;currency\nA;30;USD\n", "30", ""},
		{"without an exchange rate", "name;rate;currency\nA;30;GBP\n", "unknown", "-rate GBP=AMOUNT"},
		{"a sign in the cell decides", "name;rate;currency\nA;€30;INR\n", "33", ""},
		{"no currency in the row", "name;rate;currency\nA;30;\n", "unknown", "names no known currency"},
		{"no currency in the row, but in the header", "name;rate (EUR);currency\nA;30;\n", "33", ""},
		{"something else in the row", "name;rate;currency\nA;30;cash\n", "unknown", "names no known currency"},
		{"the nearest column", "name;earnings currency;earnings;rate;rate currency\nA;USD;9;1500;INR\n", "15", ""},
		{"in the header", "name;rate in €\nA;30\n", "33", ""},
		{"a sign per hour in the header", "name;Rate €/h\nA;30\n", "33", ""},
		{"an ambiguous sign in the header", "name;rate (Rs)\nA;30\n", "unknown", "several currencies"},
		{"mixed cells", "name;rate\nA;EUR 30\n", "33", ""},
		{"members of an object", `{"name":"A","rate":{"price":1500,"currency":"INR"},"hourly rate":1500}`, "15", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, err := read(t, write(t, test.content), o)
			if err != nil {
				t.Fatal(err)
			}

			if got := fmt.Sprint(rows[0].Freelancer.HourlyRate); got != test.want {
				t.Errorf("rate %s, want %s", got, test.want)
			}
			warnings := ""
			for _, warning := range rows[0].Warnings {
				warnings += warning.Reason
			}

			if !strings.Contains(warnings, test.warning) || (test.warning == "") != (warnings == "") {
				t.Errorf("warnings %q, want %q", warnings, test.warning)
			}
		})
	}
}

// rated returns n rows with ratings.
func rated(header string, n int, rating func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name,location,skills,%s\n", header)
	for i := range n {
		fmt.Fprintf(&b, "Person,City %d,Go,%s\n", i, rating(i))
	}
	return b.String()
}

func splitCSV(t *testing.T, content string) [][]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestScaleIsJudgedFromTheWholeColumn(t *testing.T) {
	low := func(i int) string { return fmt.Sprintf("%.1f", 3+float64(i%20)/10) }
	late := func(high string, from int) func(int) string {
		return func(i int) string {
			if i < from {
				return low(i)
			}
			return high
		}
	}

	tests := []struct {
		name, content string
		first         float64 // the rating of the first row
		note, doubt   string
	}{
		{"0 to 5", rated("rating", 1000, low), 3, "0 to 5: the largest of 1,000 values is 4.9", ""},
		{
			"0 to 10 after 900 rows", rated("rating", 1000, late("9.8", 900)), 1.5,
			"0 to 10, halved: the largest of 1,000 values is 9.8", "",
		},
		{"0 to 100 after 900 rows", rated("rating", 1000, late("98", 900)), .15, "0 to 100, divided by 20", ""},
		{"a mistake in the last row", rated("rating", 1000, late("9.8", 999)), 3, "0 to 5", "1 value exceeds"},
		{"fractions", rated("rating", 1000, func(i int) string { return fmt.Sprintf("0.%d", 60+i%40) }), 3, "0 to 1", ""},
		{"ones", rated("rating", 10, func(int) string { return "1" }), 1, "0 to 5", ""},
		{"zeros mean not rated", rated("rating", 500, late("0", 1)), 3, "the only value is 3", ""},
		{
			"decimal commas", rated("rating", 1000, func(i int) string {
				if i < 900 {
					return `"` + strings.Replace(low(i), ".", ",", 1) + `"`
				}
				return `"4,125"` // 4125 in a column with decimal points
			}), 3, "0 to 5: the largest of 1,000 values is 4.9", "",
		},
		{"declared by the header", rated("rating (0-10)", 1000, low), 1.5, "according to the header", ""},
		{"declared in words", rated("stars out of 5", 1000, late("9.8", 900)), 3, "according to the header", ""},
		{"declared by the values", rated("rating", 1000, late("4.9/5", 0)), 4.9, "the values name their scale", ""},
		{"fractions of percent", rated("job success", 1000, late("0.98", 0)), 4.9, "0 to 1", ""},
		{"percent with a few small values", rated("job success", 300, late("98", 0)), 4.9, "percentages", ""},
	}
	for _, test := range tests {
		for _, format := range []string{"csv", "gzip", "ndjson", "xlsx"} {
			t.Run(test.name+" in "+format, func(t *testing.T) {
				records := splitCSV(t, test.content)
				content := map[string]func() string{
					"csv":    func() string { return test.content },
					"gzip":   func() string { return gzipped(t, test.content) },
					"ndjson": func() string { return asJSON(records, "\n") },
					"xlsx":   func() string { return sheet(t, records) },
				}[format]()

				f, err := Open(input.FromPath(write(t, content)), Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()

				c := f.Columns()[3]
				isDoubted := test.doubt != ""
				if !strings.Contains(c.Note, test.note) || !strings.Contains(c.Doubt, test.doubt) ||
					isDoubted != (c.Doubt != "") {
					t.Errorf("note %q, doubt %q; want %q, %q", c.Note, c.Doubt, test.note, test.doubt)
				}

				for row, err := range f.Rows(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}

					if got := row.Freelancer.Rating; got != matching.Some(test.first) {
						t.Errorf("the first rating is %v, want %v", got, test.first)
					}
					break
				}
			})
		}
	}
}

// TestScaleOfNestedRatings checks that values under the same key of other objects don't change the scale of a column.
func TestScaleOfNestedRatings(t *testing.T) {
	for _, separator := range []string{"\n", ",\n"} {
		var objects []string
		for i := range 600 {
			objects = append(objects, fmt.Sprintf(
				`{"name": "Person %d", "skills": ["Go"], "rating": 4.5, "jobs": [{"rating": 9}, {"rating": "8"}]}`, i))
		}

		content := strings.Join(objects, separator)
		if separator != "\n" {
			content = "[" + content + "]"
		}
		f, err := Open(input.FromPath(write(t, content)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()

		if got := f.Columns()[2]; !strings.Contains(got.Note, "0 to 5: the largest of 600 values is 4.5") {
			t.Errorf("note %q", got.Note)
		}
	}
}

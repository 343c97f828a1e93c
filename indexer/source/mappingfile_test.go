package source

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/indexer/source/build"
	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
)

// readAll returns all rows of an input, without the cells that they refer to, and its columns.
func readAll(t *testing.T, from input.Source, o Options) (rows []Row, f *File) {
	t.Helper()
	f, err := Open(from, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		row.Raw = nil
		rows = append(rows, row)
	}
	return rows, f
}

// TestMappingFileReadsTheSameRows reads each file of testdata with the mapping that was written for it, and with the
// options for opening it again.
func TestMappingFileReadsTheSameRows(t *testing.T) {
	for _, name := range []string{
		"platform.csv", "trends.csv", "market.csv", "directory.csv", "service.csv", "european.csv", "bars.csv",
		"people.ndjson", "people.json",
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Rates: map[string]float64{"EUR": 1.1}}
			from := input.FromPath(filepath.Join("testdata", name))
			want, f := readAll(t, from, o)
			again, _ := readAll(t, from, f.Options())
			if diff := cmp.Diff(want, again); diff != "" {
				t.Errorf("opened again (-first +second)\n%s", diff)
			}

			text, err := mappingfile.New([]mappingfile.File{f.Mapping()}).YAML()
			if err != nil {
				t.Fatal(err)
			}

			if o.Mapping, err = mappingfile.Parse([]byte(text)); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			mapped, second := readAll(t, from, o)
			if diff := cmp.Diff(want, mapped); diff != "" {
				t.Errorf("with the mapping file (-without +with)\n%s", diff)
			}

			rewritten, err := mappingfile.New([]mappingfile.File{second.Mapping()}).YAML()
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(withoutComments(text), withoutComments(rewritten)); diff != "" {
				t.Errorf("mapping of the mapped file (-first +second)\n%s", diff)
			}
		})
	}
}

func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, " # ")
		if !strings.HasPrefix(line, "#") {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	return b.String()
}

func TestMappingFile(t *testing.T) {
	content := "Who;Nick;Likes;Pay;Pay;Mark;Since\nAnn;a1;go-lang;1;30;8;2020-01-02\nBob;b1;rust;2;40;9;7%\n"
	mapping := `version: 1
files:
  - file: "f*"
    delimiter: ";"
    columns:
      - {column: Nick, field: name, part: true}
      - {column: who, field: name, part: true}
      - {column: Likes, field: skills, slugs: true}
      - {column: Pay, number: 5, field: hourly_rate, currency: eur}
      - {column: Mark, field: rating, scale: 10}
      - {column: Since, field: "-", date: true}
`

	m, err := mappingfile.Parse([]byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	from := input.FromPath(write(t, content))
	rows, f := readAll(t, from, Options{Mapping: m, Rates: map[string]float64{"EUR": 1.1}})
	got := rows[0].Freelancer
	if got.Name != "a1 Ann" || got.Skills[0] != "go lang" || got.HourlyRate.Value != 33 || got.Rating.Value != 4 {
		t.Errorf("freelancer %+v", got)
	}

	if len(rows[1].Warnings) != 1 || rows[1].Warnings[0].Reason != build.RemarkNotDate {
		t.Errorf("warnings %v, want one about the date", rows[1].Warnings)
	}

	const used = columns.ByMapping
	for i, want := range []columns.How{used, used, used, "", used, used, used} {
		if c := f.Columns()[i]; c.How != want {
			t.Errorf("column %q by %q, want %q", c.Header, c.How, want)
		}
	}

	// -map overrides the mapping file.
	rows, f = readAll(t, from, Options{Mapping: m, Map: map[string]string{"rating": "Pay", "skills": ""}})
	if got := rows[0].Freelancer; got.Rating.Value != 1 || len(got.Skills) != 0 {
		t.Errorf("freelancer %+v", got)
	}

	if c := f.Columns()[3]; c.How != columns.ByFlag || c.Field != "rating" {
		t.Errorf("column %+v", c)
	}
}

func TestMappingFile_Errors(t *testing.T) {
	file := func(columns string) string {
		return "version: 1\nfiles:\n  - file: \"*\"\n    columns:\n" + columns
	}
	tests := []struct{ name, text, want string }{
		{"syntax", "version: 1\nfiles: [\n", "2:"},
		{"unknown key", "version: 1\nfile: x\n", `unknown field "file"`},
		{"key twice", "version: 1\nversion: 1\n", "already defined"},
		{"version", "version: 2\nfiles: []\n", "version 2 is not supported"},
		{"no files", "version: 1\n", "there are no files"},
		{"no name", "version: 1\nfiles:\n  - columns: []\n", "neither the name of a file nor a pattern"},
		{"pattern", "version: 1\nfiles:\n  - file: \"[\"\n", `line 3: "["`},
		{"field", file("      - {column: A, field: nam}\n"), `line 5: column "A": unknown field "nam"; did you mean "name"?`},
		{"no field", file("      - {column: A}\n"), "the field is missing"},
		{"scale", file("      - {column: A, field: rating, scale: 7}\n"), "the scale must be 1, 5, 10 or 100"},
		{"scale of a name", file("      - {column: A, field: name, scale: 5}\n"), "belongs to a column of ratings"},
		{"currency", file("      - {column: A, field: hourly_rate, currency: Euro}\n"), `unknown currency "Euro"`},
		{"currency of a name", file("      - {column: A, field: name, currency: EUR}\n"), "a column of hourly rates"},
		{"slugs", file("      - {column: A, field: name, slugs: true}\n"), "slugs belong to"},
		{"part", file("      - {column: A, field: skills, part: true}\n"), "only name and total_sales have parts"},
		{"date", file("      - {column: A, field: name, date: true}\n"), "a column of dates has no field"},
		{"number", file("      - {column: A, field: name, number: -1}\n"), "must be 1 or more"},
		{
			"missing column", file("      - {column: A, field: name}\n      - {column: Skils, field: skills}\n"),
			`line 6 of the mapping file: the file has no column "Skils"; did you mean "Skills"?; the columns are "A", "Skills"`,
		},
		{"column at another place", file("      - {column: A, field: name, number: 2}\n"), `no column "A" at place 2`},
		{
			"column twice", file("      - {column: A, field: name}\n      - {column: A, field: skills}\n"),
			`column "A" is listed twice`,
		},
		{
			"other file", "version: 1\nfiles:\n  - {file: other.csv, columns: []}\n",
			"no entry for this file, only for other.csv",
		},
		{"nothing to match", file("      - {column: A, field: id}\n"), "no known column for names"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := mappingfile.Parse([]byte(test.text))
			if err == nil {
				_, err = read(t, write(t, "A,Skills\nx,Go\n"), Options{Mapping: m})
			}

			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// FuzzParseMapping checks that any text is a mapping or an error, and that a mapping survives writing and reading.
func FuzzParseMapping(f *testing.F) {
	f.Add("version: 1\nfiles:\n  - file: \"*.csv\"\n    id: [a, b]\n    columns:\n" +
		"      - {column: A, field: rating, scale: 10}\n")
	f.Add("version: 1\nfiles:\n- file: a\n  columns:\n  - {column: \"x: #\\n\", number: 3, field: \"-\", date: true}\n")
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := mappingfile.Parse([]byte(text))
		if err != nil {
			return
		}
		written, err := m.YAML()
		if err != nil {
			t.Fatal(err)
		}

		again, err := mappingfile.Parse([]byte(written))
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		diff := cmp.Diff(m.Files, again.Files, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(mappingfile.Column{}))
		if diff != "" {
			t.Errorf("written and read again (-first +second)\n%s", diff)
		}
	})
}

// FuzzRecognize gives any cells to a column, and checks that recognizing it ends with a known field, that a used column
// without a known header carries a reason, and that the file can be read again with its mapping.
func FuzzRecognize(f *testing.F) {
	for _, cells := range []string{
		"$51/hr|$20/hr|€3 an hour", "★★★★☆|4.9/5|98%", "INR|€|Rs", "a@b.example|https://a.example/x.png|+49 30",
		"Go, SQL|Rust|{\"a\"", "10:00|2020-01-01|12/31/99", "\"|'|=",
	} {
		f.Add("Col 7", cells)
		f.Add("rating (0-10)", cells)
		f.Add("Rate €/h", cells)
	}

	f.Fuzz(func(t *testing.T, header, cells string) {
		records := [][]string{{"name", "skills", header}}
		for cell := range strings.SplitSeq(cells, "|") {
			records = append(records, []string{"Ada", "Go", cell})
		}
		from := input.FromPath(write(t, delimited(t, records, ',')))
		file, err := Open(from, Options{Vocabulary: words{}})
		if err != nil {
			return
		}
		defer file.Close()

		for _, c := range file.Columns() {
			if c.Field != "" && field.Named(c.Field) == field.None || c.Field != "" && c.How == "" {
				t.Errorf("column %+v", c)
			}
			if c.How == columns.ByValues && c.Note == "" {
				t.Errorf("column %+v is used without a reason", c)
			}
		}

		text, err := mappingfile.New([]mappingfile.File{file.Mapping()}).YAML()
		if err != nil {
			t.Fatal(err)
		}
		m, err := mappingfile.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}

		again, err := Open(from, Options{Mapping: m})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again.Close()
	})
}

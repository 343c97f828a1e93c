package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/input"
)

// encoded returns text in an encoding.
func encoded(t testing.TB, e encoding.Encoding, text string) string {
	t.Helper()
	encoded, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// TestOpen_Preamble reads tables with lines above them that are not part of the table.
func TestOpen_Preamble(t *testing.T) {
	const table = "name;job_title;skills\nAnn;#1 designer;Logos, Icons\n#Bob;Cook;Pasta\n"
	tests := []struct {
		name, content string
		o             Options
		line          int // of the first row
		notes         []string
	}{
		{"nothing", table, Options{}, 2, nil},
		{"declared delimiter", "sep=;\r\n" + table, Options{}, 3, []string{`line 1 declares the delimiter ';'`}},
		{
			"comments", "# exported, by a program\n#\n" + table,
			Options{},
			4,
			[]string{`skipped comments above the header: 2, beginning with "# exported, by a program"`},
		},
		{"title rows", "Our freelancers\n\n2026;;\n" + table, Options{}, 5, []string{
			`the header is in line 4; the lines above it were skipped, beginning with "Our freelancers"`,
		}},
		{"skipped lines", "\"unclosed\n\n" + table, Options{SkipLines: 2}, 4, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.content)
			f, err := Open(input.FromPath(path), test.o)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			if diff := cmp.Diff(test.notes, f.Notes()); diff != "" {
				t.Errorf("notes (-want +got)\n%s", diff)
			}
			got, err := read(t, path, test.o)
			if err != nil || len(got) != 2 {
				t.Fatalf("rows %+v, %v", got, err)
			}

			for i, want := range []struct{ name, title, skills string }{
				{"Ann", "#1 designer", "Logos|Icons"}, {"#Bob", "Cook", "Pasta"},
			} {
				f := got[i].Freelancer
				skills := strings.Join(f.Skills, "|")
				if f.Name != want.name || f.JobTitle != want.title || skills != want.skills || got[i].Line != test.line+i {
					t.Errorf("line %d: %+v, want %+v in line %d", got[i].Line, f, want, test.line+i)
				}
			}
		})
	}
}

func TestOpen_HeaderThatBeginsWithHash(t *testing.T) {
	for _, header := range []string{"#,name,skills", `"#",name,skills`, "#name,skills,x", "# id,name,skills"} {
		rows, err := read(t, write(t, header+"\n1,Ann,Go\n2,Bob,C\n"), Options{})
		if err != nil || len(rows) != 2 {
			t.Errorf("%s: %d rows, %v", header, len(rows), err)
		}
	}
}

func TestOpen_NoHeader(t *testing.T) {
	o := Options{NoHeader: true, Map: map[string]string{"name": "column 1", "skills": "Column 3"}}
	rows, err := read(t, write(t, "#1 Ann,x,Go\nBob,y,C\nCid,y\n"), o)
	if err != nil || len(rows) != 3 {
		t.Fatalf("rows %+v, %v", rows, err)
	}
	if f := rows[0].Freelancer; f.Name != "#1 Ann" || f.Skills[0] != "Go" || rows[0].Line != 1 {
		t.Errorf("first row %+v", rows[0])
	}
}

// A table whose first row is a freelancer stops, unless -no-header or -map says what the first row is.
func TestOpen_FirstRowIsAFreelancer(t *testing.T) {
	const (
		four = "Ada Bell;Web developer;Go, SQL;4.9/5\nCid Dorn;Logo designer;Figma, CSS;4.5/5\n" +
			"Eva Frey;Blog writer;SEO, Go;4.8/5\nIda Holt;App developer;Go, Rust;4.7/5\n"
		refused = `use -no-header, or if it is a header, confirm one column, such as -map name="Ada Bell"`
	)
	five := ""
	for line := range strings.Lines(four) {
		five += strings.TrimSuffix(line, "\n") + ";$40/hr\n"
	}

	for _, test := range []struct {
		name, table string
		o           Options
		want        string // the number of rows, or a part of the error
	}{
		{"five columns", five, Options{}, refused},
		{"-no-header", five, Options{NoHeader: true}, "4 rows"},
		{"-map confirms the header", five, Options{Map: map[string]string{"name": "Ada Bell"}}, "3 rows"},
		{"a known header", "name;A2;A3;A4;A5\n" + five, Options{}, "4 rows"},
		{"four columns", four, Options{}, "3 rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Vocabulary = words{}
			rows, err := read(t, write(t, test.table), test.o)
			got := fmt.Sprint(len(rows), " rows")
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestOpen_PreambleErrors(t *testing.T) {
	tests := []struct {
		name, content, want string
		o                   Options
	}{
		{"few lines", "name\nAnn\n", "the file has only 2 lines, but 3 are to be skipped", Options{SkipLines: 3}},
		{"all lines", "name\nAnn\n", "the file is empty", Options{SkipLines: 2}},
		{"long line", strings.Repeat("x", 5<<20) + "\nname\nAnn\n", "line 1: a row is larger", Options{SkipLines: 1}},
		{"only comments", "# a\n# b", "the file has no rows", Options{}},
		{"encoding", "name\nAnn\n", `unknown encoding "polish"; use a name such as utf-8`, Options{Encoding: "polish"}},
		{"no header", "Ann,Go\n", `such as -map name="COLUMN"`, Options{NoHeader: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(t, write(t, test.content), test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestRows_Encodings checks that no byte is dropped, and that every doubtful one is reported.
// The warnings about encodings.
const (
	notUTF8 = charset.RemarkNotUTF8
	isUTF8  = charset.RemarkUTF8
	lost    = charset.RemarkLost
	hasNUL  = charset.RemarkNUL
)

func TestRows_Encodings(t *testing.T) {
	const far = 50_000 // lines: beyond the part of the file that decides the encoding
	warn := func(line int, cell, reason string) []Fault {
		return []Fault{{Line: line, Column: "name", Value: cell, Reason: reason}}
	}
	ascii := strings.Repeat("Ann,x\n", far)
	tests := []struct {
		name, content, encoding string
		want                    string
		warnings                []Fault
		note                    string
	}{
		{"damaged", "name,bio\nZoë,x\nMu\xf1oz,y\n", "", "Muñoz", warn(3, "Muñoz", notUTF8), ""},
		{"both in a cell", "name,bio\nZoë,x\nZoë Mu\xf1oz,y\n", "", "Zoë Muñoz", warn(3, "Zoë Muñoz", notUTF8), ""},
		{"both in a row", "name,bio\nZoë,x\nMu\xf1oz,ëë\n", "", "Muñoz", warn(3, "Muñoz", notUTF8), ""},
		{"damaged, named", "name,bio\nMu\xf1oz,y\n", "UTF-8", "Muñoz", warn(2, "Muñoz", notUTF8), ""},
		{"Windows-1252", "name,bio\nZo\xeb,x\nJos\xe9,y\n", "", "José", nil, `read as Windows-1252, such as "Zoë"`},
		{
			"UTF-8 in Windows-1252", "name,bio\nZo\xeb,x\nJos\xe9,y\nZoë,x\n", "", "Zoë",
			warn(4, "Zoë", isUTF8), "read as Windows-1252",
		},
		{"after ASCII", "name,bio\n" + ascii + "Jos\xe9,y\n", "", "José", warn(far+2, "José", notUTF8), ""},
		{"lost", "name,bio\nMu\ufffdoz,y\n", "", "Mu\ufffdoz", warn(2, "Mu\ufffdoz", lost), ""},
		{"undefined", "name,bio\nZoë,x\nA\x81B,y\n", "", "A\ufffdB", warn(3, "A\ufffdB", lost), ""},
		{
			"zero byte", "name,bio\nMu\x00noz," + strings.Repeat("y", 40) + "\n", "", "Munoz",
			warn(2, "Munoz", hasNUL), "",
		},
		{"UTF-32", encoded(t, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "name,bio\nŁukasz,x\n"), "", "Łukasz", nil, ""},
		{
			"UTF-32 without a mark", encoded(t, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "name,bio\nŁukasz,x\n"), "",
			"Łukasz", nil, "",
		},
		{"ISO-8859-2", encoded(t, charmap.ISO8859_2, "name,bio\nŁukasz,x\n"), "iso-8859-2", "Łukasz", nil, ""},
		{
			"half a pair", "\xff\xfen\x00a\x00m\x00e\x00\n\x00M\x00\x00\xd8u\x00\n\x00", "", "M\ufffdu",
			warn(2, "M\ufffdu", lost), noteOnlyNames,
		},
		{"JSON", "{\"name\":\"Zoë\"}\n{\"name\":\"Mu\xf1oz\"}\n", "", "Muñoz", []Fault{
			{Line: 2, Value: `{"name":"Muñoz"}`, Reason: notUTF8},
		}, noteOnlyNames},
		{"JSON escape", `{"name":"Mu\ufffdoz"}`, "", "Mu\ufffdoz", warn(1, "Mu\ufffdoz", lost), noteOnlyNames},
		{"half a pair in JSON", `{"name":"Mu\ud83doz"}`, "", "Mu\ufffdoz", warn(1, "Mu\ufffdoz", lost), noteOnlyNames},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := Open(input.FromPath(write(t, test.content)), Options{Encoding: test.encoding})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			var last Row
			for row, err := range f.Rows(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				last = row
			}

			if got := last.Freelancer.Name; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}

			if diff := cmp.Diff(test.warnings, last.Warnings); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			notes := strings.Join(f.Notes(), "\n")
			if !strings.Contains(notes, test.note) || (test.note == "") != (notes == "") {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
		})
	}
}

// TestOpen_DoubtfulEncodings checks that text is not loaded in a wrong encoding.
func TestOpen_DoubtfulEncodings(t *testing.T) {
	tests := []struct {
		name string
		e    encoding.Encoding
		text string
		want string // in the error; empty if the file is readable as Windows-1252
	}{
		{"Polish", charmap.ISO8859_2, "Łukasz Wiśniewski, Michał", `"£ukasz" in windows-1252, "Łukasz" in iso-8859-2`},
		{"Polish in Windows-1250", charmap.Windows1250, "Łukasz, Świątek, Kowalczyk", `"Łukasz" in windows-1250`},
		{"Russian", charmap.Windows1251, "Иван Петров", `"Иван" in windows-1251`},
		{"Spanish", charmap.Windows1252, "¿Qué tal? ¡Álvaro! 25 £/hour, 30 €, “Muñoz”, 5±1", ""},
		{"French", charmap.Windows1252, "L’œuvre d’Anaïs, 10 m², créée à Nîmes – déjà vu…", ""},
		{"German", charmap.Windows1252, "Jörg Müßig, Straße 5, 20 £", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(t, write(t, "name\tskills\n"+encoded(t, test.e, test.text)+"\tGo\n"), Options{})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

package source

import (
	"archive/zip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freelancer-matching/service/indexer/source/input"
)

// FuzzOpen reads any bytes as a file. Reading must not panic, must end, and must yield only usable or faulty rows.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		crew, "\ufeff" + crew, "\xff\xfen\x00a\x00m\x00e\x00\n\x00A\x00", "name|skills\nA\"b|\"c\n\"|d\n", "name\r\"a\"\r",
		`{"name": "A", "skills": ["x", {"name": "y"}], "rate": {"amount": 1, "currency": "EUR"}}` + "\n{}\n[1]\n\"x",
		`[{"name": "A\u00e9"}, 5, [{"a": {"b": {"c": {"d": {"e": 1}}}}}], "s" ]`, "PK\x03\x04", "\x1f\x8b\x08\x00",
		"sep=;\r\n# x\n#,name\n1;A\n# b\n", "Title\n\nname;skills\nA;#REF!\n", "name\nMu\xf1oz\n\ufffdx\x00\n",
		"\xff\xfe\x00\x00n\x00\x00\x00", `{"data": [{"name": "A", "name": 1}], "b": [{"name": "B"}]}`,
		"id;name;rating;joined\n1;A;5.0(1k+);98%\n;;;\n2;B\n",
	} {
		f.Add([]byte(seed))
	}

	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}

		for _, o := range []Options{{NoHeader: true}, {SkipLines: 1, Encoding: "iso-8859-2"}, {Sheet: "x", Delimiter: ';'}} {
			_, _ = read(t, path, o) // must end
		}
		file, err := Open(input.FromPath(path), Options{})
		if err != nil {
			return
		}
		defer file.Close()

		line := 0
		for row, err := range file.Rows(t.Context()) {
			if err != nil {
				break
			}

			if row.Line <= line && file.Format() != input.NDJSON || row.Line < line {
				t.Errorf("line %d after line %d", row.Line, line)
			}
			line = row.Line
			f := &row.Freelancer
			isEmpty := f.Name == "" && f.JobTitle == "" && f.Description == "" && len(f.Skills) == 0
			if len(row.Faults) == 0 && (f.ID == "" || isEmpty) {
				t.Errorf("row %+v should have a fault", row)
			}

			for _, text := range append([]string{f.ID, f.Name, f.JobTitle, f.Description, f.ProfileURL}, f.Skills...) {
				if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
					t.Errorf("text %q", text)
				}
			}
		}
	})
}

// FuzzSheet reads any XML as the sheet of an otherwise valid workbook.
func FuzzSheet(f *testing.F) {
	row := `<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1" t="s"><v>0</v></c></row>`
	for _, seed := range []string{
		row + `<row r="2"><c r="A2" t="str"><v>Ann</v></c></row>`,
		row + `<row r="9"><c r="XFD9"><v>1</v></c><c><f>1+1</f></c></row>`,
		row + `<row><c s="1"><v>0.98</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2020-1-1</v></c></row>`,
		`<row r="-1"/><row r="1048577"/>`, `<c r="A1"/>`, "",
	} {
		f.Add(seed)
	}

	book := sheet(f, [][]string{{"name", "skills"}, {"Ann", "Go"}})
	archive, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		f.Fatal(err)
	}

	parts := map[string]string{}
	for _, part := range archive.File {
		content, err := part.Open()
		if err != nil {
			f.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			f.Fatal(err)
		}

		parts[part.Name] = string(text)
	}

	f.Fuzz(func(t *testing.T, rows string) {
		parts := maps.Clone(parts)
		parts["xl/worksheets/sheet1.xml"] = "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"
		_, err := read(t, write(t, zipped(t, parts)), Options{})
		if err != nil && strings.Contains(err.Error(), "runtime error") {
			t.Log(err) // a panic of the library, turned into an error
		}
	})
}

package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzOpen reads any bytes as a file: no panic, an end, and only rows that can be matched or say why not.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		crew, "\ufeff" + crew, "\xff\xfen\x00a\x00m\x00e\x00\n\x00A\x00", "name|skills\nA\"b|\"c\n\"|d\n", "name\r\"a\"\r",
		`{"name": "A", "skills": ["x", {"name": "y"}], "rate": {"amount": 1, "currency": "EUR"}}` + "\n{}\n[1]\n\"x",
		`[{"name": "A\u00e9"}, 5, [{"a": {"b": {"c": {"d": {"e": 1}}}}}], "s" ]`, "PK\x03\x04", "\x1f\x8b\x08\x00",
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
		file, err := Open(path, Options{})
		if err != nil {
			return
		}
		defer file.Close()
		line := 0
		for row, err := range file.Rows() {
			if err != nil {
				break
			}
			if row.Line <= line && file.Format() != formatNDJSON || row.Line < line {
				t.Errorf("line %d after line %d", row.Line, line)
			}
			line = row.Line
			f := &row.Freelancer
			isEmpty := f.Name == "" && f.JobTitle == "" && f.Description == "" && len(f.Skills) == 0
			if len(row.Faults) == 0 && (f.ID == "" || isEmpty) {
				t.Errorf("row %+v has no fault", row)
			}
			for _, text := range append([]string{f.ID, f.Name, f.JobTitle, f.Description, f.ProfileURL}, f.Skills...) {
				if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
					t.Errorf("text %q", text)
				}
			}
		}
	})
}

// FuzzDetectDelimiter checks that a delimiter is found in anything, and that reading with it comes to an end.
func FuzzDetectDelimiter(f *testing.F) {
	f.Add([]byte("name;skills\n\"a;b\";c"), true)
	f.Add([]byte("name\tskills\n\"a"), false)
	f.Fuzz(func(t *testing.T, head []byte, whole bool) {
		delim := detectDelimiter(head, whole, func(header string) bool { return isKnown(header, nil) })
		if !strings.ContainsRune(delimiters, rune(delim)) {
			t.Errorf("delimiter %q", delim)
		}
		records, _ := readHead(head, whole, delim, sampleRows)
		if len(records) > sampleRows {
			t.Errorf("%d records", len(records))
		}
	})
}

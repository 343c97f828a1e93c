package source

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/freelancer-matching/service/indexer/source/build"
	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/flatten"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/matching"
)

// write writes a file whose name does not reveal its format.
func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns all rows of a file, and the error that ended it.
func read(t testing.TB, path string, o Options) (rows []Row, err error) {
	t.Helper()
	f, err := Open(input.FromPath(path), o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

const crew = "name,job_title,skills,hourly_rate\n" +
	"Zoë,\"Cook\nand baker\",\"Pasta, Pizza\",€12\n" +
	"Åse,Tailor,Sewing,$20/hr\n"

// TestOpen_AllEncodings reads the same table in every supported format and encoding.
func TestOpen_AllEncodings(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(crew)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Rates: map[string]float64{"EUR": 2}}
	want, err := read(t, write(t, crew), o)
	if err != nil || len(want) != 2 || want[0].Freelancer.HourlyRate != matching.Some(24.0) {
		t.Fatalf("read %+v, %v", want, err)
	}

	lf := strings.ReplaceAll(crew, "Cook\nand", "Cook and")
	encode := func(encoder interface{ String(string) (string, error) }) string {
		encoded, err := encoder.String(crew)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}

	tests := []struct{ name, content string }{
		{"CRLF", strings.ReplaceAll(crew, "\n", "\r\n")},
		{"CR", strings.ReplaceAll(crew, "\n", "\r")},
		{"no final line end", strings.TrimSuffix(crew, "\n")},
		{"blank lines", "\n\n" + strings.ReplaceAll(lf, "\n", "\n\n") + ",,,\n"},
		{"UTF-8 with BOM", "\ufeff" + crew},
		{"UTF-16", encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder())},
		{"UTF-16, big endian", encode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder())},
		{"UTF-16 without BOM", encode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder())},
		{"Windows-1252", encode(charmap.Windows1252.NewEncoder())},
		{"tabs", delimited(t, records, '\t')},
		{"semicolons", delimited(t, records, ';')},
		{"bars", delimited(t, records, '|')},
		{"gzip", gzipped(t, crew)},
		{"XLSX", sheet(t, records)},
		{"XLSX in gzip", gzipped(t, sheet(t, records))},
		{"NDJSON", asJSON(records, "\n")},
		{"NDJSON in gzip", gzipped(t, asJSON(records, "\n"))},
		{"array", "[" + asJSON(records, ",\n") + "]"},
		{"objects over several lines", strings.ReplaceAll(asJSON(records, "\n"), `","`, "\",\n\"")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := read(t, write(t, test.content), o)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(freelancers(want), freelancers(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func freelancers(rows []Row) []matching.Freelancer {
	var list []matching.Freelancer
	for _, row := range rows {
		list = append(list, row.Freelancer)
	}
	return list
}

func delimited(t *testing.T, records [][]string, delimiter rune) string {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = delimiter
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sheet returns a workbook with the table on its second sheet, below an empty row. The first sheet has other data.
func sheet(t testing.TB, records [][]string) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()

	err := f.SetSheetRow("Sheet1", "A1", &[]string{"Notes"})
	if err == nil {
		_, err = f.NewSheet("People")
	}

	for i, cells := range records {
		if err == nil {
			err = f.SetSheetRow("People", fmt.Sprintf("A%d", i+2), &cells)
		}
	}

	var b bytes.Buffer
	if err == nil {
		err = f.Write(&b)
	}

	if err != nil {
		t.Fatal(err)
	}

	return b.String()
}

func asJSON(records [][]string, separator string) string {
	var objects []string
	for _, cells := range records[1:] {
		var members []string
		for i, cell := range cells {
			members = append(members, fmt.Sprintf("%q: %q", records[0][i], cell))
		}
		objects = append(objects, "{"+strings.Join(members, ",")+"}")
	}
	return strings.Join(objects, separator)
}

// zipped returns a zip archive of parts.
func zipped(t testing.TB, parts map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte(parts[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRead_BadFiles checks that errors say what is wrong with a file, and where.
func TestRead_BadFiles(t *testing.T) {
	row := "a,b,\"c\nd\"\n"
	book := sheet(t, [][]string{{"name"}, {"Ann"}})
	tests := []struct{ name, content, want string }{
		{"empty", "", "the file is empty"},
		{"blank", " \n\r\n", "the file is empty"},
		{"empty gzip", gzipped(t, ""), "the file is empty"},
		{"header only", "name,skills\n", "a header but no rows"},
		{"header only in a sheet", sheet(t, [][]string{{"name"}}), "a header but no rows"},
		{"binary", "name,skills\n\x00\x01\x02\x03\x04\n", "the file is binary"},
		{"picture", "\x89PNG\r\n\x1a\n...", "a picture"},
		{"document", "%PDF-1.7", "a PDF"},
		{"encrypted workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...", "an encrypted workbook"},
		{"cut workbook", book[:len(book)/2], "the zip archive or workbook is incomplete or damaged"},
		{"empty workbook", zipped(t, map[string]string{"xl/workbook.xml": "<workbook/>"}), "workbook"},
		{"bomb", workbookWith(t, strings.Repeat(" ", 8<<20)), "too much for a table"},
		{"truncated sheet", workbookWith(t, "<worksheet><sheetData>"), "sheet1.xml\" of the workbook: the XML ends"},
		{"1,000 columns", strings.Repeat("skills,", 999) + "name\n" + strings.Repeat("x,", 999) + "y\n", "1000 columns"},
		{"1,000 members", "{" + manyMembers(1000) + "}", "columns, more than the limit of 500"},
		{"no known column", "color,size\nred,5\n", `among "color", "size"`},
		{"ids only", "id,rating\n1,5\n", `among "id", "rating"`},
		{"prose", "Dear reader,\nthis is a letter.\n", "no known column"},
		{"quote in the header", "name,\"skills\nAnn,Go\n", "line 1: the closing quote is missing"},
		{"quote in a row", "name,skills\nAnn,Go\nBob,\"C\nCid,D\n", "line 3: the closing quote is missing"},
		{
			"quote far below", "name,skills,bio\n" + strings.Repeat(row, 100_000) + "Bob,C,\"x\nCid,D,y\n",
			"line 200002: the closing quote is missing",
		},
		{
			"long quoted cell", "name,skills,bio\n" + row + "Bob,C,\"" + strings.Repeat("x\n", 1<<20),
			"line 4: a quoted cell is larger than 1 MiB",
		},
		{"long cell", "name,skills\nAnn,Go\nBob," + strings.Repeat("x", 1<<20+1), "line 3: a cell is larger than 1 MiB"},
		{"long row", "name,skills\nAnn,Go\n" + strings.Repeat("x", 5<<20), "line 3: a row is larger than 4 MiB"},
		{"long header", strings.Repeat("name,", 60_000) + "\na\n", "longer than 256 KiB"},
		{"truncated gzip", gzipped(t, crew)[:40], "the gzip file ends too early"},
		{"broken gzip", "\x1f\x8b\x00\x00", "gzip"},
		{"gzip twice", gzipped(t, gzipped(t, crew)), "compressed twice, with gzip and gzip"},
		{"no objects", "[1, 2]", "there is no JSON object"},
		{"sentence with a brace", "{this} is not JSON\n", "there is no JSON object"},
		{"unclosed array", `[{"name": "Ann"}, {"name": "Bob"}`, "the array is not closed"},
		{"unclosed object", "[{\"name\": \"Ann\"},\n{\"name\": \"Bob\"", "line 2: the object is not closed"},
		{"unclosed string", "[{\"name\": \"Ann}]", "line 1: the object is not closed"},
		{"long object", longMember(5 << 20), "line 2: a row is larger than 4 MiB"},
		{"long value", longMember(2 << 20), "line 2: a value is larger than 1 MiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.content)
			_, err := read(t, path, Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// workbookWith returns a workbook with the XML of its only sheet.
func workbookWith(t *testing.T, sheet string) string {
	t.Helper()
	return zipped(t, map[string]string{"xl/workbook.xml": "<workbook/>", "xl/worksheets/sheet1.xml": sheet})
}

// longMember returns NDJSON whose second line has a member of the given size.
func longMember(size int) string {
	return "{\"name\": \"Ann\"}\n{\"name\": \"" + strings.Repeat("x", size) + "\"}"
}

func manyMembers(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"name%d": "x"`, i))
	}
	return strings.Join(members, ",")
}

func TestOpen_BadOptions(t *testing.T) {
	path := write(t, crew)
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"field", Options{Map: map[string]string{"salary": "name"}}, `unknown field "salary"; the fields are id, name`},
		{"column", Options{Map: map[string]string{"name": "Nom"}}, `no column "Nom" for name; the columns are "name"`},
		{"currency", Options{Currency: "Euro"}, `unknown currency "Euro"; use an ISO 4217 code`},
		{"currency of a rate", Options{Rates: map[string]float64{"€": 1}}, `unknown currency "€" of an exchange rate`},
		{"rate", Options{Rates: map[string]float64{"EUR": 0}}, "invalid exchange rate 0 for EUR"},
		{"rate that is not a number", Options{Rates: map[string]float64{"EUR": math.NaN()}}, "invalid exchange rate NaN"},
		{"delimiter", Options{Delimiter: '"'}, "delimiter '\"'"},
		{"delimiter beyond ASCII", Options{Delimiter: '¦'}, "delimiter '¦'"},
		{
			"no columns left",
			Options{Map: map[string]string{"name": "-", "job_title": "", "skills": "-"}},
			"no known column for names",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Open(input.FromPath(path), test.o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}

	if _, err := Open(input.FromPath(filepath.Join(t.TempDir(), "none")), Options{}); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}

	_, err := Open(input.FromPath(t.TempDir()), Options{})
	if err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
}

func TestOpen_Options(t *testing.T) {
	content := "Who;Does;Costs;Name\nAnn;Go+Rust;10;x\n"
	o := Options{
		Map:       map[string]string{"name": "who", "skills": "Does", "hourly_rate": "COSTS"},
		Currency:  "eur",
		Delimiter: ';',
	}

	f, err := Open(input.FromPath(write(t, content)), o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	want := []columns.Column{
		{Header: "Who", Field: "name", How: columns.ByFlag, Examples: []string{"Ann"}},
		{Header: "Does", Field: "skills", How: columns.ByFlag, Examples: []string{"Go+Rust"}},
		{Header: "Costs", Field: "hourly_rate", How: columns.ByFlag, Examples: []string{"10"}},
		{Header: "Name", How: columns.ByFlag, Examples: []string{"x"}, Note: "not used, because -map sets this field"},
	}
	if diff := cmp.Diff(want, f.Columns()); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}

	for row, err := range f.Rows(t.Context()) {
		if err != nil || row.Freelancer.Name != "Ann" || row.Freelancer.HourlyRate != matching.Some(10.0) {
			t.Errorf("row %+v, %v", row, err)
		}
	}
}

func TestRows_WarnsAboutLateFields(t *testing.T) {
	content := strings.Repeat(`{"name": "Ann"}`+"\n", table.SampleRows+1) +
		`{"name": "Bob", "skills": ["Go"], "shoe_size": 43}`
	rows, err := read(t, write(t, content), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Fault{{Line: table.SampleRows + 2, Column: "skills", Reason: flatten.RemarkLate}}
	if diff := cmp.Diff(want, rows[len(rows)-1].Warnings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// An experience since a year counts up to the year of the load, and is unknown without one.
func TestRows_ExperienceSinceAYear(t *testing.T) {
	const table = "name,skills,experience\nMira,Go,seit 2009\nOla,Go,since 2020\nIda,Go,depuis 2030\nBo,Go,7 years\n"
	for _, test := range []struct {
		year int
		want []float64 // -1 for unknown
	}{
		{2027, []float64{18, 7, -1, 7}},
		{0, []float64{-1, -1, -1, 7}},
	} {
		list, err := read(t, write(t, table), Options{Year: test.year})
		if err != nil {
			t.Fatal(err)
		}

		var got []float64
		for _, row := range list {
			years := row.Freelancer.Experience
			if !years.Known {
				years.Value = -1
			}
			got = append(got, years.Value)
			if hasWarning := len(row.Warnings) > 0; hasWarning == years.Known {
				t.Errorf("%s in %d: warnings %v", row.Freelancer.Name, test.year, row.Warnings)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("in %d: %v, want %v", test.year, got, test.want)
		}
	}
}

func TestRows_RoundedIDs(t *testing.T) {
	rows, err := read(t, write(t, "id,name\n1.23457E+18,Ann\n1.23457E+18,Bob\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := rows[0]
	b := rows[1]
	if a.Freelancer.ID == b.Freelancer.ID || len(a.Warnings) != 1 || a.Warnings[0].Reason != build.RemarkRounded {
		t.Errorf("rows %+v and %+v", a, b)
	}
}

func TestRows_Limits(t *testing.T) {
	content := fmt.Sprintf("id,name,job_title,skills,description\n%s,%s,%s,%s,%s\n", strings.Repeat("i", 300),
		strings.Repeat("n", 300), strings.Repeat("t", 400), strings.Repeat("s", 200), strings.Repeat("d", 30_000))
	rows, err := read(t, write(t, content), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := rows[0].Freelancer
	got := []int{len(f.ID), len(f.Name), len(f.JobTitle), len(f.Skills[0]), len(f.Description), len(rows[0].Warnings)}
	if diff := cmp.Diff([]int{200, 200, 300, 100, 20_000, 5}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, warning := range rows[0].Warnings {
		if len(warning.Value) > table.MaxValue {
			t.Errorf("a value of %d bytes for %s", len(warning.Value), warning.Column)
		}
	}
}

func TestRows_Decimals(t *testing.T) {
	const head = "name;rate;rating;reviews\n"
	unknown := matching.Optional[float64]{}
	tests := []struct {
		name, rows   string
		rate, rating matching.Optional[float64]
		reviews      matching.Optional[int]
	}{
		{
			"commas", "Ann;1.200;4,125;1.234\nBob;25,50;4,5;12\n",
			matching.Some(1200.0), matching.Some(4.125), matching.Some(1234),
		},
		{
			"points", "Ann;1.200;4.125;1,234\nBob;25.50;4.5;12\n",
			matching.Some(1.2), matching.Some(4.125), matching.Some(1234),
		},
		{"unclear", "Ann;1.200;4;1.234\nBob;25;4;12\n", unknown, matching.Some(4.0), matching.Some(1234)},
		{
			"fractions that are no counts", "Ann;25;4;1.234\nBob;25;4;0.5\n",
			matching.Some(25.0), matching.Some(4.0),
			matching.Optional[int]{},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, err := read(t, write(t, head+test.rows), Options{})
			if err != nil {
				t.Fatal(err)
			}
			f := rows[0].Freelancer
			if f.HourlyRate != test.rate || f.Rating != test.rating || f.TotalSales != test.reviews {
				t.Errorf("rate %v, rating %v, sales %v", f.HourlyRate, f.Rating, f.TotalSales)
			}

			if isWarned := len(rows[0].Warnings) > 0; isWarned == (test.rate.Known && test.reviews.Known) {
				t.Errorf("warnings %v", rows[0].Warnings)
			}
		})
	}
}

// An input is opened several times, each time at its start.
func TestOpen_Again(t *testing.T) {
	content := "id,name,skills\n1,Mira Talden,Go\n"
	for _, from := range []input.Source{
		input.FromPath(write(t, content)),
		input.FromReaderAt("people", strings.NewReader(content+"beyond the size"), int64(len(content))),
	} {
		for range 2 {
			f, err := Open(from, Options{})
			if err != nil {
				t.Fatal(err)
			}

			for row, err := range f.Rows(t.Context()) {
				if err != nil || row.Freelancer.Name != "Mira Talden" {
					t.Errorf("%s: row %v, %v", from.Name, row, err)
				}
			}

			if err := f.Close(); err != nil || f.Size() != int64(len(content)) || f.Offset() != f.Size() {
				t.Errorf("%s: read %d of %d bytes, %v", from.Name, f.Offset(), f.Size(), err)
			}
		}
	}
}

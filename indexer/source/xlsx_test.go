package source

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/ratings"
	"github.com/freelancer-matching/service/indexer/source/workbook"
)

// bookSheet is a sheet of a workbook: its name and its rows.
type bookSheet struct {
	name string
	rows [][]any
}

// book returns a workbook, after change, which may be nil.
func book(t testing.TB, change func(*excelize.File) error, sheets ...bookSheet) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()

	err := f.SetSheetName("Sheet1", sheets[0].name)
	for _, s := range sheets {
		if err == nil {
			_, err = f.NewSheet(s.name)
		}

		for i := range s.rows {
			if err == nil {
				err = f.SetSheetRow(s.name, fmt.Sprintf("A%d", i+1), &s.rows[i])
			}
		}
	}

	if err == nil && change != nil {
		err = change(f)
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

// TestOpen_Sheets checks which sheet is read, and that nothing is left out without a word.
func TestOpen_Sheets(t *testing.T) {
	people := func(sheet, name string) bookSheet {
		return bookSheet{sheet, [][]any{{"Name", "Skills"}, {name, "Go"}}}
	}
	north := people("North", "Ann")
	south := people("South", "Bob")
	notes := bookSheet{"Notes", [][]any{{"Ask Ilka"}, {"tomorrow"}}}
	skills := bookSheet{"Lists", [][]any{{"Skills"}, {"Go"}, {"C"}}}
	hide := func(name string) func(*excelize.File) error {
		return func(f *excelize.File) error { return f.SetSheetVisible(name, false) }
	}
	tests := []struct {
		name, content, sheet string
		want                 string // the name in the only row, or a part of the error
		notes                []string
	}{
		{"one", book(t, nil, north), "", "Ann", nil},
		{
			"two with people", book(t, nil, north, south),
			"", `the sheets "North" and "South" may both be freelancers; name one`, nil,
		},
		{"named", book(t, nil, north, south), "south ", "Bob", nil},
		{"unknown", book(t, nil, north, south), "East", `no sheet "East"; the sheets are "North", "South"`, nil},
		{"notes", book(t, nil, notes, north), "", "Ann", []string{`read the sheet "North", and not "Notes"`}},
		{"list of skills", book(t, nil, skills, north), "", "Ann", []string{`read the sheet "North", and not "Lists"`}},
		{"notes, named", book(t, nil, notes, north), "Notes", `sheet "Notes": no known column`, nil},
		{"empty", book(t, nil, bookSheet{"Sheet1", nil}, north), "", "Ann", nil},
		{"header only", book(t, nil, north, bookSheet{"New", [][]any{{"Name", "Skills"}}}), "", "Ann", []string{
			`read the sheet "North", and not "New"`,
		}},
		{"hidden", book(t, hide("South"), north, south), "", "Ann", []string{
			`the hidden sheet "South" was not read; name it with -sheet to read it`,
		}},
		{"hidden, named", book(t, hide("South"), north, south), "South", "Bob", nil},
		{"hidden notes", book(t, hide("Notes"), north, notes), "", "Ann", nil},
		{"no people", book(t, nil, notes), "", `sheet "Notes": no known column`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Sheet: test.sheet}
			path := write(t, test.content)
			rows, err := read(t, path, o)
			got := fmt.Sprint(err)

			if err == nil {
				got = rows[0].Freelancer.Name
			}

			if !strings.Contains(got, test.want) {
				t.Fatalf("got %q, want %q", got, test.want)
			}

			if f, err := Open(input.FromPath(path), o); err == nil {
				defer f.Close()
				if diff := cmp.Diff(test.notes, f.Notes()); diff != "" {
					t.Errorf("notes (-want +got)\n%s", diff)
				}
			}
		})
	}
}

// TestRows_Cells reads cells of all kinds that workbooks have.
func TestRows_Cells(t *testing.T) {
	percent, date := 9, 14
	content := book(t, func(f *excelize.File) error {
		for _, format := range []struct {
			cells  [2]string
			number int
		}{{[2]string{"D4", "D5"}, percent}, {[2]string{"F4", "F5"}, date}} {
			style, err := f.NewStyle(&excelize.Style{NumFmt: format.number})
			if err != nil {
				return err
			}
			if err := f.SetCellStyle("People", format.cells[0], format.cells[1], style); err != nil {
				return err
			}
		}

		for cell, formula := range map[string]string{"C6": "20*2", "B9": `"x"`} {
			if err := f.SetCellFormula("People", cell, formula); err != nil {
				return err
			}
		}

		for _, merge := range [][2]string{{"A1", "F1"}, {"B4", "B5"}, {"A8", "F8"}} {
			if err := f.MergeCell("People", merge[0], merge[1]); err != nil {
				return err
			}
		}

		return nil
	}, bookSheet{"People", [][]any{
		{"Our freelancers"},
		{},
		{nil, "Name", "Hourly rate", "Job success", "Skills", "Joined"},
		{nil, "Ann", 40.5, .98, "Go", 45387},
		{nil, nil, "#REF!", 1, "C", 45388},
		{nil, "Bob", nil, nil, "SQL"},
		{},
		{"Designers"},
		{nil, nil},
		{nil, "Cid", 30, nil, "#N/A"},
	}})

	f, err := Open(input.FromPath(write(t, content)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	var got strings.Builder
	fmt.Fprintln(&got, strings.Join(f.Notes(), "\n"))
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		p := row.Freelancer
		fmt.Fprintf(&got, "%d: %s, %v, %v, %q\n", row.Line, p.Name, p.HourlyRate, p.Rating, p.Skills)

		for _, w := range append(row.Warnings, row.Faults...) {
			fmt.Fprintf(&got, "  %s %q: %s\n", w.Column, w.Value, w.Reason)
		}
	}

	want := `the header is in line 3; the lines above it were skipped, beginning with "Our freelancers"
4: Ann, 40.5, 4.9, ["Go"]
  Name "B4:B5 Ann": merged cells; the value was used for each of their rows
5: Ann, unknown, 5, ["C"]
  Hourly rate "C5 #REF!": an error value of a spreadsheet program; left unknown
  Name "B4:B5 Ann": merged cells; the value was used for each of their rows
6: Bob, unknown, unknown, ["SQL"]
  Hourly rate "C6": a formula without a stored value; open the workbook in a spreadsheet program and save it again
8: , unknown, unknown, []
   "Designers": skipped, because the row has only a heading across several columns
9: , unknown, unknown, []
  Name "B9": a formula without a stored value; open the workbook in a spreadsheet program and save it again
   "": the row has only formulas without a stored value; open the workbook and save it again
10: Cid, 30, unknown, []
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOpen_MergedHeader(t *testing.T) {
	content := book(t, func(f *excelize.File) error { return f.MergeCell("People", "B1", "D1") },
		bookSheet{"People", [][]any{{"Name", "Skills", nil, nil}, {"Ann", "Go", "C", "SQL"}}})
	rows, err := read(t, write(t, content), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Go", "C", "SQL"}, rows[0].Freelancer.Skills); diff != "" {
		t.Errorf("skills (-want +got)\n%s", diff)
	}
}

func TestOpen_SheetWithoutHeader(t *testing.T) {
	content := book(t, nil, bookSheet{"People", [][]any{{"Export"}, {"Ann", "Go"}, {"Bob", "C"}}})
	o := Options{SkipLines: 1, NoHeader: true, Map: map[string]string{"name": "column 1", "skills": "column 2"}}
	rows, err := read(t, write(t, content), o)
	if err != nil || len(rows) != 2 || rows[0].Freelancer.Name != "Ann" || rows[0].Line != 2 {
		t.Errorf("rows %+v, %v", rows, err)
	}
}

// TestRows_StreamsSheets checks that a large sheet is not held in memory, and that its temporary file disappears.
func TestRows_StreamsSheets(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine reads large files, which the race detector makes ten times slower")
	}
	const n, size = 20_000, 1000
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	path := write(t, largeBook(t, n, size))
	before := liveHeap()
	f, err := Open(input.FromPath(path), Options{})
	if err != nil {
		t.Fatal(err)
	}

	count := 0
	for _, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}

		if count++; count == n/2 {
			if held := int64(liveHeap()) - int64(before); held > n*size/2 {
				t.Errorf("%d bytes are held in memory; the sheet has %d", held, n*size)
			}
		}
	}

	if err := f.Close(); err != nil || count != n {
		t.Errorf("%d rows, %v; want %d", count, err, n)
	}

	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("temporary files left behind: %v, %v", left, err)
	}
}

// largeBook returns a workbook with n people, each with a description of size bytes.
func largeBook(t testing.TB, n, size int) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()

	w, err := f.NewStreamWriter("Sheet1")
	if err == nil {
		err = w.SetRow("A1", []any{"name", "description"})
	}

	for i := range n {
		if err == nil {
			text := strings.Repeat(fmt.Sprintf("%x ", i*7919), size/6)
			err = w.SetRow(fmt.Sprintf("A%d", i+2), []any{fmt.Sprintf("Person %d", i), text})
		}
	}

	if err == nil {
		err = w.Flush()
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

// liveHeap returns the number of bytes in use.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestWorkbookCountsNumbers checks the counts from which the scale of ratings is judged, and when they are not enough.
func TestWorkbookCountsNumbers(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	defer book.Close()

	percent, err := book.NewStyle(&excelize.Style{NumFmt: 9})
	if err != nil {
		t.Fatal(err)
	}

	if err := book.SetSheetRow("Sheet1", "A1", &[]string{"name", "skills", "rating", "feedback", "score"}); err != nil {
		t.Fatal(err)
	}

	for i := range 300 {
		row := []any{"Person", "Go", 4.5, 0.5 + float64(i%50)/100, "4.5"}
		if i > 250 {
			row[2], row[4] = 9.0, "9.0"
		}

		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &row); err != nil {
			t.Fatal(err)
		}
	}

	if err := book.SetCellStyle("Sheet1", "D2", "D301", percent); err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if err := book.Write(&content); err != nil {
		t.Fatal(err)
	}

	f, err := Open(input.FromPath(write(t, content.String())), Options{Map: map[string]string{"rating": "rating"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	w := f.records.(*workbook.Book)
	for column, want := range map[int]bool{2: true, 3: false, 4: false, 9: false} {
		stats := map[int]*ratings.Stats{column: {}}
		if column == 3 {
			stats[column].Declared = 1 // the sheet shows percentages
		}

		if got := w.CountRatings([]int{column}, stats); got != want {
			t.Errorf("column %d: %t, want %t", column, got, want)
		}

		if s := stats[column]; want && (s.Values != 300 || s.Over[0] != 49 || s.Largest != 9) {
			t.Errorf("column %d: %+v", column, *s)
		}
	}

	for column, want := range map[string]string{
		"rating": "0 to 10", "feedback": "the values name their scale", "score": "0 to 10",
	} {
		f, err := Open(input.FromPath(write(t, content.String())), Options{Map: map[string]string{"rating": column}})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()

		i := slices.IndexFunc(f.Columns(), func(c columns.Column) bool { return c.Header == column })
		if note := f.Columns()[i].Note; !strings.Contains(note, want) {
			t.Errorf("column %q has the note %q, want %q", column, note, want)
		}
	}
}

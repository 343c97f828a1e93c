package source

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
)

// A judgedColumn is a column of a real file and what a person would use it for.
type judgedColumn struct{ header, field, scale string }

// readJudgments returns the columns of testdata/headers/realfiles.tsv by file.
func readJudgments(t *testing.T) (files []string, columns map[string][]judgedColumn) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "headers", "realfiles.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	columns = make(map[string][]judgedColumn)
	for line := range strings.Lines(string(content)) {
		cells := append(strings.Split(strings.TrimSpace(line), "\t"), "")
		if strings.HasPrefix(line, "#") || len(cells) < 4 {
			continue
		}
		if columns[cells[0]] == nil {
			files = append(files, cells[0])
		}
		columns[cells[0]] = append(columns[cells[0]], judgedColumn{cells[1], cells[2], cells[3]})
	}
	return files, columns
}

// TestRealFilesAreMappedAsJudgedByHand compares the use of each column with realfiles.tsv, and the ratings and rates
// with the numbers in the cells.
func TestRealFilesAreMappedAsJudgedByHand(t *testing.T) {
	t.Parallel()
	realdata.Path(t)
	const minPrecision, minRecall = .97, .95
	files, judged := readJudgments(t)
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := realdata.Path(t, filepath.FromSlash(name))
			f, err := Open(input.FromPath(path), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			columns := f.Columns()
			if len(columns) != len(judged[name]) {
				t.Fatalf("%d columns, %d judged", len(columns), len(judged[name]))
			}
			var score headerScore
			for i, want := range judged[name] {
				got := columns[i].Field
				if got == "" {
					got = "-"
				}

				if columns[i].Header != want.header {
					t.Fatalf("column %d is %q, judged was %q", i+1, columns[i].Header, want.header)
				}
				score.add(got, want.field)

				if got != want.field {
					t.Logf("%q is used for %s, expected %s (%s)", want.header, got, want.field, columns[i].Note)
				}
			}

			t.Log(score)
			if score.precision() < minPrecision || score.recall() < minRecall {
				t.Errorf("%v, expected at least precision %.2f and recall %.2f", score, minPrecision, minRecall)
			}

			if filepath.Ext(path) == ".csv" {
				checkNumbers(t, f, path, judged[name])
			}
		})
	}
}

// checkNumbers compares ratings and rates with the cells of the file, read by encoding/csv.
func checkNumbers(t *testing.T, f *File, path string, judged []judgedColumn) {
	t.Helper()
	cells := readCells(t, path)
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		record := cells[row.Line]
		for i, column := range judged {
			var got matching.Optional[float64]
			factor := 1.
			switch column.field {
			case "rating":
				scale, err := strconv.ParseFloat(column.scale, 64)
				if err != nil {
					t.Fatalf("scale of %q: %v", column.header, err)
				}
				got = row.Freelancer.Rating
				factor = 5 / scale

			case "hourly_rate":
				got = row.Freelancer.HourlyRate
			default:
				continue
			}

			want := firstNumber(record[i]) * factor
			if len(row.Faults) == 0 && (got.Known != (want > 0) || math.Abs(got.Value-want) > 1e-6) {
				t.Fatalf("line %d: %q in %q became %v, want %g", row.Line, record[i], column.header, got, want)
			}
		}
	}
}

// readCells returns the records of a CSV file by the line where they begin.
func readCells(t *testing.T, path string) map[int][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	records := make(map[int][]string)
	for {
		record, err := reader.Read()
		if err != nil {
			return records
		}
		line, _ := reader.FieldPos(0)
		records[line] = record
	}
}

// firstNumber returns the number in a cell such as "$20 USD per hour" or "98.8%", or 0.
func firstNumber(cell string) float64 {
	digits := strings.FieldsFunc(cell, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if len(digits) == 0 {
		return 0
	}
	number, _ := strconv.ParseFloat(digits[0], 64)
	return number
}

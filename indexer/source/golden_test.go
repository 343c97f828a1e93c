package source

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/matching"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden reads the files in testdata, which have the formats of real files, and compares the result with a golden
// file.
func TestGolden(t *testing.T) {
	for _, name := range []string{
		"platform.csv", "trends.csv", "market.csv", "directory.csv", "service.csv", "european.csv", "bars.csv",
		"people.ndjson", "people.json",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(input.FromPath(filepath.Join("testdata", name)), Options{Rates: map[string]float64{"EUR": 1.1}})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			got := render(t, f)
			golden := filepath.Join("testdata", name+".golden")

			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("differs from %s; if the change is right, run go test with -update (-want +got)\n%s", golden, diff)
			}

			if f.Offset() != f.Size() {
				t.Errorf("read %d of %d bytes", f.Offset(), f.Size())
			}
		})
	}
}

// render formats the columns, rows and people of a file.
func render(t *testing.T, f *File) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", f.Format())

	for _, column := range f.Columns() {
		fmt.Fprintf(&b, "%s → %s | %s | %s | %s\n", column.Header, column.Field, column.How,
			strings.Join(column.Examples, "; "), column.Note)
		if column.Doubt != "" {
			fmt.Fprintf(&b, "  doubt: %s\n", column.Doubt)
		}
	}

	people := map[string]*rows.Person{}
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			fmt.Fprintf(&b, "\nerror: %v\n", err)
			break
		}

		fmt.Fprintf(&b, "\nline %d\n", row.Line)
		for _, fault := range row.Faults {
			fmt.Fprintf(&b, "  fault: %s %q: %s\n", fault.Column, fault.Value, fault.Reason)
		}

		for _, warning := range row.Warnings {
			fmt.Fprintf(&b, "  warning: %s %q: %s\n", warning.Column, warning.Value, warning.Reason)
		}

		if len(row.Faults) > 0 {
			continue
		}
		freelancer := row.Freelancer
		if known, ok := people[freelancer.ID]; ok {
			known.Add("", &row)
			fmt.Fprint(&b, "  merged:")
			freelancer = known.Freelancer
		} else {
			people[freelancer.ID] = rows.NewPerson("", &row)
		}

		writeFreelancer(&b, &freelancer)
	}

	return b.String()
}

func writeFreelancer(b *strings.Builder, f *matching.Freelancer) {
	fmt.Fprintf(b, "  %s %q, %q, skills %q\n", f.ID, f.Name, f.JobTitle, f.Skills)
	fmt.Fprintf(b, "  experience %v, rating %v, rate %v, available %v, sales %v, %q\n",
		f.Experience, f.Rating, f.HourlyRate, f.Availability, f.TotalSales, f.ProfileURL)
	if f.Description != "" {
		fmt.Fprintf(b, "  %q\n", f.Description)
	}
}

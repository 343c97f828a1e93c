package taxonomy_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/taxonomy"
)

// TestRealData_SkillCells checks that most skills that real freelancers and clients name are known, at least in part,
// weighted by how often they are named. The common names in these files informed the curated files, so this test guards
// against regressions and says little about other data. Of the rare names, which didn't inform the curated files, 63%
// to 81% were known.
func TestRealData_SkillCells(t *testing.T) {
	tax := load(t)
	tests := []struct {
		file, column, separator string
		want                    float64
	}{
		{"freelancers/freelancercom_online/online_freelancers.Sheet1.csv", "Skill", ",", 0.99},
		{"freelancers/freelancing_trends/Raw_Dataset.csv", "Skills", ",", 0.98},
		{"freelancers/upwork_guru/upwork_freelancers.csv", "skills", ",", 0.98},
		{"freelancers/upwork_guru/guru_freelancers.csv", "skills", ",", 0.95},
		{"relevance/freelancers.csv", "skills", "|", 0.88},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			var names []string
			for _, cell := range column(t, realdata.Path(t, tt.file), tt.column) {
				names = append(names, strings.Split(strings.Trim(cell, "[]"), tt.separator)...)
			}
			requireKnown(t, tax, names, tt.want)
		})
	}
}

// Nearly all skills that clients require are known.
func TestRealData_RequiredSkills(t *testing.T) {
	tax := load(t)
	file, err := os.Open(realdata.Path(t, "relevance", "briefs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	var names []string
	for lines := json.NewDecoder(file); ; {
		var line struct {
			Body struct {
				RequiredSkills []string `json:"required_skills"`
			} `json:"body"`
		}

		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			t.Fatal(err)
		}

		names = append(names, line.Body.RequiredSkills...)
	}

	requireKnown(t, tax, names, 0.97)
}

// requireKnown fails if less than the given share of the names means a skill.
func requireKnown(tb testing.TB, tax *taxonomy.Taxonomy, names []string, want float64) {
	tb.Helper()
	all, known := 0, 0
	for _, name := range names {
		if name = strings.Trim(name, ` '"`); name == "" {
			continue
		}
		all++
		if slices.ContainsFunc(tax.ResolveAll(name), func(r taxonomy.Resolution) bool { return r.Known }) {
			known++
		}
	}
	tb.Logf("%d of %d names are known (%.4f)", known, all, share(known, all))
	if share(known, all) < want {
		tb.Errorf("%d of %d names are known (%.4f), want at least %.2f", known, all, share(known, all), want)
	}
}

// column returns the cells of the named column of a CSV file.
func column(tb testing.TB, path, name string) (cells []string) {
	tb.Helper()
	file, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	at := slices.IndexFunc(rows[0], func(header string) bool { return strings.TrimPrefix(header, "\ufeff") == name })
	if at < 0 {
		tb.Fatalf("%s has no column %q", path, name)
	}
	for _, row := range rows[1:] {
		cells = append(cells, row[at])
	}
	return cells
}

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

	"freelancer-matching/internal/realdata"
	"freelancer-matching/taxonomy"
)

// TestRealData_SkillCells: of the skills that real freelancers and clients name, weighted by how many do, most are known,
// at least in part. The common names in these files were looked at when the curated files were written, so this guards
// against regressions and says little about names from elsewhere: of the rare ones that nobody had looked at, 63% to 81%
// were known.
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
			atLeastKnown(t, tax, names, tt.want)
		})
	}
}

// TestRealData_RequiredSkills: of the skills that clients require, nearly all are known.
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
	atLeastKnown(t, tax, names, 0.97)
}

// atLeastKnown fails where fewer than a share of names mean a skill.
func atLeastKnown(tb testing.TB, tax *taxonomy.Taxonomy, names []string, want float64) {
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
	tb.Logf("%d of %d names are known, a share of %.4f", known, all, share(known, all))
	if share(known, all) < want {
		tb.Errorf("%d of %d names are known, a share of %.4f, want %.2f", known, all, share(known, all), want)
	}
}

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
	at := -1
	for i, header := range rows[0] {
		if strings.TrimPrefix(header, "\ufeff") == name {
			at = i
		}
	}
	if at < 0 {
		tb.Fatalf("%s has no column %q", path, name)
	}
	for _, row := range rows[1:] {
		cells = append(cells, row[at])
	}
	return cells
}

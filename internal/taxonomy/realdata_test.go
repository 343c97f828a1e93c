package taxonomy_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"freelancer-matching/internal/realdata"
)

// TestRealData_SkillCells: of the skills that real freelancers name, weighted by how many do, most are known. The common
// names in these files were looked at when the curated files were written, so this guards against regressions and says
// little about names from elsewhere: of the rare ones that nobody had looked at, 63% to 81% were known.
func TestRealData_SkillCells(t *testing.T) {
	tax := load(t)
	tests := []struct {
		file, column string
		want         float64
	}{
		{"freelancercom_online/online_freelancers.Sheet1.csv", "Skill", 0.99},
		{"freelancing_trends/Raw_Dataset.csv", "Skills", 0.95},
		{"upwork_guru/upwork_freelancers.csv", "skills", 0.93},
		{"upwork_guru/guru_freelancers.csv", "skills", 0.90},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			cells, known := 0, 0
			for _, cell := range column(t, realdata.Path(t, "freelancers", tt.file), tt.column) {
				for skill := range strings.SplitSeq(strings.Trim(cell, "[]"), ",") {
					if skill = strings.Trim(skill, ` '"`); skill == "" {
						continue
					}
					cells++
					if tax.Resolve(skill).Known {
						known++
					}
				}
			}
			if share := float64(known) / float64(max(cells, 1)); share < tt.want {
				t.Errorf("%d of %d skill cells are known, a share of %.3f, want %.2f", known, cells, share, tt.want)
			}
		})
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

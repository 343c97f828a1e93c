package resumes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
)

// inventLabels invents the labels of a file, and what a perfect parser returns for it.
func inventLabels() (labels, resume.Resume) {
	l := labels{
		person: person{
			Name:  "Ola Brandvik",
			Email: "ola@example.org",
			Phone: "020 7946 0000||+44 20 7946 0000",
			Experience: []position{
				{Title: "Head of Data / Analytics", Company: "Norde AS", Start: "2021-03", Current: true},
				{Title: "Analyst", Company: "Fjell", Start: "2018-06||2018", End: "2018-06||"},
				{Title: "*", Company: "Skip & Sons"},
			},
			Education:      []degree{{Degree: "BSc", Field: "Statistics", Institution: "Vik College", End: "2018"}},
			Skills:         []string{"golang", "Blorb Suite"},
			Languages:      []spoken{{Name: "Norwegian", Level: "native"}},
			Certifications: []certification{{Name: "Blorb Professional", Issuer: "Blorb", Date: "2020"}},
		},
		Mentioned: []string{"SQL"},
		stated:    make(map[string]bool),
	}
	for _, field := range []string{
		"name", "email", "phone", "experience", "education", "skills", "languages", "certifications",
		"skills_mentioned",
	} {
		l.stated[field] = true
	}

	r := resume.Resume{
		Name:    "Ola Brandvik",
		Contact: resume.Contact{Email: "ola@example.org", Phone: "+442079460000"},
		Experience: []resume.Position{
			{Title: "Head of Data/Analytics", Company: "Norde AS.", Start: "2021-03", Current: true, Confidence: .9},
			{Title: "Analyst", Company: "FJELL", Start: "2018", Confidence: .6},
			{Title: "Anything", Company: "Skip & Sons"},
		},
		Education: []resume.Degree{{Degree: "BSc in Statistics", Institution: "Vik College", End: "2018"}},
		Skills: []resume.Skill{
			{ID: "go", Name: "Go", Written: "golang", Section: "skills"},
			{Name: "Blorb suite", Section: "skills"},
			{ID: "sql", Name: "SQL", Section: "experience"},
		},
		Languages:      []resume.Language{{Name: "Norwegian", Level: "native"}},
		Certifications: []resume.Certification{{Name: "Blorb Professional", Issuer: "Blorb", Date: "2020"}},
	}

	return l, r
}

func TestJudgeLabels(t *testing.T) {
	known := loadTaxonomy(t)
	tests := []struct {
		name  string
		spoil func(*labels, *resume.Resume)
		want  []string // the fields with misses
	}{
		{"a perfect parser", func(*labels, *resume.Resume) {}, []string{"education with field"}},
		{"fields that are not judged", func(l *labels, r *resume.Resume) {
			l.stated = nil
			r.Name = "somebody else"
		}, nil},
		{"an email that the file lacks", func(l *labels, _ *resume.Resume) {
			l.Email = ""
		}, []string{"email"}},
		{"another person's phone", func(_ *labels, r *resume.Resume) {
			r.Contact.Phone = "+12079460000"
		}, []string{"phone"}},
		{"a job with half a title", func(_ *labels, r *resume.Resume) {
			r.Experience[0].Title = "Head of Data"
		}, []string{"job: title", "whole job"}},
		{"a job of another time", func(_ *labels, r *resume.Resume) {
			r.Experience[1].Start = "2013"
		}, []string{"job found", "whole job"}},
		{"a current job that ended", func(_ *labels, r *resume.Resume) {
			r.Experience[0].Current = false
		}, []string{"job: both dates", "whole job"}},
		{"a degree without its institution", func(_ *labels, r *resume.Resume) {
			r.Education[0].Institution = ""
		}, []string{"education entry", "education institution"}},
		{"a language without its level", func(_ *labels, r *resume.Resume) {
			r.Languages[0].Level = ""
		}, []string{"language and level"}},
		{"a certification without its issuer", func(_ *labels, r *resume.Resume) {
			r.Certifications[0].Issuer = ""
		}, []string{"certification whole"}},
		{"a listed skill that was missed", func(_ *labels, r *resume.Resume) {
			r.Skills = r.Skills[1:]
		}, []string{"listed skills"}},
		{"a false skill in prose", func(_ *labels, r *resume.Resume) {
			r.Skills = append(r.Skills, resume.Skill{ID: "acting", Name: "Acting", Section: "experience"})
		}, []string{"skills, all"}},
		{"a false skill in prose that nobody has read", func(l *labels, r *resume.Resume) {
			l.stated["skills_mentioned"] = false
			r.Skills = append(r.Skills, resume.Skill{ID: "acting", Name: "Acting", Section: "experience"})
		}, nil},
		{"a false skill in a list", func(_ *labels, r *resume.Resume) {
			r.Skills = append(r.Skills, resume.Skill{Name: "Norwegian", Section: "skills"})
		}, []string{"skills in lists", "skills, all"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, r := inventLabels()
			tt.spoil(&l, &r)
			missed := make(map[string]bool)
			for field, c := range judgeLabels(sample{}, l, resume.Document{}, r, known).tallies {
				if c.right < c.wanted || c.right < c.found {
					missed[field] = true
				}
			}

			want := make(map[string]bool)
			for _, field := range tt.want {
				want[field] = true
			}

			if tt.want != nil {
				want["education with field"] = true // the field of study is part of the degree
			} else {
				delete(missed, "education with field")
			}

			if diff := cmp.Diff(want, missed); diff != "" {
				t.Errorf("fields with misses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudgeLabels_Estimates(t *testing.T) {
	l, r := inventLabels()
	r.Experience[1].Company = "Fjell Group"
	var report strings.Builder
	writeCalibration(&report, []verdict{judgeLabels(sample{}, l, resume.Document{}, r, loadTaxonomy(t))})
	for _, want := range []string{"0.00 (0 of 1)", "1.00 (1 of 1)", "0.75, 0.50"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the calibration lacks %q:\n%s", want, report.String())
		}
	}
}

func TestPair_PrefersHigherRanks(t *testing.T) {
	ranks := [][]int{{1, 2}, {0, 3}}
	got := pair(2, 2, 3, func(i, j int) int { return ranks[i][j] })
	if diff := cmp.Diff([]int{0, 1}, got); diff != "" {
		t.Errorf("partners (-want +got):\n%s", diff)
	}
}

// TestEvaluateLabeled evaluates a generated file with what is known about it.
func TestEvaluateLabeled(t *testing.T) {
	p, err := newPerson(developmentWords, "en", 0)
	if err != nil {
		t.Fatal(err)
	}

	folder := t.TempDir()
	truth, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}

	file, err := os.ReadFile("testdata/en-1.single.pdf")
	if err != nil {
		t.Fatal(err)
	}

	for name, content := range map[string][]byte{"a.truth.json": truth, "a.pdf": file, "unlabeled.pdf": nil} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	var stdout, stderr strings.Builder
	if code := Run(t.Context(), []string{"eval", "-files", folder}, &stdout, &stderr); code != 0 {
		t.Fatalf("eval exited with %d: %s", code, stderr.String())
	}

	for _, want := range []string{": 1 files", "name  ", "1 of 1", "missed (-) and wrong (+)"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout.String())
		}
	}
}

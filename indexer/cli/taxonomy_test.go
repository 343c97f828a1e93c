package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/taxonomy"
)

// verdicts stores verdicts in the session's database. The first has been requested once, the second twice, and so on.
func (s *session) verdicts(all ...skills.Verdict) {
	s.t.Helper()
	c := config.Default()
	c.Data = s.data
	db, err := setup.CreateDatabase(s.t.Context(), c)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()

	judged := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	expires := time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, v := range all {
		key := taxonomy.Key(v.Word)
		if err := db.Verdicts.KeepVerdict(s.t.Context(), key, v, judged, expires); err != nil {
			s.t.Fatal(err)
		}

		for n := range i {
			if _, err := db.Verdicts.Verdict(s.t.Context(), key, judged.Add(time.Duration(n)*time.Hour)); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

const testModel = "llm:test skill-verdict@1"

func skillVerdict(word, name, category string, near ...string) skills.Verdict {
	return skills.Verdict{
		Word: word, Kind: matching.TypeSkill, Name: name, Category: category, Near: near, Confidence: .7, By: testModel,
	}
}

// someVerdicts returns verdicts of every kind; the last one is requested most often.
func someVerdicts() []skills.Verdict {
	return []skills.Verdict{
		{Word: "gnrmpf \x1b[2J", By: testModel},
		skillVerdict("golden joinery", "Kintsugi", "Design"),
		{Word: "ballonist", Kind: matching.TypeJobTitle, Name: "Balloonist", Confidence: .5, By: testModel},
		skillVerdict("риакт", "React", "Web development", "react"),
		skillVerdict("zorbing", "Zorbing", ""),
		skillVerdict("Python", "Python", "Programming languages"), // in the taxonomy now
		skillVerdict("kintsugi", "Kintsugi", "Design", "illustration", "gone-since"),
	}
}

func (s *session) read(path string) string {
	s.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func TestReview_List(t *testing.T) {
	s := newSession(t)
	s.verdicts()
	empty := s.must("taxonomy", "review")
	s.verdicts(someVerdicts()...)
	golden(t, "review.txt", "$ indexer taxonomy review\n"+empty+
		"\n$ indexer taxonomy review\n"+s.must("taxonomy", "review")+
		"\n$ indexer taxonomy review -limit 2\n"+s.must("taxonomy", "review", "-limit", "2")+
		"\n$ indexer taxonomy review -json\n"+s.must("taxonomy", "review", "-json"))
	for line := range strings.Lines(s.must("taxonomy", "review", "-json")) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

func TestReview_Accept(t *testing.T) {
	s := newSession(t)
	s.verdicts(someVerdicts()...)
	file := filepath.Join(s.files, "own.tsv")
	out := s.must("taxonomy", "review", "-skills", file, "-accept", "Kintsugi", "-accept", "РИАКТ")
	want := taxonomy.OwnHeader + "Kintsugi\tDesign\t\tgolden joinery\nReact\t\t\tриакт\n"
	if diff := cmp.Diff(want, s.read(file)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}

	if !strings.Contains(out, "3 verdicts accepted into") || !strings.Contains(out, "indexer reindex -skills-file "+file) {
		t.Error(out)
	}
	s.must("taxonomy", "review", "--skills="+file, "-accept", "zorbing", "-category", "Languages")

	if diff := cmp.Diff(want+"Zorbing\tLanguages\n", s.read(file)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	left := s.must("taxonomy", "review", "-skills", file)
	for _, known := range []string{"kintsugi", "golden", "риакт", "zorbing"} {
		if strings.Contains(left, known) {
			t.Errorf("%s is still listed although it was accepted:\n%s", known, left)
		}
	}
}

// Accepting keeps the rest of the file: comments, marks, order and permissions.
func TestReview_KeepsRestOfFile(t *testing.T) {
	s := newSession(t)
	s.verdicts(someVerdicts()...)
	const before = "# ours\n\nKintsugi*\tDesign\tIllustration\tkintsukuroi!\n# the end"
	file := s.file("own.tsv", before)
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	s.must("taxonomy", "review", "-skills", file, "-accept", "golden joinery")
	want := "# ours\n\nKintsugi*\tDesign\tIllustration\tkintsukuroi!; golden joinery\n# the end\n"
	if diff := cmp.Diff(want, s.read(file)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(s.files); err != nil || len(files) != 1 {
		t.Errorf("files left behind: %v, %v", files, err)
	}
}

func TestReview_Interactive(t *testing.T) {
	for _, tt := range []struct{ name, answers, want string }{
		{"some", "y\nno\nYES\nwhat?\n", "Kintsugi\tDesign\nReact\t\t\tриакт\n"},
		{"quit", "y\nq\ny\n", "Kintsugi\tDesign\n"},
		{"end of input", "y", "Kintsugi\tDesign\n"},
		{"no, then yes", "n\ny\ny\n", "React\t\t\tриакт\n"},
		{"none", "n\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSession(t)
			s.verdicts(someVerdicts()...)
			file := filepath.Join(s.files, "own.tsv")
			code, out, stderr := s.run(tt.answers, "taxonomy", "review", "-skills", file, "-interactive")
			if code != 0 {
				t.Fatalf("exit code %d\n%s%s", code, out, stderr)
			}

			if tt.want == "" {
				if _, err := os.Stat(file); err == nil || !strings.Contains(out, "No verdicts were accepted") {
					t.Errorf("%s\n%v", out, err)
				}
				return
			}

			if diff := cmp.Diff(taxonomy.OwnHeader+tt.want, s.read(file)); diff != "" {
				t.Errorf("%s\nthe file (-want +got):\n%s", out, diff)
			}
		})
	}
}

func TestReview_Errors(t *testing.T) {
	s := newSession(t)
	s.verdicts(append(someVerdicts(), skillVerdict("golf; gilf", "Gilfing", "Design"),
		skillVerdict("yeah", "Yeah!", "Design"), skillVerdict("odd", "Odd", "No such category"))...)
	file := filepath.Join(s.files, "own.tsv")
	broken := s.file("broken.tsv", "ReactJS\tDesign\n")
	for _, tt := range []struct {
		name string
		code int
		args []string
		want string
	}{
		{"no file", 2, []string{"-accept", "Kintsugi"}, "with -skills FILE"},
		{"accept and interactive", 2, []string{"-skills", file, "-accept", "x", "-interactive"}, "either -accept or -inter"},
		{"accept and list", 2, []string{"-skills", file, "-accept", "x", "-json"}, "-json only lists"},
		{"category without accept", 2, []string{"-category", "Design"}, "-category requires -accept NAME"},
		{"unknown word", 1, []string{"-skills", file, "-accept", "Kintsugi", "-accept", "x"}, `there is no verdict on "x"`},
		{"job title", 1, []string{"-skills", file, "-accept", "ballonist"}, `is "job title"; only skills can be accepted`},
		{"no category", 1, []string{"-skills", file, "-accept", "Zorbing"}, "choose one with -category"},
		{"misspelled category", 1, []string{"-skills", file, "-accept", "Zorbing", "-category", "Desing"}, "mean Design?"},
		{"unknown category", 1, []string{"-skills", file, "-accept", "odd"}, `"No such category"`},
		{"separator in a word", 1, []string{"-skills", file, "-accept", "Gilfing"}, "add the line by hand"},
		{"mark in a name", 1, []string{"-skills", file, "-accept", "yeah"}, "add the line by hand"},
		{"invalid file", 1, []string{"-skills", broken}, "line 1: \"ReactJS\""},
		{"no database", 1, []string{"-data", s.files}, "database"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.wantError(tt.code, append([]string{"taxonomy", "review"}, tt.args...), tt.want)
			if _, err := os.Stat(file); err == nil {
				t.Error("the file was written")
			}
		})
	}
}

// Own skills are part of the taxonomy version of an index.
func TestLoad_WithOwnSkills(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", "id,name,job_title,skills\np1,Mira Talden,Restorer,golden joinery\n")
	own := s.file("own.tsv", "Kintsugi\tDesign\t\tgolden joinery\n")
	s.must("load", csv)
	without := s.must("status")
	s.must("reindex", "-skills-file", own)
	tax, err := setup.LoadTaxonomy(own)
	if err != nil {
		t.Fatal(err)
	}

	if with := s.must("status"); strings.Contains(without, tax.Version()) || !strings.Contains(with, tax.Version()) {
		t.Errorf("without:\n%swith:\n%s", without, with)
	}

	for _, command := range []string{"load", "validate"} {
		args := []string{command, "-skills-file", filepath.Join(s.files, "none.tsv"), csv}
		if command == "validate" {
			args = append(args, "-resumes", s.files)
		}
		s.wantError(1, args, "none.tsv")
	}
}

package relevance

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestOverlap_CountsSharedFreelancers(t *testing.T) {
	briefs := filepath.Join(committed, "briefs.jsonl")
	if out := must(t, "overlap", "-judged", committed, "-b", briefs); !strings.Contains(out, "mean     10.00 of 10") {
		t.Errorf("a file doesn't overlap completely with itself:\n%s", out)
	}
	a := filepath.Join(t.TempDir(), "a.jsonl")
	b := filepath.Join(t.TempDir(), "b.jsonl")
	for path, skill := range map[string]string{a: "React", b: "Bookkeeping"} {
		line := `{"brief_id": "b", "category": "c", "body": {"description": "` + skill + ` work", "required_skills": ["` +
			skill + `"], "filters": {"must_have_skills": ["` + skill + `"]}}}`
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := must(t, "overlap", "-judged", committed, "-a", a, "-b", b); !strings.Contains(out, "mean     0.00 of 10") {
		t.Errorf("briefs about different work share freelancers:\n%s", out)
	}
}

// Briefs in other languages must find nearly the same freelancers as the same briefs in English. With the first ten of
// 108 freelancers, chance alone would share less than one.
func TestOverlap_BriefsInOtherLanguages(t *testing.T) {
	var files []string
	for _, language := range []string{"es", "de", "fr", "pt"} {
		files = append(files, filepath.Join("testdata", "translated", language+".jsonl"))
	}
	for _, drop := range []string{"", "required_skills"} {
		out := must(t, "overlap", "-judged", committed, "-drop", drop, "-b", strings.Join(files, ","))
		for _, file := range files {
			_, part, _ := strings.Cut(out, file)
			_, mean, _ := strings.Cut(part, "mean ")
			figure, _, _ := strings.Cut(strings.TrimSpace(mean), " ")
			if shared, err := strconv.ParseFloat(figure, 64); err != nil || shared < minShared {
				t.Errorf("%s, without %q: %s of 10 shared, want at least %g", file, drop, figure, minShared)
			}
		}
	}
}

// minShared is what briefs in other languages share with English ones at least. Without the dictionary, they share 5.4
// to 6.4 of the first ten.
const minShared = 6.5

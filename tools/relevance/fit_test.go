package relevance

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/ranking"
)

func TestFit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fit.txt")
	args := []string{"fit", "-judged", committed, "-drop", "budget_range,budget_type,complexity,timeline", "-step", ".05"}
	printed := must(t, args...)

	if out := must(t, append(args, "-o", file)...); out != "" {
		t.Errorf("-o also printed to standard output:\n%s", out)
	}

	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	if printed != string(written) {
		t.Errorf("the second fit differs:\n%s\n%s", printed, written)
	}

	for _, want := range []string{
		"18 briefs, ", "\npresent weights ", "\nchosen, one brief left out ", "\nchosen, 5 folds ",
		"\nchosen, the service asked again ", "about as good ", "\nb01 ",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not in:\n%s", want, printed)
		}
	}

	_, folds, _ := strings.Cut(printed, "briefs held out")
	if lines := strings.Count(strings.TrimSpace(folds), "\n"); lines != 5 {
		t.Errorf("got %d folds, want 5:\n%s", lines, folds)
	}
}

// Every shipped profile is above the bound. Below it, the property tests of the ranking would fail.
func TestSafeSkills(t *testing.T) {
	for _, name := range ranking.Names() {
		p, err := ranking.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		bound := safeSkills(p)
		if p.Weights["skills"] < bound || bound < p.Weights["quality"] {
			t.Errorf("profile %s: skills %.3f, quality %.3f, bound %.3f", name, p.Weights["skills"], p.Weights["quality"], bound)
		}
	}
	p, err := ranking.Load("")
	if err != nil {
		t.Fatal(err)
	}
	p.Skills.NiceToHave = 1
	if bound := safeSkills(p); !math.IsInf(bound, 1) {
		t.Errorf("nice-to-have skills that weigh as much as required ones: got bound %v, want +Inf", bound)
	}
}

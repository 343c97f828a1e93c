package relevance

import (
	"bytes"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/tools/relevance/eval"
)

// What people are called, where they come from and how old they are changes no score of the committed briefs, unless a
// brief asks for it.
func TestFairness(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Run(t.Context(), []string{"fairness", "-judged", "eval/testdata/judged"}, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	rows := 0
	for line := range strings.Lines(out.String()) {
		kind, rest, _ := strings.Cut(line, "  ")
		switch kind {
		case "name", "nationality", "gender", "age", "place":
			rows++
			if !strings.Contains(rest, " 0 of ") || !strings.Contains(rest, " 0.0000 ") {
				t.Errorf("%s changes scores: %s", kind, line)
			}
		}
	}
	if rows < 5 {
		t.Errorf("%d kinds of twins, want 5:\n%s", rows, &out)
	}
}

// A word that moves all twins with it up gets them all the exposure there is.
func TestTwinResult(t *testing.T) {
	k := &twinKind{words: []string{"a", "b"}}
	for _, c := range []struct {
		name                 string
		scores               [2][2]float64 // by freelancer, then by word
		wantScores, places   int
		least, most, largest float64
	}{
		{"equal", [2][2]float64{{.5, .5}, {.4, .4}}, 0, 0, 1, 1, 0},
		{"b is better and changes places", [2][2]float64{{.5, .6}, {.4, .55}}, 2, 1, .727, 1.273, .15},
	} {
		r := newTwinResult(k)
		r.add(2, func(original, word int) float64 { return c.scores[original][word] })
		var out bytes.Buffer
		r.write(&out, c.name)

		if r.scores != c.wantScores || r.places != c.places || r.briefs != 1 || r.cases != 2 ||
			!close3(r.difference, c.largest) || !close3(r.exposure[0], c.least) || !close3(r.exposure[1], c.most) {
			t.Errorf("%s: %+v\n%s", c.name, r, &out)
		}
	}
}

func close3(a, b float64) bool { return a-b < 1e-3 && b-a < 1e-3 }

func TestTwinKind_AsksFor(t *testing.T) {
	k := &twinKind{words: []string{"German"}}
	for text, want := range map[string]bool{
		`{"description":"A german speaker."}`: true, `{"job_title":"Translator (German)"}`: true,
		`{"description":"A site for Germany"}`: false, `{}`: false,
	} {
		if got, err := k.asksFor(eval.Brief{ID: "b", Body: []byte(text)}); got != want || err != nil {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

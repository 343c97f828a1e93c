package eval

import (
	"cmp"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The repository's judged set is consistent, and neither trivial nor hopeless: a ranking by word overlap scores well
// above 0 and well below 1.
func TestJudgedSet(t *testing.T) {
	open := func(name string) *os.File {
		f, err := os.Open(filepath.Join("testdata", "judged", name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}

	briefs, err := ReadBriefs(open("briefs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}

	judgments, err := ReadJudgments(open("judgments.tsv"))
	if err != nil {
		t.Fatal(err)
	}

	rows, err := csv.NewReader(open("freelancers.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	words := map[string][]string{} // by freelancer ID
	for _, row := range rows[1:] {
		words[row[0]] = distinctWords(strings.Join([]string{row[2], row[3], row[10]}, " "))
	}

	if len(words) != len(rows)-1 {
		t.Errorf("%d rows, but %d distinct IDs", len(rows)-1, len(words))
	}

	if len(judgments) != len(briefs) {
		t.Errorf("%d briefs, %d of them judged", len(briefs), len(judgments))
	}

	for _, b := range briefs {
		counts := map[Grade]int{}
		for id, grade := range judgments[b.ID] {
			counts[grade]++
			if words[id] == nil {
				t.Errorf("the judgments of brief %s contain %q, who is not in the data", b.ID, id)
			}
		}

		if counts[Excellent] == 0 || counts[Good]+counts[Partly] == 0 || counts[Unsuitable] == 0 {
			t.Errorf("brief %s needs excellent, intermediate and unsuitable freelancers, got %v", b.ID, counts)
		}
	}

	run, err := Play(t.Context(), briefs, func(_ context.Context, b Brief) ([]string, error) {
		return byOverlap(distinctWords(string(b.Body)), words), nil
	})
	if err != nil {
		t.Fatal(err)
	}

	report := Evaluate(run, judgments, briefs)
	if got := report.Mean(NDCG10).Mean; got < .3 || got > .7 {
		t.Errorf("word overlap has an nDCG@10 of %.3f, want .3 to .7\n%s", got, report)
	}

	t.Logf("ranking by word overlap:\n%s", report)
}

// byOverlap returns freelancer IDs sorted by the number of words shared with the brief.
func byOverlap(brief []string, words map[string][]string) []string {
	shared := map[string]int{}
	var ids []string
	for id, own := range words {
		ids = append(ids, id)
		for _, w := range own {
			if slices.Contains(brief, w) {
				shared[id]++
			}
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b))
	})
	return ids
}

func distinctWords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	slices.Sort(words)
	return slices.Compact(words)
}

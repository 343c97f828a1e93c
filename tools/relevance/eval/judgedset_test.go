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

// The judged set of this repository hangs together, and is neither trivial nor hopeless: ranking by plain word overlap
// stands well above nothing and well below perfect.
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

	words := map[string][]string{} // of each freelancer
	for _, row := range rows[1:] {
		words[row[0]] = distinctWords(strings.Join([]string{row[2], row[3], row[10]}, " "))
	}
	if len(words) != len(rows)-1 {
		t.Errorf("%d rows hold %d ids", len(rows)-1, len(words))
	}
	if len(judgments) != len(briefs) {
		t.Errorf("%d briefs, %d of them judged", len(briefs), len(judgments))
	}
	for _, b := range briefs {
		counts := map[Grade]int{}
		for id, grade := range judgments[b.ID] {
			counts[grade]++
			if words[id] == nil {
				t.Errorf("brief %s judges %q, who is not in the data", b.ID, id)
			}
		}
		if counts[Excellent] == 0 || counts[Good]+counts[Partly] == 0 || counts[Unsuitable] == 0 {
			t.Errorf("brief %s lacks an excellent, a middling or an unsuitable freelancer: %v", b.ID, counts)
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
		t.Errorf("word overlap reaches nDCG@10 %.3f, want .3 to .7\n%s", got, report)
	}
	t.Logf("ranking by word overlap:\n%s", report)
}

// byOverlap orders freelancers by how many words they share with a brief.
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

package bulk_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

// put puts freelancers, as in row, into the live index, and deletes those without a name.
func (b *harness) put(t *testing.T, texts ...string) {
	t.Helper()
	var changes []engine.Change
	for _, text := range texts {
		f := row(0, text).Freelancer
		change := engine.Change{ID: f.ID}

		if f.Name != "" {
			documents, err := b.loader.Preparer.Prepare(t.Context(), []matching.Freelancer{f})
			if err != nil {
				t.Fatal(err)
			}
			change.Document = documents[0]
		}

		changes = append(changes, change)
	}

	outcomes, err := b.Apply(t.Context(), alias, changes)
	if err != nil {
		t.Fatal(err)
	}

	for _, o := range outcomes {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
	}
}

// changing returns an input that calls change while its second row is being read.
func changing(change func(), list ...source.Row) bulk.Input {
	var once sync.Once
	return bulk.Input{Name: "b", Open: func() (bulk.File, error) {
		return &fakeFile{rows: list, beforeRow: func(row int) {
			if row == 1 {
				once.Do(change)
			}
		}}, nil
	}}
}

func TestLoad_KeepsChanges(t *testing.T) {
	for _, test := range []struct {
		name    string
		discard bool
		want    []string
		carried int
	}{
		{"load", false, []string{"1 Ada go", "3 New x", "4 Dan x"}, 3},
		{"load that discards changes", true, []string{"1 Ada go", "2 Bob d", "4 File x"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newHarness(t)
			b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			b.options.DiscardChanges = test.discard
			report := b.load(t, changing(func() { b.put(t, "2", "3 New x", "4 Dan x") },
				rows("1 Ada go", "2 Bob d", "4 File x")...))
			got := texts(b.freelancers(t))
			slices.Sort(got)

			if !slices.Equal(got, test.want) || report.Carried != test.carried {
				t.Errorf("freelancers %q with %d changes kept, want %q with %d", got, report.Carried, test.want, test.carried)
			}
		})
	}
}

// However loads and changes overlap, the last acknowledged change of each freelancer is live in the end.
func TestLoad_NeverLosesAChange(t *testing.T) {
	b := newHarness(t)
	const writers, loads = 4, 5
	var file []string
	for i := range 3 * writers {
		file = append(file, fmt.Sprintf("%d File x", i))
	}

	b.load(t, input("a", rows(file...)...))
	last := make([]string, writers)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}

				text := strconv.Itoa(w)
				if n%5 > 0 {
					text += fmt.Sprintf(" V%d x", n)
				}
				b.put(t, text)
				last[w] = text
			}
		})
	}

	carried := 0
	for range loads {
		carried += b.load(t, input("a", rows(file...)...)).Carried
	}
	close(done)
	wg.Wait()
	t.Logf("%d changes were carried over", carried)
	byID := map[string]string{}
	for _, text := range texts(b.freelancers(t)) {
		id, _, _ := strings.Cut(text, " ")
		byID[id] = text
	}

	for w, want := range last {
		id := strconv.Itoa(w)
		if want == id {
			want = ""
		}

		if byID[id] != want {
			t.Errorf("freelancer %s is %q, want %q", id, byID[id], want)
		}
	}
}

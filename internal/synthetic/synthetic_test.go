package synthetic_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func newGenerator(tb testing.TB) *synthetic.Generator {
	tb.Helper()
	g, err := synthetic.New()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs; after an intended change run with -update (-want +got):\n%s", path, diff)
	}
}

func TestFreelancers_Golden(t *testing.T) {
	var csv, ndjson bytes.Buffer
	if err := dataset.WriteCSV(&csv, newGenerator(t).Freelancers(5, 1)); err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteNDJSON(&ndjson, newGenerator(t).Freelancers(5, 1)); err != nil {
		t.Fatal(err)
	}
	golden(t, "five.csv", csv.Bytes())
	golden(t, "five.ndjson", ndjson.Bytes())
}

// The same seed gives the same records on every machine, until the golden file changes.
func TestFreelancers_Hash(t *testing.T) {
	var out strings.Builder
	for _, seed := range []uint64{0, 1, 42, 1 << 63} {
		hash := sha256.New()
		if err := dataset.WriteNDJSON(hash, newGenerator(t).Freelancers(5_000, seed)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "seed %d: %x\n", seed, hash.Sum(nil))
	}
	golden(t, "hashes.txt", []byte(out.String()))
}

func TestFreelancers_LongerRunBeginsWithTheShorter(t *testing.T) {
	g := newGenerator(t)
	long := slices.Collect(g.Freelancers(300, 7))
	for _, n := range []int{0, 1, 2, 17, 300} {
		if diff := cmp.Diff(long[:n], append([]matching.Freelancer{}, slices.Collect(g.Freelancers(n, 7))...)); diff != "" {
			t.Errorf("the first %d of 300 differ (-long +short):\n%s", n, diff)
		}
	}
}

func TestFreelancers_SeedsDiffer(t *testing.T) {
	g := newGenerator(t)
	seen := map[string]uint64{}
	for seed := range uint64(1_000) {
		for f := range g.Freelancers(3, seed) {
			if other, ok := seen[f.Description]; ok {
				t.Fatalf("seeds %d and %d share a description: %q", other, seed, f.Description)
			}
			seen[f.Description] = seed
		}
	}
}

func TestGenerator_Concurrent(t *testing.T) {
	g := newGenerator(t)
	want := slices.Collect(g.Freelancers(200, 3))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if diff := cmp.Diff(want, slices.Collect(g.Freelancers(200, 3))); diff != "" {
				t.Errorf("(-alone +together):\n%s", diff)
			}
		})
	}
	all.Wait()
}

func TestFreelancers_IDsAndURLsAreUnique(t *testing.T) {
	const n = 200_000
	ids := make(map[string]bool, n)
	urls := make(map[string]bool, n)
	for f := range newGenerator(t).Freelancers(n, 11) {
		ids[f.ID] = true
		urls[f.ProfileURL] = true
	}
	if len(ids) != n || len(urls) != n {
		t.Errorf("of %d freelancers, %d ids and %d addresses differ", n, len(ids), len(urls))
	}
}

func TestBriefs_AreAsPromised(t *testing.T) {
	const n = 20_000
	count := map[string]int{}
	for i, b := range first(newGenerator(t).Briefs(5), n) {
		head, rest, _ := strings.Cut(b.Description, "\n")
		if words := len(strings.Fields(b.Description)); words < 15 || words > 60 || head == "" || rest == "" {
			t.Fatalf("brief %d has %d words, and a headline %q: %q", i, words, head, b.Description)
		}

		if len(b.RequiredSkills) > 6 || b.Limit != 10 {
			t.Fatalf("brief %d: %d required skills, limit %d", i, len(b.RequiredSkills), b.Limit)
		}

		if days := b.TimelineDays; days.Known && (days.Value < 1 || days.Value > 3650) {
			t.Fatalf("brief %d: timeline %v", i, days)
		}

		if budget := b.Budget; budget.Known {
			if low, high := budget.Value.Low, budget.Value.High; low < 0 || low > high || high == 0 {
				t.Fatalf("brief %d: budget from %v to %v", i, low, high)
			}
		}

		for feature, has := range map[string]bool{
			"no skills": len(b.RequiredSkills) == 0, "six skills": len(b.RequiredSkills) == 6,
			"nice to have": len(b.NiceToHaveSkills) > 0, "title": b.JobTitle != "",
			"no complexity": b.Complexity == "",
			"hourly":        b.Budget.Value.Kind == matching.BudgetHourly, "fixed": b.Budget.Value.Kind == matching.BudgetFixed,
			"no budget": !b.Budget.Known, "timeline": b.TimelineDays.Known, "effort": b.EffortHours.Known,
			"available": b.Filters.Available.Known, "must have": b.Filters.MustHaveSkills != nil,
		} {
			if has {
				count[feature]++
			}
		}
	}

	for feature, times := range count {
		if share := float64(times) / n; share < 0.03 || share > 0.75 {
			t.Errorf("%s: in %.0f%% of the briefs", feature, 100*share)
		}
	}

	if len(count) != 12 {
		t.Errorf("only these occur: %v", count)
	}
}

func TestBriefs_AreDeterministic(t *testing.T) {
	g := newGenerator(t)
	if diff := cmp.Diff(first(g.Briefs(9), 500), first(g.Briefs(9), 500)); diff != "" {
		t.Errorf("the second run differs (-first +second):\n%s", diff)
	}
	if cmp.Equal(first(g.Briefs(9), 5), first(g.Briefs(10), 5)) {
		t.Error("two seeds give the same briefs")
	}
}

func first[T any](seq iter.Seq[T], n int) []T {
	next, stop := iter.Pull(seq)
	defer stop()
	values := make([]T, n)
	for i := range values {
		values[i], _ = next()
	}
	return values
}

func BenchmarkFreelancers(b *testing.B) {
	g := newGenerator(b)
	b.ReportAllocs()
	for range g.Freelancers(b.N, 1) {
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// A small data set has freelancers for the searches that people try first.
func TestFreelancers_CommonSearches(t *testing.T) {
	tests := []struct {
		want   int // at least, among 2,000
		skills []string
	}{
		{20, []string{"Go"}},
		{5, []string{"Go", "Kubernetes"}},
		{3, []string{"React", "Kubernetes"}},
		{20, []string{"Java"}},
		{10, []string{"C#"}},
		{5, []string{"Rust"}},
		{5, []string{"Ruby on Rails"}},
		{20, []string{"PHP"}},
		{40, []string{"Python"}},
		{5, []string{"Swift"}},
		{5, []string{"Flutter"}},
		{20, []string{"AWS", "Docker"}},
		{5, []string{"Large Language Models", "Python"}},
		{5, []string{"Penetration Testing"}},
		{5, []string{"Selenium"}},
		{30, []string{"Figma"}},
		{10, []string{"AutoCAD"}},
		{20, []string{"Video Editing"}},
		{5, []string{"Voice Over"}},
		{10, []string{"Translation", "Spanish"}},
		{5, []string{"Translation", "German"}},
		{20, []string{"SEO"}},
		{20, []string{"Google Ads"}},
		{20, []string{"Bookkeeping"}},
		{5, []string{"Contract Drafting"}},
		{20, []string{"Customer Service"}},
		{20, []string{"Shopify"}},
		{5, []string{"Unity"}},
		{5, []string{"PCB Design"}},
		{5, []string{"Financial Modeling"}},
	}

	people := slices.Collect(newGenerator(t).Freelancers(2_000, 1))
	for _, test := range tests {
		found := 0
		for _, f := range people {
			if !slices.ContainsFunc(test.skills, func(s string) bool { return !slices.Contains(f.Skills, s) }) {
				found++
			}
		}

		if found < test.want {
			t.Errorf("%d of 2,000 freelancers have %v, want %d or more", found, test.skills, test.want)
		}
	}
}

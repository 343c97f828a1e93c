package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// testBruteForce compares random queries on random documents with BruteForce.
func testBruteForce(t *testing.T, o Options) {
	for _, c := range []struct{ documents, queries int }{{1, 20}, {300, 300}, {o.Large, 30}} {
		if c.documents == 0 {
			continue
		}
		t.Run(fmt.Sprintf("documents=%d", c.documents), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(c.documents), 7))
			clouds := []*cloud{newCloud(rng, 64), newCloud(rng, 384)}
			var documents []*engine.Document
			for range c.documents {
				d := randomDocument(rng, c.documents)
				for _, of := range clouds {
					d.Vectors = append(d.Vectors, of.vector())
				}
				documents = append(documents, d)
			}
			if o.ReplacedStillCount {
				documents = distinct(documents)
			}
			s := serveVectors(t, o.New(t)(), "random", []matching.VectorSpace{clouds[0].space(), clouds[1].space()}, documents...)
			words, err := s.Vocabulary(t.Context())
			if diff := cmp.Diff(Vocabulary(documents), words); err != nil || diff != "" {
				t.Fatalf("vocabulary: %v (-want +got):\n%s", err, diff)
			}
			b := NewBruteForce(spec(t, "").Mapping.BM25, documents)
			var best recall
			for range c.queries {
				q := randomQuery(rng, c.documents)
				if rng.IntN(3) > 0 {
					q.Semantic = randomSemantic(rng, clouds)
				}
				compare(t, o, s, b, q, &best)
				if t.Failed() {
					t.Fatalf("query: %v", q)
				}
			}
			t.Logf("by estimates: %d of the best %d found", best.found, best.wanted)
			if float64(best.found) < .99*float64(best.wanted) {
				t.Error("want 99 of 100")
			}
		})
	}
}

// distinct is the last document of each id.
func distinct(documents []*engine.Document) (last []*engine.Document) {
	seen := map[string]bool{}
	for _, d := range slices.Backward(documents) {
		if !seen[d.Freelancer.ID] {
			last = append(last, d)
		}
		seen[d.Freelancer.ID] = true
	}
	slices.Reverse(last)
	return last
}

// recall counts, over queries whose hits are estimated, how many of the best ten hits are found.
type recall struct{ found, wanted int }

// compare checks one query: the order of hits up to the errors in o, all else exactly. Hits may be missing from a query
// with vectors, or any where the engine estimates, which goes into best.
func compare(t *testing.T, o Options, s engine.Snapshot, b *BruteForce, q *engine.Query, best *recall) {
	t.Helper()
	all, reference := b.Search(q)
	estimated := o.Approximate || q.Semantic != nil
	page := search(t, s, q)
	if diff := cmp.Diff(page, search(t, s, q)); diff != "" {
		t.Errorf("the same query again (-first +second):\n%s", diff)
	}
	if math.Abs(page.Reference-reference) > 1e-6*reference {
		t.Errorf("reference = %v, want %v", page.Reference, reference)
	}
	wanted := min(q.Size, len(all))
	if len(page.Hits) > wanted || len(page.Hits) < wanted && !estimated {
		t.Fatalf("%d hits, want %d: query %v", len(page.Hits), wanted, q)
	}
	exact := make(map[string]Scored, len(all))
	for _, hit := range all {
		exact[hit.ID] = hit
	}
	least, highest := math.Inf(1), math.Inf(-1) // of the exact scores of hits: lowest and, from the back, highest
	seen := map[string]bool{}
	for i, hit := range slices.Backward(page.Hits) {
		want, ok := exact[hit.ID]
		if !ok || seen[hit.ID] {
			t.Fatalf("hit %d, %s: not a hit, or twice", i, hit.ID)
		}
		seen[hit.ID] = true
		if diff := cmp.Diff(want.Evidence, hit.Evidence); diff != "" {
			t.Errorf("hit %d, %s: evidence (-want +got):\n%s", i, hit.ID, diff)
		}
		if diff := cmp.Diff(want.Signals, hit.Signals); diff != "" {
			t.Errorf("hit %d, %s: signals (-want +got):\n%s", i, hit.ID, diff)
		}
		if most := o.TextError*want.MaxText + 1e-6; math.Abs(hit.Text-want.Text) > most {
			t.Errorf("hit %d, %s: text %v, want %v ± %v", i, hit.ID, hit.Text, want.Text, most)
		}
		if math.Abs(hit.Cosine-want.Cosine) > 1e-9 {
			t.Errorf("hit %d, %s: cosine %v, want %v", i, hit.ID, hit.Cosine, want.Cosine)
		}
		slack := slack(o, q, want, reference)
		if want.Retrieval+slack < highest {
			t.Errorf("hit %d, %s: score %v ± %v, but a later hit has %v", i, hit.ID, want.Retrieval, slack, highest)
		}
		if i > 0 && page.Hits[i-1].Retrieval < hit.Retrieval {
			t.Errorf("hit %d: its retrieval score %v is above that of the hit before", i, hit.Retrieval)
		}
		highest = max(highest, want.Retrieval-slack)
		least = min(least, want.Retrieval+slack)
	}
	if len(page.Hits) < wanted {
		least = math.Inf(-1)
	}
	for i, hit := range all {
		slack := slack(o, q, hit, reference)
		missing := !seen[hit.ID] && hit.Retrieval-slack > least
		switch {
		case !estimated && missing:
			t.Errorf("%s is missing: score %v ± %v, but a hit has at most %v", hit.ID, hit.Retrieval, slack, least)
		case estimated && i < min(10, wanted):
			best.wanted++
			if !missing {
				best.found++
			}
		}
	}
	n := 0
	for _, d := range b.documents {
		if Passes(d, q.Filters) {
			n++
		}
	}
	if count, err := s.Count(t.Context(), q.Filters); count != n || err != nil {
		t.Errorf("count = %d, %v; want %d", count, err, n)
	}
}

// slack is how far the engine's retrieval score of a document may be from the exact one.
func slack(o Options, q *engine.Query, hit Scored, reference float64) float64 {
	slack := 1e-6
	if reference > 0 {
		slack += q.TextWeight * min(1, o.TextError*hit.MaxText/reference)
	}
	if q.Fit != nil || q.Quality != nil {
		slack += o.BandError
	}
	return slack
}

// skewed is a number below n, small ones more often.
func skewed(rng *rand.Rand, n int) int { return int(float64(n) * rng.Float64() * rng.Float64()) }

func randomDocument(rng *rand.Rand, documents int) *engine.Document {
	// A tenth of the ids come twice.
	d := document(fmt.Sprintf("id-%d", rng.IntN(5*documents)))
	for range skewed(rng, 40) {
		d.Terms = append(d.Terms, fmt.Sprintf("term-%d", skewed(rng, 60)))
	}
	has := map[int]bool{}
	for range skewed(rng, 8) {
		id := skewed(rng, 20)
		if has[id] {
			continue
		}
		has[id] = true
		evidence := matching.InText + matching.Evidence(rng.IntN(4))
		skill(fmt.Sprintf("skill-%d", id), evidence)(d)
		if f := fmt.Sprintf("family-%d", id/4); evidence >= matching.Implied && !slices.Contains(d.Families, f) {
			family(f)(d)
		}
		d.UnknownSkills = append(d.UnknownSkills, fmt.Sprintf("Word %d", id%7))
		d.JobTitles = append(d.JobTitles, fmt.Sprintf("Title & %d", id%5))
	}
	d.UnknownSkills, d.JobTitles = slices.Compact(slices.Sorted(slices.Values(d.UnknownSkills))), slices.Compact(slices.Sorted(slices.Values(d.JobTitles)))
	s := &d.Freelancer.Signals
	if rng.IntN(5) > 0 {
		s.HourlyRate = matching.Some(math.Round(500*math.Exp(4*rng.Float64())) / 100)
	}
	if rng.IntN(5) > 0 {
		s.Rating = matching.Some(math.Round(100*(5-3*rng.Float64()*rng.Float64())) / 100)
	}
	if rng.IntN(5) > 0 {
		s.TotalSales = matching.Some(skewed(rng, 1000))
	}
	if rng.IntN(5) > 0 {
		s.Experience = matching.Some(math.Round(10*25*rng.Float64()) / 10)
	}
	if rng.IntN(5) > 0 {
		s.Availability = matching.Some(rng.IntN(2) > 0)
	}
	return d
}

func randomQuery(rng *rand.Rand, documents int) *engine.Query {
	q := &engine.Query{
		TextWeight: rng.Float64(), Credit: credit, MatchAll: rng.IntN(4) == 0, Size: 1 + skewed(rng, 60),
	}
	if rng.IntN(3) == 0 {
		q.Size = 1 + rng.IntN(2*documents)
	}
	for _, i := range rng.Perm(70)[:skewed(rng, 20)] { // the last ten are unknown to every document
		q.Terms = append(q.Terms, engine.Term{
			Text: fmt.Sprintf("term-%d", i), Weight: 3 * rng.Float64(), Reference: rng.IntN(2) == 0,
		})
	}
	for _, i := range rng.Perm(22)[:skewed(rng, 8)] {
		c := engine.SkillClause{ID: fmt.Sprintf("skill-%d", i), Weight: rng.Float64()}
		if rng.IntN(4) > 0 {
			c.Family = fmt.Sprintf("family-%d", i/4)
		}
		q.Skills = append(q.Skills, c)
	}
	if rng.IntN(2) == 0 {
		q.Fit = fit
	}
	if rng.IntN(2) == 0 {
		q.Quality = quality
	}
	if rng.IntN(2) == 0 {
		q.Filters = randomFilters(rng, documents)
	}
	return q
}

func randomFilters(rng *rand.Rand, documents int) engine.Filters {
	var f engine.Filters
	if rng.IntN(4) == 0 {
		f.Available = matching.Some(rng.IntN(2) > 0)
	}
	if rng.IntN(4) == 0 {
		f.MinRating = matching.Some(2 + 3*rng.Float64())
	}
	if rng.IntN(4) == 0 {
		f.MinExperience = matching.Some(25 * rng.Float64())
	}
	if rng.IntN(4) == 0 {
		f.MaxHourlyRate = matching.Some(200 * rng.Float64())
	}
	for range rng.IntN(4) - 1 {
		f.MustHave = append(f.MustHave, fmt.Sprintf("skill-%d", skewed(rng, 20)))
	}
	if rng.IntN(4) == 0 {
		f.IDs = randomIDs(rng, documents)
	}
	if rng.IntN(4) == 0 {
		f.ExcludeIDs = randomIDs(rng, documents)
	}
	return f
}

func randomIDs(rng *rand.Rand, documents int) []string {
	ids := []string{}
	for range rng.IntN(min(5*documents, 1000)) {
		ids = append(ids, fmt.Sprintf("id-%d", rng.IntN(5*documents)))
	}
	return ids
}

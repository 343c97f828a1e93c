package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/engine/enginetest/random"
	"github.com/freelancer-matching/service/internal/matching"
)

// testBruteForce compares random queries on random documents with package bruteforce.
func testBruteForce(t *testing.T, o Options) {
	for _, c := range []bruteForceCase{
		{documents: 1, queries: 20, dimensions: [2]int{64, 384}},
		{documents: 300, queries: 300, dimensions: [2]int{64, 384}},
		// Long vectors would take most of the time here, above all under the race detector.
		{documents: o.Large, queries: 30, dimensions: [2]int{64, 96}},
	} {
		if c.documents == 0 {
			continue
		}
		t.Run(fmt.Sprintf("documents=%d", c.documents), func(t *testing.T) { c.run(t, o) })
	}
}

// A bruteForceCase is a size of testBruteForce.
type bruteForceCase struct {
	documents, queries int
	dimensions         [2]int // of the two vectors of each document
}

func (c *bruteForceCase) run(t *testing.T, o Options) {
	rng := rand.New(rand.NewPCG(uint64(c.documents), 7))
	clouds := []*random.Cloud{random.NewCloud(rng, c.dimensions[0]), random.NewCloud(rng, c.dimensions[1])}
	var documents []*engine.Document
	for range c.documents {
		d := random.Document(rng, c.documents)
		for _, cloud := range clouds {
			d.Vectors = append(d.Vectors, cloud.Vector())
		}
		documents = append(documents, d)
	}
	if o.ReplacedStillCount {
		documents = bruteforce.Distinct(documents)
	}

	spaces := []matching.VectorSpace{clouds[0].Space(), clouds[1].Space()}
	s := serveVectors(t, o.New(t)(), "random", spaces, documents...)
	vocabulary, err := s.Vocabulary(t.Context())
	if diff := cmp.Diff(bruteforce.Vocabulary(documents), vocabulary); err != nil || diff != "" {
		t.Fatalf("vocabulary: %v (-want +got):\n%s", err, diff)
	}

	// An approximate engine misses most hits in a few queries, so the average needs more of them.
	queries := c.queries
	if o.Approximate {
		queries = max(queries, 120)
	}

	scorer := bruteforce.New(spec(t, "").Mapping.BM25, documents)
	var found recall
	for i := range queries {
		q := random.Query(rng, c.documents, suiteQuery())
		if rng.IntN(3) > 0 {
			q.Semantic = random.Semantic(rng, clouds)
		}
		if rng.IntN(3) == 0 {
			q.Compare = random.Compare(rng, clouds)
		}

		// Some pages have all hits, whose places must agree with their ranks.
		hasAllHits := i%15 == 0
		if hasAllHits {
			q.Size = 2 * c.documents
		}
		compare(t, o, s, scorer, q, &found)
		if hasAllHits {
			checkRank(t, s, q, search(t, s, q))
		}
		if t.Failed() {
			t.Fatalf("query: %v", q)
		}
	}

	found.check(t, o)
}

// A recall counts, over the queries that an engine may answer approximately, how many of the best hits it finds.
type recall struct{ found, wanted int }

// top is the number of best hits of a query that a recall is about.
const top = 10

// add counts the best hits of a query.
func (r *recall) add(best []bruteforce.Scored, missing map[string]bool) {
	r.wanted += len(best)
	for _, hit := range best {
		if !missing[hit.ID] {
			r.found++
		}
	}
}

// check compares the share of missed hits with the 1 % that the contract allows. One more miss is allowed, because it
// says nothing about the average of a small sample. An approximate engine may miss several hits of one query, so that a
// run may miss twice the average.
func (r recall) check(t *testing.T, o Options) {
	t.Helper()
	t.Logf("found %d of the %d best hits that the engine may miss", r.found, r.wanted)

	allowed := 1 + r.wanted/100
	if o.Approximate {
		allowed = 1 + r.wanted/50
	}
	if missed := r.wanted - r.found; missed > allowed {
		t.Errorf("missed %d of the %d best hits, want at most %d", missed, r.wanted, allowed)
	}
}

// compare checks the answer to one query. The order of the hits may deviate by the errors in o; their contents must be
// exact. Hits may be missing if the query has vectors or the engine is approximate; r then counts the missing ones.
func compare(t *testing.T, o Options, s engine.Snapshot, b *bruteforce.Scorer, q *engine.Query, r *recall) {
	t.Helper()
	all, reference := b.Search(q) // best first
	page := search(t, s, q)
	if math.Abs(page.Reference-reference) > 1e-6*reference {
		t.Errorf("reference = %v, want %v", page.Reference, reference)
	}

	// Not by cmp.Diff, which on pages of up to 70,000 hits took most of the suite's time.
	repeated := search(t, s, q)
	isRepeatable := page.Reference == repeated.Reference && slices.EqualFunc(page.Hits, repeated.Hits, equalHits)
	if !isRepeatable {
		t.Error("a repeated query has another answer")
	}

	approximate := o.Approximate || q.Semantic != nil
	wanted := min(q.Size, len(all))
	if len(page.Hits) > wanted || len(page.Hits) < wanted && !approximate {
		t.Fatalf("got %d hits, want %d: query %v", len(page.Hits), wanted, q)
	}

	exact := make(map[string]*bruteforce.Scored, len(all))
	for i := range all {
		exact[all[i].ID] = &all[i]
	}
	for i := range page.Hits {
		hit := &page.Hits[i]
		want := exact[hit.ID]
		if want == nil {
			t.Fatalf("hit %d, %s: not a hit", i, hit.ID)
		}
		checkHit(t, o, i, hit, want)
	}
	lowest := checkOrder(t, o, q, page, exact, reference)
	checkIndependence(t, o, s, q, page, exact)

	// On a page that isn't full, no hit may be missing, however low its score.
	if len(page.Hits) < wanted {
		lowest = math.Inf(-1)
	}
	missing := missingFrom(page, all, func(hit *bruteforce.Scored) bool {
		return hit.Retrieval-slack(o, q, hit, reference) > lowest
	})

	// Of an approximate engine, only the share of missing hits is checked, at the end of the test. It may miss more of
	// them if signals decide, so such queries don't count.
	mayMissMore := o.Approximate && signalsDecide(q, reference)
	switch {
	case !approximate && len(missing) > 0:
		t.Errorf("hits that score above %v are missing: %v", lowest, missing)
	case approximate && !mayMissMore:
		r.add(all[:min(top, wanted)], missing)
	}

	checkCounts(t, s, b, q.Filters)
}

// missingFrom returns the IDs of the hits that a page must have and hasn't.
func missingFrom(page *engine.Page, all []bruteforce.Scored, must func(*bruteforce.Scored) bool) map[string]bool {
	isListed := map[string]bool{}
	for _, hit := range page.Hits {
		isListed[hit.ID] = true
	}
	missing := map[string]bool{}
	for i := range all {
		if hit := &all[i]; !isListed[hit.ID] && must(hit) {
			missing[hit.ID] = true
		}
	}
	return missing
}

// checkCounts compares the numbers of documents that pass filters, and that lack a value that a filter needs.
func checkCounts(t *testing.T, s engine.Snapshot, b *bruteforce.Scorer, f engine.Filters) {
	t.Helper()
	passing, unknown := b.Count(f)
	if count, err := s.Count(t.Context(), f); count != passing || err != nil {
		t.Errorf("count = %d, %v; want %d", count, err, passing)
	}
	if count, err := s.CountUnknown(t.Context(), f); count != unknown || err != nil {
		t.Errorf("count unknown = %d, %v; want %d", count, err, unknown)
	}
}

// checkHit compares what a hit says about its document with the exact values.
func checkHit(t *testing.T, o Options, i int, hit *engine.Hit, want *bruteforce.Scored) {
	t.Helper()
	if !slices.Equal(want.Evidence, hit.Evidence) {
		t.Errorf("hit %d, %s: evidence %v, want %v", i, hit.ID, hit.Evidence, want.Evidence)
	}
	if want.Signals != hit.Signals || want.Schedule != hit.Schedule {
		t.Errorf("hit %d, %s: signals %+v and schedule %+v, want %+v and %+v",
			i, hit.ID, hit.Signals, hit.Schedule, want.Signals, want.Schedule)
	}
	if tolerance := textTolerance(o, want); math.Abs(hit.Text-want.Text) > tolerance {
		t.Errorf("hit %d, %s: text %v, want %v ± %v", i, hit.ID, hit.Text, want.Text, tolerance)
	}
	if math.Abs(hit.Cosine-want.Cosine) > 1e-9 {
		t.Errorf("hit %d, %s: cosine %v, want %v", i, hit.ID, hit.Cosine, want.Cosine)
	}
	if math.Abs(hit.Compared-want.Compared) > 1e-9 {
		t.Errorf("hit %d, %s: compared %v, want %v", i, hit.ID, hit.Compared, want.Compared)
	}
}

// checkOrder checks that the hits are distinct and come by descending score. Exact scores decide, but two hits whose
// scores differ by less than the engine's errors may come in either order. checkOrder returns the highest exact score
// that the worst hit may have: a document that scores higher must not be missing.
func checkOrder(
	t *testing.T, o Options, q *engine.Query, page *engine.Page, exact map[string]*bruteforce.Scored, reference float64,
) (lowest float64) {
	t.Helper()
	lowest = math.Inf(1)
	highestLater := math.Inf(-1) // the score that one of the later hits has at least
	seen := map[string]bool{}

	// Going backward, one pass is enough to compare every hit with all that follow it.
	for i, hit := range slices.Backward(page.Hits) {
		if seen[hit.ID] {
			t.Fatalf("hit %d, %s: a duplicate", i, hit.ID)
		}
		seen[hit.ID] = true

		if i > 0 && page.Hits[i-1].Retrieval < hit.Retrieval {
			t.Errorf("hit %d: its retrieval score %v is above that of the hit before it", i, hit.Retrieval)
		}

		want := exact[hit.ID]
		slack := slack(o, q, want, reference)
		if want.Retrieval+slack < highestLater {
			t.Errorf("hit %d, %s: score %v ± %v, but a later hit has %v", i, hit.ID, want.Retrieval, slack, highestLater)
		}
		highestLater = max(highestLater, want.Retrieval-slack)
		lowest = min(lowest, want.Retrieval+slack)
	}

	return lowest
}

// signalsDecide reports whether words, skills and meaning weigh so little that Fit and Quality decide which hits are
// best. An engine that finds candidates by words, skills and meaning can't find these.
func signalsDecide(q *engine.Query, reference float64) bool {
	weight := 0.
	if reference > 0 {
		weight += q.TextWeight
	}
	for _, s := range q.Skills {
		weight += s.Weight
	}
	if q.Semantic != nil {
		weight += q.Semantic.Weight
	}
	return weight < maxSignals
}

func equalHits(a, b engine.Hit) bool {
	return a.ID == b.ID && a.Retrieval == b.Retrieval && a.Text == b.Text && a.Cosine == b.Cosine &&
		a.Compared == b.Compared && a.Signals == b.Signals && a.Schedule == b.Schedule &&
		slices.Equal(a.Evidence, b.Evidence)
}

// textTolerance returns how far the engine's text score of a document may be from the exact one.
func textTolerance(o Options, hit *bruteforce.Scored) float64 {
	return o.TextError*hit.MaxText + o.SumError*hit.Scale + 1e-6
}

// slack returns how far the engine's retrieval score of a document may be from the exact one.
func slack(o Options, q *engine.Query, hit *bruteforce.Scored, reference float64) float64 {
	slack := 1e-6
	if reference > 0 {
		slack += q.TextWeight * min(1, (o.TextError*hit.MaxText+o.SumError*hit.Scale)/reference)
	}
	if q.Fit != nil || q.Quality != nil {
		slack += o.BandError
	}
	if b := q.Bend; b != (engine.Bend{}) {
		slack *= (1 - b.To) / (1 - b.From) // its steeper line
	}
	return slack
}

// checkIndependence checks that the scores of a page don't depend on Filters.IDs, Size, or the other hits. It searches
// for the last hits by their ids alone and compares the scores: approximate engines may differ by the errors in o.
func checkIndependence(
	t *testing.T, o Options, s engine.Snapshot, q *engine.Query, page *engine.Page, exact map[string]*bruteforce.Scored,
) {
	t.Helper()
	last := map[string]*engine.Hit{}
	alone := *q
	alone.Filters.IDs = nil

	for i := max(0, len(page.Hits)-3); i < len(page.Hits); i++ {
		last[page.Hits[i].ID] = &page.Hits[i]
		alone.Filters.IDs = append(alone.Filters.IDs, page.Hits[i].ID)
	}

	if alone.Size = len(last); alone.Size == 0 {
		return
	}

	for _, hit := range search(t, s, &alone).Hits {
		was := last[hit.ID]
		if was == nil {
			t.Errorf("%s is found among the ids of others", hit.ID)
			continue
		}

		score := 1e-9
		text := 1e-9 * was.Text
		if o.Approximate { // each of the two searches has the error
			score = 2 * slack(o, q, exact[hit.ID], page.Reference)
			text = 2 * textTolerance(o, exact[hit.ID])
		}

		if math.Abs(hit.Retrieval-was.Retrieval) > score || math.Abs(hit.Text-was.Text) > text {
			t.Errorf("%s scores %v (text %v) among three ids, want %+v as without them", hit.ID, hit.Retrieval, hit.Text, was)
		}
	}
}

package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/engine/enginetest/bruteforce"
	"freelancer-matching/engine/enginetest/random"
	"freelancer-matching/internal/matching"
)

// testBruteForce compares random queries on random documents with package bruteforce.
func testBruteForce(t *testing.T, o Options) {
	for _, c := range []struct {
		documents, queries int
		dimensions         []int
	}{
		{1, 20, []int{64, 384}},
		{300, 300, []int{64, 384}},
		{o.Large, 30, []int{64, 96}}, // long vectors would take most of the time, above all under the race detector
	} {
		if c.documents == 0 {
			continue
		}

		t.Run(fmt.Sprintf("documents=%d", c.documents), func(t *testing.T) {
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

			b := bruteforce.New(spec(t, "").Mapping.BM25, documents)
			var r recall
			queries := c.queries
			if o.Approximate {
				queries = max(queries, 120) // since a few queries have most of the misses
			}

			for i := range queries {
				q := random.Query(rng, c.documents, suiteQuery())
				if rng.IntN(3) > 0 {
					q.Semantic = random.Semantic(rng, clouds)
				}

				if rng.IntN(3) == 0 {
					q.Compare = random.Compare(rng, clouds)
				}

				if i%15 == 0 {
					q.Size = 2 * c.documents // all hits
				}

				compare(t, o, s, b, q, &r)

				if i%15 == 0 {
					checkRank(t, s, q, search(t, s, q))
				}

				if t.Failed() {
					t.Fatalf("query: %v", q)
				}
			}

			t.Logf("found %d of the %d best hits that the engine may miss", r.found, r.wanted)
			// One miss in a small sample says nothing about the average. Approximate engines may miss several hits of one query,
			// so that a run may miss twice the average.
			missed := r.wanted - r.found
			allowed := 1 + r.wanted/100
			if o.Approximate {
				allowed = 1 + r.wanted/50
			}

			if missed > allowed {
				t.Errorf("missed %d of the %d best hits, want at most %d", missed, r.wanted, allowed)
			}
		})
	}
}

// A recall counts, over the queries that an engine may answer approximately, how many of the ten best hits it finds.
type recall struct{ found, wanted int }

// compare checks the answer to one query. The order of the hits may deviate by the errors in o; their contents must be
// exact. Hits may be missing if the query has vectors or the engine is approximate; r then counts the missing ones.
func compare(t *testing.T, o Options, s engine.Snapshot, b *bruteforce.Scorer, q *engine.Query, r *recall) {
	t.Helper()
	all, reference := b.Search(q)
	approximate := o.Approximate || q.Semantic != nil
	page := search(t, s, q)
	// Not by cmp.Diff, which on pages of up to 70,000 hits took most of the suite's time.
	if repeated := search(t, s, q); page.Reference != repeated.Reference ||
		!slices.EqualFunc(page.Hits, repeated.Hits, equalHits) {
		t.Error("a repeated query has another answer")
	}

	if math.Abs(page.Reference-reference) > 1e-6*reference {
		t.Errorf("reference = %v, want %v", page.Reference, reference)
	}

	wanted := min(q.Size, len(all))
	if len(page.Hits) > wanted || len(page.Hits) < wanted && !approximate {
		t.Fatalf("got %d hits, want %d: query %v", len(page.Hits), wanted, q)
	}

	exact := make(map[string]*bruteforce.Scored, len(all))
	for i := range all {
		exact[all[i].ID] = &all[i]
	}
	// Over the hits so far, from last to first: the highest exact score minus its slack, the lowest plus its slack.
	highest := math.Inf(-1)
	lowest := math.Inf(1)
	seen := map[string]bool{}
	// Going backward, one pass is enough to compare every hit with all that follow it.
	for i, hit := range slices.Backward(page.Hits) {
		want := exact[hit.ID]
		if want == nil || seen[hit.ID] {
			t.Fatalf("hit %d, %s: not a hit, or a duplicate", i, hit.ID)
		}

		seen[hit.ID] = true
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

		slack := slack(o, q, want, reference)
		if want.Retrieval+slack < highest {
			t.Errorf("hit %d, %s: score %v ± %v, but a later hit has %v", i, hit.ID, want.Retrieval, slack, highest)
		}

		if i > 0 && page.Hits[i-1].Retrieval < hit.Retrieval {
			t.Errorf("hit %d: its retrieval score %v is above that of the hit before it", i, hit.Retrieval)
		}

		highest = max(highest, want.Retrieval-slack)
		lowest = min(lowest, want.Retrieval+slack)
	}

	checkIndependence(t, o, s, q, page, exact)
	if len(page.Hits) < wanted {
		lowest = math.Inf(-1)
	}

	for i := range all {
		hit := &all[i]
		slack := slack(o, q, hit, reference)
		missing := !seen[hit.ID] && hit.Retrieval-slack > lowest
		switch {
		case !approximate && missing:
			t.Errorf("%s is missing: score %v ± %v, but a hit has at most %v", hit.ID, hit.Retrieval, slack, lowest)
		// An approximate engine may miss some hits; their share is checked at the end of the test.
		case approximate && i < min(10, wanted) && !(o.Approximate && signalsDecide(q, reference)):
			r.wanted++
			if !missing {
				r.found++
			}
		}
	}

	passing, unknown := b.Count(q.Filters)
	if count, err := s.Count(t.Context(), q.Filters); count != passing || err != nil {
		t.Errorf("count = %d, %v; want %d", count, err, passing)
	}

	if count, err := s.CountUnknown(t.Context(), q.Filters); count != unknown || err != nil {
		t.Errorf("count unknown = %d, %v; want %d", count, err, unknown)
	}
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

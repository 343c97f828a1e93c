package enginetest

import (
	"math"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// testRank ranks documents of which five have the same score and one a higher score.
func testRank(t *testing.T, o Options) {
	var documents []*engine.Document
	for _, id := range []string{"c", "a", "e", "b", "d"} {
		documents = append(documents, document(id, terms("x")))
	}

	best := document("z", terms("x"), signals(func(s *matching.Signals) { s.Rating = matching.Some(4.0) }))
	s := serve(t, o.New(t)(), "index", append(documents, best, document("other", terms("y")))...)
	ranker, ok := s.(engine.Ranker)
	if !ok {
		t.Skip("the engine doesn't rank")
	}

	q := &engine.Query{
		Terms: []engine.Term{{Text: "x", Weight: 1, Reference: true}}, TextWeight: 1,
		Quality: func(s matching.Signals) float64 { return s.Rating.Or(0) / 10 },
		Size:    9, Window: 9,
	}

	hits := search(t, s, q).Hits
	q.Size, q.Window = 1, 2 // Rank doesn't depend on them
	for _, c := range []struct {
		name   string
		placed engine.Placed
		want   engine.Standing
	}{
		{"best", engine.Placed{ID: "z", Retrieval: hits[0].Retrieval}, engine.Standing{Before: 0, Hits: 6}},
		{"first of equal scores", engine.Placed{ID: "a", Retrieval: hits[1].Retrieval}, engine.Standing{Before: 1, Hits: 6}},
		{"last of equal scores", engine.Placed{ID: "e", Retrieval: hits[1].Retrieval}, engine.Standing{Before: 5, Hits: 6}},
		{"no hit", engine.Placed{ID: "other"}, engine.Standing{Before: 6, Hits: 6}},
		{
			"other scores",
			engine.Placed{ID: "b", Retrieval: hits[1].Retrieval, Score: func(float64) float64 { return 1 }},
			engine.Standing{Before: 1, Hits: 6},
		},
	} {
		got, err := ranker.Rank(t.Context(), q, c.placed)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}

	if _, err := ranker.Rank(t.Context(), &engine.Query{Semantic: &engine.SemanticClause{}}, engine.Placed{}); err == nil {
		t.Error("a query with an invalid vector is accepted")
	}

	if got := search(t, s, q).Hits; !equalHits(got[0], hits[0]) {
		t.Errorf("a search after ranking returns %v", got)
	}
}

// checkRank compares the ranks of some hits with their places in a page that has all hits of its query.
func checkRank(t *testing.T, s engine.Snapshot, q *engine.Query, page *engine.Page) {
	t.Helper()
	ranker, ok := s.(engine.Ranker)
	if !ok {
		return
	}

	narrow := *q
	narrow.Size = 1
	narrow.Window = 0

	for i := 0; i < len(page.Hits); i += 1 + len(page.Hits)/4 {
		hit := &page.Hits[i]
		got, err := ranker.Rank(t.Context(), &narrow, engine.Placed{ID: hit.ID, Retrieval: hit.Retrieval})
		if want := (engine.Standing{Before: i, Hits: len(page.Hits)}); err != nil || got != want {
			t.Errorf("rank of %s: %+v, %v, want %+v", hit.ID, got, err, want)
		}
	}

	nobody := engine.Placed{Retrieval: math.Inf(1)}
	if got, err := ranker.Rank(t.Context(), &narrow, nobody); err != nil || got.Before != 0 {
		t.Errorf("rank of the highest score: %+v, %v", got, err)
	}
}

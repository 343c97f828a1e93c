//go:build integration

package elastic_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
)

// The default window contains the ten best freelancers and is seldom widened. docs/benchmarks.md has the results for
// more freelancers.
func TestSearch_Recall(t *testing.T) {
	w := newWorld(t, 4000)
	var log searchLog
	o := testOptions(t)
	o.Log = slog.New(&log)
	w.load(t, o)
	b := bruteforce.New(spec(t, benchIndex).Mapping.BM25, slices.Collect(w.documents(t)))
	s := open(t, o)
	for _, vectors := range []bool{false, true} {
		var found recall
		widened := 0
		queries := w.queries(t, s, o.Window, vectors)
		for _, q := range queries {
			log.bodies = nil
			hits := search(t, s, q).Hits
			widened += len(log.bodies) - 1
			found.add(top(b, q, 10), hits, 10)
		}

		t.Logf("vectors=%v: found %d of the %d best, widened %d of %d windows",
			vectors, found.found, found.wanted, widened, len(queries))
		if found.share() < .99 || widened > len(queries)/10 {
			t.Error("want at least 99% found and at most 10% widened")
		}
	}
}

func top(b *bruteforce.Scorer, q *engine.Query, n int) []bruteforce.Scored {
	hits, _ := b.Search(q)
	return slices.Clone(hits[:min(n, len(hits))])
}

// A recall counts how many of the best documents were found.
type recall struct{ found, wanted int }

// add counts the documents that are among the first n hits or tie with the last of these.
func (r *recall) add(best []bruteforce.Scored, hits []engine.Hit, n int) {
	hits = hits[:min(n, len(hits))]
	r.wanted += len(best)
	for _, want := range best {
		if want.Retrieval <= hits[len(hits)-1].Retrieval+1e-6 ||
			slices.ContainsFunc(hits, func(h engine.Hit) bool { return h.ID == want.ID }) {
			r.found++
		}
	}
}

func (r *recall) share() float64 { return float64(r.found) / float64(r.wanted) }

//go:build integration

package elastic_test

import (
	"log/slog"
	"slices"
	"testing"

	"freelancer-matching/engine/enginetest"
)

// The default window contains the ten best freelancers and is seldom widened. docs/benchmarks.md has the results for
// more freelancers.
func TestSearch_Recall(t *testing.T) {
	w := newWorld(t, 4000)
	var log searchLog
	o := testOptions(t)
	o.Log = slog.New(&log)
	w.load(t, o)
	b := enginetest.NewBruteForce(spec(t, benchIndex).Mapping.BM25, slices.Collect(w.documents(t)))
	s := open(t, o)
	for _, vectors := range []bool{false, true} {
		found, wanted, widened := 0, 0, 0
		queries := w.queries(t, s, o.Window, vectors)
		for _, q := range queries {
			log.bodies = nil
			hits := search(t, s, q).Hits
			widened += len(log.bodies) - 1
			tenth := hits[min(10, len(hits))-1].Retrieval
			best, _ := b.Search(q)
			for _, hit := range best[:min(10, len(best))] {
				if wanted++; hit.Retrieval <= tenth+1e-6 {
					found++
					continue
				}
				for _, of := range hits[:min(10, len(hits))] {
					if of.ID == hit.ID {
						found++
					}
				}
			}
		}
		t.Logf("vectors=%v: found %d of the %d best, widened %d of %d windows", vectors, found, wanted, widened, len(queries))
		if float64(found) < .99*float64(wanted) || widened > len(queries)/10 {
			t.Error("want at least 99% found and at most 10% widened")
		}
	}
}

package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// Whichever requests and answers are lost, the index ends up with the documents of the last calls, and the counts of
// distinct ids are exact.
func TestUpdate_RandomChangesAndFailures(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 5))
			n := newFakeNode(t)
			filled := n.fill(nil)
			want := map[string]string{}
			for range rng.IntN(200) {
				id := fmt.Sprint(rng.IntN(300))
				want[id] = fmt.Sprint("filled ", rng.Uint32())
				addAll(t, filled, named(id, want[id]))
			}

			n.injectFailures(rand.New(rand.NewPCG(seed, 6)))
			result, err := filled.Close(t.Context())
			if diff := cmp.Diff(engine.BulkResult{Indexed: len(want)}, result); err != nil || diff != "" {
				t.Fatalf("close of the bulk: %v (-want +got):\n%s", err, diff)
			}

			for range 2 {
				update, err := n.engine.Update(t.Context(), "index", nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(update.Abort)
				wantResult := randomChanges(t, rng, update, want)
				result, err := update.Close(t.Context())
				if diff := cmp.Diff(wantResult, result); err != nil || diff != "" {
					t.Fatalf("close of the update: %v (-want +got):\n%s", err, diff)
				}

				if diff := cmp.Diff(want, n.stored()); diff != "" {
					t.Fatalf("documents (-want +got):\n%s", diff)
				}

				if n.meta.Documents != len(want) || n.meta.State != catalog.StateComplete || n.meta.Updated.IsZero() {
					t.Errorf("meta = %+v, want a complete and updated index of %d documents", n.meta, len(want))
				}
			}
		})
	}
}

// injectFailures makes requests, answers and single changes fail at random, but none of them forever.
func (n *fakeNode) injectFailures(rng *rand.Rand) {
	n.request = func(_ int, w http.ResponseWriter, apply func()) bool {
		switch rng.IntN(8) {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			apply()
			panic(http.ErrAbortHandler)
		case 2:
			return failure(w, http.StatusServiceUnavailable, "cluster_block_exception")
		default:
			return false
		}
	}

	n.item = func(int, string) *rest.ItemResult {
		if rng.IntN(10) == 0 {
			return itemFailure(http.StatusTooManyRequests, "es_rejected_execution_exception")
		}
		return nil
	}
}

// randomChanges makes random changes, enough for several batches, and applies them to want too. It returns the expected
// result.
func randomChanges(t *testing.T, rng *rand.Rand, u engine.Update, want map[string]string) (r engine.UpdateResult) {
	t.Helper()
	const added, deleted, missing, failed = 1, 2, 3, 4
	outcome := map[string]int{}
	for range 1 + rng.IntN(3*rest.MaxBatch) {
		id := fmt.Sprint(rng.IntN(400))
		_, exists := want[id]

		switch rng.IntN(5) {
		case 0, 1:
			want[id] = fmt.Sprint("updated ", rng.Uint32())
			outcome[id] = added
			addAll(t, u, named(id, want[id]))

		case 2, 3:
			if exists {
				outcome[id] = deleted
			} else if outcome[id] != deleted { // a second deletion changes nothing
				outcome[id] = missing
			}

			delete(want, id)
			if err := u.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}

		default: // a document that cannot be stored
			if outcome[id] == 0 {
				outcome[id] = failed
			}
			broken := named(id, "")
			broken.Freelancer.Rating = matching.Some(math.NaN())
			addAll(t, u, broken)
		}
	}

	for _, o := range outcome {
		switch o {
		case added:
			r.Indexed++
		case deleted:
			r.Deleted++
		case missing:
			r.Missing++
		case failed:
			r.Failed++
		}
	}

	return r
}

// The positions of an update are above those of all earlier updates, including failed ones.
func TestUpdate_AfterFailedUpdate(t *testing.T) {
	n := newFakeNode(t)
	filled := n.fill(nil)
	addAll(t, filled, named("a", "first"), named("b", "first"))

	if _, err := filled.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	failed, err := n.engine.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	arrived := make(chan struct{}, 1)
	n.request = func(int, http.ResponseWriter, func()) bool {
		arrived <- struct{}{}
		return false
	}

	for range rest.MaxBatch + 1 { // one batch is sent
		addAll(t, failed, named("a", "failed"))
	}
	<-arrived

	if stored := n.stored(); stored["a"] != "failed" {
		t.Fatalf("documents = %v, want a changed", stored)
	}
	failed.Abort()
	n.request = nil
	if n.meta.Updates != 0 {
		t.Errorf("meta = %+v, want no successful update", n.meta)
	}

	next, err := n.engine.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	addAll(t, next, named("a", "last"))

	if _, err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(map[string]string{"a": "last", "b": "first"}, n.stored()); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

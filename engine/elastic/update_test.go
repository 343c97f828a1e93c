package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// Whatever happens to requests and answers on their way, the documents at the end are those of the last calls, and the
// account of distinct ids is exact.
func TestUpdate_RandomChangesAndFaults(t *testing.T) {
	for seed := range uint64(30) {
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
			n.disturb(rand.New(rand.NewPCG(seed, 6)))
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
				account := randomChanges(t, rng, update, want)
				result, err := update.Close(t.Context())
				if diff := cmp.Diff(account, result); err != nil || diff != "" {
					t.Fatalf("close of the update: %v (-want +got):\n%s", err, diff)
				}
				if diff := cmp.Diff(want, n.there()); diff != "" {
					t.Fatalf("documents (-want +got):\n%s", diff)
				}
				if n.meta.Documents != len(want) || n.meta.State != stateComplete || n.meta.Updated.IsZero() {
					t.Errorf("the index says of itself %+v, want %d documents", n.meta, len(want))
				}
			}
		})
	}
}

// disturb loses requests, answers and single changes at random, never so that the same one fails for ever.
func (n *fakeNode) disturb(rng *rand.Rand) {
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
	n.item = func(int, string) *outcome {
		if rng.IntN(10) == 0 {
			return itemFailure(http.StatusTooManyRequests, "es_rejected_execution_exception")
		}
		return nil
	}
}

// randomChanges makes changes, of more than one batch, and carries them out on want too. It returns the account that
// there should be of them.
func randomChanges(t *testing.T, rng *rand.Rand, u engine.Update, want map[string]string) (r engine.UpdateResult) {
	t.Helper()
	const added, deleted, missing, failed = 1, 2, 3, 4
	outcome := map[string]int{}
	for range 1 + rng.IntN(3*maxBatch) {
		id := fmt.Sprint(rng.IntN(400))
		_, there := want[id]
		switch rng.IntN(5) {
		case 0, 1:
			want[id] = fmt.Sprint("updated ", rng.Uint32())
			outcome[id] = added
			addAll(t, u, named(id, want[id]))
		case 2, 3:
			if there {
				outcome[id] = deleted
			} else if outcome[id] != deleted { // deleting again what was there before the update, or since
				outcome[id] = missing
			}
			delete(want, id)
			if err := u.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		default: // changes nothing
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

// An update begins after all positions that any before it may have used, also one that failed.
func TestUpdate_AfterOneThatFailed(t *testing.T) {
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
	for range maxBatch + 1 { // one batch is sent
		addAll(t, failed, named("a", "failed"))
	}
	<-arrived
	if there := n.there(); there["a"] != "failed" {
		t.Fatalf("documents: %v, want the change of a", there)
	}
	failed.Abort()
	n.request = nil
	if n.meta.Updates != 0 {
		t.Errorf("an update that failed is told of: %+v", n.meta)
	}
	next, err := n.engine.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	addAll(t, next, named("a", "last"))
	if _, err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "last", "b": "first"}, n.there()); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

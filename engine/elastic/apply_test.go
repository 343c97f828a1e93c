package elastic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/changes"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// serving returns a node with a complete index of the given freelancers, to which the alias "live" points.
func serving(t *testing.T, documents ...*engine.Document) *fakeNode {
	t.Helper()
	n := newFakeNode(t)
	filled := n.fill(nil)
	addAll(t, filled, documents...)
	if _, err := filled.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return n
}

func putNamed(id, name string) engine.Change {
	return engine.Change{ID: id, Document: named(id, name)}
}

func versionOf(d *engine.Document) string { return engine.Version(&d.Freelancer) }

// changeOne makes one change, which must not fail as a whole.
func (n *fakeNode) changeOne(t *testing.T, c engine.Change) engine.Outcome {
	t.Helper()
	outcomes, err := n.engine.Apply(t.Context(), "live", []engine.Change{c})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes[0]
}

// Whichever requests and answers are lost, conditional changes are made exactly once and never conflict with
// themselves.
func TestApply_RandomFailures(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			n := serving(t)
			rng := rand.New(rand.NewPCG(seed, 5))
			n.injectFailures(rand.New(rand.NewPCG(seed, 6)))
			want := map[string]string{}
			for i := range 100 {
				id := fmt.Sprint(rng.IntN(5))
				name, exists := want[id]
				before := ""

				if exists {
					before = versionOf(named(id, name))
				}
				c := engine.Change{ID: id, If: engine.Condition{Exists: matching.Some(exists)}}

				if exists {
					c.If.Versions = []string{before}
				}
				wanted := engine.Outcome{Before: before}

				if delete(want, id); rng.IntN(4) > 0 {
					want[id] = fmt.Sprint("name ", i)
					c.Document = named(id, want[id])
					wanted.After = versionOf(c.Document)
				}

				outcomes, err := n.engine.Apply(t.Context(), "live", []engine.Change{c})
				if err != nil && strings.Contains(err.Error(), "gave up") {
					// Four failures in a row: the outcome is unknown, and the caller has to look.
					if want[id] = n.stored()[id]; want[id] == "" {
						delete(want, id)
					}
					continue
				}

				if err != nil || !cmp.Equal(wanted, outcomes[0]) {
					t.Fatalf("change %d: %+v, %v; want %+v", i, outcomes, err, wanted)
				}
			}

			if diff := cmp.Diff(want, n.stored()); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
		})
	}
}

// After the answer to a conditional write was lost and another process has changed the document, nobody can know
// whether the write was made. An unconditional one is made again.
func TestApply_OverwrittenAfterLostAnswer(t *testing.T) {
	first := named("a", "first")
	for name, conditional := range map[string]bool{"conditional": true, "unconditional": false} {
		t.Run(name, func(t *testing.T) {
			n := serving(t, first, named("b", "first"))
			bulks := n.bulks
			n.request = func(i int, _ http.ResponseWriter, apply func()) bool {
				if i > bulks+1 {
					return false
				}
				apply()
				n.documents["a"] = fakeDocument{version: 99, seqNo: 99, raw: []byte(`{"id":"a","name":"other process"}`)}
				panic(http.ErrAbortHandler)
			}

			c := putNamed("a", "second")
			if conditional {
				c.If.Versions = []string{versionOf(first)}
			}
			outcomes, err := n.engine.Apply(t.Context(), "live", []engine.Change{putNamed("b", "second"), c})

			if conditional {
				if _, ok := errors.AsType[*changes.UnknownOutcomeError](err); !ok {
					t.Errorf("%+v, %v; want an unknownOutcomeError", outcomes, err)
				}
			} else if err != nil || outcomes[1].Err != nil || outcomes[1].After != versionOf(c.Document) {
				t.Errorf("%+v, %v; want success", outcomes, err)
			}

			if want := n.stored()["b"]; want != "second" {
				t.Errorf("the other freelancer is %q", want)
			}
		})
	}
}

// A cluster that doesn't make changes is reported soon, with what to do about it.
func TestApply_Failures(t *testing.T) {
	for name, c := range map[string]struct {
		request func(w http.ResponseWriter) bool
		item    *rest.ItemResult
		want    []string
	}{
		"connection closed": {
			request: func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) },
			want:    []string{"gave up after 4 attempts", "unreachable", "_cluster/health"},
		},
		"all shards busy": {
			request: func(w http.ResponseWriter) bool { return failure(w, 429, "es_rejected_execution_exception") },
			want:    []string{"gave up after 4 attempts", "status 429", "overloaded"},
		},
		"one shard busy": {
			item: itemFailure(429, "es_rejected_execution_exception"), want: []string{"gave up", "status 429", "overloaded"},
		},
		"shard missing": {
			item: itemFailure(503, "unavailable_shards_exception"), want: []string{"gave up", "unavailable_shards_exception"},
		},
		"disk full": {
			item: itemFailure(429, "cluster_block_exception"), want: []string{"gave up", "check the disks"},
		},
		"forbidden": {
			request: func(w http.ResponseWriter) bool { return failure(w, 403, "security_exception") },
			want:    []string{"security_exception", "grant that privilege"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := serving(t)
			n.request = func(_ int, w http.ResponseWriter, _ func()) bool { return c.request != nil && c.request(w) }
			n.item = func(int, string) *rest.ItemResult { return c.item }
			_, err := n.engine.Apply(t.Context(), "live", []engine.Change{putNamed("a", "first")})
			if err == nil {
				t.Fatal("no error")
			}

			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not contain %q", err, want)
				}
			}
		})
	}
}

// A document that Elasticsearch rejects fails alone, also when later changes build on it.
func TestApply_Rejected(t *testing.T) {
	n := serving(t, named("a", "first"))
	rejections := 0
	n.item = func(_ int, id string) *rest.ItemResult {
		if rejections++; id == "a" && rejections == 1 {
			return itemFailure(http.StatusBadRequest, "document_parsing_exception")
		}
		return nil
	}

	outcomes, err := n.engine.Apply(t.Context(), "live", []engine.Change{
		putNamed("a", "second"), putNamed("a", "rejected"), putNamed("b", "first"),
	})
	if err != nil {
		t.Fatal(err)
	}

	for i, o := range outcomes {
		if failed := o.Err != nil; failed != (i == 1) {
			t.Errorf("change %d: %v", i, o.Err)
		}
	}

	if diff := cmp.Diff(map[string]string{"a": "second", "b": "first"}, n.stored()); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

// While one request is under way, changes of other callers wait and are then sent together. A caller that leaves
// affects no other.
func TestApply_GroupsCalls(t *testing.T) {
	n := serving(t)
	before := n.bulks
	arrived := make(chan struct{})
	release := make(chan struct{})
	n.request = func(i int, _ http.ResponseWriter, _ func()) bool {
		if i == before+1 {
			close(arrived)
			<-release
		}
		return false
	}

	var calls sync.WaitGroup
	ctx, leave := context.WithCancel(t.Context())
	calls.Go(func() {
		if _, err := n.engine.Apply(ctx, "live", []engine.Change{putNamed("0", "first")}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want the error of the context", err)
		}
	})

	<-arrived
	calls.Go(func() {
		if _, err := n.engine.Apply(ctx, "live", []engine.Change{putNamed("left", "")}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want the error of the context", err)
		}
	})

	for i := range 20 {
		calls.Go(func() {
			if o := n.changeOne(t, putNamed("a", fmt.Sprint(i))); o.Err != nil {
				t.Error(o.Err)
			}
		})
	}

	for n.engine.changer.Waiting("live") < 21 {
		runtime.Gosched()
	}

	leave()
	close(release)
	calls.Wait()

	if sent := n.bulks - before; sent != 2 {
		t.Errorf("%d bulk requests, want 2", sent)
	}

	if _, stored := n.stored()["left"]; stored {
		t.Error("a change was made although its caller had left before it was sent")
	}
}

// A deletion is acknowledged only when trackers can see it, also if the document was gone already: an earlier attempt
// may have deleted it.
func TestApply_NotesDeletions(t *testing.T) {
	n := serving(t, named("a", "first"), named("b", "first"))
	n.changeOne(t, engine.Change{ID: "a"})
	n.changeOne(t, engine.Change{ID: "missing"})
	n.changeOne(t, putNamed("b", "second"))
	failing := engine.Change{ID: "b", If: engine.Condition{Exists: matching.Some(false)}}
	if o := n.changeOne(t, failing); o.Err == nil {
		t.Error("no error")
	}
	if want := []string{"a", "missing"}; !slices.Equal(n.deletions, want) {
		t.Errorf("deletions = %q, want %q", n.deletions, want)
	}
}

// A node that never answers ends Apply at the deadline of the caller, or after half a minute.
func TestApply_Deadline(t *testing.T) {
	for deadline, want := range map[time.Duration]time.Duration{time.Second: time.Second, time.Hour: changes.Timeout} {
		synctest.Test(t, func(t *testing.T) {
			e := withoutNetwork(t, func(r *http.Request) (*http.Response, error) {
				switch {
				case r.Method == http.MethodGet && r.URL.Path == "/x":
					return answer(200, aliasAnswer)
				case strings.Contains(r.URL.Path, "_stats"):
					return answer(200, `{}`)
				}

				<-r.Context().Done()
				return nil, r.Context().Err()
			})

			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()

			start := time.Now()
			_, err := e.Apply(ctx, "x", []engine.Change{putNamed("a", "first")})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want DeadlineExceeded", err)
			}

			if took := time.Since(start); took != want {
				t.Errorf("took %s, want %s", took, want)
			}
			synctest.Wait()
		})
	}
}

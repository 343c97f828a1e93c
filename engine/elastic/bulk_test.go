package elastic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/load"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// named returns a document with a name that distinguishes it from others with the same id.
func named(id, name string) *engine.Document {
	return &engine.Document{Freelancer: matching.Freelancer{ID: id, Name: name}}
}

func addAll(t *testing.T, b interface {
	Add(ctx context.Context, d *engine.Document) error
}, documents ...*engine.Document,
) {
	t.Helper()
	for _, d := range documents {
		if err := b.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

// many returns documents with the ids 0 to n-1.
func many(n int) (documents []*engine.Document) {
	for i := range n {
		documents = append(documents, named(fmt.Sprint(i), "first"))
	}
	return documents
}

func TestBulk_RetriesTransientErrors(t *testing.T) {
	// before makes the first three requests fail.
	before := func(fault func(w http.ResponseWriter) bool) func(int, http.ResponseWriter, func()) bool {
		return func(n int, w http.ResponseWriter, _ func()) bool { return n <= 3 && fault(w) }
	}
	lose := func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name    string
		request func(n int, w http.ResponseWriter, apply func()) bool
		item    func(n int, id string) *rest.ItemResult
	}{
		{name: "no error"},
		{name: "full queue", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusTooManyRequests, "es_rejected_execution_exception")
		})},
		{name: "proxy without a backend", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusBadGateway, "")
		})},
		{name: "node starting", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusServiceUnavailable, "cluster_block_exception")
		})},
		{name: "proxy timeout", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusGatewayTimeout, "")
		})},
		{name: "connection breaks before the request is read", request: before(lose)},
		{name: "answer lost", request: func(n int, w http.ResponseWriter, apply func()) bool {
			if n > 3 {
				return false
			}
			apply()
			return lose(w)
		}},
		{name: "answer truncated", request: func(n int, w http.ResponseWriter, apply func()) bool {
			if n > 3 {
				return false
			}
			apply()
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"items":[{"ind`)
			return lose(w)
		}},
		{name: "some items rejected", item: func(n int, id string) *rest.ItemResult {
			if n%4 > 0 && strings.HasSuffix(id, fmt.Sprint(n%4)) {
				return itemFailure(http.StatusTooManyRequests, "es_rejected_execution_exception")
			}
			return nil
		}},
		{name: "shard unavailable", item: func(n int, _ string) *rest.ItemResult {
			if n < 5 {
				return itemFailure(http.StatusServiceUnavailable, "unavailable_shards_exception")
			}
			return nil
		}},
		{name: "disk full for a while", item: func(n int, _ string) *rest.ItemResult {
			if n < 5 {
				return itemFailure(http.StatusTooManyRequests, "cluster_block_exception")
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			n := newFakeNode(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			n.request = c.request
			n.item = c.item
			b := n.fill(func(id string, reason error) { t.Errorf("%s rejected: %v", id, reason) })
			addAll(t, b, many(2*rest.MaxBatch+10)...)
			addAll(t, b, named("7", "last"), named("1003", "last"))
			result, err := b.Close(t.Context())
			if want := (engine.BulkResult{Indexed: 2*rest.MaxBatch + 10}); err != nil || result != want {
				t.Fatalf("close = %+v, %v; want %+v", result, err, want)
			}

			for id, name := range n.stored() {
				if last := id == "7" || id == "1003"; last != (name == "last") {
					t.Errorf("the index has the %s document of id %s", name, id)
				}
			}

			failing := c.request != nil || c.item != nil
			for _, message := range []string{"retrying", "accepts requests again"} {
				if strings.Contains(log.String(), message) != failing {
					t.Errorf("message %q in the log: %v, want %v:\n%s", message, !failing, failing, log.String())
				}
			}
		})
	}
}

func TestBulk_SplitsLargeRequests(t *testing.T) {
	n := newFakeNode(t)
	n.request = func(_ int, w http.ResponseWriter, _ func()) bool {
		return n.size > 3000 && failure(w, http.StatusRequestEntityTooLarge, "")
	}
	var rejected []string
	b := n.fill(func(id string, _ error) { rejected = append(rejected, id) })
	addAll(t, b, many(100)...)
	addAll(t, b, named("long", strings.Repeat("x", 3000)))
	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 100, Failed: 1}); err != nil || result != want {
		t.Fatalf("close = %+v, %v; want %+v", result, err, want)
	}
	if diff := cmp.Diff([]string{"long"}, rejected); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
}

// A request exceeds rest.MaxBatchBytes only if it has a single document.
func TestBulk_LimitsRequestSize(t *testing.T) {
	n := newFakeNode(t)
	small, large := 0, 0
	n.request = func(int, http.ResponseWriter, func()) bool {
		if n.size > rest.MaxBatchBytes {
			large++
		} else {
			small++
		}
		return false
	}

	b := n.fill(nil)
	name := strings.Repeat("x", rest.MaxBatchBytes/3)
	addAll(t, b,
		named("1", name), named("2", name), named("3", name), named("4", name+name+name), named("5", name))

	if _, err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if large != 1 || small != 3 {
		t.Errorf("got %d requests above the limit and %d below, want 1 and 3", large, small)
	}
}

func TestBulk_CountsRejectedDocuments(t *testing.T) {
	n := newFakeNode(t)
	n.item = func(_ int, id string) *rest.ItemResult {
		if strings.HasPrefix(id, "bad") {
			return itemFailure(http.StatusBadRequest, "document_parsing_exception")
		}
		return nil
	}

	reasons := map[string]string{}
	b := n.fill(func(id string, reason error) { reasons[id] = reason.Error() })
	broken := named("broken", "first")
	broken.Freelancer.Rating = matching.Some(math.NaN())
	mended := named("mended", "first")
	mended.Freelancer.HourlyRate = matching.Some(math.Inf(1))
	addAll(t, b,
		named("good", "first"), named("bad", "first"), named("bad", "last"), named("bad too", "first"), broken, mended,
		named("mended", "last"), named("", "first"), named("\xff", "first"))
	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 2, Failed: 5}); err != nil || result != want {
		t.Fatalf("close = %+v, %v; want %+v", result, err, want)
	}

	if diff := cmp.Diff(map[string]string{"good": "first", "mended": "last"}, n.stored()); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}

	for id, want := range map[string]string{
		"bad": "document_parsing_exception", "bad too": "document_parsing_exception", "broken": "NaN", "mended": "Inf",
		"": "no id", "\xff": "not valid UTF-8",
	} {
		if !strings.Contains(reasons[id], want) {
			t.Errorf("%q rejected because of %q, want %q", id, reasons[id], want)
		}
	}
}

// A permanent error, or one that lasts too long, ends the bulk and leaves an incomplete index.
func TestBulk_FailsForGood(t *testing.T) {
	for _, c := range []struct {
		name     string
		retryFor time.Duration
		request  func(n int, w http.ResponseWriter, apply func()) bool
		item     func(n int, id string) *rest.ItemResult
		wantErr  []string
	}{
		{
			name: "node down", retryFor: time.Millisecond,
			request: func(int, http.ResponseWriter, func()) bool { panic(http.ErrAbortHandler) },
			wantErr: []string{"gave up after", "is unreachable", "check that the nodes are running", "load again"},
		},
		{
			name: "full disk", retryFor: time.Millisecond,
			item: func(int, string) *rest.ItemResult {
				return itemFailure(http.StatusTooManyRequests, "cluster_block_exception")
			},
			wantErr: []string{"gave up after", "cluster_block_exception", "flood-stage", "load again"},
		},
		{
			name: "endless rejections", retryFor: time.Millisecond,
			request: func(_ int, w http.ResponseWriter, _ func()) bool {
				return failure(w, http.StatusTooManyRequests, "es_rejected_execution_exception")
			},
			wantErr: []string{"gave up after", "es_rejected_execution_exception", "is overloaded"},
		},
		{
			name: "no permission", retryFor: time.Hour,
			request: func(_ int, w http.ResponseWriter, _ func()) bool {
				return failure(w, http.StatusForbidden, "security_exception")
			},
			wantErr: []string{"security_exception"},
		},
		{
			name: "dropped index", retryFor: time.Hour,
			item:    func(int, string) *rest.ItemResult { return itemFailure(http.StatusNotFound, rest.IndexNotFound) },
			wantErr: []string{rest.IndexNotFound},
		},
		{
			name: "read-only index", retryFor: time.Hour,
			item: func(int, string) *rest.ItemResult {
				return itemFailure(http.StatusForbidden, "cluster_block_exception")
			},
			wantErr: []string{"cluster_block_exception"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newFakeNode(t, func(o *Options) { o.RetryFor = c.retryFor })
			n.request = c.request
			n.item = c.item
			b := n.fill(func(id string, reason error) { t.Errorf("%s rejected: %v", id, reason) })
			addAll(t, b, many(10)...)
			_, err := b.Close(t.Context())
			for _, want := range append(c.wantErr, `write to index "index"`) {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("close: got error %v, want %q", err, want)
				}
			}

			if got := b.Add(t.Context(), named("late", "")); got == nil || got.Error() != err.Error() {
				t.Errorf("add: got error %v, want that of Close", got)
			}

			if n.meta.State != catalog.StateFilling {
				t.Errorf("state = %s, want %s", n.meta.State, catalog.StateFilling)
			}
		})
	}
}

// While the node does not answer, Add accepts the documents that fit into the batches and then blocks until its context
// ends. No document is lost by that.
func TestBulk_AddBlocks(t *testing.T) {
	n := newFakeNode(t)
	arrived := make(chan struct{}, 100)
	answer := make(chan struct{})
	n.request = func(int, http.ResponseWriter, func()) bool {
		n.mu.Unlock()
		defer n.mu.Lock()
		arrived <- struct{}{}
		<-answer
		return false
	}

	b := n.fill(nil)
	addAll(t, b, many(2*rest.MaxBatch)...)
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	waiting := make(chan struct{}, 10)
	blocked := make(chan error, 1)
	go func() { blocked <- b.Add(observedContext{ctx, waiting}, named("one too many", "")) }()
	<-waiting // for the batch that is being filled

	select {
	case <-waiting: // for a sender to accept it
	case err := <-blocked:
		t.Fatalf("add returned %v while the node was behind", err)
	}

	cancel()
	if err := <-blocked; !errors.Is(err, context.Canceled) {
		t.Errorf("add: got error %v, want %v", err, context.Canceled)
	}
	close(answer)
	addAll(t, b, named("one more", ""))
	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 2*rest.MaxBatch + 1}); err != nil || result != want {
		t.Fatalf("close = %+v, %v; want %+v", result, err, want)
	}
}

// An observedContext signals each call of Done.
type observedContext struct {
	context.Context
	waiting chan<- struct{}
}

func (c observedContext) Done() <-chan struct{} {
	c.waiting <- struct{}{}
	return c.Context.Done()
}

func TestBulk_Abort(t *testing.T) {
	n := newFakeNode(t)
	arrived := make(chan struct{})
	n.request = func(int, http.ResponseWriter, func()) bool {
		close(arrived)
		panic(http.ErrAbortHandler)
	}
	b := n.fill(nil)
	addAll(t, b, many(rest.MaxBatch+1)...)
	<-arrived
	b.Abort()
	for operation, err := range map[string]error{
		"add":   b.Add(t.Context(), named("late", "")),
		"close": func() error { _, err := b.Close(t.Context()); return err }(),
	} {
		if !errors.Is(err, load.ErrClosed) {
			t.Errorf("%s after abort: got error %v, want %v", operation, err, load.ErrClosed)
		}
	}
}

// Close applies the settings for searching, and marks the index as complete last.
func TestBulk_CloseCompletes(t *testing.T) {
	n := newFakeNode(t, func(o *Options) { o.Replicas = 2 })
	b := n.fill(nil)

	if n.settings["refresh_interval"] != "-1" || n.settings["number_of_replicas"] != 0. {
		t.Errorf("settings while filling: %v", n.settings)
	}
	addAll(t, b, many(5)...)
	n.others = nil

	if _, err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{
		"POST /index/_refresh", "POST /index/_count", "PUT /index/_settings", "POST /index/_flush",
		"GET /_cluster/health/index", "GET /index", "PUT /index/_mapping",
	}, n.others); diff != "" {
		t.Errorf("requests of close (-want +got):\n%s", diff)
	}

	if n.settings["refresh_interval"] != nil || n.settings["number_of_replicas"] != 2. {
		t.Errorf("settings after close: %v", n.settings)
	}

	if n.meta.State != catalog.StateComplete || n.meta.Documents != 5 || n.meta.Mapping != "freelancers.v1" {
		t.Errorf("meta = %+v, want a complete index of 5 documents", n.meta)
	}
}

// Close notices when a node has lost documents that it had acknowledged, for example because its disk was replaced.
func TestBulk_DetectsLostDocuments(t *testing.T) {
	n := newFakeNode(t)
	n.other = func(request string) {
		if request == "POST /index/_refresh" {
			delete(n.documents, "3")
		}
	}
	b := n.fill(nil)
	addAll(t, b, many(10)...)
	const want = "the index has 9 documents but 10 were acknowledged"
	if _, err := b.Close(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("close: got error %v, want %q", err, want)
	}
	if n.meta.State != catalog.StateFilling {
		t.Errorf("state = %s, want %s", n.meta.State, catalog.StateFilling)
	}
}

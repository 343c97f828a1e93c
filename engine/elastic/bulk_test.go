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

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// named is a document whose name tells it from others of the same id.
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

// many is documents with the ids 0 to n-1.
func many(n int) (documents []*engine.Document) {
	for i := range n {
		documents = append(documents, named(fmt.Sprint(i), "first"))
	}
	return documents
}

func TestBulk_Faults(t *testing.T) {
	// before fails the first requests with something that passes.
	before := func(fault func(w http.ResponseWriter) bool) func(int, http.ResponseWriter, func()) bool {
		return func(n int, w http.ResponseWriter, _ func()) bool { return n <= 3 && fault(w) }
	}
	lose := func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name    string
		request func(n int, w http.ResponseWriter, apply func()) bool
		item    func(n int, id string) *outcome
	}{
		{name: "nothing"},
		{name: "the queue is full", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusTooManyRequests, "es_rejected_execution_exception")
		})},
		{name: "a proxy finds nobody", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusBadGateway, "")
		})},
		{name: "the node starts", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusServiceUnavailable, "cluster_block_exception")
		})},
		{name: "a proxy waited too long", request: before(func(w http.ResponseWriter) bool {
			return failure(w, http.StatusGatewayTimeout, "")
		})},
		{name: "the connection breaks before the request is read", request: before(lose)},
		{name: "the answer is lost", request: func(n int, w http.ResponseWriter, apply func()) bool {
			if n > 3 {
				return false
			}
			apply()
			return lose(w)
		}},
		{name: "the answer is cut off", request: func(n int, w http.ResponseWriter, apply func()) bool {
			if n > 3 {
				return false
			}
			apply()
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"items":[{"ind`)
			return lose(w)
		}},
		{name: "a storm of rejections", item: func(n int, id string) *outcome {
			if n%4 > 0 && strings.HasSuffix(id, fmt.Sprint(n%4)) {
				return itemFailure(http.StatusTooManyRequests, "es_rejected_execution_exception")
			}
			return nil
		}},
		{name: "a shard is away", item: func(n int, _ string) *outcome {
			if n < 5 {
				return itemFailure(http.StatusServiceUnavailable, "unavailable_shards_exception")
			}
			return nil
		}},
		{name: "the disk was full", item: func(n int, _ string) *outcome {
			if n < 5 {
				return itemFailure(http.StatusTooManyRequests, "cluster_block_exception")
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			n := newFakeNode(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			n.request, n.item = c.request, c.item
			b := n.fill(func(id string, reason error) { t.Errorf("%s was refused: %v", id, reason) })
			addAll(t, b, many(2*maxBatch+10)...)
			addAll(t, b, named("7", "last"), named("1003", "last"))
			result, err := b.Close(t.Context())
			if want := (engine.BulkResult{Indexed: 2*maxBatch + 10}); err != nil || result != want {
				t.Fatalf("close = %+v, %v; want %+v", result, err, want)
			}
			for id, name := range n.there() {
				if last := id == "7" || id == "1003"; last != (name == "last") {
					t.Errorf("of %s the %s document is there", id, name)
				}
			}
			faulty := c.request != nil || c.item != nil
			for _, said := range []string{"trying again", "takes this again"} {
				if strings.Contains(log.String(), said) != faulty {
					t.Errorf("the log says %q: %v, want %v:\n%s", said, !faulty, faulty, log.String())
				}
			}
		})
	}
}

func TestBulk_RequestsTooLarge(t *testing.T) {
	n := newFakeNode(t, func(o *Options) { o.Compress = false })
	n.request = func(_ int, w http.ResponseWriter, _ func()) bool {
		return n.size > 3000 && failure(w, http.StatusRequestEntityTooLarge, "")
	}
	var refused []string
	b := n.fill(func(id string, _ error) { refused = append(refused, id) })
	addAll(t, b, many(100)...)
	addAll(t, b, named("long", strings.Repeat("x", 3000)))
	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 100, Failed: 1}); err != nil || result != want {
		t.Fatalf("close = %+v, %v; want %+v", result, err, want)
	}
	if diff := cmp.Diff([]string{"long"}, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

// A batch is sent before it is larger than maxBatchBytes, so that one request has more than that only for one document.
func TestBulk_BytesInFlight(t *testing.T) {
	n := newFakeNode(t, func(o *Options) { o.Compress = false })
	sizes := map[bool]int{}
	n.request = func(int, http.ResponseWriter, func()) bool {
		sizes[n.size > maxBatchBytes]++
		return false
	}
	b := n.fill(nil)
	name := strings.Repeat("x", maxBatchBytes/3)
	addAll(t, b, named("1", name), named("2", name), named("3", name), named("4", name+name+name), named("5", name))
	if _, err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sizes[true] != 1 || sizes[false] != 3 {
		t.Errorf("requests that are too large, and others: %v; want the one with the long document, and 3", sizes)
	}
}

func TestBulk_Refused(t *testing.T) {
	n := newFakeNode(t)
	n.item = func(_ int, id string) *outcome {
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
	addAll(t, b, named("good", "first"), named("bad", "first"), named("bad", "last"), named("bad too", "first"), broken, mended,
		named("mended", "last"), named("", "first"), named("\xff", "first"))
	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 2, Failed: 5}); err != nil || result != want {
		t.Fatalf("close = %+v, %v; want %+v", result, err, want)
	}
	if diff := cmp.Diff(map[string]string{"good": "first", "mended": "last"}, n.there()); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	for id, want := range map[string]string{
		"bad": "document_parsing_exception", "bad too": "document_parsing_exception", "broken": "NaN", "mended": "Inf",
		"": "no id", "\xff": "not UTF-8",
	} {
		if !strings.Contains(reasons[id], want) {
			t.Errorf("%q was refused because of %q, want something of %s", id, reasons[id], want)
		}
	}
}

// What does not pass by itself, or not in time, ends the bulk, and leaves an index that was never finished.
func TestBulk_Ends(t *testing.T) {
	for _, c := range []struct {
		name     string
		patience time.Duration
		request  func(n int, w http.ResponseWriter, apply func()) bool
		item     func(n int, id string) *outcome
		says     []string
	}{
		{
			name: "no node", patience: time.Millisecond,
			request: func(int, http.ResponseWriter, func()) bool { panic(http.ErrAbortHandler) },
			says:    []string{"gave up after", "does not answer", "see whether the nodes run", "load again"},
		},
		{
			name: "a full disk", patience: time.Millisecond,
			item: func(int, string) *outcome { return itemFailure(http.StatusTooManyRequests, "cluster_block_exception") },
			says: []string{"gave up after", "cluster_block_exception", "flood-stage", "load again"},
		},
		{
			name: "an endless storm", patience: time.Millisecond,
			request: func(_ int, w http.ResponseWriter, _ func()) bool {
				return failure(w, http.StatusTooManyRequests, "es_rejected_execution_exception")
			},
			says: []string{"gave up after", "es_rejected_execution_exception", "has more to do than it can"},
		},
		{
			name: "no permission", patience: time.Hour,
			request: func(_ int, w http.ResponseWriter, _ func()) bool {
				return failure(w, http.StatusForbidden, "security_exception")
			},
			says: []string{"security_exception"},
		},
		{
			name: "a dropped index", patience: time.Hour,
			item: func(int, string) *outcome { return itemFailure(http.StatusNotFound, indexNotFound) },
			says: []string{indexNotFound},
		},
		{
			name: "a read-only index", patience: time.Hour,
			item: func(int, string) *outcome { return itemFailure(http.StatusForbidden, "cluster_block_exception") },
			says: []string{"cluster_block_exception"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newFakeNode(t, func(o *Options) { o.RetryFor = c.patience })
			n.request, n.item = c.request, c.item
			b := n.fill(func(id string, reason error) { t.Errorf("%s was refused: %v", id, reason) })
			addAll(t, b, many(10)...)
			_, err := b.Close(t.Context())
			for _, said := range append(c.says, `write to index "index"`) {
				if err == nil || !strings.Contains(err.Error(), said) {
					t.Errorf("close: error %v, want one that says %q", err, said)
				}
			}
			if got := b.Add(t.Context(), named("late", "")); got == nil || got.Error() != err.Error() {
				t.Errorf("add: error %v, want the one of Close", got)
			}
			if n.meta.State != stateFilling {
				t.Errorf("the index is %s, want %s", n.meta.State, stateFilling)
			}
		})
	}
}

// While the node answers nothing, so many documents are taken as fit into the batches; the next Add blocks, until its
// context ends, and nothing is lost by that.
func TestBulk_Backpressure(t *testing.T) {
	n := newFakeNode(t)
	arrived, answer := make(chan struct{}, 100), make(chan struct{})
	n.request = func(int, http.ResponseWriter, func()) bool {
		n.mu.Unlock()
		defer n.mu.Lock()
		arrived <- struct{}{}
		<-answer
		return false
	}
	b := n.fill(nil)
	addAll(t, b, many(2*maxBatch)...)
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := make(chan struct{}, 10)
	blocked := make(chan error, 1)
	go func() { blocked <- b.Add(watched{ctx, asked}, named("one too many", "")) }()
	<-asked // to take the batch that is being filled
	select {
	case <-asked: // to hand it over
	case err := <-blocked:
		t.Fatalf("add while the node is behind: it returned %v", err)
	}
	cancel()
	if err := <-blocked; !errors.Is(err, context.Canceled) {
		t.Errorf("add: error %v, want %v", err, context.Canceled)
	}
	close(answer)
	addAll(t, b, named("one more", ""))
	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 2*maxBatch + 1}); err != nil || result != want {
		t.Fatalf("close = %+v, %v; want %+v", result, err, want)
	}
}

// watched tells whenever somebody waits for its end.
type watched struct {
	context.Context
	asked chan<- struct{}
}

func (w watched) Done() <-chan struct{} {
	w.asked <- struct{}{}
	return w.Context.Done()
}

func TestBulk_Abort(t *testing.T) {
	n := newFakeNode(t)
	arrived := make(chan struct{})
	n.request = func(int, http.ResponseWriter, func()) bool {
		close(arrived)
		panic(http.ErrAbortHandler)
	}
	b := n.fill(nil)
	addAll(t, b, many(maxBatch+1)...)
	<-arrived
	b.Abort()
	for doing, err := range map[string]error{
		"add":   b.Add(t.Context(), named("late", "")),
		"close": func() error { _, err := b.Close(t.Context()); return err }(),
	} {
		if !errors.Is(err, errOver) {
			t.Errorf("%s after abort: error %v, want %v", doing, err, errOver)
		}
	}
}

// The index is complete only when all else has succeeded, and then has the settings for searching.
func TestBulk_Close(t *testing.T) {
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
		t.Errorf("settings afterwards: %v", n.settings)
	}
	if n.meta.State != stateComplete || n.meta.Documents != 5 || n.meta.Mapping != "freelancers.v1" {
		t.Errorf("the index says of itself %+v", n.meta)
	}
}

// A node that forgets what it acknowledged, as one does whose disk was replaced, is found out.
func TestBulk_LostDocuments(t *testing.T) {
	n := newFakeNode(t)
	n.other = func(request string) {
		if request == "POST /index/_refresh" {
			delete(n.documents, "3")
		}
	}
	b := n.fill(nil)
	addAll(t, b, many(10)...)
	if _, err := b.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "9 documents are in the index, 10 were acknowledged") {
		t.Errorf("close: error %v, want one about the loss", err)
	}
	if n.meta.State != stateFilling {
		t.Errorf("the index is %s, want %s", n.meta.State, stateFilling)
	}
}

package elastic

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/changes"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A fakeNode implements as much of Elasticsearch as filling and changing one index needs, including versions and
// sequence numbers, and can inject failures. The alias "live" points to the index if it is complete.
type fakeNode struct {
	t      *testing.T
	engine *Engine

	// The functions below are called with the mutex held, if they are not nil. request may answer the nth bulk request
	// instead of the node, item may fail one of its changes, and other is called for each other request.
	request func(n int, w http.ResponseWriter, apply func()) (answered bool)
	item    func(n int, id string) *rest.ItemResult
	other   func(request string)

	mu        sync.Mutex // guards the fields below
	bulks     int
	size      int // bytes of the current bulk request, uncompressed
	meta      *catalog.Meta
	settings  map[string]any
	documents map[string]fakeDocument
	seqNo     int      // of the last operation
	deletions []string // IDs in the list of deletions
	others    []string // requests other than bulk requests
	closed    []string // bodies of requests that closed a point in time
}

type fakeDocument struct {
	version int64
	seqNo   int
	deleted bool
	raw     json.RawMessage // freelancer, as stored
	source  struct {
		ID         string              `json:"id"`
		Position   int64               `json:"position"`
		Freelancer matching.Freelancer `json:"freelancer"`
	}
}

// newFakeNode returns a node and an engine that uses it.
func newFakeNode(t *testing.T, set ...func(*Options)) *fakeNode {
	t.Helper()
	n := &fakeNode{t: t, documents: map[string]fakeDocument{}}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	o := DefaultOptions()
	ShortenWaits(&o)
	o.URLs = []string{server.URL}
	for _, set := range set {
		set(&o)
	}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	n.engine = e
	return n
}

// fill creates the index and starts to fill it.
func (n *fakeNode) fill(reject engine.RejectFunc) engine.Bulk {
	n.t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		n.t.Fatal(err)
	}
	if err := n.engine.Create(n.t.Context(), engine.Spec{Name: "index", Mapping: mapping}); err != nil {
		n.t.Fatal(err)
	}
	b, err := n.engine.Bulk(n.t.Context(), "index", reject)
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(b.Abort)
	return b
}

// stored returns the names of the stored freelancers by id.
func (n *fakeNode) stored() map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	names := map[string]string{}
	for _, d := range n.documents {
		if !d.deleted {
			names[d.source.ID] = d.source.Freelancer.Name
		}
	}
	return names
}

func (n *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	n.mu.Lock()
	defer n.mu.Unlock()

	switch r.URL.Path {
	case "/index.write/_bulk":
		n.bulk(w, body)
		return
	case "/deletions.write/_bulk":
		n.list(w, body)
		return
	}

	n.others = append(n.others, r.Method+" "+r.URL.Path)
	if n.other != nil {
		n.other(r.Method + " " + r.URL.Path)
	}
	answer := map[string]any{"acknowledged": true, "_shards": object{"successful": 1}}
	switch request := r.Method + " " + r.URL.Path; request {
	case "GET /index", "GET /live":
		if n.meta == nil || request == "GET /live" && n.meta.State != catalog.StateComplete {
			w.WriteHeader(http.StatusNotFound)
			answer = object{"error": object{"type": rest.IndexNotFound, "reason": "no such index"}}
			break
		}

		answer = object{"index": object{
			"mappings": object{"_meta": object{"matching": n.meta}},
			"settings": object{"index": object{"number_of_shards": "1"}},
		}}

	case "PUT /index":
		var created struct {
			Mappings struct {
				Meta struct{ Matching *catalog.Meta } `json:"_meta"`
			}
			Settings struct{ Index map[string]any }
		}

		n.decode(body, &created)
		n.meta = created.Mappings.Meta.Matching
		n.settings = created.Settings.Index

	case "PUT /index/_mapping":
		var changed struct {
			Meta struct{ Matching *catalog.Meta } `json:"_meta"`
		}
		n.decode(body, &changed)
		n.meta = changed.Meta.Matching

	case "PUT /index/_settings":
		var changed struct{ Index map[string]any }
		n.decode(body, &changed)
		for name, value := range changed.Index {
			n.settings[name] = value
		}

	case "GET /index/_stats/docs,store,refresh":
		shard := object{
			"routing": object{"primary": true}, "docs": object{"count": n.live()}, "seq_no": object{"max_seq_no": n.seqNo},
		}
		answer["indices"] = object{"index": object{"shards": object{"0": []object{shard}}}}

	case "POST /index/_refresh", "POST /index/_flush", "GET /_cluster/health/index":
	case "POST /deletions/_refresh", "POST /deletions/_delete_by_query":
	case "POST /index/_count":
		answer["count"] = n.live()
	case "POST /index/_mget":
		var asked struct{ IDs []string }
		n.decode(body, &asked)
		docs := []object{}
		for _, id := range asked.IDs {
			doc := object{"_id": id, "found": false}
			if d, ok := n.documents[id]; ok && !d.deleted {
				doc = object{
					"_id": id, "found": true, "_seq_no": d.seqNo, "_primary_term": 1,
					"_source": object{"freelancer": d.raw},
				}
			}

			docs = append(docs, doc)
		}

		answer["docs"] = docs

	case "POST /index/_pit":
		answer["id"] = "point-in-time"
	case "POST /_search":
		answer["hits"] = object{"hits": n.page(body)}
	case "DELETE /_pit":
		n.closed = append(n.closed, string(body))
	default:
		n.t.Errorf("unexpected request %s", request)
		w.WriteHeader(http.StatusBadRequest)
	}

	n.encode(w, answer)
}

// bulk answers a bulk request.
func (n *fakeNode) bulk(w http.ResponseWriter, body []byte) {
	n.bulks++
	n.size = len(body)
	var answer any
	apply := func() { answer = n.apply(body) }
	if n.request != nil && n.request(n.bulks, w, apply) {
		return
	}
	apply()
	n.encode(w, answer)
}

// apply carries out the changes of a bulk request.
func (n *fakeNode) apply(body []byte) any {
	var items []object
	lines := bufio.NewScanner(strings.NewReader(string(body)))
	lines.Buffer(nil, len(body)+1)

	for lines.Scan() {
		var action map[string]fakeAction
		n.decode(lines.Bytes(), &action)
		for kind, a := range action {
			d := fakeDocument{version: a.Version, deleted: kind == "delete"}
			if !d.deleted {
				if !lines.Scan() {
					n.t.Errorf("action %s has no document", kind)
				}
				var stored struct{ Freelancer json.RawMessage }
				n.decode(lines.Bytes(), &d.source)
				n.decode(lines.Bytes(), &stored)
				d.raw = slices.Clone(stored.Freelancer)
			}

			a.kind = kind
			items = append(items, object{kind: n.change(&a, d)})
		}
	}

	return object{"items": items}
}

// A fakeAction is the first line of a change in a bulk request.
type fakeAction struct {
	kind    string
	ID      string `json:"_id"`
	Version int64
	Type    string `json:"version_type"`
	IfSeqNo *int   `json:"if_seq_no"`
	IfTerm  int    `json:"if_primary_term"`
}

// conflicts reports whether the last state of the document prevents an action.
func (a *fakeAction) conflicts(t *testing.T, last fakeDocument, exists bool) bool {
	switch {
	case a.Type == "external" && a.Version > 0 && a.kind != "create" && a.IfSeqNo == nil:
		return last.version >= a.Version
	case a.Type != "" || a.Version != 0:
	case a.kind == "create" && a.IfSeqNo == nil:
		return exists
	case a.kind != "create" && a.IfSeqNo != nil:
		return !exists || *a.IfSeqNo != last.seqNo || a.IfTerm != 1
	}
	t.Errorf("action %+v has neither an external version nor a condition", a)
	return true
}

func (n *fakeNode) change(a *fakeAction, d fakeDocument) any {
	id := a.ID
	if n.item != nil {
		if o := n.item(n.bulks, id); o != nil {
			return object{"status": o.Status, "error": object{"type": o.Error.Type, "reason": o.Error.Reason}}
		}
	}

	last, ok := n.documents[id]
	if a.conflicts(n.t, last, ok && !last.deleted) {
		return object{"status": http.StatusConflict, "error": object{"type": "version_conflict_engine_exception"}}
	}

	if d.version == 0 {
		d.version = last.version + 1
	}
	n.seqNo++
	d.seqNo = n.seqNo
	n.documents[id] = d

	switch exists := ok && !last.deleted; {
	case d.deleted && !exists:
		return object{"status": http.StatusNotFound}
	case d.deleted || exists:
		return object{"status": http.StatusOK}
	default:
		return object{"status": http.StatusCreated}
	}
}

// list answers a request that adds entries to the list of deletions.
func (n *fakeNode) list(w http.ResponseWriter, body []byte) {
	var items []object
	for i, line := range strings.Split(strings.TrimSpace(string(body)), "\n") {
		if i%2 == 0 {
			continue
		}
		var entry changes.Deletion
		n.decode([]byte(line), &entry)
		if entry.Index != "index" || entry.At.IsZero() {
			n.t.Errorf("entry %s of the list of deletions", line)
		}
		n.deletions = append(n.deletions, entry.ID)
		items = append(items, object{"index": object{"status": http.StatusCreated}})
	}
	n.encode(w, object{"items": items})
}

func (n *fakeNode) live() (count int) {
	for _, d := range n.documents {
		if !d.deleted {
			count++
		}
	}
	return count
}

// page returns the hits of one page of a scan.
func (n *fakeNode) page(body []byte) []object {
	var asked struct {
		Size  int
		After []int64 `json:"search_after"`
	}

	n.decode(body, &asked)
	byPosition := map[int64]fakeDocument{}
	last := int64(-1)
	for _, d := range n.documents {
		byPosition[d.source.Position] = d
		last = max(last, d.source.Position)
	}

	first := int64(0)
	if asked.After != nil {
		first = asked.After[0] + 1
	}
	hits := []object{}
	for p := first; p <= last && len(hits) < asked.Size; p++ {
		if d, ok := byPosition[p]; ok {
			hits = append(hits, object{
				"_id": d.source.ID, "_source": object{"freelancer": d.source.Freelancer}, "sort": []int64{p, 0},
			})
		}
	}

	return hits
}

func (n *fakeNode) decode(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		n.t.Errorf("request %.200s: %v", body, err)
	}
}

func (n *fakeNode) encode(w io.Writer, answer any) {
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		n.t.Logf("answer: %v", err) // the client has disconnected
	}
}

// failure answers a whole request with an error.
func failure(w http.ResponseWriter, status int, kind string) bool {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"type":%q,"reason":"no"}}`, kind)
	return true
}

// itemFailure returns the failure of one change.
func itemFailure(status int, kind string) *rest.ItemResult {
	return &rest.ItemResult{Status: status, Error: &rest.ItemError{Type: kind, Reason: "no"}}
}

// readBody returns the uncompressed body of a request.
func readBody(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	unzipped, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzipped)
}

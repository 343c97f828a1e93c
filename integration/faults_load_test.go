//go:build integration

package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
)

// loadSize is a number of freelancers that takes several bulk requests, so that a test can fail one in the middle.
const loadSize = 12_000

// outage is the duration of a temporary outage. It is longer than the circuit breaker stays open.
const outage = 1500 * time.Millisecond

// wantCompleteLoad loads loadSize freelancers through the rig. It fails the test unless the index then contains each of
// them exactly once, in order.
func (r *rig) wantCompleteLoad(t *testing.T) {
	t.Helper()
	d := deploy(t, r.engine())
	out := d.index(t, "load", generate(t, loadSize, 1))
	if !strings.Contains(out, "12,000 freelancers indexed") {
		t.Errorf("the report does not count 12,000 freelancers:\n%s", out)
	}
	r.gateway.intercept(nil)
	want := programs.Run(t, "indexer", "generate", "-n", fmt.Sprint(loadSize), "-seed", "1",
		"-details", "-format", "csv")
	if got := d.index(t, "export", "-format", "csv"); got != want {
		t.Errorf("the export differs from the loaded file: %d bytes, want %d", len(got), len(want))
	}
}

// A node that fails after it has stored documents, but before it responds, causes no duplicate or missing freelancers.
func TestFault_NodeLostDuringLoad(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var bulks atomic.Int64
	r.gateway.intercept(func(w http.ResponseWriter, request *http.Request) {
		if !isBulk(request) || bulks.Add(1) != 2 {
			r.gateway.pass.ServeHTTP(w, request)
			return
		}
		r.gateway.pass.ServeHTTP(httptest.NewRecorder(), request)
		r.cut()
		time.AfterFunc(outage, func() { r.mend(t) })
		panic(http.ErrAbortHandler)
	})
	r.wantCompleteLoad(t)
	if bulks.Load() < 3 {
		t.Errorf("%d bulk requests: the node was not lost in the middle", bulks.Load())
	}
}

// With full queues, Elasticsearch rejects entire requests, or some documents of a request that it answers with 200.
func TestFault_QueuesFullDuringLoad(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var bulks, rejected atomic.Int64
	r.gateway.intercept(func(w http.ResponseWriter, request *http.Request) {
		if !isBulk(request) {
			r.gateway.pass.ServeHTTP(w, request)
			return
		}

		switch n := bulks.Add(1); {
		case n <= 4:
			rejected.Add(int64(rejectSome(t, r.gateway, w, request)))
		case n <= 7:
			rejectRequest(w, request)
		default:
			r.gateway.pass.ServeHTTP(w, request)
		}
	})

	r.wantCompleteLoad(t)
	if rejected.Load() == 0 || bulks.Load() < 8 {
		t.Errorf("%d documents rejected in %d bulk requests, want some in at least 8", rejected.Load(), bulks.Load())
	}
}

// rejectSome responds to a bulk request like a node whose queue has room for two of three documents. It returns the
// number of rejected documents.
func rejectSome(t *testing.T, g *gateway, w http.ResponseWriter, r *http.Request) (rejected int) {
	var ids []string // one per document: its id if it is rejected, else ""
	editBody(t, r, func(body []byte) []byte {
		var kept [][]byte
		lines := bytes.SplitAfter(bytes.TrimSpace(body), []byte("\n"))
		for pair := range slices.Chunk(lines, 2) {
			id := ""
			if len(ids)%3 == 1 {
				var action map[string]struct {
					ID string `json:"_id"`
				}
				if err := json.Unmarshal(pair[0], &action); err != nil {
					t.Error(err)
				}

				for _, document := range action {
					id = document.ID
				}

				rejected++
			} else {
				kept = append(kept, pair...)
			}

			ids = append(ids, id)
		}

		return append(bytes.TrimSpace(bytes.Join(kept, nil)), '\n')
	})

	recorder := httptest.NewRecorder()
	g.pass.ServeHTTP(recorder, r)
	var response struct {
		Took   int               `json:"took"`
		Errors bool              `json:"errors"`
		Items  []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &response); err != nil {
		t.Errorf("%v: %d %s", err, recorder.Code, recorder.Body)
	}

	for i, id := range ids {
		if id != "" {
			response.Errors = true
			item := fmt.Sprintf(`{"index":{"_id":%q,"status":429,`+
				`"error":{"type":"es_rejected_execution_exception","reason":"queue is full"}}}`, id)
			response.Items = slices.Insert(response.Items, min(i, len(response.Items)), json.RawMessage(item))
		}
	}

	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(response); err != nil {
		t.Log(err) // the client has disconnected
	}

	return rejected
}

// A document that Elasticsearch rejects does not affect the others. The dead letters contain its id and the reason.
func TestFault_DocumentRejectedByMapping(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rating := regexp.MustCompile(`^(\{"id":"f7".*?"rating":)[0-9.]+`)
	r.gateway.intercept(func(w http.ResponseWriter, request *http.Request) {
		if isBulk(request) {
			editBody(t, request, func(body []byte) []byte {
				lines := bytes.SplitAfter(body, []byte("\n"))
				for i := range lines {
					lines[i] = rating.ReplaceAll(lines[i], []byte(`${1}"quite good"`))
				}
				return bytes.Join(lines, nil)
			})
		}

		r.gateway.pass.ServeHTTP(w, request)
	})

	d := deploy(t, r.engine())
	out := d.index(t, "load", generate(t, 500, 1))
	if !strings.Contains(out, "499 freelancers indexed") {
		t.Errorf("the report does not count 499 freelancers:\n%s", out)
	}

	files, err := filepath.Glob(filepath.Join(d.data, "dead-letters", "*.ndjson"))
	if err != nil || len(files) != 1 {
		t.Fatalf("dead letters in %q (%v), want one file", files, err)
	}

	letters := readFile(t, files[0])
	if strings.Count(letters, "\n") != 1 || !strings.Contains(letters, `"f7"`) || !strings.Contains(letters, "rating") {
		t.Errorf("the dead letters are not about the rating of f7:\n%s", letters)
	}
}

// Elasticsearch blocks its indexes when a disk is nearly full. A load continues once there is space again.
func TestFault_DiskFullTemporarily(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var bulks, blocked atomic.Int64
	r.gateway.intercept(func(w http.ResponseWriter, request *http.Request) {
		if !isBulk(request) {
			r.gateway.pass.ServeHTTP(w, request)
			return
		}

		switch bulks.Add(1) {
		case 2:
			r.node.block(t, request, "true")
		case 5:
			r.node.block(t, request, "null")
		}

		recorder := httptest.NewRecorder()
		r.gateway.pass.ServeHTTP(recorder, request)
		if strings.Contains(recorder.Body.String(), "cluster_block_exception") {
			blocked.Add(1)
		}

		maps.Copy(w.Header(), recorder.Header())
		w.WriteHeader(recorder.Code)
		w.Write(recorder.Body.Bytes())
	})

	r.wantCompleteLoad(t)
	if blocked.Load() == 0 {
		t.Errorf("none of %d bulk requests was blocked", bulks.Load())
	}
}

// block sets the index setting that Elasticsearch sets when a disk is full, for the index of a request. The value null
// removes it.
func (n *node) block(t *testing.T, r *http.Request, value string) {
	index := strings.TrimSuffix(r.URL.Path, "/_bulk")
	status, body, err := n.try(http.MethodPut, index+"/_settings", `{"index.blocks.read_only_allow_delete":`+value+`}`)
	if err != nil || status != http.StatusOK {
		t.Errorf("block %s: %d %s %v", index, status, body, err)
	}
}

// If a fault outlasts the retries, the load fails with the reason, and the previous index keeps serving.
func TestFault_OutlastsRetries(t *testing.T) {
	for _, fault := range []struct {
		name    string
		handler func(r *rig, t *testing.T) http.HandlerFunc // of all bulk requests after the first
		want    string
	}{
		{"the disk stays full", func(r *rig, t *testing.T) http.HandlerFunc {
			return func(w http.ResponseWriter, request *http.Request) {
				r.node.block(t, request, "true") // every time, because Elasticsearch removes it while the disk has space
				r.gateway.pass.ServeHTTP(w, request)
			}
		}, "disk"},
		{"the queues stay full", func(*rig, *testing.T) http.HandlerFunc { return rejectRequest }, "429"},
		{"the node dies during every request", func(*rig, *testing.T) http.HandlerFunc {
			return dropConnection
		}, "is unreachable"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := r.serve(t, programs.Patience)
			before := s.firstMatch(t)
			var bulks atomic.Int64
			handle := fault.handler(r, t)
			r.gateway.intercept(func(w http.ResponseWriter, request *http.Request) {
				if isBulk(request) && bulks.Add(1) > 1 {
					handle(w, request)
					return
				}
				r.gateway.pass.ServeHTTP(w, request)
			})

			o := elastic.DefaultOptions()
			o.URLs = []string{r.url()}
			o.Prefix = r.prefix
			o.RetryFor = 2 * time.Second
			err := fillSecondIndex(t, o, deploy(t, r.engine()))
			if err == nil || !strings.Contains(err.Error(), fault.want) {
				t.Errorf("the load returned %v, want an error with %q", err, fault.want)
			}

			if diff := cmp.Diff(before, s.match(t)); diff != "" {
				t.Errorf("matches from the previous index (-before +after):\n%s", diff)
			}

			s.wantHealthy(t)
		})
	}
}

// fillSecondIndex creates an index of loadSize freelancers with an engine that has the given options, and points the
// alias to it.
func fillSecondIndex(t *testing.T, o elastic.Options, d *deployment) error {
	t.Helper()
	e, err := elastic.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	preparer, err := d.open(t).Preparer(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}

	documents, err := preparer.Prepare(t.Context(), slices.Collect(freelancers(t, loadSize, 2)))
	if err != nil {
		t.Fatal(err)
	}

	const name = "second"
	err = e.Create(t.Context(), engine.Spec{
		Name:     name,
		Mapping:  mapping,
		Source:   "generated",
		Currency: "USD",
		Taxonomy: "test",
		Vectors:  preparer.Spaces(),
		Created:  time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}

	bulk, err := e.Bulk(t.Context(), name, nil)
	if err != nil {
		return err
	}
	defer bulk.Abort()

	for _, document := range documents {
		if err := bulk.Add(t.Context(), document); err != nil {
			return err
		}
	}

	if _, err := bulk.Close(t.Context()); err != nil {
		return err
	}

	_, err = e.PointAlias(t.Context(), match.Alias, name)

	return err
}

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

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic"
	"freelancer-matching/mappings"
	"freelancer-matching/match"
)

// many freelancers are several bulk requests, so that one is lost in the middle.
const many = 12_000

// outage is how long a node is away that comes back: longer than a circuit breaker rests.
const outage = 1500 * time.Millisecond

// loadedWhole loads many freelancers through the rig with the indexer. All must be there in the end, each once, in their
// order: what was exported is what was generated.
func (r *rig) loadedWhole(t *testing.T) {
	t.Helper()
	d := deploy(t, r.engine())
	out := d.index(t, "load", generate(t, many, 1))
	if !strings.Contains(out, "12,000 freelancers indexed") {
		t.Errorf("the report does not tell of 12,000 freelancers:\n%s", out)
	}
	r.gateway.between(nil)
	want := run(t, "indexer", "generate", "-n", fmt.Sprint(many), "-seed", "1", "-format", "csv")
	if got := d.index(t, "export", "-format", "csv"); got != want {
		t.Errorf("exported are not the freelancers that were loaded: %d bytes, want %d", len(got), len(want))
	}
}

// A node that is lost after it did what it was asked for, and before it said so, makes no freelancer be there twice, or
// not at all.
func TestFault_NodeLostWhileItLoads(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var bulks atomic.Int64
	r.gateway.between(func(w http.ResponseWriter, request *http.Request) {
		if !isBulk(request) || bulks.Add(1) != 2 {
			r.gateway.pass.ServeHTTP(w, request)
			return
		}
		r.gateway.pass.ServeHTTP(httptest.NewRecorder(), request)
		r.cut()
		time.AfterFunc(outage, func() { r.mend(t) })
		panic(http.ErrAbortHandler)
	})
	r.loadedWhole(t)
	if bulks.Load() < 3 {
		t.Errorf("%d bulk requests: the node was not lost in the middle", bulks.Load())
	}
}

// Full queues refuse whole requests, or some documents of one that is answered with 200.
func TestFault_QueuesFullWhileItLoads(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var bulks, refused atomic.Int64
	r.gateway.between(func(w http.ResponseWriter, request *http.Request) {
		if !isBulk(request) {
			r.gateway.pass.ServeHTTP(w, request)
			return
		}
		switch n := bulks.Add(1); {
		case n <= 4:
			refused.Add(int64(refuseSome(t, r.gateway, w, request)))
		case n <= 7:
			refuse(w, request)
		default:
			r.gateway.pass.ServeHTTP(w, request)
		}
	})
	r.loadedWhole(t)
	if refused.Load() == 0 || bulks.Load() < 8 {
		t.Errorf("%d documents and %d requests refused: no storm", refused.Load(), bulks.Load())
	}
}

// refuseSome answers a bulk request as a node does whose queue had room for two documents of three. It returns how many
// were refused.
func refuseSome(t *testing.T, g *gateway, w http.ResponseWriter, r *http.Request) (refused int) {
	var ids []string // of those refused, "" for the others
	edit(t, r, func(body []byte) []byte {
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
				for _, of := range action {
					id = of.ID
				}
				refused++
			} else {
				kept = append(kept, pair...)
			}
			ids = append(ids, id)
		}
		return append(bytes.TrimSpace(bytes.Join(kept, nil)), '\n')
	})
	recorder := httptest.NewRecorder()
	g.pass.ServeHTTP(recorder, r)
	var answer struct {
		Took   int               `json:"took"`
		Errors bool              `json:"errors"`
		Items  []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil {
		t.Errorf("%v: %d %s", err, recorder.Code, recorder.Body)
	}
	for i, id := range ids {
		if id != "" {
			answer.Errors = true
			answer.Items = slices.Insert(answer.Items, min(i, len(answer.Items)), json.RawMessage(fmt.Sprintf(
				`{"index":{"_id":%q,"status":429,"error":{"type":"es_rejected_execution_exception","reason":"queue is full"}}}`, id)))
		}
	}
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		t.Log(err) // the client has gone
	}
	return refused
}

// A document that Elasticsearch refuses costs that document, and nothing else; the dead letters tell which, and why.
func TestFault_DocumentThatDoesNotFitTheMapping(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rating := regexp.MustCompile(`^(\{"id":"f7".*?"rating":)[0-9.]+`)
	r.gateway.between(func(w http.ResponseWriter, request *http.Request) {
		if isBulk(request) {
			edit(t, request, func(body []byte) []byte {
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
		t.Errorf("the report does not tell of 499 freelancers:\n%s", out)
	}
	files, err := filepath.Glob(filepath.Join(d.data, "dead-letters", "*.ndjson"))
	if err != nil || len(files) != 1 {
		t.Fatalf("dead letters in %q (%v), want one file", files, err)
	}
	letters := readFile(t, files[0])
	if strings.Count(letters, "\n") != 1 || !strings.Contains(letters, `"f7"`) || !strings.Contains(letters, "rating") {
		t.Errorf("the dead letters do not tell of the rating of f7:\n%s", letters)
	}
}

// A disk that is nearly full makes Elasticsearch block its indexes. When there is room again a load goes on.
func TestFault_DiskFullForAWhile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var bulks, blocked atomic.Int64
	r.gateway.between(func(w http.ResponseWriter, request *http.Request) {
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
	r.loadedWhole(t)
	if blocked.Load() == 0 {
		t.Errorf("none of %d bulk requests met the block", bulks.Load())
	}
}

// block sets, or takes back, what Elasticsearch sets when the disk is full, for the index of a request.
func (n *node) block(t *testing.T, r *http.Request, value string) {
	index := strings.TrimSuffix(r.URL.Path, "/_bulk")
	status, answer, err := n.try(http.MethodPut, index+"/_settings", `{"index.blocks.read_only_allow_delete":`+value+`}`)
	if err != nil || status != http.StatusOK {
		t.Errorf("block %s: %d %s %v", index, status, answer, err)
	}
}

// When patience ends before the fault, the load fails and says why, and the index before still serves, all the while.
func TestFault_OutlastsPatience(t *testing.T) {
	for _, fault := range []struct {
		name string
		step func(r *rig, t *testing.T) http.HandlerFunc // for the bulk requests from the second on
		want string
	}{
		{"the disk stays full", func(r *rig, t *testing.T) http.HandlerFunc {
			return func(w http.ResponseWriter, request *http.Request) {
				r.node.block(t, request, "true") // each time, as Elasticsearch takes it back where the disk is not really full
				r.gateway.pass.ServeHTTP(w, request)
			}
		}, "disk"},
		{"the queues stay full", func(*rig, *testing.T) http.HandlerFunc { return refuse }, "429"},
		{"the node dies over every request", func(*rig, *testing.T) http.HandlerFunc { return breakOff }, "is unreachable"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := r.serveBehind(t)
			before := s.match(t)
			var bulks atomic.Int64
			step := fault.step(r, t)
			r.gateway.between(func(w http.ResponseWriter, request *http.Request) {
				if isBulk(request) && bulks.Add(1) > 1 {
					step(w, request)
					return
				}
				r.gateway.pass.ServeHTTP(w, request)
			})
			o := elastic.DefaultOptions()
			o.URLs, o.Prefix, o.RetryFor = []string{r.url()}, r.prefix, 2*time.Second
			err := fillAnother(t, o, deploy(t, r.engine()))
			if err == nil || !strings.Contains(err.Error(), fault.want) {
				t.Errorf("the load ended with %v, want an error with %q", err, fault.want)
			}
			if diff := cmp.Diff(before, s.match(t)); diff != "" {
				t.Errorf("the answer of the index before (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(healthy, s.health(t)); diff != "" {
				t.Errorf("/health (-want +got):\n%s", diff)
			}
		})
	}
}

// fillAnother makes an index of many freelancers with an engine of these options, and points the alias to it.
func fillAnother(t *testing.T, o elastic.Options, d *deployment) error {
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
	documents, err := preparer.Prepare(t.Context(), slices.Collect(freelancers(t, many, 2)))
	if err != nil {
		t.Fatal(err)
	}
	const name = "another"
	err = e.Create(t.Context(), engine.Spec{
		Name: name, Mapping: mapping, Source: "generated", Currency: "USD", Taxonomy: "test", Vectors: preparer.Spaces(), Created: time.Now(),
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

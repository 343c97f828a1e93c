package elastic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// A fakeAliases answers look-ups of aliases and indexes, and records changes of aliases.
type fakeAliases struct {
	mu      sync.Mutex // guards the fields below
	indexes map[string]fakeIndex
	actions []map[string]struct{ Index, Alias string }
	metas   []string // bodies of changes of _meta
}

type fakeIndex struct {
	aliases []string
	meta    string // JSON
}

const completeMeta = `{"format":3,"state":"complete","created":"2026-01-02T03:04:05Z","documents":1}`

func (f *fakeAliases) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()

	body, _ := io.ReadAll(r.Body)
	name := strings.Trim(r.URL.Path, "/")
	switch {
	case name == "_aliases":
		var request struct {
			Actions []map[string]struct{ Index, Alias string }
		}
		if err := json.Unmarshal(body, &request); err != nil {
			panic(err)
		}

		f.actions = append(f.actions, request.Actions...)
		io.WriteString(w, `{"acknowledged":true}`)

	case strings.HasSuffix(name, "/_mapping"):
		f.metas = append(f.metas, strings.TrimSuffix(name, "/_mapping")+" "+string(body))
		io.WriteString(w, `{"acknowledged":true}`)
	case strings.HasSuffix(name, "/_stats/store"):
		io.WriteString(w, `{}`)
	default:
		f.describe(w, name)
	}
}

// describe answers with the indexes that a name, an alias or the pattern * stands for.
func (f *fakeAliases) describe(w io.Writer, name string) {
	answer := object{}
	for index, of := range f.indexes {
		if name != "*" && name != index && !slices.Contains(of.aliases, name) {
			continue
		}
		aliases := object{}
		for _, alias := range of.aliases {
			aliases[alias] = object{}
		}
		answer[index] = object{
			"aliases":  aliases,
			"mappings": object{"_meta": object{"matching": json.RawMessage(of.meta)}},
			"settings": object{"index": object{"number_of_shards": "1"}},
		}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

func (f *fakeAliases) set(indexes map[string]fakeIndex) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.indexes = indexes
}

// intact returns a live index b, its predecessor a, and an index p that never went live.
func intact() map[string]fakeIndex {
	return map[string]fakeIndex{
		"a": {[]string{"x.previous"}, completeMeta},
		"b": {[]string{"x"}, completeMeta},
		"p": {nil, strings.Replace(completeMeta, "{", `{"pending":true,`, 1)},
	}
}

// A damaged alias is reported as such, a running engine keeps serving the index that it has open, an indexer sees an
// alias that points nowhere, and PointAlias repairs it.
func TestAlias_Damaged(t *testing.T) {
	for name, damage := range map[string]func(map[string]fakeIndex){
		"several indexes": func(of map[string]fakeIndex) { of["a"] = fakeIndex{[]string{"x", "x.previous"}, completeMeta} },
		"missing":         func(of map[string]fakeIndex) { of["b"] = fakeIndex{nil, completeMeta} },
	} {
		t.Run(name, func(t *testing.T) {
			node := &fakeAliases{indexes: intact()}
			var log bytes.Buffer
			running := answering(t, node.ServeHTTP, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			started := answering(t, node.ServeHTTP)

			if _, err := running.Open(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}

			if err := running.CheckAlias(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			broken := intact()
			damage(broken)
			node.set(broken)

			for range 2 {
				running.indexes.Expire()
				if s, err := running.Open(t.Context(), "x"); err != nil || s.Info().Name != "b" {
					t.Errorf("running engine: %v, %v; want the index that it has open", s, err)
				}
			}

			if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
				t.Errorf("%d errors logged, want 1:\n%s", n, &log)
			}
			_, openErr := started.Open(t.Context(), "x")
			for what, err := range map[string]error{"open": openErr, "check": running.CheckAlias(t.Context(), "x")} {
				if _, ok := errors.AsType[*engine.AliasError](err); !ok {
					t.Errorf("%s: %v, want an AliasError", what, err)
				}
			}

			if index, previous, err := started.Alias(t.Context(), "x"); index != "" || previous != "a" || err != nil {
				t.Errorf("alias = %q, %q, %v; want no index, and a as the previous one", index, previous, err)
			}
			previous, err := started.PointAlias(t.Context(), "x", "b")
			if err != nil || previous != "a" {
				t.Fatalf("previous %q, %v; want a", previous, err)
			}

			var removed []string
			for _, action := range node.actions {
				if a, ok := action["remove"]; ok && a.Alias == "x" {
					removed = append(removed, a.Index)
				}
			}

			var want []string
			for index, of := range broken {
				if slices.Contains(of.aliases, "x") {
					want = append(want, index)
				}
			}

			slices.Sort(removed)
			slices.Sort(want)
			if !slices.Equal(removed, want) {
				t.Errorf("the alias was removed from %q, want %q", removed, want)
			}
		})
	}
}

// Before the first alias points to it, an index is pending; PointAlias ends that.
func TestPointAlias_Pending(t *testing.T) {
	node := &fakeAliases{indexes: intact()}
	e := answering(t, node.ServeHTTP)
	infos, err := e.Indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	for _, info := range infos {
		if info.Pending != (info.Name == "p") {
			t.Errorf("%s: pending = %v", info.Name, info.Pending)
		}
	}

	if _, err := e.PointAlias(t.Context(), "x", "p"); err != nil {
		t.Fatal(err)
	}

	if len(node.metas) != 1 || !strings.HasPrefix(node.metas[0], "p ") || strings.Contains(node.metas[0], "pending") {
		t.Errorf("changes of _meta %q, want one of p", node.metas)
	}
	// With only pending indexes, nothing has been loaded yet.
	node.set(map[string]fakeIndex{"p": intact()["p"]})

	if err := e.CheckAlias(t.Context(), "x"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

// A rollback between the look-up and the move, or before it, wins: the alias stays where it is.
func TestSwapAlias_Moved(t *testing.T) {
	rolledBack := intact()
	rolledBack["a"] = fakeIndex{[]string{"x"}, completeMeta}
	rolledBack["b"] = fakeIndex{[]string{"x.previous"}, completeMeta}
	for name, between := range map[string]bool{"before the look-up": false, "between look-up and move": true} {
		t.Run(name, func(t *testing.T) {
			node := &fakeAliases{indexes: rolledBack}
			if between {
				node.indexes = intact()
			}

			e := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/_aliases" {
					node.ServeHTTP(w, r)
					return
				}

				node.set(rolledBack)
				w.WriteHeader(http.StatusNotFound)
				io.WriteString(w, `{"error":{"type":"aliases_not_found_exception","reason":"missing"},"status":404}`)
			})

			_, err := e.SwapAlias(t.Context(), "x", "b", "p")
			moved, ok := errors.AsType[*engine.MovedError](err)
			if !ok || moved.Expected != "b" || moved.Actual != "a" {
				t.Errorf("%v, want that the alias moved from b to a", err)
			}
		})
	}
}

// Provenance is stored in _meta, without changing the rest of it.
func TestSetProvenance(t *testing.T) {
	node := &fakeAliases{indexes: intact()}
	e := answering(t, node.ServeHTTP)
	p := &engine.Provenance{Run: engine.Run{Command: "load"}, Coverage: map[string]int{"name": 1}}
	if err := e.SetProvenance(t.Context(), "b", p); err != nil {
		t.Fatal(err)
	}
	if len(node.metas) != 1 || !strings.HasPrefix(node.metas[0], "b ") ||
		!strings.Contains(node.metas[0], `"documents":1`) || !strings.Contains(node.metas[0], `"coverage":{"name":1}`) {
		t.Errorf("changes of _meta %q", node.metas)
	}
}

// A damaged _meta concerns its index only.
func TestIndexes_DamagedMeta(t *testing.T) {
	for name, meta := range map[string]string{
		"not an object": `"?"`, "wrong type": `{"format":"two"}`, "unknown state": `{"format":3,"state":"complexe"}`,
		"missing": "null",
	} {
		t.Run(name, func(t *testing.T) {
			indexes := intact()
			indexes["b"] = fakeIndex{[]string{"x", "b" + rest.WriteSuffix}, meta}
			e := answering(t, (&fakeAliases{indexes: indexes}).ServeHTTP)
			infos, err := e.Indexes(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			for _, info := range infos {
				if (info.Fault != "") != (info.Name == "b") {
					t.Errorf("%s: fault %q", info.Name, info.Fault)
				}
			}

			_, err = e.Open(t.Context(), "x")
			if !errors.Is(err, engine.ErrDamaged) || !strings.Contains(engine.Remedy(err), "indexer rollback") {
				t.Errorf("%v, want an error about damage", err)
			}

			if _, err := e.PointAlias(t.Context(), "x", "a"); err != nil {
				t.Error(err)
			}
		})
	}
}

// Documents that can't be decoded, or hold the record of another freelancer, are reported as damaged; the others are
// returned.
func TestFetch_Damaged(t *testing.T) {
	e := answering(t, says(200, `{"docs":[
		{"_id":"a","found":true,"_source":{"freelancer":{"id":"a","name":"Ann"}}},
		{"_id":"b","found":true,"_source":{"freelancer":{"id":"b","skills":"not a list"}}},
		{"_id":"c","found":true,"_source":{"freelancer":{"id":"other"}}},
		{"_id":"d","found":true,"_source":{}}]}`))

	s := e.indexes.Snapshot(&catalog.Description{Name: "index", Meta: &catalog.Meta{}})
	for range 2 {
		freelancers, err := s.Fetch(t.Context(), []string{"a", "b", "c", "d"})
		damage, ok := errors.AsType[*engine.DamagedError](err)
		if !ok || !slices.Equal(damage.IDs, []string{"b", "c", "d"}) {
			t.Fatalf("%v, want a DamagedError about b, c and d", err)
		}

		if len(freelancers) != 4 || freelancers[0].Name != "Ann" || freelancers[1].ID != "" {
			t.Errorf("fetched %+v, want Ann only", freelancers)
		}
	}

	if n := s.Info().DamagedRecords; n != 3 {
		t.Errorf("%d damaged records, want 3", n)
	}
}

// The shards of an index that is dropped disappear a moment before its name, so a fetch then asks for the name.
func TestFetch_WithoutShard(t *testing.T) {
	const noShard = `{"docs":[{"_id":"a","error":{"type":"no_shard_available_action_exception","reason":"no shard"}}]}`
	exists := says(http.StatusOK, `{"index":{"aliases":{}}}`)
	isGone := fails(http.StatusNotFound, "index_not_found_exception", "no such index [index]")

	for name, test := range map[string]struct {
		named   []http.HandlerFunc // the answers to requests for the name; the last one repeats
		dropped bool
	}{
		"dropped":         {[]http.HandlerFunc{exists, isGone}, true},
		"without a shard": {[]http.HandlerFunc{exists}, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			e := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/_mget") {
					says(http.StatusOK, noShard)(w, r)
					return
				}
				test.named[min(asked, len(test.named)-1)](w, r)
				asked++
			})

			s := e.indexes.Snapshot(&catalog.Description{Name: "index", Meta: &catalog.Meta{}})
			_, err := s.Fetch(t.Context(), []string{"a"})
			isUnavailable := err != nil && strings.Contains(err.Error(), "no_shard_available_action_exception")
			if errors.Is(err, engine.ErrNotFound) != test.dropped || isUnavailable == test.dropped {
				t.Errorf("after %d requests for the name: %v", asked, err)
			}
		})
	}
}

// A search leaves out documents that can't be decoded and counts them, unless that is all of them.
func TestSearch_Damaged(t *testing.T) {
	hit := func(ranking []byte) string {
		b, err := json.Marshal(object{"_score": 1, "fields": object{"ranking": [][]byte{ranking}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}

	good := hit(document.AppendColumns(nil, &engine.Document{Freelancer: matching.Freelancer{ID: "a"}}, 0))
	bad := hit([]byte{document.ColumnsVersion, 200})
	for name, test := range map[string]struct {
		hits          []string
		want, damaged int
	}{
		"none": {[]string{good}, 1, 0}, "one": {[]string{bad, good}, 1, 1}, "all": {[]string{bad}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := answering(t, says(200, fmt.Sprintf(`{"hits":{"hits":[%s]}}`, strings.Join(test.hits, ","))))
			s := e.indexes.Snapshot(&catalog.Description{Name: "index", Meta: &catalog.Meta{}})
			page, err := s.Search(t.Context(), &engine.Query{MatchAll: true, Size: 10})

			if test.want == 0 {
				if !errors.Is(err, engine.ErrDamaged) {
					t.Errorf("%v, want an error about damage", err)
				}
				return
			}

			if err != nil || len(page.Hits) != test.want || page.Damaged != test.damaged {
				t.Errorf("%+v, %v; want %d hits and %d damaged documents", page, err, test.want, test.damaged)
			}

			if n := s.Info().DamagedRecords; n != test.damaged {
				t.Errorf("%d damaged records, want %d", n, test.damaged)
			}
		})
	}
}

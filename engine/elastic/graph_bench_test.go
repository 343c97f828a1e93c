//go:build integration

package elastic_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/match"
)

// BenchmarkGraph compares ways to index 100,000 vectors, and numbers of shards. Each one builds an index of its own,
// which takes up to a minute, and then answers the briefs several times. It reports rows loaded per second, the node's
// processor time of the load until the last merge has ended and per search, disk, and recall@10 against scoring
// everybody.
func BenchmarkGraph(b *testing.B) {
	w := newWorld(b, 100_000)
	documents := slices.Collect(w.documents(b))
	var brute *bruteforce.Scorer
	var best, nearest [][]bruteforce.Scored // of each brief: the ten best, and the fifty nearest of every fourth one
	for _, c := range []struct {
		name    string
		options map[string]any
		shards  int
	}{
		{"none", nil, 1}, // for comparison: without vectors and their part of the scores
		{"flat", map[string]any{"type": "flat"}, 1},
		{"m=8,ef=40", hnsw("hnsw", 8, 40), 1},
		{"m=8,ef=100", hnsw("hnsw", 8, 100), 1},
		{"m=16,ef=40", hnsw("hnsw", 16, 40), 1},
		{"m=16,ef=40,shards=4", hnsw("hnsw", 16, 40), 4},
		{"m=16,ef=100", hnsw("hnsw", 16, 100), 1},
		{"m=16,ef=200", hnsw("hnsw", 16, 200), 1},
		{"m=32,ef=200", hnsw("hnsw", 32, 200), 1},
		{"float,int8,m=16,ef=100", hnsw("int8_hnsw", 16, 100), 1},
		{"float,int4,m=16,ef=100", hnsw("int4_hnsw", 16, 100), 1},
		{"float,bbq,m=16,ef=100", hnsw("bbq_hnsw", 16, 100), 1},
		{"float,bbq,flat", map[string]any{"type": "bbq_flat"}, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := benchOptions(b)
			o.Prefix = "graph-"
			o.Shards = c.shards
			elastic.SetVectorIndex(&o, c.options)
			dropAll(b, o)
			b.Cleanup(func() { dropAll(b, o) })
			e := openEngine(b, o)
			spec := spec(b, benchIndex)
			spec.Taxonomy = w.taxonomy.Version()

			if c.options != nil {
				spec.Vectors = w.preparer.Spaces()
			}
			before := nodeTime(b, o)
			start := time.Now()
			fill(b, e, spec, func(yield func(*engine.Document) bool) {
				for _, d := range documents {
					if c.options == nil {
						d = new(*d)
						d.Vectors = nil
					}

					if !yield(d) {
						return
					}
				}
			})

			rate := float64(w.size) / time.Since(start).Seconds()
			if _, err := e.PointAlias(b.Context(), match.Alias, benchIndex); err != nil {
				b.Fatal(err)
			}
			size := waitForMerges(b, o)
			load := nodeTime(b, o) - before

			s := open(b, o)
			queries := w.queries(b, s, o.Window, c.options != nil)
			o.Window = 50
			s50 := open(b, o)

			if c.options != nil && brute == nil {
				brute = bruteforce.New(spec.Mapping.BM25, documents)
				for i, q := range queries {
					best = append(best, top(brute, q, 10))
					if i%4 == 0 {
						nearest = append(nearest, top(brute, nearQuery(q), 50))
					}
				}
			}

			for range 3 { // to fill the caches and compile the node's code
				for _, q := range queries {
					search(b, s, q)
				}
			}

			var found, near recall
			if c.options != nil {
				for i, q := range queries {
					found.add(best[i], search(b, s, q).Hits, 10)
					if i%4 == 0 {
						near.add(nearest[i/4], search(b, s50, nearQuery(q)).Hits, 50)
					}
				}
			}

			var times []time.Duration
			before = nodeTime(b, o)

			for b.Loop() {
				q := queries[len(times)%len(queries)]
				times = append(times, took(func() { search(b, s, q) }))
			}

			b.ReportMetric((nodeTime(b, o)-before).Seconds()*1000/float64(len(times)), "cpu-ms/op")
			b.ReportMetric(quantile(times, .5).Seconds()*1000, "ms-p50")
			if c.options != nil {
				b.ReportMetric(found.share(), "recall@10")
				b.ReportMetric(near.share(), "near-recall@50")
			}

			b.ReportMetric(rate, "rows/s")
			b.ReportMetric(load.Seconds(), "load-cpu-s")
			b.ReportMetric(size/1e6, "MB")
		})
	}
}

// hnsw returns the index_options of a graph. All but the plain type need vectors of floating-point numbers.
func hnsw(kind string, m, efConstruction int) map[string]any {
	return map[string]any{"type": kind, "m": m, "ef_construction": efConstruction}
}

// nearQuery returns a query for nothing but the vector of q.
func nearQuery(q *engine.Query) *engine.Query {
	c := *q.Semantic
	c.Floor, c.Ceiling = .001, 1
	return &engine.Query{Semantic: &c, Size: 50}
}

// nodeTime returns the processor time that the nodes have used.
func nodeTime(b *testing.B, o elastic.Options) (total time.Duration) {
	b.Helper()
	var answer struct {
		Nodes map[string]struct {
			Process struct {
				CPU struct {
					Total int `json:"total_in_millis"`
				}
			}
		}
	}
	body := ask(b, http.MethodGet, o.URLs[0]+"/_nodes/stats/process", "")
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		b.Fatal(err)
	}
	for n := range maps.Values(answer.Nodes) {
		total += time.Duration(n.Process.CPU.Total) * time.Millisecond
	}
	return total
}

// waitForMerges waits until no segments are being merged, and returns the size of the indexes in bytes.
func waitForMerges(b *testing.B, o elastic.Options) float64 {
	b.Helper()
	for range time.Tick(200 * time.Millisecond) {
		var answer struct {
			All struct {
				Total struct {
					Merges struct{ Current int }
					Store  struct {
						Size float64 `json:"size_in_bytes"`
					}
				}
			} `json:"_all"`
		}

		body := ask(b, http.MethodGet, fmt.Sprintf("%s/%s*/_stats/merge,store", o.URLs[0], o.Prefix), "")
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			b.Fatal(err)
		}

		if answer.All.Total.Merges.Current == 0 {
			return answer.All.Total.Store.Size
		}
	}

	return 0
}

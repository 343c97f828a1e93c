package search

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A counter answers requests for counts. The count of each value is its length in bytes.
type counter struct {
	asked [][]string // values of each request
	err   error
}

func (c *counter) search(_ context.Context, body []byte, out rest.SearchAnswer) error {
	if c.err != nil {
		return c.err
	}

	var request struct {
		Aggs struct {
			Counts struct {
				Filters struct {
					Filters map[string]struct{ Term map[string]string }
				}
			}
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}

	buckets := object{}
	asked := []string{}
	for name, filter := range request.Aggs.Counts.Filters.Filters {
		buckets[name] = object{"doc_count": 7} // of documents with any terms
		for _, value := range filter.Term {
			buckets[name] = object{"doc_count": len(value)}
			asked = append(asked, value)
		}
	}

	slices.Sort(asked)
	c.asked = append(c.asked, asked)
	answer, err := json.Marshal(object{
		"hits": object{"total": object{"value": 9}},
		"aggregations": object{
			"rating": object{"value": 4.5}, "counts": object{"buckets": buckets},
		},
	})
	if err != nil {
		return err
	}

	return json.Unmarshal(answer, out)
}

func TestStatistics_CachesCounts(t *testing.T) {
	var c counter
	s := &statistics{search: c.search, changes: func() int64 { return 0 }, now: time.Now}
	want := func(field string, values, asked []string) {
		t.Helper()
		before := len(c.asked)
		totals, counts, err := s.of(t.Context(), field, values)
		if err != nil || totals.documents != 9 || totals.nonempty != 7 || totals.meanRating != matching.Some(4.5) {
			t.Fatalf("totals %+v, %v", totals, err)
		}

		for i, value := range values {
			if counts[i] != len(value) {
				t.Errorf("count of %q = %d, want %d", value, counts[i], len(value))
			}
		}

		if got := slices.Concat(c.asked[before:]...); !slices.Equal(got, asked) {
			t.Errorf("requested %q, want %q", got, asked)
		}
	}

	want("terms", []string{"go", "sql", "go"}, []string{"go", "go", "sql"})
	want("terms", []string{"sql", "go"}, nil)
	want("terms", []string{"go", "react", ""}, []string{"", "react"})
	want("skills", []string{"go"}, []string{"go"})
	want("skills", nil, nil)

	c.err = errors.New("away")
	want("terms", []string{"react"}, nil)
	if _, _, err := s.of(t.Context(), "terms", []string{"new"}); !errors.Is(err, c.err) {
		t.Errorf("got error %v, want %v", err, c.err)
	}
}

// Counts are requested again when enough documents have changed, or a minute after any change.
func TestStatistics_FollowChanges(t *testing.T) {
	var c counter
	changes := int64(0)
	now := time.Now()
	s := &statistics{search: c.search, changes: func() int64 { return changes }, now: func() time.Time { return now }}
	requests := func(when string, want int) {
		t.Helper()
		before := len(c.asked)

		if _, _, err := s.of(t.Context(), "terms", []string{"go"}); err != nil {
			t.Fatal(err)
		}

		if got := len(c.asked) - before; got != want {
			t.Errorf("%s: %d requests, want %d", when, got, want)
		}
	}

	requests("at first", 1)
	requests("again", 0)
	now = now.Add(time.Hour)
	requests("an hour later, without changes", 0)
	changes++
	requests("after a change among nine documents", 1)
	s.totals.documents = 1_000_000
	changes += 999
	requests("after 999 changes in a million", 0)
	now = now.Add(30 * time.Second)
	requests("half a minute later", 0)
	changes++
	requests("after 1000 changes", 1)
	s.totals.documents = 1_000_000
	changes++
	requests("after another one", 0)
	now = now.Add(maxAge + time.Second)
	requests("a minute later", 1)
	requests("again", 0)
}

func TestStatistics_LimitsCache(t *testing.T) {
	s := &statistics{now: time.Now}
	for i := range 3 {
		counts := map[occurrence]int{}
		for j := range maxCounts/2 + 1 {
			counts[occurrence{"terms", fmt.Sprint(i, "-", j)}] = 1
		}
		s.remember(&totals{}, counts, 0)
		if len(s.counts) > maxCounts || len(s.counts) < len(counts) {
			t.Errorf("%d counts are cached, want at least the last %d and at most %d", len(s.counts), len(counts), maxCounts)
		}
	}
}

// A search contains the deadline, requests document frequencies over all shards, and accepts no partial results. Its
// words are logged at level debug only.
func TestSearch_Request(t *testing.T) {
	const empty = `{"timed_out":false,"_shards":{"failed":0},"hits":{"hits":[]}}`
	for _, c := range []struct {
		name     string
		shards   int
		level    slog.Level
		deadline bool
		semantic *engine.SemanticClause
		want     []string // in the request
		without  []string
		logged   bool
	}{
		{
			name: "one shard", shards: 1,
			want: []string{"allow_partial_search_results=false"}, without: []string{"timeout", "dfs_query", "knn"},
		},
		{
			name: "with a deadline", shards: 1, level: slog.LevelDebug, deadline: true,
			want: []string{"timeout="}, logged: true,
		},
		{name: "three shards", shards: 3, want: []string{"search_type=dfs_query_then_fetch"}},
		{
			name: "with vectors", shards: 1, semantic: &engine.SemanticClause{Vector: matching.Vector{1, 2}, Ceiling: 1},
			want: []string{`"knn"`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			var request string
			indexes := answering(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bytes.Contains(body, []byte(`"aggs"`)) {
					io.WriteString(w, `{"hits":{"total":{"value":2}},
						"aggregations":{"counts":{"buckets":{"nonempty":{"doc_count":2},"0":{"doc_count":1}}}}}`)
					return
				}

				request = r.URL.String() + " " + string(body)
				io.WriteString(w, empty)
			}, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: c.level})))

			s := indexes.Snapshot(&catalog.Description{
				Name: "x", Shards: c.shards, BM25: mappings.BM25{K1: 3, B: .7},
				Meta: &catalog.Meta{Vectors: []matching.VectorSpace{{Model: "plane", Dimensions: 2}}},
			})

			ctx := t.Context()
			if c.deadline {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Minute)
				defer cancel()
			}

			q := &engine.Query{
				Terms: []engine.Term{{Text: "secretproject", Weight: 1, Reference: true}}, Semantic: c.semantic, Size: 10,
			}
			page, err := s.Search(ctx, q)
			if err != nil || page.Reference == 0 || len(page.Hits) != 0 {
				t.Fatalf("%+v, %v", page, err)
			}

			for _, want := range c.want {
				if !strings.Contains(request, want) {
					t.Errorf("request %s does not contain %s", request, want)
				}
			}

			for _, without := range c.without {
				if strings.Contains(request, without) {
					t.Errorf("request %s contains %s", request, without)
				}
			}

			if logged := strings.Contains(log.String(), "secretproject"); logged != c.logged {
				t.Errorf("words logged = %v, want %v: %s", logged, c.logged, &log)
			}
		})
	}
}

// A page holds the best q.Size candidates of a window that doesn't depend on q.Size, and counts up to q.Window of them.
func TestSearch_Size(t *testing.T) {
	var hits []string
	for i := range 30 {
		d := &engine.Document{Freelancer: matching.Freelancer{ID: fmt.Sprint(i)}}
		d.Freelancer.Rating = matching.Some(5 - float64(i)/10)
		ranking := base64.StdEncoding.EncodeToString(document.AppendColumns(nil, d, int64(i)))
		hits = append(hits, fmt.Sprintf(`{"_score":0,"fields":{"ranking":[%q]}}`, ranking))
	}

	var request string
	indexes := answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request = string(body)
		fmt.Fprintf(w, `{"hits":{"hits":[%s]}}`, strings.Join(hits, ","))
	}, slog.New(slog.DiscardHandler))

	s := indexes.Snapshot(&catalog.Description{Name: "x", Shards: 1, Meta: &catalog.Meta{}})
	for _, c := range []struct{ size, window, requested, hits, matching int }{
		{10, 200, 200, 10, 30},
		{200, 200, 200, 30, 30},
		{10, 20, 200, 10, 20},
		{10, 500, 500, 10, 30},
		{510, 500, 510, 30, 30},
	} {
		page, err := s.Search(t.Context(), &engine.Query{
			MatchAll: true, Size: c.size, Window: c.window, Quality: func(s matching.Signals) float64 { return s.Rating.Value },
		})
		if err != nil {
			t.Fatal(err)
		}

		if len(page.Hits) != c.hits || page.Matching != c.matching || page.Hits[0].ID != "0" ||
			!strings.Contains(request, fmt.Sprintf(`"size":%d,`, c.requested)) {
			t.Errorf("%+v: got %d hits, %d matching, request %s", c, len(page.Hits), page.Matching, request)
		}
	}
}

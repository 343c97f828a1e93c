//go:build integration

package elastic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
)

// BenchmarkSearch alternates between searches through this package and the same requests sent by a minimal client, so
// that both meet the same node: ratio-p50 is the overhead of this package. The index stays for the next run.
func BenchmarkSearch(b *testing.B) {
	w := newWorld(b, 100_000)
	o := benchOptions(b)
	w.load(b, o)

	for _, meaning := range []string{"lexical", "vectors"} {
		for _, window := range []int{100, 200, 500} {
			b.Run(fmt.Sprintf("%s/window=%d", meaning, window), func(b *testing.B) {
				var log searchLog
				o := o
				o.Window, o.Log = window, slog.New(&log)
				s := open(b, o)
				queries := w.queries(b, s, window, meaning == "vectors")
				bodies := make([][][]byte, len(queries)) // two if the window was widened
				for i, q := range queries {
					log.bodies = nil
					search(b, s, q)
					bodies[i] = log.bodies
				}

				o.Log = slog.New(slog.DiscardHandler)
				s = open(b, o)
				for _, q := range queries { // to fill the caches
					search(b, s, q)
				}

				var ours, raw []time.Duration
				for b.Loop() {
					i := len(ours) % len(queries)
					both := []func(){
						func() { ours = append(ours, took(func() { search(b, s, queries[i]) })) },
						func() {
							raw = append(raw, took(func() { sendRaw(b, o.URLs[0]+"/"+o.Prefix+benchIndex, bodies[i]) }))
						},
					}

					if len(ours)/len(queries)%2 == 1 { // the second one finds the node warm
						slices.Reverse(both)
					}
					both[0]()
					both[1]()
				}

				ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
				b.ReportMetric(ms(quantile(ours, .5)), "ms-p50")
				b.ReportMetric(ms(quantile(ours, .99)), "ms-p99")
				b.ReportMetric(ms(quantile(raw, .5)), "raw-ms-p50")
				b.ReportMetric(float64(quantile(ours, .5))/float64(quantile(raw, .5)), "ratio-p50")
			})
		}
	}
}

// BenchmarkSearch_Clients measures the searches per second of eight clients.
func BenchmarkSearch_Clients(b *testing.B) {
	w := newWorld(b, 100_000)
	o := benchOptions(b)
	o.Window = 100
	w.load(b, o)
	s := open(b, o)
	for _, meaning := range []string{"lexical", "vectors"} {
		b.Run(meaning, func(b *testing.B) {
			queries := w.queries(b, s, o.Window, meaning == "vectors")
			for _, q := range queries {
				search(b, s, q)
			}
			var clients sync.WaitGroup
			b.ResetTimer()

			for client := range 8 {
				clients.Go(func() {
					for i := client; i < b.N; i += 8 {
						if _, err := s.Search(b.Context(), queries[i%len(queries)]); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}

			clients.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "searches/s")
		})
	}
}

// A searchLog is a slog.Handler that keeps the bodies of searches.
type searchLog struct{ bodies [][]byte }

func (s *searchLog) Enabled(context.Context, slog.Level) bool { return true }
func (s *searchLog) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *searchLog) WithGroup(string) slog.Handler            { return s }

func (s *searchLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "body" {
			s.bodies = append(s.bodies, []byte(a.Value.String()))
		}
		return true
	})
	return nil
}

// sendRaw sends searches with a minimal client and decodes the parts of the answers that scoring needs.
func sendRaw(b *testing.B, index string, bodies [][]byte) {
	b.Helper()
	type answer struct {
		Hits struct {
			Hits []struct {
				Score  float64 `json:"_score"`
				Fields struct {
					Ranking [][]byte `json:"ranking"`
				} `json:"fields"`
			} `json:"hits"`
		} `json:"hits"`
	}
	for _, body := range bodies {
		sendOne(b, index+"/_search?allow_partial_search_results=false", body, new(answer))
	}
}

func sendOne(b *testing.B, url string, body []byte, answer any) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}

	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept-Encoding", "identity")
	response, err := cluster(b).Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()

	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatal(response.Status, err)
	}

	if err := json.Unmarshal(data, answer); err != nil {
		b.Fatal(err)
	}
}

func took(do func()) time.Duration {
	start := time.Now()
	do()
	return time.Since(start)
}

func quantile(of []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[int(q*float64(len(sorted)-1))]
}

// benchOptions returns options with a prefix whose indexes are kept.
func benchOptions(b *testing.B) elastic.Options {
	b.Helper()
	return cluster(b).Options("bench-")
}

func search(tb testing.TB, s engine.Snapshot, q *engine.Query) *engine.Page {
	tb.Helper()
	page, err := s.Search(tb.Context(), q)
	if err != nil {
		tb.Fatal(err)
	}
	return page
}

//go:build integration && esutil

package elastic

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/elastic/go-elasticsearch/v8/esutil"

	"freelancer-matching/engine"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/synthetic"
	"freelancer-matching/mappings"
	"freelancer-matching/match"
	"freelancer-matching/taxonomy"
)

// BenchmarkBulk fills one index through Bulk and one through a bare loop around esutil's indexer, in turns, with the same
// documents, number of workers, and bytes in a request. Both encode the documents as they go; the time ends with the last
// answer. One round takes some 10 s.
//
//	go test -tags integration -run - -bench Bulk -benchtime 3x ./engine/elastic
func BenchmarkBulk(b *testing.B) {
	url := os.Getenv("MATCHING_TEST_ELASTICSEARCH_URL")
	if url == "" {
		b.Skip("set MATCHING_TEST_ELASTICSEARCH_URL to the address of an Elasticsearch for this benchmark")
	}
	documents := preparedDocuments(b, 100_000)
	for _, compress := range []bool{false, true} {
		b.Run("compress="+strconv.FormatBool(compress), func(b *testing.B) {
			o := DefaultOptions()
			o.URLs, o.Compress, o.Prefix = []string{url}, compress, "bench-"+strings.ToLower(rand.Text()[:10])+"-"
			e, err := Open(o)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { e.Close() })
			var ours, bare time.Duration
			for i := range b.N {
				// Whoever comes second finds the node warmer, or still merging.
				if i%2 == 0 {
					ours += loadOurs(b, e, documents)
				}
				bare += loadBare(b, e, documents)
				if i%2 == 1 {
					ours += loadOurs(b, e, documents)
				}
			}
			total := float64(b.N * len(documents))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(total/ours.Seconds(), "bulk/s")
			b.ReportMetric(total/bare.Seconds(), "esutil/s")
			b.ReportMetric(bare.Seconds()/ours.Seconds(), "ratio")
		})
	}
}

func preparedDocuments(b *testing.B, n int) []*engine.Document {
	b.Helper()
	generator, err := synthetic.New()
	if err != nil {
		b.Fatal(err)
	}
	skills, err := taxonomy.Load()
	if err != nil {
		b.Fatal(err)
	}
	freelancers := make([]matching.Freelancer, 0, n)
	for f := range generator.Freelancers(n, 1) {
		freelancers = append(freelancers, f)
	}
	documents, err := match.NewPreparer(skills, analysis.New()).Prepare(b.Context(), freelancers)
	if err != nil {
		b.Fatal(err)
	}
	return documents
}

// withIndex times a load into a fresh index, which it drops afterwards.
func withIndex(b *testing.B, e *Engine, load func(name string) int) time.Duration {
	b.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		b.Fatal(err)
	}
	spec := engine.Spec{Name: "index", Mapping: mapping, Created: time.Now()}
	if err := e.Create(b.Context(), spec); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	want := load(e.options.Prefix + spec.Name)
	took := time.Since(start)
	if err := e.refresh(b.Context(), e.options.Prefix+spec.Name); err != nil {
		b.Fatal(err)
	}
	if n, err := e.documents(b.Context(), e.options.Prefix+spec.Name); err != nil || n != want {
		b.Fatalf("%d documents, %v; want %d", n, err, want)
	}
	if err := e.Drop(b.Context(), spec.Name); err != nil {
		b.Fatal(err)
	}
	return took
}

func loadOurs(b *testing.B, e *Engine, documents []*engine.Document) time.Duration {
	b.Helper()
	return withIndex(b, e, func(string) int {
		opened, err := e.Bulk(b.Context(), "index", nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, d := range documents {
			if err := opened.Add(b.Context(), d); err != nil {
				b.Fatal(err)
			}
		}
		if err := opened.(*bulk).writer.finish(b.Context()); err != nil {
			b.Fatal(err)
		}
		opened.Abort()
		return len(documents)
	})
}

func loadBare(b *testing.B, e *Engine, documents []*engine.Document) time.Duration {
	b.Helper()
	return withIndex(b, e, func(name string) int {
		indexer, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{
			NumWorkers: e.options.Writers, FlushBytes: maxBatchBytes, Client: transport{e}, Index: name,
			FilterPath: []string{"errors", "items.*.status", "items.*.error"},
			OnError:    func(_ context.Context, err error) { b.Error(err) },
		})
		if err != nil {
			b.Fatal(err)
		}
		for i, d := range documents {
			body, err := encode(d, int64(i))
			if err != nil {
				b.Fatal(err)
			}
			item := esutil.BulkIndexerItem{Action: "index", DocumentID: d.Freelancer.ID, Body: bytes.NewReader(body)}
			if err := indexer.Add(b.Context(), item); err != nil {
				b.Fatal(err)
			}
		}
		if err := indexer.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		return int(indexer.Stats().NumFlushed)
	})
}

// transport lends out the connections of an engine.
type transport struct{ engine *Engine }

func (t transport) Perform(r *http.Request) (*http.Response, error) {
	return t.engine.client.transport.Perform(r)
}

var _ esapi.Transport = transport{}

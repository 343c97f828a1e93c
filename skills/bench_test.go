package skills_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/engine/enginetest"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
)

// BenchmarkVerify verifies words of every kind on an embedded index of 100,000 generated freelancers. It reports the
// 99th percentile next to the mean.
func BenchmarkVerify(b *testing.B) {
	e, err := embedded.Open(b.TempDir(), embedded.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	benchmarkVerify(b, e)
}

func benchmarkVerify(b *testing.B, e enginetest.Engine) {
	b.Helper()
	loadGenerated(b, e, 100_000)
	s := newServiceOn(b, e, nil)
	start := time.Now()

	if err := s.Warm(b.Context()); err != nil {
		b.Fatal(err)
	}

	b.Logf("warm-up took %v", time.Since(start))
	words := []string{
		"React", "C++", "k8s", "React Developer", "HTML/CSS", "diseño gráfico", "Javascritp", "wordpres",
		"machne learning engneer", "virtual asistant", "asdfghjkl", "senior data scientst",
		"I need a react developer for my shop", "kub", "international reltions", "Underwater Basketry Consultnat",
	}

	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if _, err := s.Verify(b.Context(), "acc_1", words[i%len(words)]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}

	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e6, "p99-ms")
}

// loadGenerated fills an index with n generated freelancers and points the alias to it.
func loadGenerated(b *testing.B, e engine.Indexer, n int) {
	b.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		b.Fatal(err)
	}

	if err := e.Create(b.Context(), engine.Spec{Name: "generated", Mapping: mapping}); err != nil {
		b.Fatal(err)
	}

	bulk, err := e.Bulk(b.Context(), "generated", nil)
	if err != nil {
		b.Fatal(err)
	}

	generator, err := synthetic.New()
	if err != nil {
		b.Fatal(err)
	}

	preparer := documents.NewPreparer(load(b), analysis.New())
	for freelancers := range slices.Chunk(slices.Collect(generator.Freelancers(n, 1)), 1000) {
		documents, err := preparer.Prepare(b.Context(), freelancers)
		if err != nil {
			b.Fatal(err)
		}

		for _, d := range documents {
			if err := bulk.Add(b.Context(), d); err != nil {
				b.Fatal(err)
			}
		}
	}

	if _, err := bulk.Close(b.Context()); err != nil {
		b.Fatal(err)
	}

	if _, err := e.PointAlias(b.Context(), match.Alias, "generated"); err != nil {
		b.Fatal(err)
	}
}

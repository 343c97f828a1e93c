package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm/llmtest"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/setup"
)

const dimensions = 128

// withEmbeddings returns a configuration with a data folder and a fake embeddings server. The server returns the
// vectors of the built-in model, padded with zeros.
func withEmbeddings(t *testing.T) (config.Config, *llmtest.Server) {
	t.Helper()
	model, err := embedding.Load()
	if err != nil {
		t.Fatal(err)
	}

	s := llmtest.Start(t, dimensions)
	s.Vector = func(text string, dimensions int) []float32 {
		vector := make([]float32, dimensions)
		vector[dimensions-1] = 1 // keeps the vector nonzero for a text without known words

		if known, err := model.Embed(context.Background(), []string{text}); err == nil {
			for i, x := range known[0] {
				vector[i] = float32(x)
			}
		}

		return vector
	}

	c := config.Default()
	c.Data = t.TempDir()
	c.Embeddings.URL = s.URL
	c.Embeddings.Model = "deep"
	c.Embeddings.Dimensions = dimensions

	return c, s
}

func TestFill_RequestsVectorsInBatches(t *testing.T) {
	c, s := withEmbeddings(t)
	x, err := setup.OpenIndex(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()

	const freelancers = 120
	err = x.Fill(t.Context(), func(yield func(matching.Freelancer) bool) {
		for i := range freelancers {
			if !yield(matching.Freelancer{ID: fmt.Sprint(i), JobTitle: "Painter"}) {
				return
			}
		}
	}, "generated", "USD")
	if err != nil {
		t.Fatal(err)
	}

	const probes, batches = 2, 2 // the probes together, and one of them alone; batches of up to 64 texts
	if got := len(s.Requests()); got != probes+batches {
		t.Errorf("%d requests for %d freelancers, want %d probes and %d batches", got, freelancers, probes, batches)
	}
}

// With embeddings settings, the server still starts before the first load and on an unreadable index, because it
// switches to the next live index without a restart.
func TestOpen_WithoutAReadableIndex(t *testing.T) {
	for name, alias := range map[string]string{"nothing loaded": "", "not an alias": "not an alias"} {
		t.Run(name, func(t *testing.T) {
			c, _ := withEmbeddings(t)
			if alias != "" {
				indexes := filepath.Join(c.Data, "indexes")
				if err := os.MkdirAll(indexes, 0o750); err != nil {
					t.Fatal(err)
				}

				if err := os.WriteFile(filepath.Join(indexes, "freelancers.alias"), []byte(alias), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			s, err := app.Open(t.Context(), c, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}

			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

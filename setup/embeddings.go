package setup

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm"
)

const (
	// probeTries is small, so that a wrong setting or a missing server is reported before any input is read.
	probeTries = 3
	// loadTries, with backoff about a minute in all, outlasts a restart of the embeddings server during a load.
	loadTries = 8
	// loadBatch is the number of texts in one request during a load.
	loadBatch = 64
)

// remote adapts an embeddings server to documents.Embedder.
type remote struct {
	client  *llm.Embedder
	space   matching.VectorSpace
	prefix  string        // precedes each text
	timeout time.Duration // of one call with all its tries; 0 for no limit but the context's
}

// Space implements documents.Embedder.
func (r *remote) Space() matching.VectorSpace { return r.space }

// Embed implements documents.Embedder.
func (r *remote) Embed(ctx context.Context, texts []string) ([]matching.Vector, error) {
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
	}
	if r.prefix != "" {
		prefixed := make([]string, len(texts))
		for i, text := range texts {
			prefixed[i] = r.prefix + text
		}
		texts = prefixed
	}

	floats, err := r.client.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	vectors := make([]matching.Vector, len(floats))
	for i, v := range floats {
		vectors[i] = embedding.Round(v)
	}
	return vectors, nil
}

// queryEmbedder returns an embedder for briefs, which tries once and gives up soon.
func queryEmbedder(c config.Config, log *slog.Logger) (*remote, error) {
	r, err := newRemote(c.Embeddings, llm.EmbedderConfig{
		Tries: 1, Concurrency: c.MaxMatches, Timeout: c.Embeddings.Timeout, Log: log,
	})
	if err != nil {
		return nil, err
	}
	r.timeout = c.Embeddings.Timeout
	r.prefix = c.Embeddings.QueryPrefix
	return r, nil
}

// loadEmbedder returns an embedder for freelancers, which retries patiently. It first asks the server for a few
// vectors, to check the settings and to measure which cosine means that two texts have nothing in common.
func loadEmbedder(ctx context.Context, c config.Config, log *slog.Logger) (*remote, error) {
	probe, err := newRemote(c.Embeddings, llm.EmbedderConfig{Tries: probeTries, Batch: loadBatch, Log: log})
	if err != nil {
		return nil, err
	}
	probe.prefix = c.Embeddings.PassagePrefix
	floor, err := embedding.Floor(ctx, probe)
	if err != nil {
		return nil, fmt.Errorf("embeddings of model %q at %s: %w", c.Embeddings.Model, c.Embeddings.URL, err)
	}
	r, err := newRemote(c.Embeddings, llm.EmbedderConfig{Tries: loadTries, Batch: loadBatch, Log: log})
	if err != nil {
		return nil, err
	}
	r.space.Floor = floor
	r.prefix = c.Embeddings.PassagePrefix
	return r, nil
}

// changeEmbedder returns an embedder for freelancers that are changed while a client waits: it tries once and gives up
// soon. It measures the same as loadEmbedder.
func changeEmbedder(ctx context.Context, c config.Config, log *slog.Logger) (*remote, error) {
	r, err := queryEmbedder(c, log)
	if err != nil {
		return nil, err
	}
	r.prefix = c.Embeddings.PassagePrefix
	if r.space.Floor, err = embedding.Floor(ctx, r); err != nil {
		return nil, fmt.Errorf("embeddings of model %q at %s: %w", c.Embeddings.Model, c.Embeddings.URL, err)
	}
	return r, nil
}

func newRemote(e config.Embeddings, c llm.EmbedderConfig) (*remote, error) {
	c.BaseURL = e.URL
	c.Key = e.Key.Get
	c.Model = e.Model
	c.Dimensions = e.Dimensions
	client, err := llm.NewEmbedder(c)
	if err != nil {
		return nil, fmt.Errorf("embeddings settings: %w", err)
	}
	return &remote{client: client, space: matching.VectorSpace{Model: e.SpaceModel(), Dimensions: e.Dimensions}}, nil
}

package setup

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"freelancer-matching/internal/config"
	"freelancer-matching/internal/embedding"
	"freelancer-matching/internal/matching"
	"freelancer-matching/llm"
)

// remote is an embeddings server as an embedder of the match.
type remote struct {
	client  *llm.Embedder
	space   matching.VectorSpace
	timeout time.Duration // of one call, whatever the tries; 0: none but the context's
}

// Space implements match.Embedder.
func (r *remote) Space() matching.VectorSpace { return r.space }

// Embed implements match.Embedder.
func (r *remote) Embed(ctx context.Context, texts []string) ([]matching.Vector, error) {
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
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

const (
	// firstTries soon tell that there is no embeddings server, or that a setting is wrong, before anything is read.
	firstTries = 3
	// embeddingTries outlast a restart of the embeddings server while data is loaded: together about a minute.
	embeddingTries = 8
)

// queryEmbedder asks the server that c names for the vectors of briefs: one try, soon given up.
func queryEmbedder(c config.Config, log *slog.Logger) (*remote, error) {
	r, err := newRemote(c.Embeddings, llm.EmbedderConfig{Tries: 1, Concurrency: c.MaxMatches, Timeout: c.Embeddings.Timeout, Log: log})
	if err == nil {
		r.timeout = c.Embeddings.Timeout
	}
	return r, err
}

// loadEmbedder asks the server that c names for the vectors of freelancers, patiently, once it has answered and said what
// its cosines mean.
func loadEmbedder(ctx context.Context, c config.Config, log *slog.Logger) (*remote, error) {
	first, err := newRemote(c.Embeddings, llm.EmbedderConfig{Tries: firstTries, Batch: c.Embeddings.Batch, Log: log})
	if err != nil {
		return nil, err
	}
	floor, err := embedding.Floor(ctx, first)
	if err != nil {
		return nil, fmt.Errorf("embeddings of model %q at %s: %w", c.Embeddings.Model, c.Embeddings.URL, err)
	}
	r, err := newRemote(c.Embeddings, llm.EmbedderConfig{Tries: embeddingTries, Batch: c.Embeddings.Batch, Log: log})
	if err == nil {
		r.space.Floor = floor
	}
	return r, err
}

func newRemote(e config.Embeddings, c llm.EmbedderConfig) (*remote, error) {
	c.BaseURL, c.Key, c.Model, c.Dimensions, c.Shorten = e.URL, e.Key, e.Model, e.Dimensions, e.Shorten
	client, err := llm.NewEmbedder(c)
	if err != nil {
		return nil, fmt.Errorf("the embeddings settings: %w", err)
	}
	return &remote{client: client, space: matching.VectorSpace{Model: e.Model, Dimensions: e.Dimensions}}, nil
}

package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/llm/sanitize"

	"golang.org/x/sync/errgroup"
)

// MaxCharacters is how much of a text is sent; the rest is dropped. It is meant for a title and skills, and fits into
// the 512 tokens that common models read, at two characters per token.
const MaxCharacters = 1000

// MaxDimensions is the maximum size of a vector.
const MaxDimensions = 4096

// EmbedderConfig configures an Embedder. BaseURL, Model and Dimensions are required.
//
// Use few tries for a query, with a deadline in its context. Use about 8 tries, which outlast an outage of a minute,
// and a batch of 64 to 256 to load many texts.
type EmbedderConfig struct {
	BaseURL    string        // without /embeddings: https://api.openai.com/v1, http://127.0.0.1:11434/v1
	Key        func() string // sent as a bearer token; called for every request; nil: none
	Model      string        // the server's name for it
	Dimensions int           // the size of the model's vectors, 1 to MaxDimensions; another size is an error

	Batch       int               // texts per call, 1 to 2048; 0: 64
	Timeout     time.Duration     // of one attempt at one call; 0: 30 s. The context limits the total
	Tries       int               // attempts per call if the error is temporary; 0: 1
	Concurrency int               // calls at once, over all users of the Embedder; further ones wait. 0: 4
	Transport   http.RoundTripper // nil: like http.DefaultTransport
	Log         *slog.Logger      // for retries and outages; nil: no log
}

// An Embedder gets vectors from a server. It is safe for concurrent use.
type Embedder struct {
	server     *server
	calls      *caller
	model      string
	dimensions int
	batch      int
}

// NewEmbedder returns an Embedder. It doesn't contact the server. It returns an ErrConfiguration that lists all faults
// of the configuration.
func NewEmbedder(c EmbedderConfig) (*Embedder, error) {
	c.Batch = cmp.Or(c.Batch, 64)
	c.Timeout = cmp.Or(c.Timeout, 30*time.Second)
	c.Tries = cmp.Or(c.Tries, 1)
	c.Concurrency = cmp.Or(c.Concurrency, 4)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}

	if err := c.validate(); err != nil {
		return nil, &failure{kind: ErrConfiguration, text: err.Error()}
	}

	if c.Transport == nil {
		c.Transport = newTransport(c.Concurrency)
	}

	return &Embedder{
		server:     newServer(c.BaseURL, c.Key, c.Transport, responseLimit(c.Batch, c.Dimensions), embeddings()),
		calls:      newCaller("embeddings", c.Timeout, c.Tries, c.Concurrency, c.Concurrency, nil, c.Log),
		model:      c.Model,
		dimensions: c.Dimensions,
		batch:      c.Batch,
	}, nil
}

func embeddings() endpoint {
	return endpoint{
		path:     "/embeddings",
		tooLarge: "set a smaller batch",
		context:  "serve the model with a larger context and, with llama.cpp, a larger batch (--ubatch-size)",
		settings: "the model, the dimensions and the batch",
		tooLong: failure{
			kind: ErrConfiguration,
			text: "the response is far longer than the requested vectors; is this an embeddings server?",
		},
	}
}

// responseLimit returns the maximum size of a response in bytes. A number with all its digits, on a line of its own,
// takes about 40; the rest is far smaller than a megabyte.
func responseLimit(batch, dimensions int) int64 { return 1<<20 + 40*int64(batch)*int64(dimensions) }

// validate returns all faults of a configuration that has its defaults.
func (c *EmbedderConfig) validate() error {
	faults := []error{validateServer(c.BaseURL, embeddings().path, currentKey(c.Key), c.Model)}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.Dimensions < 1 || c.Dimensions > MaxDimensions {
		fault("the dimensions are %d, must be those of the model, 1 to %d", c.Dimensions, MaxDimensions)
	}
	if c.Batch < 1 || c.Batch > 2048 {
		fault("the batch is %d, must be 1 to 2048", c.Batch)
	}
	if min(c.Timeout.Nanoseconds(), int64(c.Tries), int64(c.Concurrency)) < 0 {
		fault("timeout, tries and concurrency must not be negative")
	}
	return errors.Join(faults...)
}

// Space returns the model and the size of the vectors. Vectors are comparable only if both agree.
func (e *Embedder) Space() (model string, dimensions int) { return e.model, e.dimensions }

// Embed returns one vector per text, in the same order. Each has the size that Space returns; its numbers are finite
// and not all 0, and its length is arbitrary. A blank text is not sent, and its vector is nil. At most MaxCharacters of
// a text are sent, and fewer if the model's context is too small for them.
//
// If one text fails, Embed returns only an error: ErrUnavailable (with context.DeadlineExceeded if time ran out),
// ErrConfiguration, or context.Canceled.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var indexes []int // of the texts to send
	for i, text := range texts {
		if strings.TrimSpace(text) != "" {
			indexes = append(indexes, i)
		}
	}

	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(e.calls.concurrency)
	for batch := range slices.Chunk(indexes, e.batch) {
		group.Go(func() error { return e.fill(ctx, vectors, texts, batch, MaxCharacters) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return vectors, nil
}

// minCharacters is how much of a text the Embedder sends at least, however small the model's context is.
const minCharacters = 100

// fill requests the vectors at the given indexes, for the first limit characters of each text. If the model's context
// is too small, it divides the batch to find the long texts, and sends less of each of these: the vector of a text
// doesn't depend on its batch.
func (e *Embedder) fill(ctx context.Context, vectors [][]float32, texts []string, indexes []int, limit int) error {
	err := e.request(ctx, vectors, texts, indexes, limit)
	if !errors.Is(err, ErrContext) {
		return err
	}

	if half := len(indexes) / 2; half > 0 {
		if err := e.fill(ctx, vectors, texts, indexes[:half], limit); err != nil {
			return err
		}
		return e.fill(ctx, vectors, texts, indexes[half:], limit)
	}

	shorter := min(limit, utf8.RuneCountInString(texts[indexes[0]])) / 2
	if shorter < minCharacters {
		return err
	}
	return e.fill(ctx, vectors, texts, indexes, shorter)
}

// request makes one call for the vectors at the given indexes.
func (e *Embedder) request(ctx context.Context, vectors [][]float32, texts []string, indexes []int, limit int) error {
	sent := make([]string, len(indexes))
	for i, index := range indexes {
		sent[i] = sanitize.Cut(texts[index], limit)
	}
	return e.calls.do(ctx, "", func(ctx context.Context) error {
		answer, err := e.server.embed(ctx, e.model, sent)
		if err != nil {
			return err
		}
		for i, vector := range answer {
			if err := e.check(vector); err != nil {
				return err
			}
			vectors[indexes[i]] = vector
		}
		return nil
	})
}

// check rejects vectors that can't be compared with others. Their numbers are finite: JSON has no others, and
// encoding/json rejects what exceeds float32. Servers that write NaN as null end up here, because null is read as 0,
// and a model that computes one NaN computes only NaN.
func (e *Embedder) check(vector []float32) error {
	if len(vector) != e.dimensions {
		return misconfigured(
			"the server returned %d dimensions, %d are configured; set the dimensions to %d or choose another model",
			len(vector), e.dimensions, len(vector))
	}
	if !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		return misconfigured("the server returned a vector of zeros; reload the model or choose another")
	}
	return nil
}

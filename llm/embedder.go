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
	"unicode"

	"golang.org/x/sync/errgroup"
)

// MaxCharacters is how much of a text is sent; the rest is left out. It is meant for a title and skills, and fits into the
// 512 tokens that common models read at two characters a token.
const MaxCharacters = 1000

// MaxDimensions is the greatest size of a vector.
const MaxDimensions = 4096

// EmbedderConfig is what an Embedder needs to know. A query wants few tries, and a deadline of its own in the context; a
// load of many texts wants about 8 tries, which outlast a minute without an answer, and a batch of 64 to 256.
type EmbedderConfig struct {
	BaseURL    string // up to, and without, /embeddings: https://api.openai.com/v1, http://127.0.0.1:11434/v1
	Key        string // sent as a bearer token; "" where the server asks for none
	Model      string // as the server names it
	Dimensions int    // numbers in a vector of that model, 1 to MaxDimensions; another size is an error
	// Shorten asks the server for Dimensions numbers where the model has more. OpenAI's text-embedding-3 and models trained
	// likewise (Matryoshka, arXiv 2205.13147) can do this. Many servers refuse to be asked, so they are not unless it is set.
	Shorten bool

	Batch       int               // texts in one call, 1 to 2048; 0: 64
	Timeout     time.Duration     // for one try of one call; 0: 30 s. The context bounds the whole
	Tries       int               // of one call that fails for a reason that may pass; 0: 1, no second try
	Concurrency int               // calls at once, over all users of the Embedder; 0: 4. More wait
	Transport   http.RoundTripper // nil: like http.DefaultTransport
	Log         *slog.Logger      // hears of repeated tries, and of a server that is left alone; nil: nobody does
}

// Embedder asks a server for vectors. It is safe for concurrent use.
type Embedder struct {
	server     *server
	patience   *patience
	model      string
	dimensions int
	asked      int // dimensions to ask for; 0: leave them to the model
	batch      int
}

// NewEmbedder is an Embedder for a server that need not be there yet. The error, an ErrConfiguration, tells every fault of
// the configuration at once.
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
	e := &Embedder{
		server:   newServer(c.BaseURL, c.Key, c.Transport, answerLimit(c.Batch, c.Dimensions), embeddings()),
		patience: newPatience(c.Timeout, c.Tries, c.Concurrency, c.Log),
		model:    c.Model, dimensions: c.Dimensions, batch: c.Batch,
	}
	if c.Shorten {
		e.asked = c.Dimensions
	}
	return e, nil
}

func embeddings() endpoint {
	return endpoint{
		path: "/embeddings", tooLarge: "set a smaller batch", settings: "the model, the dimensions and the batch",
		tooLong: failure{
			kind: ErrConfiguration,
			text: "the answer is far longer than the vectors asked for; is this an embeddings server?",
		},
	}
}

// answerLimit is the most bytes that an answer may have: a number printed with all its digits on a line of its own takes
// about 40, and the rest does not come near a megabyte.
func answerLimit(batch, dimensions int) int64 { return 1<<20 + 40*int64(batch)*int64(dimensions) }

// validate tells every fault of a configuration that has its defaults.
func (c *EmbedderConfig) validate() error {
	faults := []error{validateServer(c.BaseURL, embeddings().path, c.Key, c.Model)}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.Dimensions < 1 || c.Dimensions > MaxDimensions {
		fault("the dimensions are %d, must be those of the model, 1 to %d", c.Dimensions, MaxDimensions)
	}
	if c.Batch < 1 || c.Batch > 2048 {
		fault("the batch is %d, must be 1 to 2048", c.Batch)
	}
	if c.Timeout < 0 || c.Tries < 0 || c.Concurrency < 0 {
		fault("timeout, tries and concurrency must not be negative")
	}
	return errors.Join(faults...)
}

// Space is what the vectors are made by; vectors can be compared only within one space.
func (e *Embedder) Space() (model string, dimensions int) { return e.model, e.dimensions }

// Embed is one vector for each text, in the order of texts: Space's number of dimensions, all finite, not all 0, of any
// length. A text of blanks alone is not sent, and its vector is nil. A text is sent up to MaxCharacters.
//
// It succeeds for all texts or fails: with ErrUnavailable where trying later may help, context.DeadlineExceeded beside it
// where that was the reason; with ErrConfiguration where it will not; with context.Canceled where ctx was cancelled.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var places []int // of the texts to send
	for i, text := range texts {
		if !isBlank(text) {
			places = append(places, i)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(e.patience.slots))
	for batch := range slices.Chunk(places, e.batch) {
		group.Go(func() error { return e.fill(ctx, vectors, texts, batch) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return vectors, nil
}

// fill asks for the vectors at some places.
func (e *Embedder) fill(ctx context.Context, vectors [][]float32, texts []string, places []int) error {
	sent := make([]string, len(places))
	for i, place := range places {
		sent[i] = cut(texts[place], MaxCharacters)
	}
	return e.patience.do(ctx, func(ctx context.Context) error {
		answer, err := e.server.embed(ctx, e.model, e.asked, sent)
		if err != nil {
			return err
		}
		for i, vector := range answer {
			if err := e.check(vector); err != nil {
				return err
			}
			vectors[places[i]] = vector
		}
		return nil
	})
}

// check refuses what cannot be compared with other vectors. The numbers are finite: JSON knows no others, and encoding/json
// refuses what float32 cannot hold. Servers that write NaN as null end up here, since a null is read as 0 and a model that
// computes one NaN computes only NaN.
func (e *Embedder) check(vector []float32) error {
	if len(vector) != e.dimensions {
		advice := fmt.Sprintf("set the dimensions to %d or choose another model", len(vector))
		switch {
		case e.asked > 0:
			advice = "the server does not shorten vectors: " + advice
		case len(vector) > e.dimensions:
			advice += ", or let the server shorten the vectors where it can"
		}
		return misbehaved("the server answered %d dimensions, %d are configured; %s", len(vector), e.dimensions, advice)
	}
	if !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		return misbehaved("the server answered a vector of zeros; load the model anew or choose another")
	}
	return nil
}

func isBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) })
}

// cut is the first n characters of a text.
func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

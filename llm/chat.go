package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"time"
)

// TokenField is the field of a request that bounds a reply.
type TokenField string

// The fields. Ollama, vLLM, llama.cpp and older models of OpenAI know the first, newer ones of OpenAI want the second.
const (
	MaxTokensField           TokenField = "max_tokens"
	MaxCompletionTokensField TokenField = "max_completion_tokens"
)

// ChatOptions is what a Chat needs to know.
type ChatOptions struct {
	BaseURL string // up to, and without, /chat/completions: https://api.openai.com/v1, http://127.0.0.1:11434/v1
	Key     string // sent as a bearer token; "" where the server asks for none
	Model   string // as the server names it

	Timeout     time.Duration // for a whole task, tries and repair included; 0: 25 s. A context may end it sooner
	Tries       int           // of one call that fails for a reason that may pass; 0: 3
	Concurrency int           // calls at once, open streams included; 0: 8. More wait, within their time
	TokenField  TokenField    // "": MaxTokensField, until the server asks for the other one
	MaxTokens   int           // of one call: its prompt, as estimated, and its reply; more is ErrBudget. 0: 16384
	MaxBytes    int64         // of one answer over HTTP, a stream's frames included; 0: 4 MiB
	Seed        int           // sent with temperature 0, for replies as like as the server can make them; 0: none is sent
	Budget      Budget        // of accounts; nil: no bound

	Transport http.RoundTripper // nil: like http.DefaultTransport
	Log       *slog.Logger      // hears of tasks and their usage, repeated tries, what a server refuses; nil: nobody does
}

// Chat gives tasks to a model. It is safe for concurrent use.
//
// It finds out what a server takes: a reply by JSON schema or, where that is refused, any JSON or plain text, with the
// schema among the instructions; temperature 0, a seed, a bound of the reply by one field or the other, streams. What
// was refused once is not sent again.
type Chat struct {
	model string
}

// NewChat is a Chat for a server that need not be there yet. The error, an ErrConfiguration, tells every fault of the
// options at once.
func NewChat(o ChatOptions) (*Chat, error) {
	return nil, fmt.Errorf("chat of this version: %w", errors.ErrUnsupported)
}

// Model is the name of the model that does the tasks.
func (c *Chat) Model() string { return c.model }

// Ask gives a task to the model. A reply that does not fit is shown to the model once, with what is wrong with it.
//
// It fails with ErrReply, ErrTimeout, ErrUnavailable, ErrConfiguration, ErrBudget or context.Canceled, with the Budget's own
// error, and with one of none of these kinds for a task that is itself at fault.
func (c *Chat) Ask(ctx context.Context, task Task) (Reply, error) {
	return Reply{}, errors.ErrUnsupported
}

// Stream gives a task to the model whose schema has the form {"items": […]}, and yields each element as soon as it is
// complete. An element yielded fits its schema and passed the check, whatever comes after it. The last pair is an error, as
// of Ask, where the reply did not come to its proper end: finish_reason stop, [DONE], and a whole that fits the schema.
//
// There is a repair, without a stream, only as long as nothing was yielded. From servers that cannot stream, elements
// come all at once at the end.
func (c *Chat) Stream(ctx context.Context, task Task) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) { yield(nil, errors.ErrUnsupported) }
}

package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

const defaultMaxTokens = 1024 // of a reply

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
	Observe   func(Ended)       // hears of each task that has ended, from its goroutine; nil: nobody does
}

// Ended is a task that has ended.
type Ended struct {
	Task  string // its Name
	Usage Usage  // of all its calls
	Took  time.Duration
	Err   error // as Ask says; nil: the model did it
}

// Chat gives tasks to a model. It is safe for concurrent use.
//
// It finds out what a server takes: a reply by JSON schema or, where that is refused, any JSON or plain text, with the
// schema among the instructions; temperature 0, a seed, a bound of the reply by one field or the other, streams. What
// was refused once is not sent again.
type Chat struct {
	server    *server
	patience  *patience
	knowledge knowledge
	options   ChatOptions // with their defaults
}

// NewChat is a Chat for a server that need not be there yet. The error, an ErrConfiguration, tells every fault of the
// options at once.
func NewChat(o ChatOptions) (*Chat, error) {
	o.Timeout = cmp.Or(o.Timeout, 25*time.Second)
	o.Tries = cmp.Or(o.Tries, 3)
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	o.MaxTokens = cmp.Or(o.MaxTokens, 16384)
	o.MaxBytes = cmp.Or(o.MaxBytes, 4<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Ended) {}
	}
	if err := o.validate(); err != nil {
		return nil, &failure{kind: ErrConfiguration, text: err.Error()}
	}
	if o.Transport == nil {
		o.Transport = newTransport(o.Concurrency)
	}
	return &Chat{
		server:   newServer(o.BaseURL, o.Key, o.Transport, o.MaxBytes, chatCompletions(o.MaxBytes)),
		patience: newPatience(o.Timeout, o.Tries, o.Concurrency, o.Log),
		knowledge: knowledge{
			log: o.Log, now: dialect{tokens: cmp.Or(o.TokenField, MaxTokensField), tokensDecided: o.TokenField != ""},
		},
		options: o,
	}, nil
}

func chatCompletions(limit int64) endpoint {
	return endpoint{
		path: "/chat/completions", tooLarge: "the prompt is longer than the server takes", settings: "the model and its limits",
		tooLong: failure{kind: ErrReply, text: fmt.Sprintf("the answer is longer than %d bytes", limit)},
	}
}

// validate tells every fault of options that have their defaults.
func (o *ChatOptions) validate() error {
	faults := []error{validateServer(o.BaseURL, chatCompletions(0).path, o.Key, o.Model)}
	if o.Timeout < 0 || o.Tries < 0 || o.Concurrency < 0 || o.MaxTokens < 0 || o.MaxBytes < 0 {
		faults = append(faults, errors.New("timeout, tries, concurrency, tokens and bytes must not be negative"))
	}
	if o.TokenField != "" && o.TokenField != MaxTokensField && o.TokenField != MaxCompletionTokensField {
		faults = append(faults, fmt.Errorf("the token field must be %s or %s", MaxTokensField, MaxCompletionTokensField))
	}
	return errors.Join(faults...)
}

// Model is the name of the model that does the tasks.
func (c *Chat) Model() string { return c.options.Model }

// Ask gives a task to the model. A reply that does not fit is shown to the model once, with what is wrong with it.
//
// It fails with ErrReply, ErrTimeout, ErrUnavailable, ErrConfiguration, ErrBudget or context.Canceled, with the Budget's own
// error, and with one of none of these kinds for a task that is itself at fault.
func (c *Chat) Ask(ctx context.Context, task Task) (Reply, error) {
	r, err := c.begin(task)
	if err != nil {
		return Reply{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	value, err := r.ask(ctx)
	if err = r.end(ctx, err); err != nil {
		return Reply{}, err
	}
	return Reply{JSON: value, Usage: r.usage, Repaired: r.repaired}, nil
}

package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/freelancer-matching/service/internal/admission"
)

const defaultMaxTokens = 1024 // of a reply

// ChatOptions configures a Chat. BaseURL and Model are required.
type ChatOptions struct {
	BaseURL string        // without /chat/completions: https://api.openai.com/v1, http://127.0.0.1:11434/v1
	Key     func() string // sent as a bearer token; called for every request; nil: none
	Model   string        // the server's name for it

	Timeout     time.Duration // of a whole task, including retries and the repair; 0: 25 s. A context may end it sooner
	Tries       int           // attempts per call if the error is temporary; 0: 3
	Concurrency int           // calls at once, including open streams; further ones wait, within their time. 0: 8
	PerAccount  int           // of these, calls for one account; 0: three quarters
	MaxTokens   int           // of one call: its estimated prompt and its reply. More is ErrBudget. 0: 16384
	MaxBytes    int64         // of one HTTP response, including the frames of a stream; 0: 4 MiB
	Seed        int           // sent with temperature 0, so that replies vary as little as possible; 0: not sent
	Budget      Budget        // of the accounts, and of all together; nil: unlimited

	Transport http.RoundTripper  // nil: like http.DefaultTransport
	Log       *slog.Logger       // nil: no log
	Gates     admission.Observer // of waiting for a call, with the gate "model"; nil: not observed
	Observe   func(Outcome)      // called at the end of each task, by its goroutine; nil: not called
}

// An Outcome describes a finished task.
type Outcome struct {
	Task  string // its Name
	Calls int    // including retries and the repair
	Usage Usage  // of all calls
	Took  time.Duration
	Err   error // nil if the task succeeded
}

// A Chat gives tasks to a model. It is safe for concurrent use.
//
// It finds out what the server supports, and avoids what the server has rejected: a JSON schema (otherwise any JSON
// object, or plain text, with the schema in the instructions), temperature 0, a seed, either field that limits a reply,
// and streams.
type Chat struct {
	server  *server
	calls   *caller
	learner dialectLearner
	options ChatOptions // with their defaults
}

// NewChat returns a Chat. It doesn't contact the server. It returns an ErrConfiguration that lists all faults of the
// options.
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
		o.Observe = func(Outcome) {}
	}

	// All faults are reported at once, before anything is created.
	if err := o.validate(); err != nil {
		return nil, &failure{kind: ErrConfiguration, text: err.Error()}
	}

	if o.Transport == nil {
		o.Transport = newTransport(o.Concurrency)
	}

	return &Chat{
		server:  newServer(o.BaseURL, o.Key, o.Transport, o.MaxBytes, chatCompletions(o.MaxBytes)),
		calls:   newCaller("model", o.Timeout, o.Tries, o.Concurrency, o.PerAccount, o.Gates, o.Log),
		learner: dialectLearner{log: o.Log},
		options: o,
	}, nil
}

func chatCompletions(limit int64) endpoint {
	return endpoint{
		path:     "/chat/completions",
		tooLarge: "the prompt is longer than the server allows",
		context:  "serve the model with a larger context",
		settings: "the model and its limits",
		tooLong:  failure{kind: ErrReply, text: fmt.Sprintf("the response is longer than %d bytes", limit)},
	}
}

// validate returns all faults of options that have their defaults.
func (o *ChatOptions) validate() error {
	faults := []error{validateServer(o.BaseURL, chatCompletions(0).path, currentKey(o.Key), o.Model)}
	lowest := min(o.Timeout.Nanoseconds(), o.MaxBytes, int64(min(o.Tries, o.Concurrency, o.PerAccount, o.MaxTokens)))
	if lowest < 0 {
		faults = append(faults, errors.New("timeout, tries, concurrency, tokens and bytes must not be negative"))
	}
	return errors.Join(faults...)
}

// Model returns the name of the model.
func (c *Chat) Model() string { return c.options.Model }

// Timeout returns the time of one task.
func (c *Chat) Timeout() time.Duration { return c.options.Timeout }

// Ask gives a task to the model. If the reply is invalid, the model gets one chance to repair it.
//
// The error wraps ErrReply, ErrTimeout, ErrUnavailable, ErrConfiguration, ErrBudget, context.Canceled or the Budget's
// own error. It wraps none of them if the task itself is invalid.
func (c *Chat) Ask(ctx context.Context, task Task) (Reply, error) {
	ctx, r, err := c.begin(ctx, task)
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

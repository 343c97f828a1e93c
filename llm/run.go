package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/llm/sanitize"
)

// settleTimeout is how long settling with a budget may take after the task has ended.
const settleTimeout = 5 * time.Second

// run is a task in progress.
type run struct {
	*preparedTask
	chat     *Chat
	start    time.Time
	check    func(json.RawMessage) error // of the whole reply
	calls    int                         // made so far
	usage    Usage                       // of these calls
	span     tracing.Span
	repaired bool
}

// begin starts a task. The caller must call end. The returned context has the task's span.
func (c *Chat) begin(ctx context.Context, task Task) (context.Context, *run, error) {
	p, err := prepare(task)
	if err != nil {
		return ctx, nil, err
	}
	r := &run{preparedTask: p, chat: c, start: time.Now(), check: task.Check}
	ctx, r.span = tracing.Start(ctx, "model task", tracing.String("task", r.Name), tracing.String("model", c.Model()))
	return ctx, r, nil
}

// end logs and observes the end of a task, and returns its error as the caller sees it.
func (r *run) end(ctx context.Context, err error) error {
	if invalid, ok := errors.AsType[*replyError](err); ok {
		text := invalid.public
		if r.repaired {
			text = "after one repair, " + text
		}
		err = &failure{kind: ErrReply, text: text, cause: invalid.checkErr}
	}

	// A Budget may exceed a deadline of its own, which is no ErrTimeout.
	isOwnDeadline := ctx.Err() != nil || isA[*failure](err)
	if isOwnDeadline && errors.Is(err, context.DeadlineExceeded) {
		text := fmt.Sprintf("no reply within %v", time.Since(r.start).Round(time.Millisecond))
		err = &failure{kind: ErrTimeout, text: text, cause: context.DeadlineExceeded}
	}

	took := time.Since(r.start)
	r.span.Set(tracing.Int("calls", r.calls), tracing.Int("prompt_tokens", r.usage.Prompt),
		tracing.Int("completion_tokens", r.usage.Completion))
	r.span.End(err)
	r.chat.options.Observe(Outcome{Task: r.Name, Calls: r.calls, Usage: r.usage, Took: took, Err: err})

	attributes := []any{
		"task", r.Name, "model", r.chat.Model(), "calls", r.calls, "repaired", r.repaired,
		"prompt_tokens", r.usage.Prompt, "completion_tokens", r.usage.Completion, "estimated", r.usage.Estimated,
		"took", took,
	}

	if err != nil {
		r.chat.options.Log.Warn("model task failed", append(attributes, "error", err)...)
		return fmt.Errorf("task %s: %w", r.Name, err)
	}

	r.chat.options.Log.Info("model task done", attributes...)
	return nil
}

// ask makes the call, and another one if its reply needs a repair.
func (r *run) ask(ctx context.Context) (json.RawMessage, error) {
	value, err := r.askOnce(ctx)
	if invalid, ok := errors.AsType[*replyError](err); ok {
		return r.askForRepair(ctx, invalid)
	}
	return value, err
}

func (r *run) askForRepair(ctx context.Context, invalid *replyError) (json.RawMessage, error) {
	r.repaired = true
	r.repair(invalid)
	return r.askOnce(ctx)
}

// askOnce makes a call without a stream.
func (r *run) askOnce(ctx context.Context) (json.RawMessage, error) {
	var c completion
	var used dialect
	err := r.call(ctx, false, func(ctx context.Context, p *prompt, d dialect) (_ completion, err error) {
		used = d
		c, err = r.chat.server.complete(ctx, p, d)
		return c, err
	})
	if err != nil {
		return nil, err
	}

	if err := r.checkFinish(&c); err != nil {
		return nil, err
	}

	// Each check needs the one before: a schema applies to an object, and the task's check to one that fits.
	value, err := findObject(c.text)
	if err == nil {
		err = validate(r.schema.reply, value)
	}

	if err == nil && r.check != nil {
		err = checkFailed(r.check(value))
	}

	if err != nil {
		return nil, r.withReply(err, c.text, used)
	}

	return value, nil
}

// call makes a call in the server's dialect, and repeats it in another one as long as the server rejects a field.
func (r *run) call(
	ctx context.Context, streamed bool, do func(context.Context, *prompt, dialect) (completion, error),
) error {
	for {
		d := r.chat.learner.dialect()
		if streamed && d.noStream {
			return errNoStream
		}
		p := r.prompt(d, r.chat.options.Model, r.chat.options.Seed)

		err := r.callWithinBudget(ctx, p, func(ctx context.Context) (completion, error) { return do(ctx, p, d) })

		// Servers reject an unsupported field with one of these statuses, and only the message names it.
		f, ok := errors.AsType[*failure](err)
		mayNameField := ok && f.message != "" && errors.Is(f.kind, ErrConfiguration) && !errors.Is(f.cause, ErrContext) &&
			slices.Contains([]int{
				http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError,
			}, f.status)
		if !mayNameField {
			return err
		}

		// The message of a relay may be about its own stream, which broke. That must not turn streams off for good.
		if !r.chat.learner.learn(d, f.message, streamed && !f.inSuccess) {
			return err
		}
	}
}

// callWithinBudget makes one call, including its retries. It reserves the tokens before and settles their usage after.
func (r *run) callWithinBudget(ctx context.Context, p *prompt, do func(context.Context) (completion, error)) error {
	size := estimate(string(p.schema))
	for _, m := range p.messages {
		size += estimate(m.text)
	}
	tokens := size + p.maxTokens
	if limit := r.chat.options.MaxTokens; tokens > limit {
		return &failure{kind: ErrBudget, text: fmt.Sprintf("the call may use %d tokens; the limit is %d", tokens, limit)}
	}

	settle, err := r.reserve(ctx, tokens)
	if err != nil {
		return err
	}

	var used Usage
	// Failed attempts may have cost tokens, too, so the usage of all attempts is settled.
	defer func() {
		r.usage = r.usage.plus(used)
		settle(used)
	}()

	return r.chat.calls.do(ctx, r.Account, func(ctx context.Context) error {
		r.calls++
		c, err := do(ctx)
		used = used.plus(usageAfter(c, size, err))
		return err
	})
}

// usageAfter returns the usage of a call: as reported by the server, or estimated. A call that the server rejected or
// never received used nothing; one that timed out may have been completed. A reply that the server couldn't parse is
// unknown, so only the prompt counts.
func usageAfter(c completion, promptSize int, err error) Usage {
	f, failed := errors.AsType[*failure](err)
	network, ok := errors.AsType[*net.OpError](err)
	switch {
	case c.usage.Tokens() > 0:
		return c.usage
	case failed && f.status != 0 && !errors.Is(f.kind, ErrReply), ok && network.Op == "dial":
		return Usage{}
	}
	return Usage{Prompt: promptSize, Completion: estimate(c.text + c.reasoning), Estimated: true}
}

// reserve sets tokens aside and returns a function that settles them.
func (r *run) reserve(ctx context.Context, tokens int) (settle func(Usage), err error) {
	budget := r.chat.options.Budget
	if budget == nil || r.Account == "" {
		return func(Usage) {}, nil
	}
	day := time.Now().UTC().Format(time.DateOnly)
	if err := budget.Reserve(ctx, r.Account, day, tokens); err != nil {
		return nil, fmt.Errorf("reserve tokens: %w", err)
	}
	return func(used Usage) {
		// A canceled task has used its tokens, too.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
		defer cancel()
		if err := budget.Settle(ctx, r.Account, day, tokens, used); err != nil {
			r.chat.options.Log.Error("unused tokens stay reserved", "task", r.Name, "error", err)
		}
	}, nil
}

// checkFinish returns an error if the model didn't finish its reply.
func (r *run) checkFinish(c *completion) error {
	unusable := func(text string) error { return &failure{kind: ErrReply, text: text} }
	switch {
	case c.refusal != "":
		return unusable("the model refuses the task")
	case c.finish == "content_filter":
		return unusable("a content filter stopped the reply")
	// A reply that ends short of its limit has filled the context of the model instead.
	case c.finish == "length" && c.usage.Completion > 0 && c.usage.Completion < r.MaxTokens:
		return &failure{kind: ErrReply, cause: ErrContext, text: fmt.Sprintf(
			"the model's context is full after %d tokens of the prompt and %d of the reply; serve it with a larger context",
			c.usage.Prompt, c.usage.Completion)}

	case c.finish == "length":
		return &failure{kind: ErrReply, cause: ErrCutOff, text: fmt.Sprintf(
			"the reply is longer than %d tokens; allow more, or ask for less", r.MaxTokens)}
	case c.finish == "tool_calls", c.finish == "function_call":
		return unusable("the model called a tool, although it has none")
	case c.noChoice:
		return invalidf("the response contains no choice")
	}

	return nil
}

// checkFailed wraps the error of the caller's check.
func checkFailed(err error) error {
	if err == nil {
		return nil
	}
	advice := sanitize.Cut(err.Error(), maxFaults*maxFaultLength)
	return &replyError{advice: advice, public: "it failed the task's check", fits: true, checkErr: err}
}

// withReply adds the reply to a replyError. If the server accepted a schema without enforcing it, the following tasks
// include the schema in their instructions.
func (r *run) withReply(err error, reply string, used dialect) error {
	invalid, ok := errors.AsType[*replyError](err)
	if !ok {
		return err
	}
	invalid.reply = reply
	if !invalid.fits && used.format == strictSchema {
		next := used
		next.showSchema = true
		r.chat.learner.change(used, next)
	}
	return invalid
}

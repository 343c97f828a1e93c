package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// settleTimeout is how long a budget may take to settle after its task has ended.
const settleTimeout = 5 * time.Second

// run is a task under way.
type run struct {
	*prepared
	chat     *Chat
	start    time.Time
	check    func(json.RawMessage) error // of the whole reply
	calls    int                         // that were made
	usage    Usage                       // of all of them
	repaired bool
}

func (c *Chat) begin(task Task) (*run, error) {
	p, err := prepare(task)
	if err != nil {
		return nil, err
	}
	return &run{prepared: p, chat: c, start: time.Now(), check: task.Check}, nil
}

// end turns what a task failed with into what its caller is told, and writes the task's line in the log.
func (r *run) end(ctx context.Context, err error) error {
	if m, ok := errors.AsType[*misfit](err); ok {
		text := m.public
		if r.repaired {
			text = "after one repair, " + text
		}
		err = &failure{kind: ErrReply, text: text, cause: m.cause}
	}
	if errors.Is(err, context.DeadlineExceeded) && (ctx.Err() != nil || isA[*failure](err)) { // a budget has deadlines, too
		text := fmt.Sprintf("no reply within %v", time.Since(r.start).Round(time.Millisecond))
		err = &failure{kind: ErrTimeout, text: text, cause: context.DeadlineExceeded}
	}
	took := time.Since(r.start)
	r.chat.options.Observe(Ended{Task: r.Name, Usage: r.usage, Took: took, Err: err})
	fields := []any{
		"task", r.Name, "model", r.chat.Model(), "calls", r.calls, "repaired", r.repaired, "prompt_tokens", r.usage.Prompt,
		"completion_tokens", r.usage.Completion, "estimated", r.usage.Estimated, "took", took,
	}
	if err != nil {
		r.chat.options.Log.Warn("a task for the model failed", append(fields, "error", err)...)
		return fmt.Errorf("task %s: %w", r.Name, err)
	}
	r.chat.options.Log.Info("the model did a task", fields...)
	return nil
}

// ask makes the call, and the one for the repair where it is needed.
func (r *run) ask(ctx context.Context) (json.RawMessage, error) {
	value, err := r.once(ctx)
	if m, ok := errors.AsType[*misfit](err); ok {
		return r.repair(ctx, m)
	}
	return value, err
}

func (r *run) repair(ctx context.Context, m *misfit) (json.RawMessage, error) {
	r.repaired = true
	r.prepared.repair(m)
	return r.once(ctx)
}

// once makes a call that is answered at once.
func (r *run) once(ctx context.Context) (json.RawMessage, error) {
	var c completion
	var spoken dialect
	err := r.call(ctx, false, func(ctx context.Context, p *prompt, d dialect) (_ completion, err error) {
		spoken = d
		c, err = r.chat.server.complete(ctx, p, d)
		return c, err
	})
	if err != nil {
		return nil, err
	}
	if err := r.finished(&c); err != nil {
		return nil, err
	}
	return r.read(&c, spoken)
}

// call makes a call in the server's dialect, as often as the server refuses one, within the budgets.
func (r *run) call(
	ctx context.Context, streamed bool, do func(context.Context, *prompt, dialect) (completion, error),
) error {
	for {
		spoken := r.chat.knowledge.dialect()
		if streamed && spoken.noStream {
			return errNoStream
		}
		p := r.prompt(spoken, r.chat.options.Model, r.chat.options.Seed)
		err := r.within(ctx, p, func(ctx context.Context) (completion, error) { return do(ctx, p, spoken) })
		f, ok := errors.AsType[*failure](err)
		mayName := ok && (f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity) && f.words != ""
		if !mayName || !r.chat.knowledge.learn(spoken, f.words, streamed) {
			return err
		}
	}
}

// within makes one call, tries included, for tokens that are reserved before and settled after it.
func (r *run) within(ctx context.Context, p *prompt, do func(context.Context) (completion, error)) error {
	size := estimate(string(p.schema))
	for _, t := range p.messages {
		size += estimate(t.text)
	}
	tokens := size + p.maxTokens
	if limit := r.chat.options.MaxTokens; tokens > limit {
		text := fmt.Sprintf("the call may take %d tokens, of which %d are allowed", tokens, limit)
		return &failure{kind: ErrBudget, text: text}
	}
	settle, err := r.reserve(ctx, tokens)
	if err != nil {
		return err
	}
	var used Usage
	defer func() {
		r.usage = r.usage.plus(used)
		settle(used)
	}()
	return r.chat.patience.do(ctx, func(ctx context.Context) error {
		r.calls++
		c, err := do(ctx)
		used = used.plus(usageAfter(c, size, err))
		return err
	})
}

// usageAfter is the usage of a call: as the server counts, or estimated. A server that refused a call did not do it; one
// that was not waited for may have.
func usageAfter(c completion, promptSize int, err error) Usage {
	f, failed := errors.AsType[*failure](err)
	dial, ok := errors.AsType[*net.OpError](err)
	switch {
	case c.usage.Tokens() > 0:
		return c.usage
	case failed && f.status != 0, ok && dial.Op == "dial":
		return Usage{}
	}
	return Usage{Prompt: promptSize, Completion: estimate(c.text), Estimated: true}
}

// reserve sets tokens aside and returns what ends that.
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
		// Also for a task that was cancelled: its tokens are spent.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
		defer cancel()
		if err := budget.Settle(ctx, r.Account, day, tokens, used); err != nil {
			r.chat.options.Log.Error("tokens stay reserved that were not used", "task", r.Name, "error", err)
		}
	}, nil
}

// finished tells where a model did not say what it had to say.
func (r *run) finished(c *completion) error {
	reply := func(format string, args ...any) error {
		return &failure{kind: ErrReply, text: fmt.Sprintf(format, args...)}
	}
	switch {
	case c.refusal != "":
		return reply("the model refuses the task")
	case c.finish == "content_filter":
		return reply("a content filter held the reply back")
	case c.finish == "length":
		return reply("the reply is longer than %d tokens; allow the task more, or ask for less", r.MaxTokens)
	case c.finish == "tool_calls", c.finish == "function_call":
		return reply("the model asks for a tool, and has none")
	case c.none:
		return malformed("the server answered without a choice")
	}
	return nil
}

// read is the value of a complete reply.
func (r *run) read(c *completion, spoken dialect) (json.RawMessage, error) {
	value, err := findObject(c.text)
	if err == nil {
		err = fit(r.schema.reply, value)
	}
	if err == nil && r.check != nil {
		err = passed(r.check(value))
	}
	if err != nil {
		return nil, r.doubt(err, c.text, spoken)
	}
	return value, nil
}

// passed is the misfit of a reply that the caller's check has something against.
func passed(err error) error {
	if err == nil {
		return nil
	}
	advice := cut(err.Error(), maxFaults*maxFaultLength)
	return &misfit{advice: advice, public: "it does not pass the check of its task", shapely: true, cause: err}
}

// doubt completes a misfit. Where the server took a schema and has not held the model to it, models of that server are
// shown the schema from now on.
func (r *run) doubt(err error, reply string, spoken dialect) error {
	m, ok := errors.AsType[*misfit](err)
	if !ok {
		return err
	}
	m.reply = reply
	if !m.shapely && spoken.format == strictSchema {
		next := spoken
		next.showSchema = true
		r.chat.knowledge.change(spoken, next)
	}
	return m
}

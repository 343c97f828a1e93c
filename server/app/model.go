package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/metrics"
)

// maxTaskTokens is the token limit of one task. It has room for the longest answer of an interview in a language such
// as Chinese, where a character takes one or two tokens.
const maxTaskTokens = 32768

// A model is the language model together with the outcome of its last task.
type model struct {
	chat    *llm.Chat
	metrics *metrics.Metrics
	failed  atomic.Pointer[failedTask] // nil unless the model server failed in the last task
}

type failedTask struct {
	outcome outcome
	at      time.Time
}

// An outcome is the result of a task, as a label of the metrics.
type outcome string

const (
	done          outcome = "done"
	unusable      outcome = "unusable" // the server responded, but the reply is invalid
	timedOut      outcome = "timeout"
	unavailable   outcome = "unavailable"
	misconfigured outcome = "configuration"
	overBudget    outcome = "budget"         // the account has used up its tokens of the day
	serviceBudget outcome = "service_budget" // all accounts together have
	canceled      outcome = "cancelled"      //nolint:misspell // a label value; not a failure of the server
	otherFailure  outcome = "error"
)

// openModel returns the configured language model, whose server need not respond yet, or nil if none is configured.
// transport carries its requests; nil for the network.
func openModel(
	c config.Config, transport http.RoundTripper, tokens llm.Budget, m *metrics.Metrics, log *slog.Logger,
) (*model, error) {
	if !c.LLM.On() {
		log.Info("no language model configured, interviews use the question bank", "setting", "llm-url")
		return nil, nil
	}

	opened := &model{metrics: m}
	var err error
	opened.chat, err = llm.NewChat(llm.ChatOptions{
		BaseURL:   c.LLM.URL,
		Key:       c.LLM.Key.Get,
		Model:     c.LLM.Model,
		Timeout:   c.LLM.Timeout,
		Budget:    tokens,
		MaxTokens: maxTaskTokens,
		Seed:      1,
		Transport: transport,
		Log:       log,
		Observe:   opened.observe,
		Gates:     m,
	})

	return opened, err
}

// observe counts a task, and remembers for health whether the model server failed.
func (m *model) observe(e llm.Outcome) {
	o := outcomeOf(e.Err)
	m.metrics.ModelTask(e.Task, string(o), e.Calls, e.Usage.Prompt, e.Usage.Completion, e.Took)
	switch o {
	case done, unusable:
		m.failed.Store(nil)
	case timedOut, unavailable, misconfigured:
		m.failed.Store(&failedTask{o, time.Now()})
	case overBudget, serviceBudget, canceled, otherFailure:
	}
}

func outcomeOf(err error) outcome {
	for _, kind := range []struct {
		err     error
		outcome outcome
	}{
		{nil, done},
		{context.Canceled, canceled},
		{llm.ErrServiceBudget, serviceBudget}, // also an ErrBudget
		{llm.ErrBudget, overBudget},
		{llm.ErrTimeout, timedOut},
		{llm.ErrReply, unusable},
		{llm.ErrConfiguration, misconfigured},
		{llm.ErrUnavailable, unavailable},
	} {
		if errors.Is(err, kind.err) {
			return kind.outcome
		}
	}
	return otherFailure
}

// health returns the state of the model after its last task. It does not call the model, because calls cost money.
func (m *model) health() wire.LLM {
	if m == nil {
		return wire.LLM{Status: wire.StatusOffline}
	}
	failed := m.failed.Load()
	if failed == nil {
		return wire.LLM{Status: wire.StatusConfigured}
	}
	reasons := map[outcome]string{
		timedOut:      "did not respond in time",
		unavailable:   "was unreachable",
		misconfigured: "rejected the request; check the llm settings",
	}
	return wire.LLM{
		Status: wire.StatusUnreachable,
		Error: fmt.Sprintf("At %s, the model server %s. Interviews use the question bank.",
			failed.at.UTC().Format(time.RFC3339), reasons[failed.outcome]),
	}
}

package app

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"freelancer-matching/internal/config"
	"freelancer-matching/llm"
	"freelancer-matching/server/api"
	"freelancer-matching/server/metrics"
)

// maxTaskTokens leaves room for the longest answer of an interview where each character is a token or two, as in Chinese.
const maxTaskTokens = 32768

// model is the language model, and how its last task ended.
type model struct {
	chat    *llm.Chat
	metrics *metrics.Metrics
	failed  atomic.Pointer[failedTask] // nil: the last one did not fail for the server's sake
}

type failedTask struct {
	outcome outcome
	at      time.Time
}

// outcome is how a task ended, in a word for metrics.
type outcome string

const (
	done          outcome = "done"
	unusable      outcome = "unusable" // the server works, the reply is of no use
	timedOut      outcome = "timeout"
	unavailable   outcome = "unavailable"
	misconfigured outcome = "configuration"
	overBudget    outcome = "budget"
	cancelled     outcome = "cancelled" // it says nothing about the server
	otherFailure  outcome = "error"
)

// openModel is the model that the configuration names, whose server need not be there yet; nil where it names none.
func openModel(c config.Config, tokens llm.Budget, m *metrics.Metrics, log *slog.Logger) (*model, error) {
	if !c.LLM.On() {
		log.Info("no language model is named: the question bank asks in interviews, and nobody is recommended; llm-url names one")
		return nil, nil
	}
	made := &model{metrics: m}
	var err error
	made.chat, err = llm.NewChat(llm.ChatOptions{
		BaseURL: c.LLM.URL, Key: c.LLM.Key, Model: c.LLM.Model, Timeout: c.LLM.Timeout, Budget: tokens,
		MaxTokens: maxTaskTokens, Seed: 1, Log: log, Observe: made.observe,
	})
	return made, err
}

// observe counts a task, and remembers whether the server did its part.
func (m *model) observe(e llm.Ended) {
	o := outcomeOf(e.Err)
	m.metrics.ModelTask(e.Task, string(o), e.Usage.Prompt, e.Usage.Completion, e.Took)
	switch o {
	case done, unusable:
		m.failed.Store(nil)
	case timedOut, unavailable, misconfigured:
		m.failed.Store(&failedTask{o, time.Now()})
	case overBudget, cancelled, otherFailure:
	}
}

func outcomeOf(err error) outcome {
	for _, kind := range []struct {
		err     error
		outcome outcome
	}{
		{nil, done},
		{context.Canceled, cancelled},
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

// health is what is known of the model without asking it: every call costs.
func (m *model) health() api.LLM {
	if m == nil {
		return api.LLM{Status: api.StatusOffline}
	}
	failed := m.failed.Load()
	if failed == nil {
		return api.LLM{Status: api.StatusConfigured}
	}
	reasons := map[outcome]string{
		timedOut: "did not answer in time", unavailable: "could not be reached", misconfigured: "refused the request, or the settings are wrong",
	}
	return api.LLM{
		Status: api.StatusUnreachable,
		Error:  "the model server " + reasons[failed.outcome] + " at " + failed.at.UTC().Format(time.RFC3339) + "; the question bank serves meanwhile",
	}
}

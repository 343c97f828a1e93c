package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/bank"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/llm/interviewer"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/webhook"
)

// openInterviews opens the interview service. It uses the language model if one is configured, and the question bank as
// a fallback.
func (s *Server) openInterviews(c config.Config) (err error) {
	tokens := s.DB.Tokens(c.LLM.TokensADay, c.LLM.ServiceTokensADay)
	if s.model, err = openModel(c, s.options.Model, tokens, s.Metrics, s.log); err != nil {
		return err
	}
	// The bank needs a processor all the time. The gate keeps one account from taking all of them, and leaves some to
	// matches.
	local := admission.NewGate("interview-work", admission.Limits{Slots: runtime.GOMAXPROCS(0)}, s.Metrics)
	// Opened at the first interview: it takes a tenth of a second and 11 MB, which a server without interviews saves.
	open := sync.OnceValues(s.openBank)
	askers := []interview.Asker{fairAsker{open, local}}
	judges := []interview.Judge{fairJudge{open, local}}
	s.sandbox = &sandbox{server: s, askers: askers, judges: judges}
	s.closeWith(s.sandbox.Close)

	if s.model != nil {
		i := interviewer.New(s.model.chat, s.Index.Analyzer)
		askers = []interview.Asker{i, askers[0]}
		judges = []interview.Judge{i, judges[0]}
		if s.verdicts, err = openVerdicts(s.model.chat, s.Index.Taxonomy, s.DB, c.LLM, s.now, s.log); err != nil {
			return err
		}
	}

	s.interviews = sessions.NewService(sessions.Config{
		Store:        s.DB.Interviews,
		Freelancers:  profiles{s.Index.Engine},
		Skills:       s.Index.Taxonomy,
		Analyzer:     s.Index.Analyzer,
		Askers:       askers,
		Judges:       judges,
		Now:          s.now,
		Log:          s.log,
		Webhooks:     s.allowed,
		Notify:       s.webhooks.Notify,
		ModelTimeout: c.LLM.Timeout,
		Lifetime:     c.Retention.Interviews,
	})
	s.candidates = sessions.NewCandidates(s.interviews)

	return nil
}

// questionBank asks and judges without a language model.
type questionBank struct {
	asker *bank.Bank
	judge *bank.Judge
}

// openBank opens the question bank.
func (s *Server) openBank() (*questionBank, error) {
	questions, err := bank.Open(s.Index.Taxonomy, s.Index.Analyzer)
	if err != nil {
		return nil, fmt.Errorf("open the question bank: %w", err)
	}
	return &questionBank{asker: questions, judge: bank.NewJudge(questions, s.Index.Vectors)}, nil
}

// openWebhooks opens the sender of webhooks, which runs in the background.
func (s *Server) openWebhooks(c config.Config) {
	hosts := c.Webhooks()
	s.allowed = webhook.Allowed{Hosts: hosts.Names, Networks: hosts.Networks, Addresses: hosts.Addresses}
	s.webhooks = webhook.NewSender(webhook.Sender{
		Name: "webhook", Outbox: s.DB.Webhooks, Now: s.now, Log: s.log, Sent: s.Metrics.WebhookSent,
		Transport: webhook.HTTP{Client: s.allowed.NewClient(), Now: s.now},
	})
}

// answerTime is how much of a request's time is left for its answer when it stops waiting for its turn.
const answerTime = 3 * time.Second

// enterInTime enters the gate. If that takes nearly all the time of the request, the client gets an error that says so
// instead of a timeout.
func enterInTime(ctx context.Context, g *admission.Gate, account string) (leave func(), err error) {
	waiting := ctx
	if deadline, ok := ctx.Deadline(); ok {
		limited, cancel := context.WithDeadline(ctx, deadline.Add(-answerTime))
		defer cancel()
		waiting = limited
	}
	leave, err = g.Enter(waiting, account)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &matching.Error{
			Code: matching.CodeOverloaded, RetryAfter: answerTime, Cause: err,
			Message: "The server has too many interview answers to judge. Retry in a moment.",
		}
	}
	return leave, err
}

// A fairJudge judges as many answers at once as its gate admits.
type fairJudge struct {
	open func() (*questionBank, error)
	gate *admission.Gate
}

// Name implements interview.Judge.
func (j fairJudge) Name() string { return bank.Method }

// IsVerdict implements interview.Judge. Marks from counting words are no verdict.
func (j fairJudge) IsVerdict() bool { return false }

// Judge implements interview.Judge.
func (j fairJudge) Judge(
	ctx context.Context, account string, s *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	leave, err := enterInTime(ctx, j.gate, account)
	if err != nil {
		return interview.Judgment{}, err
	}
	defer leave()

	opened, err := j.open()
	if err != nil {
		return interview.Judgment{}, err
	}
	return opened.judge.Judge(ctx, account, s, q, answer)
}

// A fairAsker chooses as many questions at once as its gate admits.
type fairAsker struct {
	open func() (*questionBank, error)
	gate *admission.Gate
}

// Name implements interview.Asker.
func (a fairAsker) Name() string { return bank.Method }

// Ask implements interview.Asker. It yields after it has left the gate, because a slow client may hold up its caller.
func (a fairAsker) Ask(
	ctx context.Context, account string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		leave, err := enterInTime(ctx, a.gate, account)
		if err != nil {
			yield(interview.Question{}, err)
			return
		}

		questions, err := a.questions(ctx, account, s, asked, n, aim)
		leave()

		for _, q := range questions {
			if !yield(q, nil) {
				return
			}
		}

		if err != nil {
			yield(interview.Question{}, err)
		}
	}
}

// questions returns what the bank asks. With an error, it returns the questions before it.
func (a fairAsker) questions(
	ctx context.Context, account string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) (questions []interview.Question, err error) {
	opened, err := a.open()
	if err != nil {
		return nil, err
	}

	for q, err := range opened.asker.Ask(ctx, account, s, asked, n, aim) {
		if err != nil {
			return questions, err
		}
		questions = append(questions, q)
	}
	return questions, nil
}

// profiles finds freelancers in the live index.
type profiles struct{ engine engine.Searcher }

// Freelancer implements sessions.Freelancers.
func (f profiles) Freelancer(ctx context.Context, id string) (found matching.Freelancer, err error) {
	err = engine.ReadLive(ctx, f.engine, match.Alias, func(live engine.Snapshot) error {
		if live == nil {
			return engine.ErrNotFound
		}
		fetched, err := live.Fetch(ctx, []string{id})
		if err != nil {
			return fmt.Errorf("fetch the freelancer: %w", err)
		}

		found = fetched[0]
		return nil
	})
	if errors.Is(err, engine.ErrNotFound) {
		err = &matching.Error{
			Code:    matching.CodeFreelancerUnknown,
			Message: "The freelancer does not exist. freelancer_id must be an ID from a match.",
			Cause:   err,
		}
	}

	return found, err
}

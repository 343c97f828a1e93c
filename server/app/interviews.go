package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/interview/bank"
	"freelancer-matching/llm"
	"freelancer-matching/match"
)

// openInterviews opens the interview service. It uses the language model if one is configured, and the question bank as
// a fallback.
func (s *Server) openInterviews(c config.Config) (err error) {
	if s.model, err = openModel(c, s.DB.Tokens(c.LLM.TokensADay), s.Metrics, s.log); err != nil {
		return err
	}
	b, err := bank.Open(s.Index.Taxonomy, s.Index.Analyzer)
	if err != nil {
		return fmt.Errorf("open the question bank: %w", err)
	}
	askers, judges := []interview.Asker{b}, []interview.Judge{bank.NewJudge(b)}
	if s.model != nil {
		i := llm.NewInterviewer(s.model.chat, s.Index.Analyzer)
		askers, judges = []interview.Asker{i, b}, []interview.Judge{i, judges[0]}
		if s.verdicts, err = openVerdicts(s.model.chat, s.Index.Taxonomy, s.DB, c.LLM, s.log); err != nil {
			return err
		}
	}
	s.interviews = interview.NewService(interview.Config{
		Store:        s.DB.Interviews(),
		Freelancers:  freelancers{s.Index.Engine},
		Skills:       s.Index.Taxonomy,
		Analyzer:     s.Index.Analyzer,
		Askers:       askers,
		Judges:       judges,
		Now:          time.Now,
		Log:          s.log,
		ModelTimeout: c.LLM.Timeout,
	})
	return nil
}

// freelancers finds freelancers in the live index.
type freelancers struct{ engine engine.Searcher }

// Freelancer implements interview.Freelancers.
func (f freelancers) Freelancer(ctx context.Context, id string) (found matching.Freelancer, err error) {
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

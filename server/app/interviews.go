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
		Store:       s.DB.Interviews(),
		Freelancers: freelancers{s.Index.Engine},
		Skills:      s.Index.Taxonomy,
		Analyzer:    s.Index.Analyzer,
		Askers:      askers,
		Judges:      judges,
		Now:         time.Now,
		Log:         s.log,
		Patience:    c.LLM.Timeout,
	})
	return nil
}

// freelancers are those of the live index.
type freelancers struct{ engine engine.Searcher }

// Freelancer implements interview.Freelancers. Like a match, it is tried again where the index was dropped meanwhile.
func (f freelancers) Freelancer(ctx context.Context, id string) (matching.Freelancer, error) {
	one, err := f.find(ctx, id)
	if errors.Is(err, engine.ErrNotFound) {
		one, err = f.find(ctx, id)
	}
	switch {
	case err == nil:
		return one, nil
	case errors.Is(err, engine.ErrNotFound):
		return matching.Freelancer{}, &matching.Error{
			Code: matching.CodeFreelancerUnknown, Message: "there is no such freelancer; freelancer_id must be an id as matches have it", Cause: err,
		}
	case errors.Is(err, context.DeadlineExceeded):
		return matching.Freelancer{}, &matching.Error{
			Code: matching.CodeEngineTimeout, Message: "looking the freelancer up took too long; try again", Cause: err,
		}
	default:
		return matching.Freelancer{}, &matching.Error{
			Code: matching.CodeEngineUnavailable, Message: "the search engine does not answer; try again", Cause: err,
		}
	}
}

func (f freelancers) find(ctx context.Context, id string) (matching.Freelancer, error) {
	snapshot, err := f.engine.Open(ctx, match.Alias)
	if err != nil {
		return matching.Freelancer{}, fmt.Errorf("open the index: %w", err)
	}
	list, err := snapshot.Fetch(ctx, []string{id})
	if err != nil {
		return matching.Freelancer{}, fmt.Errorf("look up a freelancer: %w", err)
	}
	return list[0], nil
}

package interview

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// The limits of reviews. Lengths are in characters.
const (
	MaxReason   = 2_000
	MaxReviewer = 200
	MaxReviews  = 100 // of a session
)

// A ReviewRequest replaces the level of one mark in an evaluated session.
type ReviewRequest struct {
	Account   string
	Limits    Limits // of the account
	By        Requester
	SessionID string

	Question  string // ID
	Criterion string // see CriterionNamed
	Level     matching.Optional[int]
	Reason    string
	Reviewer  string // name of the person; "" for the user or key that sends the request
}

// Check returns all faults of a request that are visible without its session as a matching.Error, or nil if there are
// none.
func (r *ReviewRequest) Check() error {
	var f faults
	if _, ok := CriterionNamed(r.Criterion); !ok {
		f.add("criterion", "unknown_value", "criterion must be technical, experience or communication, got %s",
			shown(r.Criterion))
	}
	if !r.Level.Known {
		f.add("level", "required", "level is required")
	} else if r.Level.Value < NoAnswer || r.Level.Value > BestLevel {
		f.add("level", "out_of_range", "level must be between %d and %d, got %d", NoAnswer, BestLevel, r.Level.Value)
	}
	f.nonBlank("question", r.Question, maxSessionID)
	f.nonBlank("reason", r.Reason, MaxReason)
	f.text("reviewer", r.Reviewer, MaxReviewer)
	return f.err()
}

// Review replaces the level of a mark, and computes again what follows from it: totals, results per skill and the
// recommendation. The judge's level and all earlier reviews stay. Repeating the last review of a mark changes nothing.
// The audit log has an entry about each review.
//
// Review returns the session like Read. It returns a matching.Error with CodeInvalid, CodeSessionNotFound,
// CodeSessionOpen, CodeStorageFull or CodeSessionChanged.
func (s *Service) Review(ctx context.Context, r ReviewRequest) (Result, error) {
	if err := r.Check(); err != nil {
		return Result{}, err
	}

	err := s.changeOwned(ctx, r.Account, r.SessionID, func(se *session) (*audit.Event, error) {
		if se.Evaluation == nil {
			return nil, &matching.Error{
				Code: CodeSessionOpen, Message: "The session is not evaluated yet. Review its marks afterward.",
			}
		}

		// A review makes the session longer, which counts against the account's space.
		t := &task{Service: s, request: &Request{Account: r.Account, Limits: r.Limits}, session: se}
		if err := t.checkLimits(ctx, len(se.record.Data), len(r.Reason)+len(r.Reviewer)); err != nil {
			return nil, err
		}
		return s.review(se, &r)
	})
	if err != nil {
		return Result{}, err
	}

	return s.Read(ctx, r.Account, r.SessionID, r.By)
}

// review adds a review to an evaluated session, and returns its entry of the audit log. It returns nil if the review
// repeats the last one of its mark.
func (s *Service) review(se *session, r *ReviewRequest) (*audit.Event, error) {
	criterion, _ := CriterionNamed(r.Criterion)
	mark, err := se.mark(r.Question, criterion)
	if err != nil {
		return nil, err
	}

	now := s.now()
	e := se.Evaluation
	review := Review{
		Level: r.Level.Value, Reason: strings.TrimSpace(r.Reason),
		By: cmp.Or(strings.TrimSpace(r.Reviewer), r.By.Actor), At: now,
	}

	// A repeated request must not fill the history. Its review differs only in its time.
	if last := mark.Review; last != nil {
		repeated := *last
		repeated.At = now
		if repeated == review {
			return nil, nil
		}
	}

	if len(e.Reviews) >= MaxReviews {
		var f faults
		f.add("question", "too_many", "a session can have at most %d reviews", MaxReviews)
		return nil, f.err()
	}

	// The entry shows the level that counted until now, so it is written before the mark changes.
	entry := r.By.event(now, audit.InterviewReviewed, se.record.ID)
	entry.Detail = fmt.Sprintf("%s %s: level %d → %d", r.Question, criterion, mark.EffectiveLevel(), review.Level)

	mark.Review = &review
	e.Reviews = append(e.Reviews, MarkReview{r.Question, criterion, review})
	// Evaluations of earlier releases have no method; they are means.
	e.TotalMethod = cmp.Or(e.TotalMethod, Mean)
	e.compute(se)

	return &entry, nil
}

// mark returns the mark of an answer for a criterion, or CodeInvalid if there is none.
func (se *session) mark(question string, c Criterion) (*Mark, error) {
	var f faults
	for i := range se.Evaluation.Scores {
		sc := &se.Evaluation.Scores[i]
		if sc.Question != question {
			continue
		}
		for k := range sc.Marks {
			if sc.Marks[k].Criterion == c {
				return &sc.Marks[k], nil
			}
		}
		f.add("criterion", "not_marked", "the answer to %s has no mark for the criterion %s", question, c)
		return nil, f.err()
	}
	f.add("question", "unknown_value", "question must be the ID of a question of the session, got %s", shown(question))
	return nil, f.err()
}

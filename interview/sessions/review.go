package sessions

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/faults"
	"github.com/freelancer-matching/service/interview/scoring"
)

// Review replaces the level of a mark, and computes again what follows from it: totals, results per skill and the
// recommendation. The judge's level and all earlier reviews stay. Repeating the last review of a mark changes nothing.
// The audit log has an entry about each review.
//
// Review returns the session like Read. It returns a matching.Error with CodeInvalid, CodeSessionNotFound,
// CodeSessionOpen, CodeStorageFull or CodeSessionChanged.
func (s *Service) Review(ctx context.Context, r interview.ReviewRequest) (interview.Result, error) {
	if err := r.Check(); err != nil {
		return interview.Result{}, err
	}

	err := s.changeOwned(ctx, r.Account, r.SessionID, func(se *session) (*audit.Event, error) {
		if se.Evaluation == nil {
			return nil, &matching.Error{
				Code: interview.CodeSessionOpen, Message: "The session is not evaluated yet. Review its marks afterward.",
			}
		}

		// A review makes the session longer, which counts against the account's space.
		t := &task{Service: s, request: &interview.Request{Account: r.Account, Limits: r.Limits}, session: se}
		if err := t.checkLimits(ctx, len(se.record.Data), len(r.Reason)+len(r.Reviewer)); err != nil {
			return nil, err
		}
		return s.review(se, &r)
	})
	if err != nil {
		return interview.Result{}, err
	}

	return s.Read(ctx, r.Account, r.SessionID, r.By)
}

// review adds a review to an evaluated session, and returns its entry of the audit log. It returns nil if the review
// repeats the last one of its mark.
func (s *Service) review(se *session, r *interview.ReviewRequest) (*audit.Event, error) {
	criterion, _ := interview.CriterionNamed(r.Criterion)
	mark, err := se.mark(r.Question, criterion)
	if err != nil {
		return nil, err
	}

	now := s.now()
	e := se.Evaluation
	review := interview.Review{
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

	if len(e.Reviews) >= interview.MaxReviews {
		var f faults.List
		f.Add("question", "too_many", "a session can have at most %d reviews", interview.MaxReviews)
		return nil, f.Err()
	}

	// The entry shows the level that counted until now, so it is written before the mark changes.
	entry := entryBy(r.By, now, audit.InterviewReviewed, se.record.ID)
	before := strconv.Itoa(mark.EffectiveLevel())
	if !e.Verdict && mark.Review == nil {
		before = "none" // the level was counted, and nobody has seen it
	}
	entry.Detail = fmt.Sprintf("%s %s: level %s → %d", r.Question, criterion, before, review.Level)

	mark.Review = &review
	e.Reviews = append(e.Reviews, interview.MarkReview{Question: r.Question, Criterion: criterion, Review: review})
	// Evaluations of earlier releases have no method; they are means.
	e.TotalMethod = cmp.Or(e.TotalMethod, interview.Mean)
	scoring.Compute(e, se.about())

	return &entry, nil
}

// mark returns the mark of an answer for a criterion, or CodeInvalid if there is none.
func (se *session) mark(question string, c interview.Criterion) (*interview.Mark, error) {
	var f faults.List
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
		f.Add("criterion", "not_marked", "the answer to %s has no mark for the criterion %s", question, c)
		return nil, f.Err()
	}
	f.Add("question", "unknown_value",
		"question must be the ID of a question of the session, got %s", faults.Shown(question))
	return nil, f.Err()
}

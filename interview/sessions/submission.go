package sessions

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
)

const (
	// evaluationTime limits the evaluation of submitted answers, like that of a request.
	evaluationTime = 28 * time.Second
	// settleEvery is how often Run looks for interviews whose time is over, and for evaluations to repeat.
	settleEvery = 30 * time.Second
	// retryEvaluation is the time until a failed evaluation is repeated. It doubles with each of the first attempts.
	retryEvaluation = 2 * time.Minute
	maxDoublings    = 5
	// settleBatch is how many sessions Settle looks up at a time.
	settleBatch = 20
)

// Run evaluates the answers that candidates submit until ctx ends. Several processes can do it with the same Store.
func (s *Candidates) Run(ctx context.Context) {
	ticker := time.NewTicker(settleEvery)
	defer ticker.Stop()
	for {
		if err := s.Settle(ctx); err != nil && ctx.Err() == nil {
			s.service.config.Log.WarnContext(ctx, "submitted interviews not evaluated yet", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.wake:
		}
	}
}

// notify makes Run look for submitted answers.
func (s *Candidates) notify() {
	select {
	case s.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Settle evaluates all submitted answers that are not evaluated yet, submits the answers of interviews whose time limit
// has ended, and deletes the drafts of expired invitations. Answers whose evaluation fails stay submitted; a later call
// tries again.
func (s *Candidates) Settle(ctx context.Context) error {
	for {
		ids, err := s.service.config.Store.Due(ctx, s.service.now(), settleBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := s.settleAll(ctx, ids); err != nil {
			return err
		}
	}
}

func (s *Candidates) settleAll(ctx context.Context, ids []string) error {
	errs := make([]error, len(ids))
	turns := make(chan struct{}, s.service.config.Parallel)
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			errs[i] = s.settle(ctx, id)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// settle does what is due for one session. Before an evaluation, it postpones the next attempt, so that another process
// doesn't evaluate the same answers.
func (s *Candidates) settle(ctx context.Context, id string) error {
	evaluate := false
	err := s.service.change(ctx, id, func(se *session) (entry *audit.Event, _ error) {
		// change calls this function again if another request was faster.
		evaluate = false
		i := se.Invited
		now := s.service.now()
		isDue := i != nil && !i.Due.IsZero() && !i.Due.After(now)
		if !isDue {
			return nil, nil
		}

		if !se.submitted() {
			entry = s.closeOverdue(se)
		}

		// The next attempt is scheduled before this one begins, so that no other process evaluates the same answers.
		if i.Due = (time.Time{}); se.submitted() && se.Evaluation == nil {
			i.Due = now.Add(retryEvaluation << min(i.Attempts, maxDoublings))
			i.Attempts++
			evaluate = true
		}

		return entry, nil
	})
	if err == nil && evaluate {
		err = s.evaluateSubmitted(ctx, id)
	}

	if errors.Is(err, interview.ErrNotFound) {
		return nil // deleted meanwhile
	}

	return err
}

// evaluateSubmitted evaluates the submitted answers of a session.
func (s *Candidates) evaluateSubmitted(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, evaluationTime)
	defer cancel()
	se, err := s.load(ctx, id)
	if err != nil || se.Evaluation != nil {
		return err
	}
	t := s.taskOf(se)
	if se.Kind == interview.Adaptive && len(se.Questions) < se.Planned {
		t.addNotice(interview.NoticeTimeOver, len(se.Questions), se.Planned)
		se.Planned = len(se.Questions)
	}
	if err := t.evaluate(ctx); err != nil {
		return err
	}
	se.Invited.Due = time.Time{}
	_, err = t.save(ctx)
	return err
}

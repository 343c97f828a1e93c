package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// checkLimits returns an error if a session that grows by a number of bytes would exceed the account's limits. old is
// its size so far, or 0 for a new session. The store checks the exact size later. This check comes before the work on
// questions and answers, so that an account without space doesn't cause any.
func (t *task) checkLimits(ctx context.Context, old, growth int) error {
	if t.request.Limits == (interview.Limits{}) {
		return nil
	}
	usage, err := t.config.Store.Usage(ctx, t.request.Account, t.now())
	if err != nil {
		return err
	}
	return t.limitError(ctx, t.request.Limits.Allows(usage, int64(old), int64(old+growth)))
}

// limitError turns an exceeded limit into an error that says which session to delete, or how long to wait. It returns
// other errors unchanged.
func (t *task) limitError(ctx context.Context, err error) error {
	limited := &matching.Error{Cause: err}
	switch l := t.request.Limits; {
	case errors.Is(err, interview.ErrTooMany):
		limited.Code = interview.CodeTooManySessions
		limited.Message = fmt.Sprintf("The account stores %d interview sessions, as many as its plan allows.", l.Sessions)
	case errors.Is(err, interview.ErrFull):
		limited.Code = interview.CodeStorageFull
		limited.Message = fmt.Sprintf("The interview sessions of the account would exceed the %d MiB of its plan.",
			l.Bytes>>20)

	default:
		return err
	}

	// The client can delete sessions, or wait for the next one to expire.
	limited.Message += " Delete those you no longer need."
	id, expires, err := t.config.Store.NextToExpire(ctx, t.request.Account, t.now())
	switch {
	case err == nil:
		limited.Message += fmt.Sprintf(" Session %s is the next to expire, at %s.", id, expires.UTC().Format(time.RFC3339))
	case !errors.Is(err, interview.ErrNotFound):
		return err
	}

	return limited
}

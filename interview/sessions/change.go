package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// errClosed returns the error for a session that accepts no more answers.
func errClosed() error {
	return &matching.Error{
		Code:    interview.CodeSessionClosed,
		Message: "The session has all its answers and accepts no more. Read it with mode report, or start another one.",
	}
}

// changeOwned changes a session of an account.
func (s *Service) changeOwned(
	ctx context.Context, account, id string, change func(*session) (*audit.Event, error),
) error {
	err := s.change(ctx, id, func(se *session) (*audit.Event, error) {
		// A session of another account looks like one that doesn't exist.
		if se.record.Account != account {
			return nil, interview.ErrNotFound
		}
		return change(se)
	})
	switch {
	case errors.Is(err, interview.ErrNotFound):
		return s.errNotFound()
	case errors.Is(err, interview.ErrChanged):
		return errChanged(err)
	}
	return err
}

// errChanged returns the error for a session that other requests keep changing.
func errChanged(cause error) error {
	return &matching.Error{
		Code:    interview.CodeSessionChanged,
		Message: "Another request changed the session at the same time. Retry.",
		Cause:   cause,
	}
}

// defaultInvitationTime is how long an invitation lasts if the request doesn't say it.
const defaultInvitationTime = 7 * 24 * time.Hour

// maxChanges is how often change tries to change a session that other requests change at the same time.
const maxChanges = 5

// change changes a session and stores it, with the entry of the audit log that the function returns, if any. If another
// request has changed the session meanwhile, it starts over. It stores nothing if the function changes nothing or
// fails.
// It returns ErrNotFound if there is no such session, and ErrChanged if other requests were faster each time.
func (s *Service) change(ctx context.Context, id string, change func(*session) (*audit.Event, error)) error {
	if !isID(id) {
		return interview.ErrNotFound
	}

	var err error
	for range maxChanges {
		var r interview.Record
		if r, err = s.config.Store.Find(ctx, id, s.now()); err != nil {
			return err
		}
		var se *session
		if se, err = decode(r); err != nil {
			return err
		}

		entry, failed := change(se)
		if failed != nil {
			return failed
		}

		var next interview.Record
		if next, err = se.encode(); err != nil {
			return err
		}

		// A change without effect gets no new version and no entry in the audit log.
		if string(next.Data) == string(r.Data) {
			return nil
		}

		err = s.config.Store.UpdateAudited(ctx, next, entry)
		if err == nil && next.Message != nil {
			s.config.Notify()
		}

		if !errors.Is(err, interview.ErrChanged) {
			return err
		}
	}

	return fmt.Errorf("change session %s: %w", id, err)
}

package sessions

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/faults"
)

// Invite creates the invitation of a session and returns its token, which is not stored. It replaces an earlier
// invitation that was not submitted, together with the drafts of its answers. The account must have room for the
// answers.
//
// Invite returns a matching.Error with CodeInvalid, CodeSessionNotFound, CodeSessionClosed, CodeStorageFull or
// CodeSessionChanged.
func (s *Service) Invite(ctx context.Context, r interview.InvitationRequest) (interview.Invited, error) {
	if err := r.Check(s.now()); err != nil {
		return interview.Invited{}, err
	}

	token := rand.Text()
	var expires time.Time
	err := s.changeOwned(ctx, r.Account, r.SessionID, func(se *session) (*audit.Event, error) {
		if se.closed() {
			return nil, errClosed()
		}

		// The candidate can't delete sessions to make room, so there must be room for the longest possible answers.
		t := &task{Service: s, request: &interview.Request{Account: r.Account, Limits: r.Limits}, session: se}
		if err := t.checkLimits(ctx, len(se.record.Data), interview.MaxAnswers); err != nil {
			return nil, err
		}

		now := s.now()
		i, err := newInvited(&r, now, se.record.Expires)
		if err != nil {
			return nil, err
		}

		i.Token, i.Language = hash(token), interview.PageLanguage(i.Language)
		if r.Language == "" {
			i.Language = interview.PageLanguage(se.Subject.Language)
		}

		se.Invited = i
		expires = i.Expires
		entry := entryBy(r.By, now, audit.InterviewInvited, se.record.ID)
		return &entry, nil
	})

	return interview.Invited{Token: token, Expires: expires}, err
}

// newInvited returns the invitation for a request at a time, about a session that expires at end.
func newInvited(r *interview.InvitationRequest, now, end time.Time) (*invited, error) {
	i := &invited{
		Language:    r.Language,
		ConsentText: strings.TrimSpace(r.ConsentText),
		ReturnURL:   r.ReturnURL,
		TimeLimit:   time.Duration(r.TimeLimit.Value) * time.Minute,
		Expires:     now.Add(defaultInvitationTime),
	}

	// A requested end must lie within the session's lifetime. The default is shortened to it.
	field := ""
	switch {
	case r.ExpiresIn.Known:
		field = "expires_in"
		i.Expires = now.Add(time.Duration(r.ExpiresIn.Value) * time.Hour)
	case !r.ExpiresAt.IsZero():
		field = "expires_at"
		i.Expires = r.ExpiresAt.UTC().Truncate(time.Microsecond)
	case i.Expires.After(end):
		i.Expires = end
	}

	if i.Expires.After(end) {
		var f faults.List
		f.Add(field, "out_of_range", "%s must not be later than the session expires, at %s", field, end.Format(time.RFC3339))
		return nil, f.Err()
	}

	return i, nil
}

// Revoke ends the invitation of a session and deletes the drafts of its answers. Revoking it again changes nothing. The
// error is a matching.Error with CodeSessionNotFound, CodeInvitationNotFound, CodeSessionClosed if the candidate has
// submitted the answers, or CodeSessionChanged.
func (s *Service) Revoke(ctx context.Context, account, id string, by interview.Requester) error {
	return s.changeOwned(ctx, account, id, func(se *session) (*audit.Event, error) {
		i := se.Invited
		switch {
		case i == nil:
			return nil, &matching.Error{
				Code: interview.CodeInvitationNotFound, Message: "The session has no invitation. Create one with POST.",
			}

		case se.submitted():
			return nil, errClosed()
		case !i.Revoked.IsZero():
			return nil, nil
		}

		now := s.now()
		i.Revoked = now
		i.Drafts = nil
		i.Due = time.Time{}
		entry := entryBy(by, now, audit.InterviewRevoked, se.record.ID)
		return &entry, nil
	})
}

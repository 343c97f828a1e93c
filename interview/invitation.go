package interview

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// CodeInvitationNotFound is the code for a session without an invitation: 404.
const CodeInvitationNotFound matching.Code = "invitation_not_found"

// The limits of an invitation. Lengths are in characters.
const (
	MaxInvitationHours = 30 * 24
	MaxTimeLimit       = 24 * 60 // minutes
	MaxConsentText     = 5_000
	MaxReturnURL       = 2_000

	defaultInvitationTime = 7 * 24 * time.Hour
)

// PageLanguages returns the languages of the pages for candidates, as ISO 639-1 codes.
func PageLanguages() []string { return []string{"en", "es", "de", "fr", "pt"} }

// PageLanguage returns the language of the pages for candidates of a session: the session's own, or else English.
func PageLanguage(session string) string {
	if slices.Contains(PageLanguages(), session) {
		return session
	}
	return "en"
}

// An InvitationRequest asks for a link that lets a candidate answer the questions of a session.
type InvitationRequest struct {
	Account   string // owner of the session
	Limits    Limits // of the account
	By        Requester
	SessionID string

	ExpiresIn   matching.Optional[int] // hours
	ExpiresAt   time.Time              // instead of ExpiresIn; zero for none
	TimeLimit   matching.Optional[int] // minutes from the candidate's start; unknown for none
	Language    string                 // of the pages; "" for that of the session
	ConsentText string                 // plain text that replaces the default; "" for the default
	ReturnURL   string                 // where the last page links to; "" for nowhere
}

// Check returns all faults of the request that are visible without its session as a matching.Error, or nil. Invite does
// the same.
func (r *InvitationRequest) Check(now time.Time) error {
	var f faults
	switch {
	case r.ExpiresIn.Known && !r.ExpiresAt.IsZero():
		f.add("expires_at", "conflict", "expires_at and expires_in exclude each other; send one of them")
	case isOutside(r.ExpiresIn, 1, MaxInvitationHours):
		f.add("expires_in", "out_of_range",
			"expires_in must be between 1 and %d hours, got %d", MaxInvitationHours, r.ExpiresIn.Value)
	case !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now):
		f.add("expires_at", "past", "expires_at must be in the future, got %s", r.ExpiresAt.Format(time.RFC3339))
	}

	if n := r.TimeLimit; isOutside(n, 1, MaxTimeLimit) {
		f.add("time_limit_minutes", "out_of_range",
			"time_limit_minutes must be between 1 and %d, got %d", MaxTimeLimit, n.Value)
	}

	if r.Language != "" && !slices.Contains(PageLanguages(), r.Language) {
		f.add("language", "unknown_value", "language must be one of %s, got %s",
			strings.Join(PageLanguages(), ", "), shown(r.Language))
	}

	// No text stands for the default text. A blank one is a mistake.
	if r.ConsentText != "" {
		f.nonBlank("consent_text", r.ConsentText, MaxConsentText)
	}
	f.text("return_url", r.ReturnURL, MaxReturnURL)

	if r.ReturnURL != "" && !isWebAddress(r.ReturnURL) {
		f.add("return_url", "invalid", "return_url must be an absolute https URL without user name, got %s",
			shown(r.ReturnURL))
	}

	return f.err()
}

// isWebAddress reports whether a text is an absolute https URL without credentials.
func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && u.Opaque == ""
}

// An Invited is a new invitation.
type Invited struct {
	Token   string // goes into the link; only its hash is stored
	Expires time.Time
}

// An invited is the invitation of a stored session, under the names of its fields. It has the drafts of the candidate's
// answers until they are submitted.
type invited struct {
	Token       []byte // SHA-256 of the link's token
	Browser     []byte // SHA-256 of the secret of the browser that opened the link; nil before
	Language    string
	ConsentText string
	ReturnURL   string
	TimeLimit   time.Duration // 0 for none

	Expires   time.Time
	Opened    time.Time
	Consented time.Time // the candidate has agreed and started
	Deadline  time.Time // for answers, without the grace period; zero without a time limit or before the start
	Submitted time.Time
	Revoked   time.Time

	Drafts   map[string]Draft // by the ID of the question
	Due      time.Time        // when Service.Settle has something to do; zero for never
	Attempts int              // failed evaluations
}

// A Draft is an answer that the candidate can still change.
type Draft struct {
	Text  string
	Facts AnswerFacts
}

// An InvitationState is what has become of an invitation.
type InvitationState string

// The states of an invitation.
const (
	InvitationPending   InvitationState = "pending"
	InvitationOpened    InvitationState = "opened"
	InvitationSubmitted InvitationState = "submitted"
	InvitationExpired   InvitationState = "expired" // without a submission; also when the time limit ended
	InvitationRevoked   InvitationState = "revoked"
)

// An InvitationStatus describes the invitation of a session. Times are zero for what has not happened.
type InvitationStatus struct {
	Expires, Opened, Consented, Submitted, Revoked time.Time
	Deadline                                       time.Time // for answers; zero without a time limit
}

// State returns the state of the invitation at a time.
func (i *InvitationStatus) State(now time.Time) InvitationState {
	switch {
	case !i.Submitted.IsZero():
		return InvitationSubmitted
	case !i.Revoked.IsZero():
		return InvitationRevoked
	case !now.Before(i.Expires) || !i.Deadline.IsZero() && now.After(i.Deadline.Add(grace)):
		return InvitationExpired
	case !i.Opened.IsZero():
		return InvitationOpened
	default:
		return InvitationPending
	}
}

// invitationStatus returns the status of the session's invitation, or nil if it has none.
func (se *session) invitationStatus() *InvitationStatus {
	i := se.Invited
	if i == nil {
		return nil
	}
	return &InvitationStatus{
		Expires: i.Expires, Opened: i.Opened, Consented: i.Consented, Submitted: i.Submitted, Revoked: i.Revoked,
		Deadline: i.Deadline,
	}
}

// closed reports whether the session accepts no more answers: it is evaluated, or the candidate has submitted all
// answers and the evaluation follows.
func (se *session) closed() bool { return se.Evaluation != nil || se.submitted() }

// submitted reports whether the candidate has submitted all answers.
func (se *session) submitted() bool { return se.Invited != nil && !se.Invited.Submitted.IsZero() }

// Invite creates the invitation of a session and returns its token, which is not stored. It replaces an earlier
// invitation that was not submitted, together with the drafts of its answers. The account must have room for the
// answers.
//
// Invite returns a matching.Error with CodeInvalid, CodeSessionNotFound, CodeSessionClosed, CodeStorageFull or
// CodeSessionChanged.
func (s *Service) Invite(ctx context.Context, r InvitationRequest) (Invited, error) {
	if err := r.Check(s.now()); err != nil {
		return Invited{}, err
	}

	token := rand.Text()
	var expires time.Time
	err := s.changeOwned(ctx, r.Account, r.SessionID, func(se *session) (*audit.Event, error) {
		if se.closed() {
			return nil, errClosed()
		}

		// The candidate can't delete sessions to make room, so there must be room for the longest possible answers.
		t := &task{Service: s, request: &Request{Account: r.Account, Limits: r.Limits}, session: se}
		if err := t.checkLimits(ctx, len(se.record.Data), MaxAnswers); err != nil {
			return nil, err
		}

		now := s.now()
		i, err := r.invited(now, se.record.Expires)
		if err != nil {
			return nil, err
		}

		i.Token, i.Language = hash(token), PageLanguage(i.Language)
		if r.Language == "" {
			i.Language = PageLanguage(se.Subject.Language)
		}

		se.Invited = i
		expires = i.Expires
		entry := r.By.event(now, audit.InterviewInvited, se.record.ID)
		return &entry, nil
	})

	return Invited{token, expires}, err
}

// invited returns the invitation for a request at a time, about a session that expires at end.
func (r *InvitationRequest) invited(now, end time.Time) (*invited, error) {
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
		var f faults
		f.add(field, "out_of_range", "%s must not be later than the session expires, at %s", field, end.Format(time.RFC3339))
		return nil, f.err()
	}

	return i, nil
}

// Revoke ends the invitation of a session and deletes the drafts of its answers. Revoking it again changes nothing. The
// error is a matching.Error with CodeSessionNotFound, CodeInvitationNotFound, CodeSessionClosed if the candidate has
// submitted the answers, or CodeSessionChanged.
func (s *Service) Revoke(ctx context.Context, account, id string, by Requester) error {
	return s.changeOwned(ctx, account, id, func(se *session) (*audit.Event, error) {
		i := se.Invited
		switch {
		case i == nil:
			return nil, &matching.Error{
				Code: CodeInvitationNotFound, Message: "The session has no invitation. Create one with POST.",
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
		entry := by.event(now, audit.InterviewRevoked, se.record.ID)
		return &entry, nil
	})
}

// errClosed returns the error for a session that accepts no more answers.
func errClosed() error {
	return &matching.Error{
		Code:    CodeSessionClosed,
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
			return nil, ErrNotFound
		}
		return change(se)
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return s.errNotFound()
	case errors.Is(err, ErrChanged):
		return errChanged(err)
	}
	return err
}

// errChanged returns the error for a session that other requests keep changing.
func errChanged(cause error) error {
	return &matching.Error{
		Code: CodeSessionChanged, Message: "Another request changed the session at the same time. Retry.", Cause: cause,
	}
}

// maxChanges is how often change tries to change a session that other requests change at the same time.
const maxChanges = 5

// change changes a session and stores it, with the entry of the audit log that the function returns, if any. If another
// request has changed the session meanwhile, it starts over. It stores nothing if the function changes nothing or
// fails.
// It returns ErrNotFound if there is no such session, and ErrChanged if other requests were faster each time.
func (s *Service) change(ctx context.Context, id string, change func(*session) (*audit.Event, error)) error {
	if !isID(id) {
		return ErrNotFound
	}

	var err error
	for range maxChanges {
		var r Record
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

		var next Record
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

		if !errors.Is(err, ErrChanged) {
			return err
		}
	}

	return fmt.Errorf("change session %s: %w", id, err)
}

// hash returns the SHA-256 of a secret.
func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

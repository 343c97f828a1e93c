package interview

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview/faults"
)

// The limits of an invitation. Lengths are in characters.
const (
	MaxInvitationHours = 30 * 24
	MaxTimeLimit       = 24 * 60 // minutes
	MaxConsentText     = 5_000
	MaxReturnURL       = 2_000
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
	var f faults.List
	switch {
	case r.ExpiresIn.Known && !r.ExpiresAt.IsZero():
		f.Add("expires_at", "conflict", "expires_at and expires_in exclude each other; send one of them")
	case isOutside(r.ExpiresIn, 1, MaxInvitationHours):
		f.Add("expires_in", "out_of_range",
			"expires_in must be between 1 and %d hours, got %d", MaxInvitationHours, r.ExpiresIn.Value)
	case !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now):
		f.Add("expires_at", "past", "expires_at must be in the future, got %s", r.ExpiresAt.Format(time.RFC3339))
	}

	if n := r.TimeLimit; isOutside(n, 1, MaxTimeLimit) {
		f.Add("time_limit_minutes", "out_of_range",
			"time_limit_minutes must be between 1 and %d, got %d", MaxTimeLimit, n.Value)
	}

	if r.Language != "" && !slices.Contains(PageLanguages(), r.Language) {
		f.Add("language", "unknown_value", "language must be one of %s, got %s",
			strings.Join(PageLanguages(), ", "), faults.Shown(r.Language))
	}

	// No text stands for the default text. A blank one is a mistake.
	if r.ConsentText != "" {
		f.NonBlank("consent_text", r.ConsentText, MaxConsentText)
	}
	f.Text("return_url", r.ReturnURL, MaxReturnURL)

	if r.ReturnURL != "" && !isWebAddress(r.ReturnURL) {
		f.Add("return_url", "invalid", "return_url must be an absolute https URL without user name, got %s",
			faults.Shown(r.ReturnURL))
	}

	return f.Err()
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

// Grace is how long after the deadline answers are still accepted: the time that the last of them may need to arrive.
const Grace = 30 * time.Second

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
	case !now.Before(i.Expires) || !i.Deadline.IsZero() && now.After(i.Deadline.Add(Grace)):
		return InvitationExpired
	case !i.Opened.IsZero():
		return InvitationOpened
	default:
		return InvitationPending
	}
}

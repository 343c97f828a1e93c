package wire

import (
	"time"

	"github.com/freelancer-matching/service/interview"
)

// InvitationAnswer is the response of POST /interviews/{id}/invitation.
type InvitationAnswer = Answer[InvitationLink]

// A InvitationLink has the link for the candidate. It is shown only once.
type InvitationLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// An Invitation is the state of the invitation of a session.
type Invitation struct {
	State       interview.InvitationState `json:"state"`
	ExpiresAt   time.Time                 `json:"expires_at"`
	OpenedAt    *time.Time                `json:"opened_at"`    // null: not yet, as for the others
	ConsentedAt *time.Time                `json:"consented_at"` // when the candidate agreed and started
	SubmittedAt *time.Time                `json:"submitted_at"`
}

// newInvitation returns the state of an invitation at a time, or nil for none.
func newInvitation(i *interview.InvitationStatus, now time.Time) *Invitation {
	if i == nil {
		return nil
	}
	known := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return &Invitation{i.State(now), i.Expires, known(i.Opened), known(i.Consented), known(i.Submitted)}
}

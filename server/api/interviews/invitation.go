package interviews

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Invite handles POST /interviews/{id}/invitation. It creates the link with which a candidate answers the questions of
// a session.
func (h *Handlers) Invite(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}

	var body wire.InvitationRequest
	var faults validate.Faults
	if err := call.Decode(&body, &faults); err != nil {
		return err
	}

	r := interview.InvitationRequest{
		Account:     call.Caller.Account,
		Limits:      storageLimits(call),
		By:          requester(call),
		SessionID:   id,
		ExpiresIn:   wire.Optional(body.ExpiresIn),
		TimeLimit:   wire.Optional(body.TimeLimitMinutes),
		Language:    body.Language,
		ConsentText: body.ConsentText,
		ReturnURL:   body.ReturnURL,
	}

	const field = "expires_at"
	if body.ExpiresAt != "" {
		if r.ExpiresAt, err = time.Parse(time.RFC3339, body.ExpiresAt); err != nil {
			faults.Add(field, "invalid", "expires_at must be a time such as 2026-01-31T12:00:00Z; got %s.",
				validate.Quote(body.ExpiresAt))
		}
	}

	faults.Merge(r.Check(call.Now()))
	if err := faults.Err(); err != nil {
		return err
	}

	invited, err := h.Interviewer.Invite(ctx, r)
	if err != nil {
		return err
	}

	return endpoint.WriteAnswer(call, wire.InvitationLink{
		URL: CandidateLink(h.PublicURL, invited.Token), ExpiresAt: invited.Expires,
	})
}

// CandidatePath is the path of the pages for candidates.
const CandidatePath = "/interview"

// CandidateLink returns the link with a token. The token follows the #, so that no server and no log receives it.
func CandidateLink(public *url.URL, token string) string {
	return strings.TrimSuffix(public.Scheme+"://"+public.Host, "/") + CandidatePath + "/#" + token
}

// RevokeInvitation handles DELETE /interviews/{id}/invitation. It ends the invitation of a session.
func (h *Handlers) RevokeInvitation(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	if err := h.Interviewer.Revoke(ctx, call.Caller.Account, id, requester(call)); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.DeletedSession{SessionID: id})
}

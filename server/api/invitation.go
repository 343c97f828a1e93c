package api

import (
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/interview"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// invite creates the link with which a candidate answers the questions of a session.
func (s *Server) invite(c *gin.Context) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	var body wire.InvitationRequest
	var faults validate.Faults
	if err := decodeBody(c, &body, &faults); err != nil {
		return err
	}

	k := keyOf(c)
	plan, _ := apikey.PlanNamed(k.Plan)
	r := interview.InvitationRequest{
		Account:     ownerOf(k),
		Limits:      interview.Limits{Sessions: plan.Interviews, Bytes: plan.InterviewBytes},
		By:          interviewRequester(c),
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

	faults.Merge(r.Check(time.Now()))
	if err := faults.Err(); err != nil {
		return err
	}
	invited, err := s.deps.Interviewer.Invite(c.Request.Context(), r)
	if err != nil {
		return err
	}

	return writeAnswer(c, wire.NewInvitation{
		URL: CandidateLink(s.deps.PublicURL, invited.Token), ExpiresAt: invited.Expires,
	})
}

// CandidateLink returns the link with a token. The token follows the #, so that no server and no log receives it.
func CandidateLink(public *url.URL, token string) string {
	return strings.TrimSuffix(public.Scheme+"://"+public.Host, "/") + candidatePath + "/#" + token
}

// revokeInvitation ends the invitation of a session.
func (s *Server) revokeInvitation(c *gin.Context) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	if err := s.deps.Interviewer.Revoke(c.Request.Context(), ownerOf(keyOf(c)), id, interviewRequester(c)); err != nil {
		return err
	}
	return writeAnswer(c, wire.DeletedSession{SessionID: id})
}

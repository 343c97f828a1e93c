package api

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/interview"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// InterviewTime is the time limit of an interview request. Clients of the older service give up after 30 seconds.
const InterviewTime = 28 * time.Second

// Interviewer conducts interviews. Errors that clients can fix are a matching.Error with a code of package interview,
// CodeInvalid or CodeFreelancerUnknown.
type Interviewer interface {
	// Check returns all errors in a request that can be found without its session.
	Check(r *interview.Request) error
	// Conduct calls watch, unless it is nil, after each step. The calls are sequential.
	Conduct(ctx context.Context, r interview.Request, watch func(interview.Event)) (interview.Result, error)
	// Delete deletes a session of an account. If it does not exist, the error has the code interview.CodeSessionNotFound.
	Delete(ctx context.Context, account, id string, by interview.Requester) error
	// Invite and Revoke create and end the invitation of a candidate to a session.
	Invite(ctx context.Context, r interview.InvitationRequest) (interview.Invited, error)
	Revoke(ctx context.Context, account, id string, by interview.Requester) error
}

// interview responds with the result, or with a stream of events if the client accepts one.
func (s *Server) interview(c *gin.Context) error {
	request, view, err := s.readInterview(c)
	if err != nil {
		return err
	}
	if err := s.showInterviewed(c, &request); err != nil {
		return err
	}
	if accepts(c.Request, eventsType) {
		return s.streamInterview(c, request, view)
	}
	result, err := s.deps.Interviewer.Conduct(c.Request.Context(), request, nil)
	if err != nil {
		return err
	}
	return writeAnswer(c, view.Interview(&result))
}

// showInterviewed counts the freelancer that a new interview is about. It does so before the interview, whose questions
// and work would be wasted otherwise, so an ID that doesn't exist counts, too. An interview that continues a session
// counts nothing: the account has seen its freelancer when the session began.
func (s *Server) showInterviewed(c *gin.Context, r *interview.Request) error {
	if r.SessionID != "" {
		return nil
	}
	if err := s.deps.Interviewer.Check(r); err != nil {
		return err
	}
	return s.show(c, r.FreelancerID)
}

// deleteInterview deletes a session with everything the interviewed person said.
func (s *Server) deleteInterview(c *gin.Context) error {
	id, err := readSessionID(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	if err := s.deps.Interviewer.Delete(c.Request.Context(), ownerOf(keyOf(c)), id, interviewRequester(c)); err != nil {
		return err
	}
	return writeAnswer(c, wire.DeletedSession{SessionID: id})
}

func readSessionID(query string) (string, error) {
	const field = "session_id"
	var faults validate.Faults
	id := validate.Query(query, &faults, field)[field]
	if id == "" && !faults.In(field) && !faults.In("query") {
		faults.Add(field, "required", "session_id is missing; send the ID of the session to delete.")
	}
	return id, faults.Err()
}

// Package interviews has the handlers of the operations that conduct interviews, and of those about stored sessions.
package interviews

import (
	"context"
	"net/url"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
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

// Handlers handles interviews in progress.
type Handlers struct {
	Interviewer Interviewer
	Views       *limits.Views
	PublicURL   *url.URL // scheme and host of links for candidates
}

// Interview handles POST /interview. It responds with the result, or with a stream of events if the client accepts one.
func (h *Handlers) Interview(ctx context.Context, call *endpoint.Call) error {
	if call.Accepts(endpoint.EventsType) {
		return h.Stream(ctx, call)
	}

	request, view, err := h.begin(ctx, call)
	if err != nil {
		return err
	}

	result, err := h.Interviewer.Conduct(ctx, request, nil)
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, view.Interview(&result, call.Now()))
}

// Stream handles POST /interview/stream. It responds with a stream of events.
func (h *Handlers) Stream(ctx context.Context, call *endpoint.Call) error {
	request, view, err := h.begin(ctx, call)
	if err != nil {
		return err
	}
	return h.stream(ctx, call, request, view)
}

// begin reads the request for an interview, and counts the freelancer.
func (h *Handlers) begin(ctx context.Context, call *endpoint.Call) (interview.Request, wire.View, error) {
	request, view, err := h.readRequest(call)
	if err != nil {
		return request, view, err
	}
	return request, view, h.showInterviewed(ctx, call, &request)
}

// showInterviewed counts the freelancer that a new interview is about. It does so before the interview, whose questions
// and work would be wasted otherwise, so an ID that doesn't exist counts, too. An interview that continues a session
// counts nothing: the account has seen its freelancer when the session began.
func (h *Handlers) showInterviewed(ctx context.Context, call *endpoint.Call, r *interview.Request) error {
	if r.SessionID != "" {
		return nil
	}
	if err := h.Interviewer.Check(r); err != nil {
		return err
	}
	return h.Views.Show(ctx, call, r.FreelancerID)
}

// Delete handles DELETE /interview. It deletes a session with everything the interviewed person said.
func (h *Handlers) Delete(ctx context.Context, call *endpoint.Call) error {
	id, err := readSessionID(call)
	if err != nil {
		return err
	}
	if err := h.Interviewer.Delete(ctx, call.Caller.Account, id, requester(call)); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.DeletedSession{SessionID: id})
}

func readSessionID(call *endpoint.Call) (string, error) {
	const field = "session_id"
	var faults validate.Faults
	id := call.Query(&faults, field)[field]
	if id == "" && !faults.In(field) && !faults.In("query") {
		faults.Add(field, "required", "session_id is missing; send the ID of the session to delete.")
	}
	return id, faults.Err()
}

package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/interview"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerLastEventID    = "Last-Event-ID"
)

// readInterview decodes an interview request for the key's account, and the view it asks for. If some fields cannot
// be decoded, it also checks the rules for the others, so that the client sees all errors at once. Otherwise
// Interviewer.Conduct checks them.
func (s *Server) readInterview(c *gin.Context) (interview.Request, wire.View, error) {
	var body wire.InterviewRequest
	var faults validate.Faults
	if err := decodeBody(c, &body, &faults); err != nil {
		return interview.Request{}, wire.FullView, err
	}
	request := body.Request()
	view := wire.ReadView(body.View, &faults)
	k := keyOf(c)
	request.Account = ownerOf(k)
	request.By = interviewRequester(c)
	plan, _ := apikey.PlanNamed(k.Plan)
	request.Limits = interview.Limits{Sessions: plan.Interviews, Bytes: plan.InterviewBytes}
	request.IdempotencyKey = readIdempotencyKey(c.Request.Header, &faults)
	if faults.Any() && !faults.In("mode") && !faults.In("session_id") { // the other rules depend on these two
		faults.Merge(s.deps.Interviewer.Check(&request))
	}
	return request, view, faults.Err()
}

// ownerOf returns the account whose sessions a key can see. A key without an account has sessions of its own, which its
// rotated successors share.
func ownerOf(k apikey.Key) string {
	if k.Account != "" {
		return k.Account
	}
	return k.Counter
}

// interviewRequester returns who sends a request, for the audit log: the user of the dashboard, or else the key.
func interviewRequester(c *gin.Context) interview.Requester {
	key := keyOf(c)
	actor := key.ID
	if s, ok := signedInOf(c.Request.Context()); ok && s.user != "" {
		actor = s.user
	}
	return interview.Requester{By: audit.By{Actor: actor, Address: requester(c)}, Account: key.Account}
}

func readIdempotencyKey(h http.Header, faults *validate.Faults) string {
	switch values := h.Values(headerIdempotencyKey); {
	case len(values) > 1:
		faults.Add(headerIdempotencyKey, "duplicate_field", "%s appears more than once; send it once.", headerIdempotencyKey)
	case len(values) == 1 && values[0] == "":
		faults.Add(headerIdempotencyKey, "invalid",
			"%s must have 1 to %d printable ASCII characters. Omit the header if you don't need it.",
			headerIdempotencyKey, interview.MaxKey)
	case len(values) == 1:
		return values[0]
	}
	return ""
}

package interviews

import (
	"net/http"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// The headers of requests.
const (
	HeaderIdempotencyKey = "Idempotency-Key"
	HeaderLastEventID    = "Last-Event-ID"
)

// readRequest decodes an interview request for the key's account, and the view it asks for. If some fields cannot
// be decoded, it also checks the rules for the others, so that the client sees all errors at once. Otherwise
// Interviewer.Conduct checks them.
func (h *Handlers) readRequest(call *endpoint.Call) (interview.Request, wire.View, error) {
	var body wire.InterviewRequest
	var faults validate.Faults
	if err := call.Decode(&body, &faults); err != nil {
		return interview.Request{}, wire.FullView, err
	}

	request := body.Request()
	view := wire.ReadView(body.View, &faults)
	request.Account = call.Caller.Account
	request.By = requester(call)
	request.Limits = storageLimits(call)
	request.IdempotencyKey = readIdempotencyKey(call.Request.Header, &faults)

	// The other rules depend on these two fields.
	knowsRules := !faults.In("mode") && !faults.In("session_id")
	if faults.Any() && knowsRules {
		faults.Merge(h.Interviewer.Check(&request))
	}

	return request, view, faults.Err()
}

// storageLimits returns how much the caller's account may store.
func storageLimits(call *endpoint.Call) interview.Limits {
	return interview.Limits{Sessions: call.Caller.Plan.Interviews, Bytes: call.Caller.Plan.InterviewBytes}
}

// requester returns who sends a request, for the audit log.
func requester(call *endpoint.Call) interview.Requester {
	return interview.Requester{By: call.RequestedBy(), Account: call.Caller.Key.Account}
}

func readIdempotencyKey(header http.Header, faults *validate.Faults) string {
	switch values := header.Values(HeaderIdempotencyKey); {
	case len(values) > 1:
		faults.Add(HeaderIdempotencyKey, "duplicate_field", "%s appears more than once; send it once.", HeaderIdempotencyKey)
	case len(values) == 1 && values[0] == "":
		faults.Add(HeaderIdempotencyKey, "invalid",
			"%s must have 1 to %d printable ASCII characters. Omit the header if you don't need it.",
			HeaderIdempotencyKey, interview.MaxKey)
	case len(values) == 1:
		return values[0]
	}
	return ""
}

package interviews

import (
	"context"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Review handles POST /interviews/{id}/reviews. It replaces the level of a mark and responds with the session.
func (h *Sessions) Review(ctx context.Context, call *endpoint.Call) error {
	id, err := sessionID(call)
	if err != nil {
		return err
	}

	var body wire.ReviewRequest
	var faults validate.Faults
	if err := call.Decode(&body, &faults); err != nil {
		return err
	}

	r := interview.ReviewRequest{
		Account: call.Caller.Account, Limits: storageLimits(call),
		By: requester(call), SessionID: id, Question: body.Question, Criterion: body.Criterion,
		Level: wire.Optional(body.Level), Reason: body.Reason, Reviewer: body.Reviewer,
	}

	faults.Merge(r.Check())
	if err := faults.Err(); err != nil {
		return err
	}

	result, err := h.Records.Review(ctx, r)
	if err != nil {
		return err
	}

	return endpoint.WriteAnswer(call, wire.NewInterview(&result, call.Now()))
}

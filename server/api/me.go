package api

import (
	"context"
	"math"
	"time"

	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/wire"
)

// caller handles the operation about the key of a request.
type caller struct {
	requests *limits.Requests
	views    limits.ViewCounter
	changes  limits.ChangeCounter
}

// describe handles GET /me. It counts nothing.
func (h *caller) describe(ctx context.Context, call *endpoint.Call) error {
	left, err := h.limits(ctx, call)
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.NewMe(&call.Caller.Key, call.Caller.Plan, left))
}

// limits returns the limits of the caller's plan with what is left of them.
func (h *caller) limits(ctx context.Context, call *endpoint.Call) ([]wire.Limit, error) {
	left := []wire.Limit{}
	decision, limited, err := h.requests.Peek(ctx, call)
	if err != nil {
		return nil, err
	}
	if limited {
		spans := []quota.Span{decision.Minute}
		if call.Caller.Plan.Per30Days > 0 {
			spans = append(spans, decision.Month)
		}
		for _, span := range spans {
			left = append(left, newLimit("requests", span.Name, span.Limit, span.Left(), span.Reset))
		}
	}

	subject := call.Caller.Account
	plan := &call.Caller.Plan
	if plan.FreelancersPerDay > 0 {
		d, err := h.views.Today(ctx, views.Allowance{Subject: subject, PerDay: plan.FreelancersPerDay})
		if err != nil {
			return nil, err
		}
		left = append(left, newLimit("freelancers", windowDay, d.Limit, d.Left(), d.Reset))
	}

	if plan.ChangesPerDay > 0 {
		d, err := h.changes.Take(ctx, changes.Allowance{
			Subject: subject, PerMinute: plan.ChangesPerMinute, PerDay: plan.ChangesPerDay,
		}, 0)
		if err != nil {
			return nil, err
		}

		window := quota.NameMinute
		if d.PerDay {
			window = windowDay
		}
		left = append(left, newLimit("changes", window, d.Limit, d.Left, d.Reset))
	}

	return left, nil
}

const windowDay = "day"

func newLimit(name, window string, limit, left int, reset time.Duration) wire.Limit {
	return wire.Limit{
		Name: name, Window: window, Limit: limit, Remaining: left, Reset: int(math.Ceil(reset.Seconds())),
	}
}

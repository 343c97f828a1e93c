// Package limits counts what callers use against the limits of their plans, and describes the limits in the headers of
// responses.
package limits

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"strconv"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/server/api/endpoint"
)

// Quota counts the requests of limited plans. Take counts a request in both windows or, if it is not allowed, in
// neither. Check and Peek count nothing. Check decides about n requests together and, like Take, reports a refusal to
// operators.
type Quota interface {
	Take(ctx context.Context, a quota.Allowance) (quota.Decision, error)
	Check(ctx context.Context, a quota.Allowance, n int) (quota.Decision, error)
	Peek(ctx context.Context, a quota.Allowance) (quota.Decision, error)
}

// The headers that describe whichever window has fewer requests remaining.
const (
	HeaderLimit     = "X-RateLimit-Limit"     // requests in the window
	HeaderRemaining = "X-RateLimit-Remaining" // requests remaining in the window
	HeaderReset     = "X-RateLimit-Reset"     // whole seconds until the window ends, rounded up
	HeaderWindow    = "X-RateLimit-Window"    // minute or month
)

// Requests limits the requests of keys.
type Requests struct {
	Quota Quota
	Log   *slog.Logger
	// Used is called after a request was counted with what is used of the quota of 30 days; nil for nothing.
	Used func(caller *endpoint.Caller, month quota.Span)
}

// Check returns an error if the caller has fewer than n requests left. It counts nothing.
func (r *Requests) Check(ctx context.Context, call *endpoint.Call, n int) error {
	return decide(call, func(a quota.Allowance) (quota.Decision, error) { return r.Quota.Check(ctx, a, n) })
}

// Take counts a request, or one brief of a batch, or returns an error if none is left.
func (r *Requests) Take(ctx context.Context, call *endpoint.Call) error {
	return decide(call, func(a quota.Allowance) (quota.Decision, error) {
		d, err := r.Quota.Take(ctx, a)
		if err == nil && r.Used != nil && !call.Caller.Key.Test() {
			r.Used(&call.Caller, d.Month)
		}
		return d, err
	})
}

// Describe sets the headers of the limits without counting anything.
func (r *Requests) Describe(ctx context.Context, call *endpoint.Call) {
	a, limited := allowance(&call.Caller)
	if !limited {
		return
	}
	decision, err := r.Quota.Peek(ctx, a)
	if err != nil { // the response is valid without the headers; package quota logs why it cannot count
		r.Log.Debug("limit headers not set", "request_id", call.ID, "error", err)
		return
	}
	writeHeaders(call, decision)
}

// Peek returns what is left of the caller's limits, and whether there are any. It counts nothing.
func (r *Requests) Peek(ctx context.Context, call *endpoint.Call) (d quota.Decision, limited bool, err error) {
	a, limited := allowance(&call.Caller)
	if !limited {
		return d, false, nil
	}
	d, err = r.Quota.Peek(ctx, a)
	return d, true, err
}

// decide returns the error of a decision, and sets the headers of the limits.
func decide(call *endpoint.Call, by func(quota.Allowance) (quota.Decision, error)) error {
	a, limited := allowance(&call.Caller)
	if !limited {
		return nil
	}
	decision, err := by(a)
	if err != nil {
		return err
	}
	writeHeaders(call, decision)
	return decision.Err()
}

// allowance returns the limits of a caller, and whether the plan has any.
func allowance(caller *endpoint.Caller) (a quota.Allowance, limited bool) {
	key := &caller.Key
	perMonth := cmp.Or(caller.Plan.Per30Days, math.MaxInt32) // a test key has a limit per minute only
	return quota.Allowance{
		Subject: key.Counter, Since: key.PlanSince, PerMinute: caller.Plan.PerMinute, PerMonth: perMonth,
	}, caller.Plan.PerMinute > 0
}

// writeHeaders describes the limits. The visitor of a web page learns the visitor's own, and not those of the key.
func writeHeaders(call *endpoint.Call, d quota.Decision) {
	if call.Caller.Browser != nil {
		return
	}
	window := d.Tightest()
	call.SetHeader(HeaderLimit, strconv.Itoa(window.Limit))
	call.SetHeader(HeaderRemaining, strconv.Itoa(window.Left()))
	call.SetHeader(HeaderReset, strconv.Itoa(int(math.Ceil(window.Reset.Seconds()))))
	call.SetHeader(HeaderWindow, window.Name)
}

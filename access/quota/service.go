package quota

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/freelancer-matching/service/internal/matching"
)

// The outcomes an Observer receives besides NameMinute and NameMonth.
const (
	outcomeAllowed     = "allowed"
	outcomeUnavailable = "unavailable"
)

// An Observer receives the outcome of every call of Take: "allowed", "minute" or "month" (refused by that window), or
// "unavailable" (refused because the store did not answer). It receives that of Check if it is a refusal.
type Observer interface {
	Decided(outcome string)
}

// A Config holds the dependencies of a Quota.
type Config struct {
	Store    Store
	Now      func() time.Time // called once per request
	Log      *slog.Logger
	Observer Observer // optional
}

// A Quota decides whether requests are within their plan's limits. It is safe for concurrent use.
//
// While the store does not answer, Quota refuses every request of a limited plan. A circuit breaker keeps such refusals
// fast, and the log records when the outage begins and ends.
type Quota struct {
	config  Config
	breaker *gobreaker.CircuitBreaker[Decision]
	outage  outage
}

// New returns a Quota that counts in c.Store.
func New(c Config) *Quota { return &Quota{config: c, breaker: newBreaker()} }

// Take counts one request of an allowance and decides whether it is allowed: see Decision.Err.
//
// It returns the context's error if ctx ended before the store was called, or was canceled during the call. If the
// store fails, or does not answer before the context's deadline, it returns a matching.Error with CodeUnavailable.
// The store may have counted such a request, because its response may be all that was lost.
func (q *Quota) Take(ctx context.Context, a Allowance) (Decision, error) {
	now := q.config.Now()
	w := a.windows(now)
	d, err := q.call(ctx, now, func() (Windows, bool, error) { return q.config.Store.Take(ctx, a.Subject, w) })
	switch {
	case errors.Is(err, errAbandoned):
		return Decision{}, fmt.Errorf("count request: %w", ctx.Err())
	case err != nil:
		q.observe(outcomeUnavailable)
		q.outage.refused.Add(1)
		return Decision{}, errUnavailable(err)
	case d.Allowed:
		q.observe(outcomeAllowed)
	default:
		q.observe(d.Tightest().Name)
	}
	return d, nil
}

// Check decides whether n requests, at least 1, are allowed together, without counting them. Unlike Peek, it decides
// about requests, so the Observer receives a refusal. It returns the same errors as Take.
func (q *Quota) Check(ctx context.Context, a Allowance, n int) (Decision, error) {
	d, err := q.Peek(ctx, a)
	d.Requests = n
	d.Allowed = d.Allowed && d.Minute.Left() >= n && d.Month.Left() >= n
	switch {
	case matching.CodeOf(err) == CodeUnavailable:
		q.observe(outcomeUnavailable)
		q.outage.refused.Add(1)
	case err == nil && !d.Allowed:
		q.observe(d.refusing().Name)
	}
	return d, err
}

// Peek returns the decision that Take would return, without counting a request. It returns the same errors as Take.
func (q *Quota) Peek(ctx context.Context, a Allowance) (Decision, error) {
	now := q.config.Now()
	d, err := q.call(ctx, now, func() (Windows, bool, error) {
		w, err := q.config.Store.Peek(ctx, a.Subject, a.windows(now))
		return w, w.left(), err
	})
	switch {
	case errors.Is(err, errAbandoned):
		return Decision{}, fmt.Errorf("read quota: %w", ctx.Err())
	case err != nil:
		return Decision{}, errUnavailable(err)
	}
	return d, nil
}

func (q *Quota) observe(outcome string) {
	if q.config.Observer != nil {
		q.config.Observer.Decided(outcome)
	}
}

// errUnavailable returns the error for a request that could not be counted. The client learns why if the cause says it.
func errUnavailable(cause error) error {
	e := &matching.Error{
		Code: CodeUnavailable, RetryAfter: retryInterval, Cause: cause,
		Message: fmt.Sprintf("The store of request counts does not respond, so this key's limits cannot be checked. "+
			"Retry in %s.", seconds(retryInterval)),
	}
	if fault, ok := errors.AsType[*matching.Error](cause); ok && fault.Code.IsDatabaseFault() {
		e.Message = fault.Message + " Until then, requests of plans with limits cannot be counted."
		e.RetryAfter = max(fault.RetryAfter, retryInterval)
	}
	return e
}

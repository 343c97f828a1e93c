package testmode

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/server/api/limits"
)

// headerQuota is the header with which one request asks for the limits of its plan: on.
const headerQuota = "X-Test-Quota"

// switches says whether the limits of plans apply.
type switches struct{ on atomic.Bool }

func (s *switches) enforce(on bool) { s.on.Store(on) }

type quotaKey struct{}

// withQuota returns the request with its own wish for limits.
func withQuota(r *http.Request) *http.Request {
	if r.Header.Get(headerQuota) != "on" {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), quotaKey{}, true))
}

// apply reports whether limits apply to a request.
func (s *switches) apply(ctx context.Context) bool {
	return s.on.Load() || ctx.Value(quotaKey{}) != nil
}

// quotas counts requests only where limits apply. Elsewhere, responses describe an allowance of which nothing is used.
type quotas struct {
	limits.Quota
	switches *switches
}

// Take implements limits.Quota.
func (q quotas) Take(ctx context.Context, a quota.Allowance) (quota.Decision, error) {
	if q.switches.apply(ctx) {
		return q.Quota.Take(ctx, a)
	}
	return q.allowed(ctx, a)
}

// Check implements limits.Quota.
func (q quotas) Check(ctx context.Context, a quota.Allowance, n int) (quota.Decision, error) {
	if q.switches.apply(ctx) {
		return q.Quota.Check(ctx, a, n)
	}
	return q.allowed(ctx, a)
}

func (q quotas) allowed(ctx context.Context, a quota.Allowance) (quota.Decision, error) {
	d, err := q.Peek(ctx, a)
	d.Allowed = true
	return d, err
}

// A viewCounter counts freelancers only where limits apply.
type viewCounter struct {
	limits.ViewCounter
	switches *switches
}

// Show implements limits.ViewCounter.
func (v viewCounter) Show(ctx context.Context, a views.Allowance, ids []string) (views.Decision, error) {
	if v.switches.apply(ctx) {
		return v.ViewCounter.Show(ctx, a, ids)
	}
	d, err := v.Today(ctx, a)
	d.Shown = len(ids)
	return d, err
}

// A changeCounter counts changes only where limits apply.
type changeCounter struct {
	limits.ChangeCounter
	switches *switches
}

// Take implements limits.ChangeCounter.
func (c changeCounter) Take(ctx context.Context, a changes.Allowance, n int) (changes.Decision, error) {
	if c.switches.apply(ctx) {
		return c.ChangeCounter.Take(ctx, a, n)
	}
	d, err := c.ChangeCounter.Take(ctx, a, 0)
	d.Taken = n
	d.Refused = false
	return d, err
}

package limits

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/server/api/endpoint"
)

// ViewCounter counts the freelancers that accounts see.
type ViewCounter interface {
	// Show counts all given freelancers or, if they exceed the limit, none.
	Show(ctx context.Context, a views.Allowance, ids []string) (views.Decision, error)
	// Today returns how much of its limit an account has used. It counts nothing.
	Today(ctx context.Context, a views.Allowance) (views.Decision, error)
}

// ViewMetrics counts freelancers in responses for operators.
type ViewMetrics interface {
	// Viewed counts freelancers in responses to keys of a plan, by outcome: new, repeated, unlimited or refused.
	Viewed(plan, outcome string, freelancers int)
}

// The headers that describe the daily limit of freelancers.
const (
	HeaderViewLimit     = "X-Freelancers-Limit"     // distinct freelancers per day
	HeaderViewRemaining = "X-Freelancers-Remaining" // new freelancers that the account may still see today
)

// The outcomes that ViewMetrics receives.
const (
	viewNew       = "new"       // the account sees the freelancer for the first time today
	viewRepeated  = "repeated"  // it has seen the freelancer today
	viewUnlimited = "unlimited" // its plan has no limit, so nobody knows whether it has
	viewRefused   = "refused"   // new, but over the limit and not shown
)

// Views limits the freelancers that accounts see in a day.
type Views struct {
	Counter ViewCounter
	Metrics ViewMetrics
	Log     *slog.Logger
}

// Show counts the freelancers that a response is about to show, and sets the headers of the limit. If the response must
// not be sent, it returns an error with views.CodeLimit.
func (v *Views) Show(ctx context.Context, call *endpoint.Call, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}

	caller := &call.Caller
	plan := caller.Key.Plan
	if caller.Plan.FreelancersPerDay == 0 {
		v.Metrics.Viewed(plan, viewUnlimited, len(ids))
		return nil
	}

	d, err := v.Counter.Show(ctx, views.Allowance{Subject: caller.Account, PerDay: caller.Plan.FreelancersPerDay}, ids)
	if err != nil {
		return err
	}
	if caller.Browser == nil { // the visitor of a web page needn't know
		call.SetHeader(HeaderViewLimit, strconv.Itoa(d.Limit))
		call.SetHeader(HeaderViewRemaining, strconv.Itoa(d.Left()))
	}

	if d.Allowed {
		v.Metrics.Viewed(plan, viewNew, d.New)
		v.Metrics.Viewed(plan, viewRepeated, d.Shown-d.New)
		return nil
	}

	// Reaching the limit may be somebody who copies the data, so it is worth a line in the log.
	v.Metrics.Viewed(plan, viewRefused, d.New)
	v.Log.LogAttrs(ctx, slog.LevelWarn, "daily limit of freelancers reached",
		slog.String("request_id", call.ID), slog.String("account", caller.Account), slog.String("plan", plan),
		slog.Int("seen", d.Seen))

	return d.Err()
}

// CountViewsFromZero creates the series of all plans, so that an alert sees the first refusal.
func CountViewsFromZero(m ViewMetrics) {
	for _, plan := range apikey.Plans() {
		outcomes := []string{viewNew, viewRepeated, viewRefused}
		if plan.FreelancersPerDay == 0 {
			outcomes = []string{viewUnlimited}
		}
		for _, outcome := range outcomes {
			m.Viewed(plan.Name, outcome, 0)
		}
	}
}

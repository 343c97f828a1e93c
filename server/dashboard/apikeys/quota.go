package apikeys

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
)

// QuotaView is the remaining quota of a key.
type QuotaView struct {
	Unlimited   bool
	Unavailable bool // the counters could not be read
	Windows     []WindowView
}

// WindowView is one window of a quota, drawn as a bar.
type WindowView struct {
	Name        string
	Unit        string // what is counted, such as "requests"
	Used, Limit int
	Remaining   int
	Percent     float64 // of the limit, 0 to 100
	Full        bool
	End         time.Time
}

func newWindowView(name string, s quota.Span) WindowView {
	return WindowView{
		Name:      name,
		Unit:      "requests",
		Used:      s.Used,
		Limit:     s.Limit,
		Remaining: max(0, s.Limit-s.Used),
		Percent:   min(100, 100*float64(s.Used)/float64(max(1, s.Limit))),
		Full:      s.Used >= s.Limit,
		End:       s.End,
	}
}

// Quotas looks up what remains of the quotas of keys.
type Quotas struct {
	Quota Quota
	Log   *slog.Logger
}

// Of returns the remaining quota of a key. If it cannot be read, the page says so and still works.
func (q Quotas) Of(ctx context.Context, k apikey.Key) QuotaView {
	plan, _ := apikey.PlanNamed(k.Plan)
	if k.Test() {
		plan = apikey.TestPlan()
	}
	if plan.PerMinute == 0 {
		return QuotaView{Unlimited: true}
	}
	decision, err := q.Quota.Peek(ctx, quota.Allowance{
		Subject: k.Counter, Since: k.PlanSince, PerMinute: plan.PerMinute, PerMonth: cmp.Or(plan.Per30Days, math.MaxInt32),
	})
	if err != nil {
		q.Log.Warn("remaining quota unavailable", "key", k.ID, "error", err)
		return QuotaView{Unavailable: true}
	}
	view := QuotaView{Windows: []WindowView{newWindowView("Current minute", decision.Minute)}}
	if plan.Per30Days > 0 {
		view.Windows = append(view.Windows, newWindowView("Current 30 days", decision.Month))
	}
	return view
}

// Quota reports the remaining quota of an allowance without using any of it.
type Quota interface {
	Peek(ctx context.Context, a quota.Allowance) (quota.Decision, error)
}

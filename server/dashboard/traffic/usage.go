package traffic

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/server/dashboard/apikeys"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A Handler serves the pages about the requests of accounts.
type Handler struct {
	Accounts *account.Accounts
	Keys     *apikey.Service
	Usage    Usage
	Views    Views
	Quotas   apikeys.Quotas
	Log      *slog.Logger
	Now      func() time.Time
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/usage", account.Member, h.showUsage),
		page.Get("/admin/usage", account.Administrator, h.showAccountsUsage),
	}
}

// Usage reports the requests made with an account's keys.
type Usage interface {
	// Flush makes everything recorded so far visible to the other methods.
	Flush(ctx context.Context) error
	// Usage, HourlyUsage and Failures are described in usage.Store.
	Usage(ctx context.Context, account string, since time.Time) ([]usage.Count, error)
	HourlyUsage(ctx context.Context, account string, since time.Time) ([]usage.Count, error)
	Failures(ctx context.Context, account string, limit int) ([]usage.Failure, error)
}

// Views reports how much of its daily limit of freelancers an account has used, without counting anything.
type Views interface {
	Today(ctx context.Context, a views.Allowance) (views.Decision, error)
}

const (
	maxFailures   = 1000 // that are read, for all keys of the account
	shownFailures = 20
)

// usageView is the data of the usage page, for all keys of an account or for one.
type usageView struct {
	Keys       []KeyUsage        // keys that have not ended
	Seen       apikeys.QuotaView // freelancers that the account has seen today
	Choices    []page.Option     // of the filter by key
	Ranges     []usageRange
	Period     TimeRange
	Chart      Chart
	Operations []operationUsage
	Errors     []codeUsage
	Failures   []failureRow
}

// TimeRange is a time that ends now: its hours or days in UTC.
type TimeRange struct {
	Name    string // as in 24 hours
	Since   time.Time
	Step    time.Duration // an hour or a day
	Columns int
}

// rangeOf returns a range of whole hours or days, of which the last one is now.
func rangeOf(now time.Time, name string, step time.Duration, columns int) TimeRange {
	return TimeRange{name, now.UTC().Truncate(step).Add(step * time.Duration(1-columns)), step, columns}
}

// Week returns the last seven days.
func Week(now time.Time) TimeRange { return rangeOf(now, "7 days", page.Day, 7) }

// usageRange is a link to the usage of a period.
type usageRange struct {
	Value  string // in the query
	Key    string // that the page shows; "" for all
	Chosen bool
	TimeRange
}

// codeUsage counts errors with the same status and code.
type codeUsage struct {
	Code             string // "" for errors from before codes were counted
	Status, Requests int
}

// KeyUsage is a key with what remains of its quota.
type KeyUsage struct {
	Key   apikeys.Row
	Quota apikeys.QuotaView
}

// outcome counts requests by how they ended.
type outcome struct{ OK, Refused, Failed int }

// Total returns the number of all requests.
func (o outcome) Total() int { return o.OK + o.Refused + o.Failed }

// ErrorRate returns the percentage of requests that failed. Rejected requests are no errors: they lack a valid key or
// exceed a limit.
func (o outcome) ErrorRate() float64 { return 100 * float64(o.Failed) / float64(max(1, o.Total())) }

func (o *outcome) add(status, requests int) {
	switch {
	case status < 400:
		o.OK += requests
	case status == 401 || status == 403 || status == 429: // these use no quota
		o.Refused += requests
	default:
		o.Failed += requests
	}
}

// operationUsage counts the requests of one operation.
type operationUsage struct {
	Name string
	outcome
	Statuses []statusUsage
	latencies
}

// latencies counts the latencies of requests that succeeded. Rejecting a request takes next to no time.
type latencies struct{ usage.Latencies }

// Milliseconds returns the latency that a share of the requests doesn't exceed, rounded to two digits, or "" if none is
// known.
func (l latencies) Milliseconds(share float64) string {
	d, known := l.Quantile(share)
	if !known {
		return ""
	}
	ms := float64(d) / float64(time.Millisecond)
	unit := math.Pow10(int(math.Floor(math.Log10(ms))) - 1)
	return page.Decimal(1, math.Round(ms/unit)*unit)
}

func (l *latencies) add(c usage.Count) {
	if c.Status < 400 {
		l.Add(c.Latency, c.Requests)
	}
}

type statusUsage struct{ Status, Requests int }

type failureRow struct {
	usage.Failure
	KeyName string
}

func (h *Handler) showUsage(v *page.Visit) error {
	ctx := v.Context()
	keys, err := h.Keys.ListOf(ctx, v.Account.ID)
	if err != nil {
		return err
	}

	only := v.Request.FormValue("key")
	isShown := func(key string) bool { return only == "" || only == key }
	view := usageView{Choices: page.Options("", "All keys")}
	names := map[string]string{}
	for _, k := range slices.Backward(keys) {
		names[k.ID] = k.Name
		view.Choices = append(view.Choices, apikeys.Option(k))
		if isShown(k.ID) && !k.Ended(h.Now()) {
			view.Keys = append(view.Keys, KeyUsage{apikeys.NewRow(k, h.Now()), h.Quotas.Of(ctx, k)})
		}
	}

	// A key of another account is not among the names, so it isn't found.
	if _, known := names[only]; only != "" && !known {
		return page.ErrNotFound
	}

	// Requests are counted in memory at first, so the latest ones would be missing without Flush.
	if err := h.Usage.Flush(ctx); err != nil {
		return err
	}

	view.Ranges, view.Period = ranges(h.Now(), v.Request.FormValue("range"), only)
	counts, err := CountsOf(ctx, h.Usage, v.Account.ID, view.Period)
	if err != nil {
		return err
	}

	if only != "" {
		counts = slices.DeleteFunc(counts, func(c usage.Count) bool { return c.Key != only })
	}

	// The store has no filter by key, so the failures of one key are picked from the account's latest ones.
	failures, err := h.Usage.Failures(ctx, v.Account.ID, maxFailures)
	if err != nil {
		return err
	}

	for _, f := range failures {
		if len(view.Failures) == shownFailures {
			break
		}
		inPeriod := !f.At.Before(view.Period.Since)
		if isShown(f.Key) && inPeriod {
			view.Failures = append(view.Failures, failureRow{f, names[f.Key]})
		}
	}

	view.Seen = h.seenBy(ctx, v.Account)
	view.Chart = NewChart(view.Period, counts)
	view.Operations, view.Errors = byOperation(counts), byCode(counts)

	return v.OK(page.Page{
		Template: "usage", Title: "Usage", Section: "usage", Form: url.Values{"key": {only}}, Data: view,
	})
}

// CountsOf returns the requests of an account in a period.
func CountsOf(ctx context.Context, u Usage, account string, p TimeRange) ([]usage.Count, error) {
	if p.Step == time.Hour {
		return u.HourlyUsage(ctx, account, p.Since)
	}
	return u.Usage(ctx, account, p.Since)
}

// ranges returns the periods that a page about usage offers, and the one with the given value, or else the longest.
func ranges(now time.Time, value, key string) ([]usageRange, TimeRange) {
	all := []usageRange{
		{"24h", key, false, rangeOf(now, "24 hours", time.Hour, 24)},
		{"7d", key, false, Week(now)},
		{"30d", key, false, rangeOf(now, "30 days", page.Day, 30)},
	}
	i := slices.IndexFunc(all, func(r usageRange) bool { return r.Value == value })
	if i < 0 {
		i = len(all) - 1
	}
	all[i].Chosen = true
	return all, all[i].TimeRange
}

// byCode adds up errors by status and code, the most frequent first.
func byCode(counts []usage.Count) []codeUsage {
	var rows []codeUsage
	for _, c := range counts {
		if c.Status < 400 {
			continue
		}
		i := slices.IndexFunc(rows, func(r codeUsage) bool { return r.Code == c.Code && r.Status == c.Status })
		if i < 0 {
			i = len(rows)
			rows = append(rows, codeUsage{Code: c.Code, Status: c.Status})
		}
		rows[i].Requests += c.Requests
	}
	slices.SortFunc(rows, func(a, b codeUsage) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Status, b.Status))
	})
	return rows
}

// seenBy returns how many freelancers an account has seen today. If that cannot be read, the page says so and still
// works.
func (h *Handler) seenBy(ctx context.Context, a account.Account) apikeys.QuotaView {
	plan, _ := apikey.PlanNamed(a.Plan)
	if plan.FreelancersPerDay == 0 {
		return apikeys.QuotaView{Unlimited: true}
	}
	today, err := h.Views.Today(ctx, views.Allowance{Subject: a.ID, PerDay: plan.FreelancersPerDay})
	if err != nil {
		h.Log.Warn("freelancers seen today unavailable", "account", a.ID, "error", err)
		return apikeys.QuotaView{Unavailable: true}
	}
	return apikeys.QuotaView{Windows: []apikeys.WindowView{{
		Name: "Today (UTC)", Unit: "freelancers", Used: today.Seen, Limit: today.Limit, Remaining: today.Left(),
		Percent: min(100, 100*float64(today.Seen)/float64(today.Limit)), Full: today.Left() == 0, End: today.End,
	}}}
}

// byOperation adds up counts by operation, the most used first, and by status.
func byOperation(counts []usage.Count) []operationUsage {
	var rows []operationUsage
	for _, c := range counts {
		i := slices.IndexFunc(rows, func(o operationUsage) bool { return o.Name == c.Operation })
		if i < 0 {
			i = len(rows)
			rows = append(rows, operationUsage{Name: c.Operation})
		}

		row := &rows[i]
		row.outcome.add(c.Status, c.Requests)
		row.latencies.add(c)

		if j := slices.IndexFunc(row.Statuses, func(s statusUsage) bool { return s.Status == c.Status }); j >= 0 {
			row.Statuses[j].Requests += c.Requests
		} else {
			row.Statuses = append(row.Statuses, statusUsage{c.Status, c.Requests})
		}
	}

	// Operations with the same count would otherwise change places from one page view to the next.
	slices.SortFunc(rows, func(a, b operationUsage) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Name, b.Name))
	})

	for _, row := range rows {
		slices.SortFunc(row.Statuses, func(a, b statusUsage) int { return cmp.Compare(a.Status, b.Status) })
	}

	return rows
}

package dashboard

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/usage"
	"freelancer-matching/access/views"
)

const (
	usageDays     = 30
	maxFailures   = 1000 // that are read, for all keys of the account
	shownFailures = 20
)

// usageView is the data of the usage page, for all keys of an account or for one.
type usageView struct {
	Keys       []keyUsage // keys that have not ended
	Seen       quotaView  // freelancers that the account has seen today
	Choices    []option   // of the filter by key
	Ranges     []usageRange
	Days       int // of the chosen range
	Chart      chart
	Operations []operationUsage
	Errors     []codeUsage
	Failures   []failureRow
}

// usageRange is a link to the usage of the latest days.
type usageRange struct {
	Name   string
	Days   int
	Key    string // that the page shows; "" for all
	Chosen bool
}

// codeUsage counts recent errors with the same code.
type codeUsage struct {
	Code             string
	Status, Requests int
	Last             time.Time
}

type keyUsage struct {
	Key   keyRow
	Quota quotaView
}

// outcome counts requests by how they ended.
type outcome struct{ OK, Refused, Failed int }

// Total returns the number of all requests.
func (o outcome) Total() int { return o.OK + o.Refused + o.Failed }

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
}

type statusUsage struct{ Status, Requests int }

type failureRow struct {
	usage.Failure
	KeyName string
}

func (d *dashboard) showUsage(v *visit) error {
	ctx := v.r.Context()
	keys, err := d.Keys.ListOf(ctx, v.account.ID)
	if err != nil {
		return err
	}
	only := v.r.FormValue("key")
	view := usageView{Choices: []option{{"", "All keys"}}}
	names := map[string]string{}
	for _, k := range slices.Backward(keys) {
		names[k.ID] = k.Name
		view.Choices = append(view.Choices, keyOption(k))
		if (only == "" || only == k.ID) && !k.Ended(d.Now()) {
			view.Keys = append(view.Keys, keyUsage{d.keyRow(k), d.quotaOf(ctx, k)})
		}
	}
	if _, known := names[only]; only != "" && !known {
		return errNotFound
	}
	if err := d.Usage.Flush(ctx); err != nil {
		return err
	}
	view.setRange(v.r.FormValue("range"), only)
	since := firstDay(d.Now(), view.Days)
	counts, err := d.Usage.Usage(ctx, v.account.ID, since)
	if err != nil {
		return err
	}
	if only != "" {
		counts = slices.DeleteFunc(counts, func(c usage.Count) bool { return c.Key != only })
	}
	failures, err := d.Usage.Failures(ctx, v.account.ID, maxFailures)
	if err != nil {
		return err
	}
	for _, f := range failures {
		if only != "" && only != f.Key || f.At.Before(since) {
			continue
		}
		view.addError(f)
		if len(view.Failures) < shownFailures {
			view.Failures = append(view.Failures, failureRow{f, names[f.Key]})
		}
	}
	slices.SortStableFunc(view.Errors, func(a, b codeUsage) int { return cmp.Compare(b.Requests, a.Requests) })
	view.Seen = d.seenBy(ctx, v.account)
	view.Chart = newChart(since, view.Days, counts)
	view.Operations = byOperation(counts)
	return d.ok(v, page{
		Template: "usage", Title: "Usage", Section: "usage", Form: url.Values{"key": {only}}, Data: view,
	})
}

// firstDay returns the start of a range of days that ends today, in UTC.
func firstDay(now time.Time, days int) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
}

// setRange chooses a range by its name, such as 7d, or the longest one.
func (u *usageView) setRange(name, key string) {
	u.Ranges = []usageRange{{Name: "7d", Days: 7, Key: key}, {Name: "30d", Days: usageDays, Key: key}}
	chosen := &u.Ranges[1]
	if name == u.Ranges[0].Name {
		chosen = &u.Ranges[0]
	}
	chosen.Chosen, u.Days = true, chosen.Days
}

// addError counts an error by its code. Errors come newest first.
func (u *usageView) addError(f usage.Failure) {
	i := slices.IndexFunc(u.Errors, func(e codeUsage) bool { return e.Code == f.Code && e.Status == f.Status })
	if i < 0 {
		i = len(u.Errors)
		u.Errors = append(u.Errors, codeUsage{Code: f.Code, Status: f.Status, Last: f.At})
	}
	u.Errors[i].Requests++
}

// seenBy returns how many freelancers an account has seen today. If that cannot be read, the page says so and still
// works.
func (d *dashboard) seenBy(ctx context.Context, a account.Account) quotaView {
	plan, _ := apikey.PlanNamed(a.Plan)
	if plan.FreelancersPerDay == 0 {
		return quotaView{Unlimited: true}
	}
	today, err := d.Views.Today(ctx, views.Allowance{Subject: a.ID, PerDay: plan.FreelancersPerDay})
	if err != nil {
		d.Log.Warn("freelancers seen today unavailable", "account", a.ID, "error", err)
		return quotaView{Unavailable: true}
	}
	return quotaView{Windows: []windowView{{
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
		row.add(c.Status, c.Requests)
		if j := slices.IndexFunc(row.Statuses, func(s statusUsage) bool { return s.Status == c.Status }); j >= 0 {
			row.Statuses[j].Requests += c.Requests
		} else {
			row.Statuses = append(row.Statuses, statusUsage{c.Status, c.Requests})
		}
	}
	slices.SortFunc(rows, func(a, b operationUsage) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Name, b.Name))
	})
	for _, row := range rows {
		slices.SortFunc(row.Statuses, func(a, b statusUsage) int { return cmp.Compare(a.Status, b.Status) })
	}
	return rows
}

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
	maxFailures   = 100 // that are read, for all keys of the account
	shownFailures = 20
)

// usageView is the data of the usage page, for all keys of an account or for one.
type usageView struct {
	Keys       []keyUsage // keys that have not ended
	Seen       quotaView  // freelancers that the account has seen today
	Choices    []option   // of the filter by key
	Chart      chart
	Operations []operationUsage
	Failures   []failureRow
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
	today := d.Now().UTC().Truncate(24 * time.Hour)
	since := today.AddDate(0, 0, 1-usageDays)
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
		if (only == "" || only == f.Key) && len(view.Failures) < shownFailures {
			view.Failures = append(view.Failures, failureRow{f, names[f.Key]})
		}
	}
	view.Seen = d.seenBy(ctx, v.account)
	view.Chart = newChart(since, usageDays, counts)
	view.Operations = byOperation(counts)
	return d.ok(v, page{
		Template: "usage", Title: "Usage", Section: "usage", Form: url.Values{"key": {only}}, Data: view,
	})
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

package dashboard

import (
	"cmp"
	"slices"

	"freelancer-matching/access/account"
	"freelancer-matching/access/usage"
)

// accountsUsageView is the usage of all accounts, for administrators.
type accountsUsageView struct {
	Ranges   []usageRange
	Days     int
	Chart    chart
	Accounts []accountUsage
	More     bool // there are more accounts than the page shows
}

type accountUsage struct {
	account.Account
	outcome
	ErrorRate float64 // percent
}

// showAccountsUsage shows the requests of every account, the most active first.
func (d *dashboard) showAccountsUsage(v *visit) error {
	ctx := v.r.Context()
	if err := d.Usage.Flush(ctx); err != nil {
		return err
	}
	accounts, err := d.Accounts.Accounts(ctx, "", maxAccounts+1)
	if err != nil {
		return err
	}
	var chosen usageView
	chosen.setRange(v.r.FormValue("range"), "")
	view := accountsUsageView{Ranges: chosen.Ranges, Days: chosen.Days, More: len(accounts) > maxAccounts}
	since := firstDay(d.Now(), view.Days)
	var all []usage.Count
	for _, a := range accounts[:min(len(accounts), maxAccounts)] {
		counts, err := d.Usage.Usage(ctx, a.ID, since)
		if err != nil {
			return err
		}
		row := accountUsage{Account: a}
		for _, c := range counts {
			row.add(c.Status, c.Requests)
		}
		row.ErrorRate = 100 * float64(row.Failed) / float64(max(1, row.Total()))
		view.Accounts = append(view.Accounts, row)
		all = append(all, counts...)
	}
	slices.SortStableFunc(view.Accounts, func(a, b accountUsage) int { return cmp.Compare(b.Total(), a.Total()) })
	view.Chart = newChart(since, view.Days, all)
	return d.ok(v, page{Template: "adminusage", Title: "Usage of all accounts", Section: "adminusage", Data: view})
}

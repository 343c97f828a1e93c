package traffic

import (
	"cmp"
	"slices"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// maxRows is how many accounts the page shows.
const maxRows = 100

// accountsUsageView is the usage of all accounts, for administrators.
type accountsUsageView struct {
	Ranges   []usageRange
	Period   TimeRange
	Chart    Chart
	Accounts []accountUsage
	More     bool // there are more accounts than the page shows
}

type accountUsage struct {
	account.Account
	outcome
	latencies
}

// showAccountsUsage shows the requests of every account, the most active first.
func (h *Handler) showAccountsUsage(v *page.Visit) error {
	ctx := v.Context()
	if err := h.Usage.Flush(ctx); err != nil {
		return err
	}
	accounts, err := h.Accounts.List(ctx, "", maxRows+1)
	if err != nil {
		return err
	}

	view := accountsUsageView{More: len(accounts) > maxRows}
	view.Ranges, view.Period = ranges(h.Now(), v.Request.FormValue("range"), "")
	var all []usage.Count
	for _, a := range accounts[:min(len(accounts), maxRows)] {
		counts, err := CountsOf(ctx, h.Usage, a.ID, view.Period)
		if err != nil {
			return err
		}
		row := accountUsage{Account: a}
		for _, c := range counts {
			row.outcome.add(c.Status, c.Requests)
			row.latencies.add(c)
		}

		view.Accounts = append(view.Accounts, row)
		all = append(all, counts...)
	}

	// The list is in the order of names, which breaks ties.
	slices.SortStableFunc(view.Accounts, func(a, b accountUsage) int { return cmp.Compare(b.Total(), a.Total()) })
	view.Chart = NewChart(view.Period, all)
	return v.OK(page.Page{Template: "adminusage", Title: "Usage of all accounts", Section: "adminusage", Data: view})
}

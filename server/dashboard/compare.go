package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"freelancer-matching/access/results"
	"freelancer-matching/server/api"
	"freelancer-matching/server/dashboard/comparison"
)

// maxCompared is the number of recent matches to choose from.
const maxCompared = 50

// compareView is the comparison of two results of the account, or only the choice of them.
type compareView struct {
	Choices       []option
	Compared      bool // the fields below are set
	Before, After results.Summary
	Fields        []comparison.Field
	Rows          []comparison.Row
}

// showComparison shows the matches of two results side by side.
func (d *dashboard) showComparison(v *visit) error {
	recent, err := d.Results.Recent(v.r.Context(), v.account.ID, v.user.ID, results.Match, maxCompared)
	if err != nil {
		return err
	}
	first := v.r.FormValue("a")
	second := v.r.FormValue("b")
	view := compareView{Choices: []option{{"", "Choose a result"}}}
	for i := range recent {
		if recent[i].Status == http.StatusOK {
			view.Choices = append(view.Choices, d.resultOption(&recent[i]))
		}
	}

	if first != "" && second != "" {
		if err := d.compare(v, &view, first, second); err != nil {
			return err
		}
	}

	return d.ok(v, page{
		Template: "compare", Title: "Compare matches", Section: "playground", Compressible: true,
		Form: url.Values{"a": {first}, "b": {second}}, Data: view,
	})
}

// compare fills in the comparison of two results.
func (d *dashboard) compare(v *visit, view *compareView, first, second string) error {
	a, before, err := d.matchesOf(v, first)
	if err != nil {
		return err
	}
	b, after, err := d.matchesOf(v, second)
	if err != nil {
		return err
	}

	view.Fields, err = comparison.Fields(a.Request, b.Request)
	if err != nil {
		return err
	}
	view.Compared = true
	view.Before = a.Summary
	view.After = b.Summary
	view.Rows = comparison.Rows(before, after)
	for _, r := range []results.Summary{a.Summary, b.Summary} { // they may be a colleague's
		view.offer(d.resultOption(&r))
	}

	return nil
}

// offer adds a choice unless it is there.
func (c *compareView) offer(o option) {
	if !slices.ContainsFunc(c.Choices, func(known option) bool { return known.Value == o.Value }) {
		c.Choices = append(c.Choices, o)
	}
}

// matchesOf returns a match result of the account with its matches, or results.ErrNotFound.
func (d *dashboard) matchesOf(v *visit, id string) (results.Result, []api.Match, error) {
	r, err := d.Results.Get(v.r.Context(), v.account.ID, id)
	if err == nil && (r.Kind != results.Match || r.Status != http.StatusOK) {
		err = results.ErrNotFound
	}
	if err != nil {
		return r, nil, err
	}
	var answer api.MatchAnswer
	err = decodeResponse(r.Response, &answer)
	return r, answer.Matches, err
}

// resultOption returns the choice of a result.
func (d *dashboard) resultOption(r *results.Summary) option {
	return option{r.ID, cmp.Or(r.Title, "Untitled") + ", " + r.CreatedAt.UTC().Format("Jan 2, 15:04:05 UTC")}
}

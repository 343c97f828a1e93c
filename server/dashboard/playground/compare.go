package playground

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/server/dashboard/comparison"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// maxCompared is the number of recent matches to choose from.
const maxCompared = 50

// compareView is the comparison of two results of the account, or only the choice of them.
type compareView struct {
	Choices       []page.Option
	Compared      bool // the fields below are set
	Before, After results.Summary
	Fields        []comparison.Field
	Rows          []comparedRow
}

// comparedRow is a freelancer of either result.
type comparedRow struct {
	comparison.Row
	URL string // of the profile in the second result, or in the first one if the second lacks the freelancer
}

// showComparison shows the matches of two results side by side.
func (h *resultHandler) showComparison(v *page.Visit) error {
	recent, err := h.Results.Recent(v.Context(), v.Account.ID, v.User.ID, results.Match, maxCompared)
	if err != nil {
		return err
	}
	first := v.Request.FormValue("a")
	second := v.Request.FormValue("b")
	view := compareView{Choices: page.Options("", "Choose a result")}
	for i := range recent {
		if recent[i].Status == http.StatusOK {
			view.Choices = append(view.Choices, h.resultOption(&recent[i]))
		}
	}

	if first != "" && second != "" {
		if err := h.compare(v, &view, first, second); err != nil {
			return err
		}
	}

	return v.OK(page.Page{
		Template: "compare", Title: "Compare matches", Section: "playground", Compressible: true,
		Form: url.Values{"a": {first}, "b": {second}}, Data: view,
	})
}

// compare fills in the comparison of two results.
func (h *resultHandler) compare(v *page.Visit, view *compareView, first, second string) error {
	a, before, err := h.matchesOf(v, first)
	if err != nil {
		return err
	}
	b, after, err := h.matchesOf(v, second)
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
	for _, row := range comparison.Rows(before, after) {
		source := second
		if row.After.Rank == 0 {
			source = first
		}
		view.Rows = append(view.Rows, comparedRow{row, profileURL(source, row.ID)})
	}
	for _, r := range []results.Summary{a.Summary, b.Summary} { // they may be a colleague's
		view.offer(h.resultOption(&r))
	}

	return nil
}

// offer adds a choice unless it is there.
func (c *compareView) offer(o page.Option) {
	if !slices.ContainsFunc(c.Choices, func(known page.Option) bool { return known.Value == o.Value }) {
		c.Choices = append(c.Choices, o)
	}
}

// resultOption returns the choice of a result.
func (h *resultHandler) resultOption(r *results.Summary) page.Option {
	created := r.CreatedAt.UTC().Format("Jan 2, 15:04:05 UTC")
	return page.Option{Value: r.ID, Label: cmp.Or(r.Title, "Untitled") + ", " + created}
}

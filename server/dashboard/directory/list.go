package directory

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// perPage is how many freelancers a page of the list holds. Each counts toward the account's daily limit.
const perPage = 25

// maxSearch is the greatest length of a part of a search in bytes.
const maxSearch = 200

// listView is one page of the list.
type listView struct {
	Rows           []row
	Found          string // how many were found, and which of them the page shows
	Cut            int    // the number of freelancers that pages lead to, if there are more; otherwise 0
	Damaged        int    // left out of this page
	Searched       bool
	Previous, Next string // addresses of pages; "" at both ends
}

// A row is a freelancer in a list.
type row struct {
	matching.Freelancer
	URL   string
	Gist  string // the title, or the first words of the description
	Place string
	Rate  string
}

// newRow returns the row of a freelancer. Amounts are in the given currency.
func newRow(f *matching.Freelancer, currency string) row {
	r := row{
		Freelancer: *f, URL: page.FreelancerURL(f.ID), Gist: f.JobTitle, Place: page.Place(f),
		Rate: page.HourlyRate(f, currency),
	}
	if r.Gist == "" {
		r.Gist = page.Gist(f.Description)
	}
	return r
}

// showList shows a page of the freelancers who were searched for, or of all.
func (h *Handler) showList(v *page.Visit) error {
	form := url.Values{}
	for _, name := range []string{"name", "skill", "place"} {
		if text := strings.TrimSpace(v.Request.FormValue(name)); text != "" {
			form.Set(name, page.Cut(text, maxSearch))
		}
	}

	// An ID names one freelancer, so a search for it leads to the profile.
	if id := form.Get("name"); id != "" && len(form) == 1 {
		_, err := h.Freelancers.Get(v.Context(), id)
		if err == nil {
			return v.Redirect(page.FreelancerURL(id))
		}
		if matching.CodeOf(err) != matching.CodeFreelancerUnknown {
			return err
		}
	}

	q := freelancers.Search{Name: form.Get("name"), Skill: form.Get("skill"), Place: form.Get("place")}
	offset, err := strconv.Atoi(v.Request.FormValue("offset"))
	if err != nil || offset < 0 {
		offset = 0
	}
	found, err := h.Freelancers.Find(v.Context(), q, offset, perPage)
	if err != nil {
		return err
	}

	ids := make([]string, len(found.Freelancers))
	for i := range found.Freelancers {
		ids[i] = found.Freelancers[i].Freelancer.ID
	}
	if err := v.CountViews(h.Views, ids...); err != nil {
		return err
	}

	view := h.newListView(v.Context(), form, &found, offset)
	return v.OK(page.Page{
		Template: "freelancers", Title: "Freelancers", Section: "freelancers", Form: form, Data: view, Compressible: true,
	})
}

// Named returns freelancers with a name or ID, at most limit of them. They count toward the account's daily limit; an
// error has the code views.CodeLimit if it is reached.
func (h *Handler) Named(
	ctx context.Context, v *page.Visit, name string, limit int,
) ([]matching.Freelancer, error) {
	var found []matching.Freelancer
	switch stored, err := h.Freelancers.Get(ctx, name); {
	case err == nil:
		found = append(found, stored.Freelancer)
	case matching.CodeOf(err) != matching.CodeFreelancerUnknown:
		return nil, err
	}

	named, err := h.Freelancers.Find(ctx, freelancers.Search{Name: name}, 0, limit-len(found))
	if err != nil {
		return nil, err
	}
	for i := range named.Freelancers {
		if f := named.Freelancers[i].Freelancer; len(found) == 0 || f.ID != found[0].ID {
			found = append(found, f)
		}
	}

	ids := make([]string, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	if err := v.CountViews(h.Views, ids...); err != nil {
		return nil, err
	}
	return found, nil
}

// newListView returns the view of the freelancers found after an offset.
func (h *Handler) newListView(ctx context.Context, form url.Values, found *freelancers.Found, offset int) listView {
	view := listView{Damaged: found.Damaged, Searched: len(form) > 0}
	currency, _ := h.Currencies(ctx)
	for i := range found.Freelancers {
		view.Rows = append(view.Rows, newRow(&found.Freelancers[i].Freelancer, currency))
	}

	address := func(offset int) string {
		query := url.Values{}
		for name := range form {
			query.Set(name, form.Get(name))
		}
		if offset > 0 {
			query.Set("offset", strconv.Itoa(offset))
		}
		if len(query) == 0 {
			return page.FreelancersPath
		}
		return page.FreelancersPath + "?" + query.Encode()
	}

	last := offset + perPage
	if offset > 0 {
		view.Previous = address(max(0, offset-perPage))
	}
	if last < min(found.Total, freelancers.MaxFound) {
		view.Next = address(last)
	}

	view.Found = page.Plural(found.Total, "freelancer", "freelancers")
	if len(view.Rows) > 0 && found.Total > perPage {
		view.Found += ", " + page.Decimal(0, float64(offset+1)) + " to " +
			page.Decimal(0, float64(min(last, found.Total)))
	}
	if found.Total > freelancers.MaxFound {
		view.Cut = freelancers.MaxFound
	}

	return view
}

package auditlog

import (
	"encoding/csv"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/spreadsheet"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	maxEventRows    = 50_000 // of an exported file
	eventsPerQuery  = 1000   // while exporting
	maxAccountsHits = 20     // among which a filter looks for an account or a user
)

// eventFilters returns the filters of the audit log that the URL asks for. Unless all accounts are wanted, they select
// the events of the user's account.
func (h *Handler) eventFilters(v *page.Visit, all bool) (q audit.Query, form url.Values, err error) {
	form, err = filterForm(v, all)
	if err != nil {
		return q, form, err
	}

	q.Account = v.Account.ID
	q.Action = audit.Action(form.Get("action"))
	if all {
		if q.Account, err = h.findAccount(v, form.Get("account")); err != nil {
			return q, form, err
		}
	}

	if q.Actor, err = h.findActor(v, form.Get("actor"), all); err != nil {
		return q, form, err
	}

	var faults []matching.FieldError
	dayOf := func(name string) time.Time {
		day, err := time.Parse(page.DateLayout, form.Get(name))
		if form.Has(name) && err != nil {
			faults = append(faults, matching.FieldError{
				Field: name, Code: "invalid", Message: "enter a date such as 2030-12-31",
			})
		}
		return day
	}

	// The last day belongs to the period, so its events are before the day that follows.
	q.Since = dayOf("from")
	if lastDay := dayOf("to"); !lastDay.IsZero() {
		q.Before = lastDay.AddDate(0, 0, 1)
	}

	return q, form, matching.Invalid(faults)
}

// filterForm returns the filters in the URL that apply to the page, without empty ones. It returns page.ErrBadForm,
// with the filters up to the faulty one, if a filter isn't text.
func filterForm(v *page.Visit, all bool) (url.Values, error) {
	form := url.Values{}
	for _, name := range []string{"actor", "action", "account", "from", "to"} {
		value := strings.TrimSpace(v.Request.URL.Query().Get(name))
		applies := all || name != "account" // owners see their own account only
		if value == "" || !applies {
			continue
		}

		form.Set(name, value)
		if !page.IsText(value) {
			return form, page.ErrBadForm
		}
	}
	return form, nil
}

// findAccount returns the ID of the account with an ID or a name. An unknown one is returned as it is.
func (h *Handler) findAccount(v *page.Visit, text string) (id string, err error) {
	if text == "" {
		return "", nil
	}
	accounts, err := h.Accounts.List(v.Context(), text, maxAccountsHits)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(accounts, func(a account.Account) bool { return strings.EqualFold(a.Name, text) })
	if i < 0 {
		return text, nil
	}
	return accounts[i].ID, nil
}

// findActor returns the ID of the user with an email address, who is in the user's account unless all accounts are
// wanted. Anything else is returned as it is: the ID of a user or a key, or an actor such as "system".
func (h *Handler) findActor(v *page.Visit, text string, all bool) (id string, err error) {
	if !strings.Contains(text, "@") {
		return text, nil
	}
	accounts := []account.Account{v.Account}

	if all {
		if accounts, err = h.Accounts.List(v.Context(), text, maxAccountsHits); err != nil {
			return "", err
		}
	}

	// The search may also match a part of an address or a name; only a whole address names a user.
	for _, a := range accounts {
		users, err := h.Users.List(v.Context(), a.ID)
		if err != nil {
			return "", err
		}

		for _, u := range users {
			if strings.EqualFold(u.Email, text) {
				return u.ID, nil
			}
		}
	}

	return text, nil
}

// showEvents shows a page of the audit log with the filters and the position in the URL.
func (h *Handler) showEvents(v *page.Visit, p page.Page, all bool) error {
	q, form, refusal := h.eventFilters(v, all)
	path := v.Request.URL.Path
	view := eventsView{
		AllAccounts: all, Filtered: len(form) > 0, Actions: actionOptions(), Path: path, MaxExport: maxEventRows,
		Export: withQuery(path+".csv", form),
	}

	if all {
		chains, err := h.chains(v)
		if err != nil {
			return err
		}
		view.Chains = chains
	}

	p.Template = "events"
	p.Form = form

	// A page with faulty filters lists nothing, rather than more than was asked for.
	if refusal != nil {
		view.First = path
		p.Data = view
		return v.Reject(refusal, p)
	}

	// Pages are bounded by the time of an event, not by a number: new events don't move the older ones to other pages.
	if before := v.Request.FormValue("before"); before != "" {
		at, err := time.Parse(time.RFC3339Nano, before)
		if err != nil {
			return page.ErrNotFound
		}

		if q.Before.IsZero() || at.Before(q.Before) {
			q.Before = at
		}
		view.First = withQuery(path, form)
	}

	q.Limit = eventsPerPage
	rows, more, err := h.events(v, q)
	if err != nil {
		return err
	}

	view.Events = rows
	if more {
		older := url.Values{"before": {rows[len(rows)-1].At.UTC().Format(time.RFC3339Nano)}}
		for name := range form {
			older.Set(name, form.Get(name))
		}
		view.Next = withQuery(path, older)
	}

	if err := h.nameActors(v, &view, v.Account.ID); err != nil {
		return err
	}
	p.Data = view

	return v.OK(p)
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

func (h *Handler) exportAudit(v *page.Visit) error { return h.exportEvents(v, "audit.csv", true) }

func (h *Handler) exportActivity(v *page.Visit) error {
	return h.exportEvents(v, "activity.csv", false)
}

// exportEvents sends the events that the filters in the URL select as a CSV file.
func (h *Handler) exportEvents(v *page.Visit, name string, all bool) error {
	q, _, err := h.eventFilters(v, all)
	if err != nil {
		return err
	}
	return v.Download(name, func(w io.Writer) error { return h.writeEvents(v, q, w) })
}

// writeEvents writes events as CSV, newest first. If there are more than the file may have, its last row says so.
func (h *Handler) writeEvents(v *page.Visit, q audit.Query, w io.Writer) error {
	file := csv.NewWriter(w)
	_ = file.Write([]string{"time", "action", "actor", "actor_id", "account", "subject", "detail", "address"})
	more := true

	// Events are read and sent in portions, so that an export of 50,000 events needs little memory.
	for written := 0; more && written < maxEventRows; {
		q.Limit = min(eventsPerQuery, maxEventRows-written)
		var view eventsView
		var err error
		if view.Events, more, err = h.events(v, q); err != nil {
			return err
		}
		if err := h.nameActors(v, &view, v.Account.ID); err != nil {
			return err
		}

		for _, e := range view.Events {
			row := []string{
				e.At.UTC().Format(time.RFC3339), string(e.Action), e.Who, e.Actor, e.Account, e.Subject, e.Detail, e.Address,
			}

			// Subjects and details may hold what a stranger entered; no spreadsheet may take a cell for a formula.
			for i := range row {
				row[i] = spreadsheet.Cell(row[i])
			}

			_ = file.Write(row) // Error returns the first failure
			q.Before = e.At
		}

		written += len(view.Events)
		if file.Flush(); file.Error() != nil {
			return file.Error()
		}
	}

	// Nothing is left out silently, not even in a file.
	if more {
		_ = file.Write([]string{"Older events are left out. Filter by date to export them.", "", "", "", "", "", "", ""})
	}
	file.Flush()

	return file.Error()
}

func (h *Handler) showActivity(v *page.Visit) error {
	return h.showEvents(v, page.Page{Title: "Activity", Section: "activity"}, false)
}

func (h *Handler) showAudit(v *page.Visit) error {
	return h.showEvents(v, page.Page{Title: "Audit log", Section: "audit"}, true)
}

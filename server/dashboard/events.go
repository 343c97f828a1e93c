package dashboard

import (
	"strings"
	"time"

	"freelancer-matching/access/audit"
)

// eventsPerPage is how many events a page of the audit log holds.
const eventsPerPage = 50

// eventsView is one page of the audit log, newest events first.
type eventsView struct {
	Events      []eventRow
	Next        string // URL of the page with older events; "" for the last page
	First       string // URL of the page with the newest events; "" if this is it
	AllAccounts bool   // the log covers all accounts
}

type eventRow struct {
	audit.Event
	Who  string // email address of the actor if known, or else their ID
	What string
}

// nameActors replaces the IDs of actors by email addresses. It knows the users of the accounts that the events concern,
// and of the additional accounts. An administrator who acts in another account keeps their ID there.
func (d *dashboard) nameActors(v *visit, view *eventsView, accounts ...string) error {
	names := map[string]string{}
	seen := map[string]bool{"": true}
	for _, e := range view.Events {
		accounts = append(accounts, e.Account)
	}
	for _, id := range accounts {
		if seen[id] {
			continue
		}
		seen[id] = true
		users, err := d.Accounts.Users(v.r.Context(), id)
		if err != nil {
			return err
		}
		for _, u := range users {
			names[u.ID] = u.Email
		}
	}
	for i, e := range view.Events {
		if name, known := names[e.Actor]; known {
			view.Events[i].Who = name
		}
	}
	return nil
}

// events returns the page of the audit log that the URL asks for. Events with the same time stay on one page, so that
// no event is skipped or repeated. If more events have the same time than fit on a page, the others are left out.
func (d *dashboard) events(v *visit, q audit.Query) (eventsView, error) {
	q.Limit = eventsPerPage + 1
	var view eventsView
	if before := v.r.FormValue("before"); before != "" {
		at, err := time.Parse(time.RFC3339Nano, before)
		if err != nil {
			return eventsView{}, errNotFound
		}
		q.Before, view.First = at, v.r.URL.Path
	}
	events, err := d.Accounts.Events(v.r.Context(), q)
	if err != nil {
		return eventsView{}, err
	}
	if len(events) > eventsPerPage {
		n := eventsPerPage
		for n > 1 && events[n].At.Equal(events[n-1].At) {
			n--
		}
		events = events[:n]
		view.Next = v.r.URL.Path + "?before=" + events[n-1].At.UTC().Format(time.RFC3339Nano)
	}
	for _, e := range events {
		// The action key.plan_changed becomes "Key plan changed".
		what := title(strings.ReplaceAll(string(e.Action), ".", " "))
		view.Events = append(view.Events, eventRow{Event: e, Who: e.Actor, What: what})
	}
	return view, nil
}

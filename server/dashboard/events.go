package dashboard

import (
	"strings"
	"time"

	"freelancer-matching/access/audit"
)

// eventsOnPage is how many events a page of the audit log holds.
const eventsOnPage = 50

// eventsView is one page of the audit log, newest first.
type eventsView struct {
	Events   []eventRow
	Next     string // address of the page with older ones; "": there are none
	First    string // address of the newest; "": this is it
	Accounts bool   // whether it is the log of all accounts
}

type eventRow struct {
	audit.Event
	Who  string // in place of the actor's id, where it is known
	What string
}

// nameActors puts addresses in the place of the ids of actors who are users of the accounts that the events concern, or of
// further accounts. An administrator who acts in somebody else's account stays an id there.
func (d *dashboard) nameActors(v *visit, view *eventsView, further ...string) error {
	names := map[string]string{}
	seen := map[string]bool{"": true}
	for _, e := range view.Events {
		further = append(further, e.Account)
	}
	for _, id := range further {
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

// events is the page of the audit log that the address asks for. A page ends between two moments, so that events of one moment
// are never parted and none is passed over; only where one moment has more events than a page are the rest left out.
func (d *dashboard) events(v *visit, q audit.Query) (eventsView, error) {
	q.Limit = eventsOnPage + 1
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
	if len(events) > eventsOnPage {
		n := eventsOnPage
		for n > 1 && events[n].At.Equal(events[n-1].At) {
			n--
		}
		events = events[:n]
		view.Next = v.r.URL.Path + "?before=" + events[n-1].At.UTC().Format(time.RFC3339Nano)
	}
	for _, e := range events {
		view.Events = append(view.Events, eventRow{Event: e, Who: e.Actor, What: actionWords(e.Action)})
	}
	return view, nil
}

// actionWords is an action as people say it: key.plan_changed is "Key plan changed".
func actionWords(a audit.Action) string {
	return title(strings.NewReplacer(".", " ", "_", " ").Replace(string(a)))
}

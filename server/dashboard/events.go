package dashboard

import (
	"strings"
	"time"

	"freelancer-matching/server/audit"
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

// name tells who an actor is.
func (e *eventsView) name(id, who string) {
	for i := range e.Events {
		if e.Events[i].Actor == id {
			e.Events[i].Who = who
		}
	}
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

package auditlog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// An Handler serves the audit log: to administrators all of it, and to owners the part about their account.
type Handler struct {
	Accounts *account.Accounts
	Users    *account.Users
	Log      account.AuditLog
	Chains   Chains
}

// Chains says whether the chains of the audit log held when a server verified them last.
type Chains interface {
	States(ctx context.Context) ([]chain.State, error)
}

// A chainsView says the same about all chains together.
type chainsView struct {
	Fault    string    // where and why a chain broke; "" if all held
	Verified time.Time // by the oldest verification; zero if there was none
}

// chains returns the state of the chains. It reads what the last verification found, because verifying reads the whole
// log.
func (h *Handler) chains(v *page.Visit) (*chainsView, error) {
	states, err := h.Chains.States(v.Context())
	if err != nil {
		return nil, err
	}

	view := &chainsView{}
	for i, state := range states {
		if i == 0 || state.VerifiedAt.Before(view.Verified) {
			view.Verified = state.VerifiedAt
		}
		view.Fault = cmp.Or(view.Fault, state.Fault)
	}
	return view, nil
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/activity", account.Owner, h.showActivity),
		page.Get("/activity.csv", account.Owner, h.exportActivity),
		page.Get("/admin/audit", account.Administrator, h.showAudit),
		page.Get("/admin/audit.csv", account.Administrator, h.exportAudit),
	}
}

// eventsPerPage is how many events a page of the audit log holds.
const eventsPerPage = 50

// eventsView is one page of the audit log, newest events first.
type eventsView struct {
	Events      []eventRow
	Next        string      // URL of the page with older events; "" for the last page
	First       string      // URL of the page with the newest events; "" if this is it
	AllAccounts bool        // the log covers all accounts
	Chains      *chainsView // nil for the log of one account
	Filtered    bool
	Actions     []page.Option
	Path        string // of the page
	Export      string // URL of the CSV file with the same filters
	MaxExport   int    // rows of that file
}

type eventRow struct {
	audit.Event
	Who  string // email address of the actor if known, or else their ID
	What string
}

// nameActors replaces the IDs of actors by email addresses. It knows the users of the accounts that the events concern,
// and of the additional accounts. An administrator who acts in another account keeps their ID there.
func (h *Handler) nameActors(v *page.Visit, view *eventsView, accounts ...string) error {
	names := map[string]string{}
	seen := map[string]bool{"": true}

	for _, e := range view.Events {
		accounts = append(accounts, e.Account)
	}

	// Most events of a page concern the same few accounts, so the users of each are read once.
	for _, id := range accounts {
		if seen[id] {
			continue
		}
		seen[id] = true
		users, err := h.Users.List(v.Context(), id)
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

// events returns the events that a query selects, newest first, up to its limit, and whether there are older ones.
// Events with the same time stay together, so that a query for the events before the last one skips none. If more
// events have the same time than the limit, the others are left out.
func (h *Handler) events(v *page.Visit, q audit.Query) (rows []eventRow, more bool, err error) {
	n := q.Limit
	q.Limit++
	events, err := h.Log.Events(v.Context(), q)
	if err != nil {
		return nil, false, err
	}
	if more = len(events) > n; more {
		for n > 1 && events[n].At.Equal(events[n-1].At) {
			n--
		}
		events = events[:n]
	}
	for _, e := range events {
		rows = append(rows, eventRow{Event: e, Who: e.Actor, What: actionLabel(e.Action)})
	}
	return rows, more, nil
}

// actionLabel returns an action in words: key.plan_changed becomes "Key plan changed".
func actionLabel(a audit.Action) string { return page.Title(strings.ReplaceAll(string(a), ".", " ")) }

// actionOptions returns the choices of the filter by action.
func actionOptions() []page.Option {
	options := page.Options("", "Any action")
	for _, a := range audit.Actions() {
		options = append(options, page.Option{Value: string(a), Label: actionLabel(a)})
	}
	slices.SortStableFunc(options[1:], func(a, b page.Option) int { return strings.Compare(a.Label, b.Label) })
	return options
}

// Package requests serves the request log of an account: what its programs sent to the API and received.
package requests

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/dashboard/apikeys"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A Handler serves the pages. All fields are required.
type Handler struct {
	Accounts *account.Accounts
	Keys     *apikey.Service
	Requests *requestlog.Log
	Now      func() time.Time
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/requests", account.Member, page.Showing(h.listPage)),
		page.Post("/requests/recording", account.Owner, h.setRecording),
		page.Get("/requests/{request}", account.Member, page.Showing(h.entryPage)),
	}
}

const requestsPath = page.Root + "/requests"

// listView is the data of the page with the list.
type listView struct {
	Recording bool // until the time in the account
	Days      int  // for which recording can be turned on
	Max       int
	Total     int // entries without filters
	Filtered  bool
	Rows      []row

	Operations, Statuses, Keys, Times []page.Option
}

// row is an entry in a list.
type row struct {
	requestlog.Summary
	URL     string
	KeyName string
	Class   string // of the badge of the status
}

// newRow returns the row of an entry. The key may have been deleted.
func newRow(s *requestlog.Summary, keys []apikey.Key) row {
	r := row{Summary: *s, URL: requestsPath + "/" + s.ID, KeyName: s.Key, Class: "on"}
	if i := slices.IndexFunc(keys, func(k apikey.Key) bool { return k.ID == s.Key }); i >= 0 {
		r.KeyName = keys[i].Name
	}
	switch {
	case s.Status >= 500:
		r.Class = "bad"
	case s.Status >= 400:
		r.Class = "warn"
	}
	return r
}

// Milliseconds returns how long the request took.
func (r row) Milliseconds() string {
	return page.Decimal(1, float64(r.Took)/float64(time.Millisecond))
}

func (h *Handler) listPage(v *page.Visit) (page.Page, error) {
	ctx := v.Context()
	entries, err := h.Requests.List(ctx, v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}
	keys, err := h.Keys.ListOf(ctx, v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}

	f := newFilter(v, h.Now())
	view := listView{
		Recording: h.Now().Before(v.Account.RecordingUntil), Days: int(requestlog.RecordingTime / page.Day),
		Max: requestlog.MaxPerAccount, Total: len(entries), Filtered: f.isSet(),
		Operations: page.Options("", "All operations"), Times: times(), Keys: page.Options("", "All keys"),
		Statuses: page.Options("", "All", "2xx", "Succeeded", "4xx", "Rejected (4xx)", "5xx", "Failed (5xx)"),
	}
	for i := range entries {
		if f.accepts(&entries[i]) {
			view.Rows = append(view.Rows, newRow(&entries[i], keys))
		}
	}
	view.addChoices(entries, keys)

	return page.Page{
		Template: "requests", Title: "Request log", Section: "requests", Form: f.form, Data: view,
	}, nil
}

// addChoices adds the operations, statuses and keys of the entries to the choices of the filters.
func (l *listView) addChoices(entries []requestlog.Summary, keys []apikey.Key) {
	var operations, statuses []string
	used := map[string]bool{}
	for i := range entries {
		operations = append(operations, entries[i].Operation)
		statuses = append(statuses, strconv.Itoa(entries[i].Status))
		used[entries[i].Key] = true
	}

	for _, list := range []struct {
		values []string
		into   *[]page.Option
	}{{operations, &l.Operations}, {statuses, &l.Statuses}} {
		slices.Sort(list.values)
		for _, value := range slices.Compact(list.values) {
			*list.into = append(*list.into, page.Option{Value: value, Label: value})
		}
	}

	for _, k := range keys {
		if used[k.ID] {
			l.Keys = append(l.Keys, apikeys.Option(k))
		}
	}
}

// times returns the choices of how old an entry may be.
func times() []page.Option {
	return page.Options("", "Last 24 hours", "15m", "Last 15 minutes", "1h", "Last hour", "6h", "Last 6 hours")
}

// A filter selects entries by what the query asks for.
type filter struct {
	form url.Values
	from time.Time // zero for no limit
}

func newFilter(v *page.Visit, now time.Time) filter {
	f := filter{form: url.Values{}}
	for _, name := range []string{"operation", "status", "key", "within", "request_id"} {
		if value := strings.TrimSpace(v.Request.FormValue(name)); value != "" {
			f.form.Set(name, value)
		}
	}
	if age, err := time.ParseDuration(f.form.Get("within")); err == nil && age > 0 {
		f.from = now.Add(-age)
	}
	return f
}

func (f *filter) isSet() bool { return len(f.form) > 0 }

func (f *filter) accepts(s *requestlog.Summary) bool {
	is := func(name, value string) bool { return !f.form.Has(name) || f.form.Get(name) == value }
	status := strconv.Itoa(s.Status)
	class := status[:1] + "xx"
	return is("operation", s.Operation) && (is("status", status) || is("status", class)) && is("key", s.Key) &&
		strings.HasPrefix(s.RequestID, f.form.Get("request_id")) && !s.At.Before(f.from)
}

// setRecording turns the log on for some days, or off. Turning it off deletes what is recorded.
func (h *Handler) setRecording(v *page.Visit) error {
	on := v.Value("record") == "yes"
	var until time.Time
	if on {
		until = h.Now().UTC().Add(requestlog.RecordingTime).Truncate(time.Second)
	}
	if err := h.Accounts.RecordRequests(v.Context(), v.By(), v.Account.ID, until); err != nil {
		return err
	}

	v.Notice("Requests are recorded from now on.")
	if !on {
		if err := h.Requests.DeleteOf(v.Context(), v.Account.ID); err != nil {
			return err
		}
		v.Notice("Requests are no longer recorded. Those that were are deleted.")
	}
	return v.Redirect(requestsPath)
}

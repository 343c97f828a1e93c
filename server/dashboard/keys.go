package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
)

// keysView is the list of an account's keys, newest first.
type keysView struct {
	Plan  apikey.Plan
	Held  int      // keys that count against the plan
	Keys  []keyRow // those that can be used, or be enabled
	Ended []keyRow // revoked and expired
	First bool     // none was ever made
	Curl  string   // a first request
}

// keyRow is a key as a list shows it.
type keyRow struct {
	apikey.Key
	State    apikey.State
	Replaced bool // another key has taken its place
}

func (d *dashboard) keyRow(k apikey.Key) keyRow {
	return keyRow{Key: k, State: k.State(d.Now()), Replaced: k.ReplacedBy != ""}
}

func (d *dashboard) keysPage(v *visit) error {
	keys, err := d.Keys.ListOf(v.r.Context(), v.account.ID)
	if err != nil {
		return err
	}
	plan, _ := apikey.PlanNamed(v.account.Plan)
	view := keysView{Plan: plan, First: len(keys) == 0}
	for _, k := range slices.Backward(keys) {
		row := d.keyRow(k)
		if k.Ended(d.Now()) {
			view.Ended = append(view.Ended, row)
			continue
		}
		if k.Current(d.Now()) {
			view.Held++
		}
		view.Keys = append(view.Keys, row)
	}
	view.Curl = d.curl(matchPath, sampleRequest().encode(), "$MATCHING_KEY")
	return d.ok(v, page{Template: "keys", Title: "Keys", Section: "keys", Data: view})
}

// settingsView is what the fields for the settings of a key need beside their values.
type settingsView struct {
	Operations []string        // that there are
	Chosen     map[string]bool // of them
	Restricted bool            // whether the fields for restrictions begin open
}

func settingsOf(form url.Values) settingsView {
	view := settingsView{Operations: apikey.Operations(), Chosen: map[string]bool{}}
	for _, o := range form["operations"] {
		view.Chosen[o] = true
	}
	view.Restricted = len(view.Chosen) > 0 || form.Get("networks") != "" || form.Get("expires") != ""
	return view
}

// newKeyView is the form of a new key.
type newKeyView struct {
	Settings settingsView
}

func newKeyForm(form url.Values) page {
	return page{
		Template: "newkey", Title: "New key", Section: "keys", Form: form,
		Data: newKeyView{Settings: settingsOf(form)},
	}
}

func (d *dashboard) newKeyPage(v *visit) error {
	return d.ok(v, newKeyForm(url.Values{"id": {apikey.NewID()}}))
}

// revealView shows a token, once. It is in this answer and nowhere else.
type revealView struct {
	Token   string
	Key     apikey.Key
	Rotated bool
	Until   time.Time // when the key that it replaces ends; zero: at once
	Export  string
	Curl    string
}

func (d *dashboard) reveal(v *visit, status int, view revealView) error {
	view.Export = "export MATCHING_KEY=" + view.Token
	view.Curl = d.curl(matchPath, sampleRequest().encode(), "$MATCHING_KEY")
	return d.show(v, status, page{Template: "reveal", Title: "Your new key", Section: "keys", Data: view})
}

// createKey makes a key and shows its token. The form's id makes a reload of the answer find the key made already.
func (d *dashboard) createKey(v *visit) error {
	expires, err := expiryFrom(v.value("expires"), time.Time{})
	if err != nil {
		return d.again(v, err, newKeyForm(v.r.PostForm))
	}
	token, key, err := d.Accounts.CreateKey(v.r.Context(), v.by(), v.account.ID, apikey.Request{
		ID: v.value("id"), Name: v.value("name"), Operations: v.r.PostForm["operations"],
		Networks: lines(v.r.PostForm.Get("networks")), Expires: expires,
	})
	if errors.Is(err, apikey.ErrExists) {
		return d.show(v, http.StatusConflict, page{Template: "madealready", Title: "This key was made already", Section: "keys"})
	}
	if err != nil {
		return d.again(v, err, newKeyForm(v.r.PostForm))
	}
	return d.reveal(v, http.StatusCreated, revealView{Token: token, Key: key})
}

const dateLayout = "2006-01-02"

// expiryFrom is the end of the day that a date field holds; zero for an empty field. Where the field still shows the day of
// the moment that was set, the moment stays as it is.
func expiryFrom(field string, was time.Time) (time.Time, error) {
	if field == "" {
		return time.Time{}, nil
	}
	if field == expiryField(was) {
		return was, nil
	}
	day, err := time.Parse(dateLayout, field)
	if err != nil {
		return time.Time{}, &matching.Error{
			Code: matching.CodeInvalid, Message: "the expiry must be a date such as 2030-12-31",
			Details: []matching.FieldError{{Field: "expires", Code: "invalid", Message: "must be a date such as 2030-12-31"}},
		}
	}
	return day.AddDate(0, 0, 1), nil
}

// expiryField is the last day of a key as a date field holds it.
func expiryField(expires time.Time) string {
	if expires.IsZero() {
		return ""
	}
	return expires.UTC().Add(-time.Nanosecond).Format(dateLayout)
}

// lines is what stands in a text, one entry a line or with commas between.
func lines(text string) []string {
	var entries []string
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' }) {
		if entry = strings.TrimSpace(entry); entry != "" {
			entries = append(entries, entry)
		}
	}
	return entries
}

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

// keysPath is the page with an account's keys.
const keysPath = root + "/keys"

// keysView is the data of the page with an account's keys, newest first.
type keysView struct {
	Plan  apikey.Plan
	Held  int      // keys that count toward the plan's limit
	Keys  []keyRow // keys that are active or can be enabled
	Ended []keyRow // revoked and expired keys
	First bool     // the account has never had a key
	Curl  string   // a sample request
}

// keyRow is a key in a table.
type keyRow struct {
	apikey.Key
	State      apikey.State
	Replaced   bool // by another key
	Changeable bool // the key's settings and permissions can be changed
}

// Has reports whether the key has a permission.
func (k keyRow) Has(permission string) bool { return k.Permits(permission) == nil }

func (d *dashboard) keyRow(k apikey.Key) keyRow {
	return keyRow{
		Key: k, State: k.State(d.Now()), Replaced: k.ReplacedBy != "", Changeable: k.Current(d.Now()),
	}
}

// keyOption returns the choice of a key.
func keyOption(k apikey.Key) option { return option{k.ID, k.Name + " (" + k.Masked() + ")"} }

func (d *dashboard) showKeys(v *visit) error {
	keys, err := d.Keys.ListOf(v.r.Context(), v.account.ID)
	if err != nil {
		return err
	}
	plan, _ := apikey.PlanNamed(v.account.Plan)
	view := keysView{Plan: plan, First: len(keys) == 0, Curl: d.sampleCurl()}
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
	return d.ok(v, page{Template: "keys", Title: "API keys", Section: "keys", Data: view})
}

// settingsView is what the template "keyfields" needs besides the values of the form.
type settingsView struct {
	Operations []string // all operations
	Chosen     map[string]bool
	Restricted bool // the section with restrictions starts open
}

func settingsOf(form url.Values) settingsView {
	view := settingsView{Operations: apikey.Operations(), Chosen: map[string]bool{}}
	for _, o := range form["operations"] {
		view.Chosen[o] = true
	}
	view.Restricted = len(view.Chosen) > 0 || form.Get("networks") != "" || form.Get("expires") != ""
	return view
}

func newKeyPage(form url.Values) page {
	return page{
		Template: "newkey",
		Title:    "New API key",
		Section:  "keys",
		Form:     form,
		Data:     keyView{Settings: settingsOf(form)},
	}
}

func (d *dashboard) showKeyForm(v *visit) error {
	return d.ok(v, newKeyPage(url.Values{"id": {apikey.NewID()}}))
}

// revealView is the data of the page that shows a new key. The key is shown only once.
type revealView struct {
	newKey
	Key    apikey.Key
	Export string
	Curl   string
}

// newKey is what the page of a new key shows only once.
type newKey struct {
	Token   string // "" if it was shown before
	Rotated bool
	Until   time.Time // when the replaced key ends; zero if it has ended
}

func newKeyPath(id string) string { return root + "/keys/" + url.PathEscape(id) + "/secret" }

// revealPage returns the page that shows a new key, or that says that it was shown.
func (d *dashboard) revealPage(k apikey.Key, shown newKey) page {
	p := page{Template: "reveal", Title: "Your new API key", Section: "keys"}
	view := revealView{newKey: shown, Key: k}
	if shown.Token == "" {
		p.Title = "This key was already shown"
	} else {
		view.Export, view.Curl = "export MATCHING_KEY="+shown.Token, d.sampleCurl()
	}
	p.Data = view
	return p
}

// reveal redirects to the page that shows a new key.
func (d *dashboard) reveal(v *visit, k apikey.Key, shown newKey) error {
	return d.showOnce(v, newKeyPath(k.ID), shown, d.revealPage(k, shown))
}

// showNewKey shows a new key once.
func (d *dashboard) showNewKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	var shown newKey
	d.takeSecret(v, newKeyPath(k.ID), &shown)
	return d.ok(v, d.revealPage(k, shown))
}

// createKey creates a key and shows it. The key's ID comes with the form, so that submitting the form twice does not
// create a second key.
func (d *dashboard) createKey(v *visit) error {
	expires, err := parseExpiry(v.value("expires"), time.Time{})
	if err != nil {
		return d.rejectForm(v, err, newKeyPage(v.r.PostForm))
	}
	token, key, err := d.Accounts.CreateKey(v.r.Context(), v.by(), v.account.ID, apikey.Request{
		ID:         v.value("id"),
		Name:       v.value("name"),
		Operations: v.r.PostForm["operations"],
		Networks:   splitList(v.r.PostForm.Get("networks")),
		Expires:    expires,
	})
	if errors.Is(err, apikey.ErrExists) {
		return d.showExistingKey(v, v.value("id"))
	}
	if err != nil {
		return d.rejectForm(v, err, newKeyPage(v.r.PostForm))
	}
	return d.reveal(v, key, newKey{Token: token})
}

// showExistingKey answers a form that was submitted twice. The key may not have been shown yet.
func (d *dashboard) showExistingKey(v *visit, id string) error {
	if _, err := d.Keys.Get(v.r.Context(), v.account.ID, id); err == nil {
		return v.redirect(newKeyPath(id))
	}
	return d.show(v, http.StatusConflict, page{
		Template: "keyexists", Title: "This key already exists", Section: "keys",
	})
}

const dateLayout = "2006-01-02"

// parseExpiry returns the end of the day in a date field, or zero for an empty field. If the field still shows the day
// of the previous expiry, the result is the previous expiry.
func parseExpiry(field string, previous time.Time) (time.Time, error) {
	if field == "" {
		return time.Time{}, nil
	}
	if field == expiryField(previous) {
		return previous, nil
	}
	day, err := time.Parse(dateLayout, field)
	if err != nil {
		return time.Time{}, matching.Invalid([]matching.FieldError{
			{Field: "expires", Code: "invalid", Message: "enter a date such as 2030-12-31"},
		})
	}
	return day.AddDate(0, 0, 1), nil
}

// expiryField returns the last day of a key for a date field.
func expiryField(expires time.Time) string {
	if expires.IsZero() {
		return ""
	}
	return expires.UTC().Add(-time.Nanosecond).Format(dateLayout)
}

// splitList returns the entries of a text, which are separated by commas or line breaks.
func splitList(text string) []string {
	var entries []string
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r,", r) }) {
		if entry = strings.TrimSpace(entry); entry != "" {
			entries = append(entries, entry)
		}
	}
	return entries
}

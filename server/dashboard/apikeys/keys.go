package apikeys

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
	"github.com/freelancer-matching/service/server/web"
)

// A Handler serves the pages about an account's API keys.
type Handler struct {
	Accounts  *account.Accounts
	Keys      *apikey.Service
	Quotas    Quotas
	PublicURL *url.URL // of the sample request
	Now       func() time.Time
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/keys", account.Member, h.showKeys),
		page.Get("/keys/{$}", account.Member, page.RedirectTo("/keys")),
		page.Get("/keys/new", account.Owner, h.showKeyForm),
		page.Post("/keys/new", account.Owner, h.createKey),
		page.Get("/keys/{id}", account.Member, h.showKey),
		page.Get("/keys/{id}/secret", account.Owner, h.showNewKey),
		page.Post("/keys/{id}", account.Owner, h.changeKey),
		page.Get("/keys/{id}/{action}", account.Member, h.redirectToKey),
		page.Post("/keys/{id}/rotate", account.Owner, h.rotateKey),
		page.Post("/keys/{id}/disable", account.Owner, h.disableKey),
		page.Post("/keys/{id}/enable", account.Owner, h.enableKey),
		page.Post("/keys/{id}/revoke", account.Owner, h.revokeKey),
	}
}

// keysPath is the page with an account's keys.
const keysPath = page.Root + "/keys"

// keysView is the data of the page with an account's keys, newest first.
type keysView struct {
	Plan  apikey.Plan
	Held  int // keys that count toward the plan's limit
	Tests int // current test keys
	// MaxTests is how many of these the account can have.
	MaxTests int
	Keys     []Row // keys that are active or can be enabled
	Ended    []Row // revoked and expired keys
	First    bool  // the account has never had a key

	Snippets []snippet.Snippet // a sample request
}

// Row is a key in a table.
type Row struct {
	apikey.Key
	State      apikey.State
	Replaced   bool // by another key
	Changeable bool // the key's settings and permissions can be changed
}

// Has reports whether the key has a permission.
func (k Row) Has(permission string) bool { return k.Permits(permission) == nil }

// NewRow returns the row of a key.
func NewRow(k apikey.Key, now time.Time) Row {
	return Row{Key: k, State: k.State(now), Replaced: k.ReplacedBy != "", Changeable: k.Current(now)}
}

// Option returns the choice of a key.
func Option(k apikey.Key) page.Option {
	return page.Option{Value: k.ID, Label: k.Name + " (" + k.Masked() + ")"}
}

func (h *Handler) showKeys(v *page.Visit) error {
	keys, err := h.Keys.ListOf(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}

	plan, _ := apikey.PlanNamed(v.Account.Plan)
	view := keysView{
		Plan: plan, First: len(keys) == 0, Snippets: snippet.First(web.Origin(h.PublicURL), ""),
		MaxTests: apikey.TestPlan().MaxKeys,
	}
	for _, k := range slices.Backward(keys) {
		row := NewRow(k, h.Now())
		if k.Ended(h.Now()) {
			view.Ended = append(view.Ended, row)
			continue
		}

		// A key that another one has replaced no longer counts toward a limit.
		switch {
		case !k.Current(h.Now()):
		case k.Test():
			view.Tests++
		default:
			view.Held++
		}
		view.Keys = append(view.Keys, row)
	}
	return v.OK(page.Page{Template: "keys", Title: "API keys", Section: "keys", Data: view})
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

func newKeyPage(form url.Values) page.Page {
	title := "New API key"
	if form.Get("test") != "" {
		title = "New test key"
	}
	return page.Page{
		Template: "newkey",
		Title:    title,
		Section:  "keys",
		Form:     form,
		Data:     keyView{Settings: settingsOf(form)},
	}
}

func (h *Handler) showKeyForm(v *page.Visit) error {
	form := url.Values{"id": {apikey.NewID()}}
	if v.Request.URL.Query().Has("test") {
		form.Set("test", "true")
	}
	return v.OK(newKeyPage(form))
}

// revealView is the data of the page that shows a new key. The key is shown only once.
type revealView struct {
	newKey
	Key      apikey.Key
	Snippets []snippet.Snippet // a sample request
}

// newKey is what the page of a new key shows only once.
type newKey struct {
	Token   string // "" if it was shown before
	Rotated bool
	Until   time.Time // when the replaced key ends; zero if it has ended
}

func newKeyPath(id string) string { return page.Root + "/keys/" + url.PathEscape(id) + "/secret" }

// revealPage returns the page that shows a new key, or that says that it was shown.
func (h *Handler) revealPage(k apikey.Key, shown newKey) page.Page {
	p := page.Page{Template: "reveal", Title: "Your new API key", Section: "keys"}
	view := revealView{newKey: shown, Key: k}
	if shown.Token == "" {
		p.Title = "This key was already shown"
	} else {
		view.Snippets = snippet.First(web.Origin(h.PublicURL), shown.Token)
	}
	p.Data = view
	return p
}

// reveal redirects to the page that shows a new key.
func (h *Handler) reveal(v *page.Visit, k apikey.Key, shown newKey) error {
	return v.ShowOnce(newKeyPath(k.ID), shown, h.revealPage(k, shown))
}

// showNewKey shows a new key once.
func (h *Handler) showNewKey(v *page.Visit) error {
	k, err := h.keyOf(v)
	if err != nil {
		return err
	}
	var shown newKey
	v.TakeSecret(newKeyPath(k.ID), &shown)
	return v.OK(h.revealPage(k, shown))
}

// createKey creates a key and shows it. The key's ID comes with the form, so that submitting the form twice does not
// create a second key.
func (h *Handler) createKey(v *page.Visit) error {
	expires, err := parseExpiry(v.Value("expires"), time.Time{})
	if err != nil {
		return v.Reject(err, newKeyPage(v.Request.PostForm))
	}
	token, key, err := h.Accounts.CreateKey(v.Context(), v.By(), v.Account.ID, apikey.Request{
		ID:         v.Value("id"),
		Name:       v.Value("name"),
		Operations: v.Request.PostForm["operations"],
		Networks:   page.SplitList(v.Request.PostForm.Get("networks")),
		Expires:    expires,
		Test:       v.Value("test") != "",
	})
	if errors.Is(err, apikey.ErrExists) {
		return h.showExistingKey(v, v.Value("id"))
	}
	if err != nil {
		return v.Reject(err, newKeyPage(v.Request.PostForm))
	}
	return h.reveal(v, key, newKey{Token: token})
}

// showExistingKey answers a form that was submitted twice. The key may not have been shown yet.
func (h *Handler) showExistingKey(v *page.Visit, id string) error {
	if _, err := h.Keys.Get(v.Context(), v.Account.ID, id); err == nil {
		return v.Redirect(newKeyPath(id))
	}
	return v.Show(http.StatusConflict, page.Page{
		Template: "keyexists", Title: "This key already exists", Section: "keys",
	})
}

// parseExpiry returns the end of the day in a date field, or zero for an empty field. If the field still shows the day
// of the previous expiry, the result is the previous expiry.
func parseExpiry(field string, previous time.Time) (time.Time, error) {
	if field == "" {
		return time.Time{}, nil
	}
	if field == expiryField(previous) {
		return previous, nil
	}
	day, err := time.Parse(page.DateLayout, field)
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
	return expires.UTC().Add(-time.Nanosecond).Format(page.DateLayout)
}

package apikeys

import (
	"net/url"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// keyView is the data of a key's page.
type keyView struct {
	Key      Row
	Quota    QuotaView
	Settings settingsView

	Permissions []permission
	Graces      []page.Option
	Current     bool // the key can be changed
	Ended       bool // the key is revoked or expired
}

// permission is what an administrator can grant a key.
type permission struct {
	Name, Meaning string
	Granted       bool
}

// permissionsOf returns all permissions, and whether a key has them.
func permissionsOf(k *apikey.Key) []permission {
	meanings := map[string]string{
		apikey.ReadData:      "Read and list complete records, and follow their changes",
		apikey.WriteData:     "Change and erase freelancers, and load files",
		apikey.WriteWebhooks: "Read and change the webhooks of the account",
	}
	var list []permission
	for _, name := range apikey.Permissions() {
		list = append(list, permission{name, meanings[name], k.Permits(name) == nil})
	}
	return list
}

// keyOf returns the key named in the URL if it belongs to the account.
func (h *Handler) keyOf(v *page.Visit) (apikey.Key, error) {
	return h.Keys.Get(v.Context(), v.Account.ID, v.Request.PathValue("id"))
}

// keyPage returns the page of a key with its current settings in the form.
func (h *Handler) keyPage(v *page.Visit, k apikey.Key) page.Page {
	form := url.Values{
		"name":       {k.Name},
		"operations": k.Operations,
		"expires":    {expiryField(k.Expires)},
		"grace":      {DefaultGrace.String()},
	}
	for _, n := range k.Networks {
		form.Set("networks", form.Get("networks")+n.String()+"\n")
	}
	return page.Page{Template: "key", Title: k.Name, Section: "keys", Form: form, Data: keyView{
		Key:      NewRow(k, h.Now()),
		Quota:    h.Quotas.Of(v.Context(), k),
		Settings: settingsOf(form),
		Graces:   Graces(),
		Current:  k.Current(h.Now()),
		Ended:    k.Ended(h.Now()),

		Permissions: permissionsOf(&k),
	}}
}

// DefaultGrace is the grace period that forms propose: time to replace a key where it is used.
const DefaultGrace = 24 * time.Hour

// Graces returns the choices for how long a replaced key still works.
func Graces() []page.Option {
	var options []page.Option
	for _, g := range apikey.Graces() {
		label := "For " + page.Span(g)
		if g == 0 {
			label = "Ends immediately"
		}
		options = append(options, page.Option{Value: g.String(), Label: label})
	}
	return options
}

// GraceFrom returns the grace period in a form. Whether the period is allowed is checked by apikey.
func GraceFrom(v *page.Visit) (time.Duration, error) {
	grace, err := time.ParseDuration(v.Value("grace"))
	if err != nil {
		return 0, page.ErrBadForm
	}
	return grace, nil
}

func (h *Handler) showKey(v *page.Visit) error {
	k, err := h.keyOf(v)
	if err != nil {
		return err
	}
	return v.OK(h.keyPage(v, k))
}

// redirectToKey serves a reload of a page that answered a form, at that form's URL.
func (h *Handler) redirectToKey(v *page.Visit) error {
	return v.Redirect(page.Root + "/keys/" + url.PathEscape(v.Request.PathValue("id")))
}

func (h *Handler) changeKey(v *page.Visit) error {
	k, err := h.keyOf(v)
	if err != nil {
		return err
	}

	// A rejected form keeps what was entered, so that only the faulty field has to be corrected.
	reject := func(err error) error {
		p := h.keyPage(v, k)
		p.Form = v.Request.PostForm
		view, _ := p.Data.(keyView)
		view.Settings = settingsOf(p.Form)
		p.Data = view
		return v.Reject(err, p)
	}

	expires, err := parseExpiry(v.Value("expires"), k.Expires)
	if err != nil {
		return reject(err)
	}

	changed, err := h.Keys.Change(v.Context(), v.By(), v.Account.ID, k.ID, apikey.Settings{
		Name:       v.Value("name"),
		Operations: v.Request.PostForm["operations"],
		Networks:   page.SplitList(v.Request.PostForm.Get("networks")),
		Expires:    expires,
	})
	if err != nil {
		return reject(err)
	}

	return h.confirmKey(v, changed, "Settings saved.")
}

// confirmKey redirects to the page of a key, which shows a confirmation.
func (h *Handler) confirmKey(v *page.Visit, k apikey.Key, notice string) error {
	v.Notice(notice)
	return v.Redirect(page.Root + "/keys/" + k.ID)
}

func (h *Handler) rotateKey(v *page.Visit) error {
	old, err := h.keyOf(v)
	if err != nil {
		return err
	}
	grace, err := GraceFrom(v)
	if err != nil {
		return err
	}

	token, k, err := h.Keys.Rotate(v.Context(), v.By(), v.Account.ID, old.ID, grace)
	if err != nil {
		return v.Reject(err, h.keyPage(v, old))
	}
	shown := newKey{Token: token, Rotated: true}

	// The old key works until the grace period ends, or until it expires, whichever comes first.
	if grace > 0 {
		if old, err = h.keyOf(v); err != nil {
			return err
		}
		shown.Until = old.End()
	}

	return h.reveal(v, k, shown)
}

func (h *Handler) disableKey(v *page.Visit) error {
	k, err := h.Keys.Disable(v.Context(), v.By(), v.Account.ID, v.Request.PathValue("id"))
	if err != nil {
		return err
	}
	return h.confirmKey(v, k, "Key disabled. Requests with it are rejected until you enable it.")
}

func (h *Handler) enableKey(v *page.Visit) error {
	k, err := h.Keys.Enable(v.Context(), v.By(), v.Account.ID, v.Request.PathValue("id"))
	if err != nil {
		return err
	}
	return h.confirmKey(v, k, "Key enabled.")
}

// revokeKey revokes a key permanently. The user confirms it with the key's last four characters.
func (h *Handler) revokeKey(v *page.Visit) error {
	k, err := h.keyOf(v)
	if err != nil {
		return err
	}
	if v.Value("confirm") != k.Last4 {
		return v.Reject(matching.Invalid([]matching.FieldError{{
			Field: "confirm", Code: "mismatch", Message: "enter the last four characters of the key: " + k.Last4,
		}}), h.keyPage(v, k))
	}
	if _, err := h.Keys.Revoke(v.Context(), v.By(), v.Account.ID, k.ID); err != nil {
		return v.Reject(err, h.keyPage(v, k))
	}
	v.Notice("Key “" + k.Name + "” revoked.")
	return v.Redirect(keysPath)
}

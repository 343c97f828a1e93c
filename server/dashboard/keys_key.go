package dashboard

import (
	"net/url"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
)

// keyView is the data of a key's page.
type keyView struct {
	Key      keyRow
	Quota    quotaView
	Settings settingsView
	Graces   []option
	Current  bool // the key can be changed
	Ended    bool // the key is revoked or expired
}

// keyOf returns the key named in the URL if it belongs to the account.
func (h *keyHandler) keyOf(v *visit) (apikey.Key, error) {
	return h.Keys.Get(v.context(), v.account.ID, v.request.PathValue("id"))
}

// keyPage returns the page of a key with its current settings in the form.
func (h *keyHandler) keyPage(v *visit, k apikey.Key) page {
	form := url.Values{
		"name":       {k.Name},
		"operations": k.Operations,
		"expires":    {expiryField(k.Expires)},
		"grace":      {defaultGrace.String()},
	}
	for _, n := range k.Networks {
		form.Set("networks", form.Get("networks")+n.String()+"\n")
	}
	return page{Template: "key", Title: k.Name, Section: "keys", Form: form, Data: keyView{
		Key:      newKeyRow(k, h.Now()),
		Quota:    h.Quotas.of(v.context(), k),
		Settings: settingsOf(form),
		Graces:   graces(),
		Current:  k.Current(h.Now()),
		Ended:    k.Ended(h.Now()),
	}}
}

// defaultGrace is the grace period that forms propose: time to replace a key where it is used.
const defaultGrace = 24 * time.Hour

func graces() []option {
	var options []option
	for _, g := range apikey.Graces() {
		label := "For " + span(g)
		if g == 0 {
			label = "Ends immediately"
		}
		options = append(options, option{Value: g.String(), Label: label})
	}
	return options
}

// graceFrom returns the grace period in a form. Whether the period is allowed is checked by apikey.
func graceFrom(v *visit) (time.Duration, error) {
	grace, err := time.ParseDuration(v.value("grace"))
	if err != nil {
		return 0, errBadForm
	}
	return grace, nil
}

func (h *keyHandler) showKey(v *visit) error {
	k, err := h.keyOf(v)
	if err != nil {
		return err
	}
	return v.ok(h.keyPage(v, k))
}

// redirectToKey serves a reload of a page that answered a form, at that form's URL.
func (h *keyHandler) redirectToKey(v *visit) error {
	return v.redirect(root + "/keys/" + url.PathEscape(v.request.PathValue("id")))
}

func (h *keyHandler) changeKey(v *visit) error {
	k, err := h.keyOf(v)
	if err != nil {
		return err
	}

	reject := func(err error) error {
		p := h.keyPage(v, k)
		p.Form = v.request.PostForm
		view, _ := p.Data.(keyView)
		view.Settings = settingsOf(p.Form)
		p.Data = view
		return v.reject(err, p)
	}

	expires, err := parseExpiry(v.value("expires"), k.Expires)
	if err != nil {
		return reject(err)
	}

	changed, err := h.Keys.Change(v.context(), v.by(), v.account.ID, k.ID, apikey.Settings{
		Name:       v.value("name"),
		Operations: v.request.PostForm["operations"],
		Networks:   splitList(v.request.PostForm.Get("networks")),
		Expires:    expires,
	})
	if err != nil {
		return reject(err)
	}

	return h.confirmKey(v, changed, "Settings saved.")
}

// confirmKey redirects to the page of a key, which shows a confirmation.
func (h *keyHandler) confirmKey(v *visit, k apikey.Key, notice string) error {
	v.notice(notice)
	return v.redirect(root + "/keys/" + k.ID)
}

func (h *keyHandler) rotateKey(v *visit) error {
	old, err := h.keyOf(v)
	if err != nil {
		return err
	}
	grace, err := graceFrom(v)
	if err != nil {
		return err
	}

	token, k, err := h.Keys.Rotate(v.context(), v.by(), v.account.ID, old.ID, grace)
	if err != nil {
		return v.reject(err, h.keyPage(v, old))
	}
	shown := newKey{Token: token, Rotated: true}

	if grace > 0 {
		if old, err = h.keyOf(v); err != nil {
			return err
		}
		shown.Until = old.End()
	}

	return h.reveal(v, k, shown)
}

func (h *keyHandler) disableKey(v *visit) error {
	k, err := h.Keys.Disable(v.context(), v.by(), v.account.ID, v.request.PathValue("id"))
	if err != nil {
		return err
	}
	return h.confirmKey(v, k, "Key disabled. Requests with it are rejected until you enable it.")
}

func (h *keyHandler) enableKey(v *visit) error {
	k, err := h.Keys.Enable(v.context(), v.by(), v.account.ID, v.request.PathValue("id"))
	if err != nil {
		return err
	}
	return h.confirmKey(v, k, "Key enabled.")
}

// revokeKey revokes a key permanently. The user confirms it with the key's last four characters.
func (h *keyHandler) revokeKey(v *visit) error {
	k, err := h.keyOf(v)
	if err != nil {
		return err
	}
	if v.value("confirm") != k.Last4 {
		return v.reject(matching.Invalid([]matching.FieldError{{
			Field: "confirm", Code: "mismatch", Message: "enter the last four characters of the key: " + k.Last4,
		}}), h.keyPage(v, k))
	}
	if _, err := h.Keys.Revoke(v.context(), v.by(), v.account.ID, k.ID); err != nil {
		return v.reject(err, h.keyPage(v, k))
	}
	v.notice("Key “" + k.Name + "” revoked.")
	return v.redirect(keysPath)
}

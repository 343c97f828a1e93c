package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
	"freelancer-matching/internal/matching"
)

// keyView is one key with what is left of its allowance.
type keyView struct {
	Key      keyRow
	Left     allowanceView
	Settings settingsView
	Graces   []option
	Current  bool // it can be changed
	Ended    bool // it can only be looked at
}

// allowanceView is both windows of a key.
type allowanceView struct {
	Unlimited   bool
	Unavailable bool // the windows cannot be told at the moment
	Windows     []windowView
}

// windowView is one window as a bar.
type windowView struct {
	Name        string
	Used, Limit int
	Left        int
	Share       float64 // 0 to 100 of the limit
	Full        bool
	End         time.Time
}

func newWindowView(name string, s quota.Span) windowView {
	return windowView{
		Name: name, Used: s.Used, Limit: s.Limit, Left: max(0, s.Limit-s.Used), End: s.End,
		Share: min(100, 100*float64(s.Used)/float64(max(1, s.Limit))), Full: s.Used >= s.Limit,
	}
}

// allowance is what is left of a key's allowance. That it cannot be told is shown, and no failure of the page.
func (d *dashboard) allowance(ctx context.Context, k apikey.Key) allowanceView {
	plan, _ := apikey.PlanNamed(k.Plan)
	if plan.PerMinute == 0 {
		return allowanceView{Unlimited: true}
	}
	decision, err := d.Quota.Peek(ctx, quota.Allowance{
		Subject: k.Counter, Since: k.PlanSince, PerMinute: plan.PerMinute, PerMonth: plan.Per30Days,
	})
	if err != nil {
		d.Log.Warn("what is left of a key cannot be told", "key", k.ID, "error", err)
		return allowanceView{Unavailable: true}
	}
	return allowanceView{Windows: []windowView{
		newWindowView("This minute", decision.Minute), newWindowView("These 30 days", decision.Month),
	}}
}

// keyOf is the key that the address names, when it is the account's.
func (d *dashboard) keyOf(v *visit) (apikey.Key, error) {
	return d.Keys.Get(v.r.Context(), v.account.ID, v.r.PathValue("id"))
}

// keyForm is the page of a key with its settings as they are.
func (d *dashboard) keyForm(v *visit, k apikey.Key) page {
	form := url.Values{"name": {k.Name}, "operations": k.Operations, "expires": {expiryField(k.Expires)}, "grace": {usualGrace.String()}}
	for _, n := range k.Networks {
		form.Set("networks", form.Get("networks")+n.String()+"\n")
	}
	row := d.keyRow(k)
	return page{
		Template: "key", Title: k.Name, Section: "keys", Form: form,
		Data: keyView{
			Key: row, Left: d.allowance(v.r.Context(), k), Settings: settingsOf(form), Graces: graces(),
			Current: k.Current(d.Now()), Ended: k.Ended(d.Now()),
		},
	}
}

// usualGrace is the grace period that a form begins with: time to change a key where it is used.
const usualGrace = 24 * time.Hour

func graces() []option {
	var options []option
	for _, g := range apikey.Graces() {
		label := "for " + span(g) + " more"
		if g == 0 {
			label = "not at all: it ends now"
		}
		options = append(options, option{Value: g.String(), Label: label})
	}
	return options
}

// graceFrom is the grace period that a form chose. One that is not offered is left to the service to refuse.
func graceFrom(v *visit) (time.Duration, error) {
	grace, err := time.ParseDuration(v.value("grace"))
	if err != nil {
		return 0, errBadForm
	}
	return grace, nil
}

func (d *dashboard) keyPage(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	return d.ok(v, d.keyForm(v, k))
}

// backToKey answers a reload of what a form on the page of a key led to.
func (d *dashboard) backToKey(v *visit) error {
	return v.redirect(root + "/keys/" + url.PathEscape(v.r.PathValue("id")))
}

func (d *dashboard) changeKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	refused := func(err error) error {
		p := d.keyForm(v, k)
		p.Form = v.r.PostForm
		view, _ := p.Data.(keyView)
		view.Settings = settingsOf(p.Form)
		p.Data = view
		return d.again(v, err, p)
	}
	expires, err := expiryFrom(v.value("expires"), k.Expires)
	if err != nil {
		return refused(err)
	}
	changed, err := d.Keys.Change(v.r.Context(), v.by(), v.account.ID, k.ID, apikey.Settings{
		Name: v.value("name"), Operations: v.r.PostForm["operations"], Networks: lines(v.r.PostForm.Get("networks")),
		Expires: expires,
	})
	if err != nil {
		return refused(err)
	}
	return d.doneWithKey(v, changed, "The settings are saved.")
}

// doneWithKey goes back to the page of a key, which says what was done.
func (d *dashboard) doneWithKey(v *visit, k apikey.Key, notice string) error {
	d.notice(v, notice)
	return v.redirect(root + "/keys/" + k.ID)
}

func (d *dashboard) rotateKey(v *visit) error {
	old, err := d.keyOf(v)
	if err != nil {
		return err
	}
	grace, err := graceFrom(v)
	if err != nil {
		return err
	}
	token, k, err := d.Keys.Rotate(v.r.Context(), v.by(), v.account.ID, old.ID, grace)
	if err != nil {
		return d.again(v, err, d.keyForm(v, old))
	}
	view := revealView{Token: token, Key: k, Rotated: true}
	if grace > 0 {
		if old, err = d.keyOf(v); err != nil {
			return err
		}
		view.Until = old.End()
	}
	return d.reveal(v, http.StatusCreated, view)
}

func (d *dashboard) disableKey(v *visit) error {
	k, err := d.Keys.Disable(v.r.Context(), v.by(), v.account.ID, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return d.doneWithKey(v, k, "The key is disabled: requests with it are refused until it is enabled.")
}

func (d *dashboard) enableKey(v *visit) error {
	k, err := d.Keys.Enable(v.r.Context(), v.by(), v.account.ID, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return d.doneWithKey(v, k, "The key is enabled.")
}

// revokeKey ends a key for good. Its last characters are to be typed, so that it is this one that is meant.
func (d *dashboard) revokeKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	if v.value("confirm") != k.Last4 {
		return d.again(v, &matching.Error{
			Code: matching.CodeInvalid, Message: "the key was not revoked",
			Details: []matching.FieldError{{
				Field: "confirm", Code: "mismatch", Message: "type the last four characters of the key, " + k.Last4 + ", to revoke it",
			}},
		}, d.keyForm(v, k))
	}
	if _, err := d.Keys.Revoke(v.r.Context(), v.by(), v.account.ID, k.ID); err != nil {
		return d.again(v, err, d.keyForm(v, k))
	}
	d.notice(v, "The key “"+k.Name+"” is revoked.")
	return v.redirect(root)
}

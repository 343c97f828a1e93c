package dashboard

import (
	"context"
	"net/url"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
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

// quotaView is the remaining quota of a key.
type quotaView struct {
	Unlimited   bool
	Unavailable bool // the counters could not be read
	Windows     []windowView
}

// windowView is one window of a quota, drawn as a bar.
type windowView struct {
	Name        string
	Unit        string // what is counted, such as "requests"
	Used, Limit int
	Remaining   int
	Percent     float64 // of the limit, 0 to 100
	Full        bool
	End         time.Time
}

func newWindowView(name string, s quota.Span) windowView {
	return windowView{
		Name:      name,
		Unit:      "requests",
		Used:      s.Used,
		Limit:     s.Limit,
		Remaining: max(0, s.Limit-s.Used),
		Percent:   min(100, 100*float64(s.Used)/float64(max(1, s.Limit))),
		Full:      s.Used >= s.Limit,
		End:       s.End,
	}
}

// quotaOf returns the remaining quota of a key. If it cannot be read, the page says so and still works.
func (d *dashboard) quotaOf(ctx context.Context, k apikey.Key) quotaView {
	plan, _ := apikey.PlanNamed(k.Plan)
	if plan.PerMinute == 0 {
		return quotaView{Unlimited: true}
	}
	decision, err := d.Quota.Peek(ctx, quota.Allowance{
		Subject: k.Counter, Since: k.PlanSince, PerMinute: plan.PerMinute, PerMonth: plan.Per30Days,
	})
	if err != nil {
		d.Log.Warn("remaining quota unavailable", "key", k.ID, "error", err)
		return quotaView{Unavailable: true}
	}
	return quotaView{Windows: []windowView{
		newWindowView("Current minute", decision.Minute), newWindowView("Current 30 days", decision.Month),
	}}
}

// keyOf returns the key named in the URL if it belongs to the account.
func (d *dashboard) keyOf(v *visit) (apikey.Key, error) {
	return d.Keys.Get(v.r.Context(), v.account.ID, v.r.PathValue("id"))
}

// keyPage returns the page of a key with its current settings in the form.
func (d *dashboard) keyPage(v *visit, k apikey.Key) page {
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
		Key:      d.keyRow(k),
		Quota:    d.quotaOf(v.r.Context(), k),
		Settings: settingsOf(form),
		Graces:   graces(),
		Current:  k.Current(d.Now()),
		Ended:    k.Ended(d.Now()),
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

func (d *dashboard) showKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	return d.ok(v, d.keyPage(v, k))
}

// redirectToKey serves a reload of a page that answered a form, at that form's URL.
func (d *dashboard) redirectToKey(v *visit) error {
	return v.redirect(root + "/keys/" + url.PathEscape(v.r.PathValue("id")))
}

func (d *dashboard) changeKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}

	reject := func(err error) error {
		p := d.keyPage(v, k)
		p.Form = v.r.PostForm
		view, _ := p.Data.(keyView)
		view.Settings = settingsOf(p.Form)
		p.Data = view
		return d.rejectForm(v, err, p)
	}

	expires, err := parseExpiry(v.value("expires"), k.Expires)
	if err != nil {
		return reject(err)
	}

	changed, err := d.Keys.Change(v.r.Context(), v.by(), v.account.ID, k.ID, apikey.Settings{
		Name:       v.value("name"),
		Operations: v.r.PostForm["operations"],
		Networks:   splitList(v.r.PostForm.Get("networks")),
		Expires:    expires,
	})
	if err != nil {
		return reject(err)
	}

	return d.confirmKey(v, changed, "Settings saved.")
}

// confirmKey redirects to the page of a key, which shows a confirmation.
func (d *dashboard) confirmKey(v *visit, k apikey.Key, notice string) error {
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
		return d.rejectForm(v, err, d.keyPage(v, old))
	}
	shown := newKey{Token: token, Rotated: true}

	if grace > 0 {
		if old, err = d.keyOf(v); err != nil {
			return err
		}
		shown.Until = old.End()
	}

	return d.reveal(v, k, shown)
}

func (d *dashboard) disableKey(v *visit) error {
	k, err := d.Keys.Disable(v.r.Context(), v.by(), v.account.ID, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return d.confirmKey(v, k, "Key disabled. Requests with it are rejected until you enable it.")
}

func (d *dashboard) enableKey(v *visit) error {
	k, err := d.Keys.Enable(v.r.Context(), v.by(), v.account.ID, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return d.confirmKey(v, k, "Key enabled.")
}

// revokeKey revokes a key permanently. The user confirms it with the key's last four characters.
func (d *dashboard) revokeKey(v *visit) error {
	k, err := d.keyOf(v)
	if err != nil {
		return err
	}
	if v.value("confirm") != k.Last4 {
		return d.rejectForm(v, matching.Invalid([]matching.FieldError{{
			Field: "confirm", Code: "mismatch", Message: "enter the last four characters of the key: " + k.Last4,
		}}), d.keyPage(v, k))
	}
	if _, err := d.Keys.Revoke(v.r.Context(), v.by(), v.account.ID, k.ID); err != nil {
		return d.rejectForm(v, err, d.keyPage(v, k))
	}
	d.notice(v, "Key “"+k.Name+"” revoked.")
	return v.redirect(keysPath)
}

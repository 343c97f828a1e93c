package dashboard

import (
	"net/http"
	"net/url"
	"slices"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// shownAccounts is how many accounts a list holds; a search finds the others.
const shownAccounts = 100

// accountsView is the accounts that a search found.
type accountsView struct {
	Accounts []accountRow
	More     bool // there are others
}

type accountRow struct {
	account.Account
	Keys    int // current ones
	MaxKeys int
}

func (d *dashboard) accountsPage(v *visit) error {
	ctx := v.r.Context()
	part := v.r.FormValue("q")
	accounts, err := d.Accounts.Accounts(ctx, part, shownAccounts+1)
	if err != nil {
		return err
	}
	keys, err := d.Keys.List(ctx)
	if err != nil {
		return err
	}
	held := map[string]int{}
	for _, k := range keys {
		if k.Current(d.Now()) {
			held[k.Account]++
		}
	}
	view := accountsView{More: len(accounts) > shownAccounts}
	for _, a := range accounts[:min(len(accounts), shownAccounts)] {
		plan, _ := apikey.PlanNamed(a.Plan)
		view.Accounts = append(view.Accounts, accountRow{Account: a, Keys: held[a.ID], MaxKeys: plan.MaxKeys})
	}
	return d.ok(v, page{
		Template: "accounts", Title: "Accounts", Section: "accounts", Form: url.Values{"q": {part}}, Data: view,
	})
}

// anAccountView is one account with its users and keys.
type anAccountView struct {
	Account account.Account
	Plan    apikey.Plan
	Users   []account.User
	Keys    []keyRow
	Plans   []option
	Graces  []option
	Own     bool       // the administrator's own
	Secret  secretView // a reset link that was just made
}

func plans() []option {
	var options []option
	for _, p := range apikey.Plans() {
		options = append(options, option{p.Name, title(p.Name)})
	}
	return options
}

func (d *dashboard) anAccountForm(v *visit) (page, error) {
	ctx := v.r.Context()
	a, err := d.Accounts.Account(ctx, v.r.PathValue("account"))
	if err != nil {
		return page{}, err
	}
	users, err := d.Accounts.Users(ctx, a.ID)
	if err != nil {
		return page{}, err
	}
	keys, err := d.Keys.ListOf(ctx, a.ID)
	if err != nil {
		return page{}, err
	}
	plan, _ := apikey.PlanNamed(a.Plan)
	view := anAccountView{Account: a, Plan: plan, Users: users, Plans: plans(), Graces: graces(), Own: a.ID == v.account.ID}
	for _, k := range slices.Backward(keys) {
		view.Keys = append(view.Keys, d.keyRow(k))
	}
	return page{
		Template: "oneaccount", Title: a.Name, Section: "accounts",
		Form: url.Values{"plan": {a.Plan}, "grace": {usualGrace.String()}}, Data: view,
	}, nil
}

func (d *dashboard) anAccountPage(v *visit) error {
	p, err := d.anAccountForm(v)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// changeAccount answers a form on the page of an account: with the page and a notice, or with what is wrong.
func (d *dashboard) changeAccount(v *visit, notice string, change func(id string) error) error {
	id := v.r.PathValue("account")
	if err := change(id); err != nil {
		p, broken := d.anAccountForm(v)
		if broken != nil {
			return broken
		}
		return d.again(v, err, p)
	}
	d.notice(v, notice)
	return v.redirect(root + "/admin/accounts/" + url.PathEscape(id))
}

func (d *dashboard) changePlan(v *visit) error {
	grace, err := graceFrom(v)
	if err != nil {
		return err
	}
	return d.changeAccount(v, "The plan is changed.", func(id string) error {
		_, err := d.Accounts.ChangePlan(v.r.Context(), v.by(), id, v.value("plan"), grace)
		return err
	})
}

func (d *dashboard) disableAccount(v *visit) error {
	return d.changeAccount(v, "The account is disabled: its keys are refused and nobody signs in to it.", func(id string) error {
		if v.value("confirm") == "" {
			return &matching.Error{Code: matching.CodeInvalid, Message: "the account was not disabled", Details: []matching.FieldError{{
				Field: "confirm", Code: "required", Message: "tick the box to disable the account",
			}}}
		}
		_, err := d.Accounts.DisableAccount(v.r.Context(), v.by(), id)
		return err
	})
}

func (d *dashboard) enableAccount(v *visit) error {
	return d.changeAccount(v, "The account is enabled.", func(id string) error {
		_, err := d.Accounts.EnableAccount(v.r.Context(), v.by(), id)
		return err
	})
}

// makeReset shows a link with which a user of the account chooses a new password.
func (d *dashboard) makeReset(v *visit) error {
	p, err := d.anAccountForm(v)
	if err != nil {
		return err
	}
	view, _ := p.Data.(anAccountView)
	user := v.r.PathValue("user")
	if !slices.ContainsFunc(view.Users, func(u account.User) bool { return u.ID == user }) {
		return errNotFound
	}
	secret, link, err := d.Accounts.MakeReset(v.r.Context(), v.by(), user)
	if err != nil {
		return d.again(v, err, p)
	}
	view.Secret = d.secretView(secret, link)
	p.Data = view
	return d.show(v, http.StatusCreated, p)
}

// invitationsView is every open invitation.
type invitationsView struct {
	Invitations []account.Link
	Plans       []option
	Secret      secretView
}

func (d *dashboard) invitationsForm(v *visit) (page, error) {
	links, err := d.invitations(v, "")
	if err != nil {
		return page{}, err
	}
	return page{
		Template: "invitations", Title: "Invitations", Section: "invitations",
		Form: url.Values{"email": {v.value("email")}, "plan": {v.value("plan")}},
		Data: invitationsView{Invitations: links, Plans: plans()},
	}, nil
}

func (d *dashboard) invitationsPage(v *visit) error {
	p, err := d.invitationsForm(v)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// invite makes an invitation to make a new account. Those into an account are made by its owners, on their page of members.
func (d *dashboard) invite(v *visit) error {
	secret, link, refusal := d.Accounts.Invite(v.r.Context(), v.by(), account.Invite{
		Email: v.value("email"), Plan: v.value("plan"), Role: account.Owner,
	})
	p, err := d.invitationsForm(v)
	if err != nil {
		return err
	}
	if refusal != nil {
		return d.again(v, refusal, p)
	}
	view, _ := p.Data.(invitationsView)
	view.Secret = d.secretView(secret, link)
	p.Data, p.Form = view, nil
	return d.show(v, http.StatusCreated, p)
}

func (d *dashboard) revokeLink(v *visit) error {
	if err := d.Accounts.RevokeLink(v.r.Context(), v.by(), "", v.r.PathValue("link")); err != nil {
		return err
	}
	d.notice(v, "The invitation is revoked.")
	return v.redirect(root + "/admin/invitations")
}

func (d *dashboard) auditPage(v *visit) error {
	view, err := d.events(v, audit.Query{})
	if err != nil {
		return err
	}
	view.Accounts = true
	if err := d.nameActors(v, &view, v.account.ID); err != nil {
		return err
	}
	return d.ok(v, page{Template: "events", Title: "Audit log", Section: "audit", Data: view})
}

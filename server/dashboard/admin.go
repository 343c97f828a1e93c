package dashboard

import (
	"net/url"
	"slices"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
)

// maxAccounts is how many accounts the list shows; a search finds the others.
const maxAccounts = 100

// accountsView is the data of the page with all accounts.
type accountsView struct {
	Accounts []accountRow
	More     bool // there are more accounts than shown
}

type accountRow struct {
	account.Account
	Keys    int // keys that count toward the plan's limit
	MaxKeys int
}

func (d *dashboard) showAccounts(v *visit) error {
	ctx := v.r.Context()
	query := v.r.FormValue("q")
	accounts, err := d.Accounts.Accounts(ctx, query, maxAccounts+1)
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

	view := accountsView{More: len(accounts) > maxAccounts}
	for _, a := range accounts[:min(len(accounts), maxAccounts)] {
		plan, _ := apikey.PlanNamed(a.Plan)
		view.Accounts = append(view.Accounts, accountRow{Account: a, Keys: held[a.ID], MaxKeys: plan.MaxKeys})
	}

	return d.ok(v, page{
		Template: "accounts",
		Title:    "Accounts",
		Section:  "accounts",
		Form:     url.Values{"q": {query}},
		Data:     view,
	})
}

// accountDetailView is the data of the page with one account.
type accountDetailView struct {
	Account account.Account
	Users   []account.User
	Keys    []keyRow
	Plans   []option
	Graces  []option
	Own     bool // the administrator belongs to the account

	Permissions []string // all that a key can have
}

func plans() []option {
	var options []option
	for _, p := range apikey.Plans() {
		options = append(options, option{p.Name, title(p.Name)})
	}
	return options
}

func (d *dashboard) accountDetailPage(v *visit) (page, error) {
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

	view := accountDetailView{
		Account: a, Users: users, Plans: plans(), Graces: graces(), Own: a.ID == v.account.ID,
		Permissions: apikey.Permissions(),
	}
	for _, k := range slices.Backward(keys) {
		view.Keys = append(view.Keys, d.keyRow(k))
	}

	return page{
		Template: "accountdetail",
		Title:    a.Name,
		Section:  "accounts",
		Form:     url.Values{"plan": {a.Plan}, "grace": {defaultGrace.String()}},
		Data:     view,
	}, nil
}

// changeAccount changes the account named in the URL and shows its page, with a confirmation or a refusal.
func (d *dashboard) changeAccount(v *visit, notice string, change func(id string) error) error {
	id := v.r.PathValue("account")
	if refusal := change(id); refusal != nil {
		p, err := d.accountDetailPage(v)
		if err != nil {
			return err
		}
		return d.rejectForm(v, refusal, p)
	}
	d.notice(v, notice)
	return v.redirect(root + "/admin/accounts/" + url.PathEscape(id))
}

func (d *dashboard) changePlan(v *visit) error {
	grace, err := graceFrom(v)
	if err != nil {
		return err
	}
	return d.changeAccount(v, "Plan changed.", func(id string) error {
		_, err := d.Accounts.ChangePlan(v.r.Context(), v.by(), id, v.value("plan"), grace)
		return err
	})
}

// setPermissions replaces the permissions of a key, which only administrators can.
func (d *dashboard) setPermissions(v *visit) error {
	return d.changeAccount(v, "Permissions saved.", func(id string) error {
		_, err := d.Keys.SetPermissions(v.r.Context(), v.by(), id, v.r.PathValue("key"), v.r.PostForm["permissions"])
		return err
	})
}

func (d *dashboard) disableAccount(v *visit) error {
	const notice = "Account disabled. Its API keys are rejected and its members cannot sign in."
	return d.changeAccount(v, notice, func(id string) error {
		if v.value("confirm") == "" {
			return matching.Invalid([]matching.FieldError{{
				Field: "confirm", Code: "required", Message: "select the checkbox to disable the account",
			}})
		}
		_, err := d.Accounts.DisableAccount(v.r.Context(), v.by(), id)
		return err
	})
}

func (d *dashboard) enableAccount(v *visit) error {
	return d.changeAccount(v, "Account enabled.", func(id string) error {
		_, err := d.Accounts.EnableAccount(v.r.Context(), v.by(), id)
		return err
	})
}

// createResetLink shows a link with which a user of the account can choose a new password.
func (d *dashboard) createResetLink(v *visit) error {
	p, err := d.accountDetailPage(v)
	if err != nil {
		return err
	}
	view, _ := p.Data.(accountDetailView)
	user := v.r.PathValue("user")
	if !slices.ContainsFunc(view.Users, func(u account.User) bool { return u.ID == user }) {
		return errNotFound
	}
	secret, link, err := d.Accounts.CreateResetLink(v.r.Context(), v.by(), user)
	if err != nil {
		return d.rejectForm(v, err, p)
	}
	return d.showLink(v, resetLinks(v), secret, link)
}

// invitationsView is the data of the page with all open invitations.
type invitationsView struct {
	Invitations []account.Link
	Plans       []option
}

func (d *dashboard) invitationsPage(v *visit) (page, error) {
	links, err := d.invitations(v, "")
	if err != nil {
		return page{}, err
	}
	return page{
		Template: "invitations",
		Title:    "Invitations",
		Section:  "invitations",
		Form:     url.Values{"email": {v.value("email")}, "plan": {v.value("plan")}},
		Data:     invitationsView{Invitations: links, Plans: plans()},
	}, nil
}

// invite creates an invitation to open a new account. Owners invite people to existing accounts, see inviteMember.
func (d *dashboard) invite(v *visit) error {
	secret, link, refusal := d.Accounts.Invite(v.r.Context(), v.by(), account.Invite{
		Email: v.value("email"), Plan: v.value("plan"), Role: account.Owner,
	})
	if refusal == nil {
		return d.showLink(v, accountInvitations(), secret, link)
	}
	p, err := d.invitationsPage(v)
	if err != nil {
		return err
	}
	return d.rejectForm(v, refusal, p)
}

func (d *dashboard) revokeLink(v *visit) error {
	if err := d.Accounts.RevokeLink(v.r.Context(), v.by(), "", v.r.PathValue("link")); err != nil {
		return err
	}
	d.notice(v, "Invitation revoked.")
	return v.redirect(root + "/admin/invitations")
}

func (d *dashboard) showAudit(v *visit) error {
	return d.showEvents(v, page{Title: "Audit log", Section: "audit"}, true)
}

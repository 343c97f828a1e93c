package dashboard

import (
	"net/url"
	"slices"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
)

// An adminHandler serves the pages on which administrators manage all accounts and invite new ones.
type adminHandler struct {
	linkHandler
	keys *apikey.Service
	now  func() time.Time
}

// NewAdministration returns the handler of the pages about all accounts.
func newAdministration(
	accounts *account.Service, keys *apikey.Service, public *url.URL, now func() time.Time,
) *adminHandler {
	return &adminHandler{linkHandler{accounts, public}, keys, now}
}

// Routes returns the routes of the pages.
func (h *adminHandler) Routes() []route {
	const admin = account.Administrator

	return []route{
		get("/admin/accounts", admin, h.showAccounts),
		get("/admin/accounts/{account}", admin, showing(h.accountDetailPage)),
		post("/admin/accounts/{account}/plan", admin, h.changePlan).confirmedBy(admin),
		post("/admin/accounts/{account}/keys/{key}/permissions", admin, h.setPermissions).confirmedBy(admin),
		post("/admin/accounts/{account}/disable", admin, h.disableAccount).confirmedBy(admin),
		post("/admin/accounts/{account}/enable", admin, h.enableAccount).confirmedBy(admin),
		post("/admin/accounts/{account}/users/{user}/reset", admin, h.createResetLink).confirmedBy(admin),
		get("/admin/accounts/{account}/users/{user}/reset/{link}", admin, h.showResetLink),
		get("/admin/invitations", admin, showing(h.invitationsPage)),
		post("/admin/invitations", admin, h.invite).confirmedBy(admin),
		get("/admin/invitations/{link}", admin, h.showInvitation),
		post("/admin/invitations/{link}/revoke", admin, h.revokeLink).confirmedBy(admin),
	}
}

func resetLinks(v *visit) linkPlace {
	id := v.request.PathValue("account")
	back := root + "/admin/accounts/" + url.PathEscape(id)
	again := back + "/users/" + url.PathEscape(v.request.PathValue("user")) + "/reset"
	return linkPlace{Account: id, Path: again + "/", Back: back, Title: "Account", Section: "accounts", Again: again}
}

func (h *adminHandler) showResetLink(v *visit) error { return h.showNewLink(v, resetLinks(v)) }

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

func (h *adminHandler) showAccounts(v *visit) error {
	ctx := v.context()
	query := v.request.FormValue("q")
	accounts, err := h.accounts.Accounts(ctx, query, maxAccounts+1)
	if err != nil {
		return err
	}

	keys, err := h.keys.List(ctx)
	if err != nil {
		return err
	}
	held := map[string]int{}
	for _, k := range keys {
		if k.Current(h.now()) {
			held[k.Account]++
		}
	}

	view := accountsView{More: len(accounts) > maxAccounts}
	for _, a := range accounts[:min(len(accounts), maxAccounts)] {
		plan, _ := apikey.PlanNamed(a.Plan)
		view.Accounts = append(view.Accounts, accountRow{Account: a, Keys: held[a.ID], MaxKeys: plan.MaxKeys})
	}

	return v.ok(page{
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

func (h *adminHandler) accountDetailPage(v *visit) (page, error) {
	ctx := v.context()
	a, err := h.accounts.Account(ctx, v.request.PathValue("account"))
	if err != nil {
		return page{}, err
	}

	users, err := h.accounts.Users(ctx, a.ID)
	if err != nil {
		return page{}, err
	}
	keys, err := h.keys.ListOf(ctx, a.ID)
	if err != nil {
		return page{}, err
	}

	view := accountDetailView{
		Account: a, Users: users, Plans: plans(), Graces: graces(), Own: a.ID == v.account.ID,
		Permissions: apikey.Permissions(),
	}
	for _, k := range slices.Backward(keys) {
		view.Keys = append(view.Keys, newKeyRow(k, h.now()))
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
func (h *adminHandler) changeAccount(v *visit, notice string, change func(id string) error) error {
	id := v.request.PathValue("account")
	if refusal := change(id); refusal != nil {
		p, err := h.accountDetailPage(v)
		if err != nil {
			return err
		}
		return v.reject(refusal, p)
	}
	v.notice(notice)
	return v.redirect(root + "/admin/accounts/" + url.PathEscape(id))
}

func (h *adminHandler) changePlan(v *visit) error {
	grace, err := graceFrom(v)
	if err != nil {
		return err
	}
	return h.changeAccount(v, "Plan changed.", func(id string) error {
		_, err := h.accounts.ChangePlan(v.context(), v.by(), id, v.value("plan"), grace)
		return err
	})
}

// setPermissions replaces the permissions of a key, which only administrators can.
func (h *adminHandler) setPermissions(v *visit) error {
	return h.changeAccount(v, "Permissions saved.", func(id string) error {
		_, err := h.keys.SetPermissions(v.context(), v.by(), id, v.request.PathValue("key"), v.request.PostForm["permissions"])
		return err
	})
}

func (h *adminHandler) disableAccount(v *visit) error {
	const notice = "Account disabled. Its API keys are rejected and its members cannot sign in."
	return h.changeAccount(v, notice, func(id string) error {
		if v.value("confirm") == "" {
			return matching.Invalid([]matching.FieldError{{
				Field: "confirm", Code: "required", Message: "select the checkbox to disable the account",
			}})
		}
		_, err := h.accounts.DisableAccount(v.context(), v.by(), id)
		return err
	})
}

func (h *adminHandler) enableAccount(v *visit) error {
	return h.changeAccount(v, "Account enabled.", func(id string) error {
		_, err := h.accounts.EnableAccount(v.context(), v.by(), id)
		return err
	})
}

// createResetLink shows a link with which a user of the account can choose a new password.
func (h *adminHandler) createResetLink(v *visit) error {
	p, err := h.accountDetailPage(v)
	if err != nil {
		return err
	}
	view, _ := p.Data.(accountDetailView)
	user := v.request.PathValue("user")
	if !slices.ContainsFunc(view.Users, func(u account.User) bool { return u.ID == user }) {
		return errNotFound
	}
	secret, link, err := h.accounts.CreateResetLink(v.context(), v.by(), user)
	if err != nil {
		return v.reject(err, p)
	}
	return h.showLink(v, resetLinks(v), secret, link)
}

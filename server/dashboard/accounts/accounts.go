package accounts

import (
	"net/url"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/apikeys"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// An AdminHandler serves the pages on which administrators manage all accounts and invite new ones.
type AdminHandler struct {
	linkHandler
	keys *apikey.Service
	now  func() time.Time
}

// NewAdministration returns the handler of the pages about all accounts.
func NewAdministration(
	accounts *account.Services, keys *apikey.Service, public *url.URL, now func() time.Time,
) *AdminHandler {
	return &AdminHandler{linkHandler{accounts, public}, keys, now}
}

// Routes returns the routes of the pages.
func (h *AdminHandler) Routes() []page.Route {
	const admin = account.Administrator

	return []page.Route{
		page.Get("/admin/accounts", admin, h.showAccounts),
		page.Get("/admin/accounts/{account}", admin, page.Showing(h.accountDetailPage)),
		page.Post("/admin/accounts/{account}/plan", admin, h.changePlan).ConfirmedBy(admin),
		page.Post("/admin/accounts/{account}/keys/{key}/permissions", admin, h.setPermissions).ConfirmedBy(admin),
		page.Post("/admin/accounts/{account}/disable", admin, h.disableAccount).ConfirmedBy(admin),
		page.Post("/admin/accounts/{account}/enable", admin, h.enableAccount).ConfirmedBy(admin),
		page.Post("/admin/accounts/{account}/users/{user}/reset", admin, h.createResetLink).ConfirmedBy(admin),
		page.Get("/admin/accounts/{account}/users/{user}/reset/{link}", admin, h.showResetLink),
		page.Get("/admin/invitations", admin, page.Showing(h.invitationsPage)),
		page.Post("/admin/invitations", admin, h.invite).ConfirmedBy(admin),
		page.Get("/admin/invitations/{link}", admin, h.showInvitation),
		page.Post("/admin/invitations/{link}/revoke", admin, h.revokeLink).ConfirmedBy(admin),
	}
}

func resetLinks(v *page.Visit) linkPlace {
	id := v.Request.PathValue("account")
	back := page.Root + "/admin/accounts/" + url.PathEscape(id)
	again := back + "/users/" + url.PathEscape(v.Request.PathValue("user")) + "/reset"
	return linkPlace{Account: id, Path: again + "/", Back: back, Title: "Account", Section: "accounts", Again: again}
}

func (h *AdminHandler) showResetLink(v *page.Visit) error { return h.showNewLink(v, resetLinks(v)) }

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

func (h *AdminHandler) showAccounts(v *page.Visit) error {
	ctx := v.Context()
	query := v.Request.FormValue("q")
	accounts, err := h.accounts.Accounts.List(ctx, query, maxAccounts+1)
	if err != nil {
		return err
	}

	// One query for the keys of all accounts is cheaper than one for each account of the list.
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

	// One account more than fits was read, which tells whether the list is complete.
	view := accountsView{More: len(accounts) > maxAccounts}
	for _, a := range accounts[:min(len(accounts), maxAccounts)] {
		plan, _ := apikey.PlanNamed(a.Plan)
		view.Accounts = append(view.Accounts, accountRow{Account: a, Keys: held[a.ID], MaxKeys: plan.MaxKeys})
	}

	return v.OK(page.Page{
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
	Keys    []apikeys.Row
	Plans   []page.Option
	Graces  []page.Option
	Own     bool // the administrator belongs to the account

	Permissions []string // all that a key can have
}

func plans() []page.Option {
	var options []page.Option
	for _, p := range apikey.Plans() {
		options = append(options, page.Option{Value: p.Name, Label: page.Title(p.Name)})
	}
	return options
}

func (h *AdminHandler) accountDetailPage(v *page.Visit) (page.Page, error) {
	ctx := v.Context()
	a, err := h.accounts.Accounts.Find(ctx, v.Request.PathValue("account"))
	if err != nil {
		return page.Page{}, err
	}

	users, err := h.accounts.Users.List(ctx, a.ID)
	if err != nil {
		return page.Page{}, err
	}
	keys, err := h.keys.ListOf(ctx, a.ID)
	if err != nil {
		return page.Page{}, err
	}

	view := accountDetailView{
		Account: a, Users: users, Plans: plans(), Graces: apikeys.Graces(), Own: a.ID == v.Account.ID,
		Permissions: apikey.Permissions(),
	}

	// The page lists the newest keys first, which are the ones in use.
	for _, k := range slices.Backward(keys) {
		view.Keys = append(view.Keys, apikeys.NewRow(k, h.now()))
	}

	return page.Page{
		Template: "accountdetail",
		Title:    a.Name,
		Section:  "accounts",
		Form:     url.Values{"plan": {a.Plan}, "grace": {apikeys.DefaultGrace.String()}},
		Data:     view,
	}, nil
}

// changeAccount changes the account named in the URL and shows its page, with a confirmation or a refusal.
func (h *AdminHandler) changeAccount(v *page.Visit, notice string, change func(id string) error) error {
	id := v.Request.PathValue("account")
	if refusal := change(id); refusal != nil {
		p, err := h.accountDetailPage(v)
		if err != nil {
			return err
		}
		return v.Reject(refusal, p)
	}
	v.Notice(notice)
	return v.Redirect(page.Root + "/admin/accounts/" + url.PathEscape(id))
}

func (h *AdminHandler) changePlan(v *page.Visit) error {
	grace, err := apikeys.GraceFrom(v)
	if err != nil {
		return err
	}
	return h.changeAccount(v, "Plan changed.", func(id string) error {
		_, err := h.accounts.Accounts.ChangePlan(v.Context(), v.By(), id, v.Value("plan"), grace)
		return err
	})
}

// setPermissions replaces the permissions of a key, which only administrators can.
func (h *AdminHandler) setPermissions(v *page.Visit) error {
	return h.changeAccount(v, "Permissions saved.", func(id string) error {
		permissions := v.Request.PostForm["permissions"]
		_, err := h.keys.SetPermissions(v.Context(), v.By(), id, v.Request.PathValue("key"), permissions)
		return err
	})
}

func (h *AdminHandler) disableAccount(v *page.Visit) error {
	const notice = "Account disabled. Its API keys are rejected and its members cannot sign in."
	return h.changeAccount(v, notice, func(id string) error {
		if v.Value("confirm") == "" {
			return matching.Invalid([]matching.FieldError{{
				Field: "confirm", Code: "required", Message: "select the checkbox to disable the account",
			}})
		}
		_, err := h.accounts.Accounts.Disable(v.Context(), v.By(), id)
		return err
	})
}

func (h *AdminHandler) enableAccount(v *page.Visit) error {
	return h.changeAccount(v, "Account enabled.", func(id string) error {
		_, err := h.accounts.Accounts.Enable(v.Context(), v.By(), id)
		return err
	})
}

// createResetLink shows a link with which a user of the account can choose a new password.
func (h *AdminHandler) createResetLink(v *page.Visit) error {
	p, err := h.accountDetailPage(v)
	if err != nil {
		return err
	}
	view, _ := p.Data.(accountDetailView)
	user := v.Request.PathValue("user")
	if !slices.ContainsFunc(view.Users, func(u account.User) bool { return u.ID == user }) {
		return page.ErrNotFound
	}
	secret, link, err := h.accounts.Links.CreateReset(v.Context(), v.By(), user)
	if err != nil {
		return v.Reject(err, p)
	}
	return h.showLink(v, resetLinks(v), secret, link)
}

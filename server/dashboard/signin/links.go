package signin

import (
	"net/url"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A one-time link carries its secret after the #, which browsers never send to a server. Its page shows two forms in
// turn. The first one submits the secret, filled in by the script or pasted by the user. The second one uses the link.

// linkView is the data of a link's page.
type linkView struct {
	Purpose account.Purpose
	Path    string // of both forms
	Link    account.Link
	Checked bool            // Link is set
	Account account.Account // that an invitation leads to; zero if it creates an account
}

// CodeLabel returns the label of the field for the secret.
func (l linkView) CodeLabel() string {
	switch l.Purpose {
	case account.SetUp:
		return "Setup code"
	case account.Reset:
		return "Reset code"
	default:
		return "Invitation code"
	}
}

// PasswordLabel returns the label of the field for the password.
func (l linkView) PasswordLabel() string {
	if l.Purpose == account.Reset {
		return "New password"
	}
	return "Password"
}

func linkPage(v *page.Visit, purpose account.Purpose) page.Page {
	view := linkView{Purpose: purpose}
	p := page.Page{Template: "link", Form: url.Values{
		"secret": {v.Value("secret")}, "email": {v.Value("email")}, "account_name": {v.Value("account_name")},
	}}
	switch purpose {
	case account.SetUp:
		p.Title = "Set up this service"
		view.Path = page.Root + "/setup"
	case account.Invitation:
		p.Title = "Accept your invitation"
		view.Path = page.Root + "/join"
	case account.Reset:
		p.Title = "Choose a new password"
		view.Path = page.Root + "/reset"
	}
	p.Data = view
	return p
}

func (h *Handler) showSetup(v *page.Visit) error { return v.OK(linkPage(v, account.SetUp)) }

func (h *Handler) showJoin(v *page.Visit) error { return v.OK(linkPage(v, account.Invitation)) }

func (h *Handler) showReset(v *page.Visit) error { return v.OK(linkPage(v, account.Reset)) }

func (h *Handler) setUp(v *page.Visit) error { return h.useLink(v, account.SetUp, h.register) }

func (h *Handler) join(v *page.Visit) error { return h.useLink(v, account.Invitation, h.register) }

func (h *Handler) reset(v *page.Visit) error { return h.useLink(v, account.Reset, h.resetPassword) }

// useLink serves both forms of a link's page. It calls use for the second one.
func (h *Handler) useLink(v *page.Visit, purpose account.Purpose, use func(*page.Visit) (account.User, error)) error {
	p := linkPage(v, purpose)
	link, err := h.Accounts.Links.Find(v.Context(), v.Value("secret"))

	// A reset link doesn't open an invitation, and the message doesn't tell that the link exists.
	if err == nil && link.Purpose != purpose {
		err = &matching.Error{
			Code:    account.CodeLinkSpent,
			Message: "This link was used or revoked, or has expired. Ask for a new one.",
		}
	}

	if err != nil {
		return v.Reject(err, p)
	}
	view := linkView{Purpose: purpose, Path: v.Request.URL.Path, Link: link, Checked: true}

	// The page names the account that the user is about to join.
	if purpose == account.Invitation && link.Account != "" {
		if view.Account, err = h.Accounts.Accounts.Find(v.Context(), link.Account); err != nil {
			return err
		}
	}

	p.Data = view
	if link.Email != "" {
		p.Form.Set("email", link.Email)
	}

	// The first of the two forms has only the secret, and changes nothing.
	if !v.Request.PostForm.Has("password") {
		return v.OK(p)
	}
	user, err := use(v)
	if err != nil {
		return v.Reject(err, p)
	}

	return h.letIn(v, user, page.Root)
}

// register creates the user that a form describes, with or without the secret of a link.
func (h *Handler) register(v *page.Visit) (account.User, error) {
	return h.Accounts.SignUps.Register(v.Context(), v.By(), account.NewUser{
		Email:       v.Value("email"),
		Password:    v.Request.PostForm.Get("password"),
		AccountName: v.Value("account_name"),
		Secret:      v.Value("secret"),
	})
}

func (h *Handler) resetPassword(v *page.Visit) (account.User, error) {
	return h.Accounts.Passwords.Reset(v.Context(), v.By(), v.Value("secret"), v.Request.PostForm.Get("password"))
}

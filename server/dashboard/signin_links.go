package dashboard

import (
	"net/url"

	"freelancer-matching/access/account"
	"freelancer-matching/internal/matching"
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

func linkPage(v *visit, purpose account.Purpose) page {
	view := linkView{Purpose: purpose}
	p := page{Template: "link", Form: url.Values{
		"secret": {v.value("secret")}, "email": {v.value("email")}, "account_name": {v.value("account_name")},
	}}
	switch purpose {
	case account.SetUp:
		p.Title = "Set up this service"
		view.Path = root + "/setup"
	case account.Invitation:
		p.Title = "Accept your invitation"
		view.Path = root + "/join"
	case account.Reset:
		p.Title = "Choose a new password"
		view.Path = root + "/reset"
	}
	p.Data = view
	return p
}

func (h *signInHandler) showSetup(v *visit) error { return v.ok(linkPage(v, account.SetUp)) }

func (h *signInHandler) showJoin(v *visit) error { return v.ok(linkPage(v, account.Invitation)) }

func (h *signInHandler) showReset(v *visit) error { return v.ok(linkPage(v, account.Reset)) }

func (h *signInHandler) setUp(v *visit) error { return h.useLink(v, account.SetUp, h.register) }

func (h *signInHandler) join(v *visit) error { return h.useLink(v, account.Invitation, h.register) }

func (h *signInHandler) reset(v *visit) error { return h.useLink(v, account.Reset, h.resetPassword) }

// useLink serves both forms of a link's page. It calls use for the second one.
func (h *signInHandler) useLink(v *visit, purpose account.Purpose, use func(*visit) (account.User, error)) error {
	p := linkPage(v, purpose)
	link, err := h.Accounts.Link(v.context(), v.value("secret"))
	if err == nil && link.Purpose != purpose {
		err = &matching.Error{
			Code:    account.CodeLinkSpent,
			Message: "This link was used or revoked, or has expired. Ask for a new one.",
		}
	}

	if err != nil {
		return v.reject(err, p)
	}
	view := linkView{Purpose: purpose, Path: v.request.URL.Path, Link: link, Checked: true}

	if purpose == account.Invitation && link.Account != "" {
		if view.Account, err = h.Accounts.Account(v.context(), link.Account); err != nil {
			return err
		}
	}

	p.Data = view
	if link.Email != "" {
		p.Form.Set("email", link.Email)
	}

	if !v.request.PostForm.Has("password") {
		return v.ok(p)
	}
	user, err := use(v)
	if err != nil {
		return v.reject(err, p)
	}

	return h.letIn(v, user, root)
}

// register creates the user that a form describes, with or without the secret of a link.
func (h *signInHandler) register(v *visit) (account.User, error) {
	return h.Accounts.Register(v.context(), v.by(), account.NewUser{
		Email:       v.value("email"),
		Password:    v.request.PostForm.Get("password"),
		AccountName: v.value("account_name"),
		Secret:      v.value("secret"),
	})
}

func (h *signInHandler) resetPassword(v *visit) (account.User, error) {
	return h.Accounts.ResetPassword(v.context(), v.by(), v.value("secret"), v.request.PostForm.Get("password"))
}

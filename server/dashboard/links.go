package dashboard

import (
	"net/url"

	"freelancer-matching/access/account"
	"freelancer-matching/internal/matching"
)

// A one-time link leads to a page with its secret behind the #, which browsers send to nobody. The page's first form takes the
// secret (the script fills it in; without one it is pasted), looks at the link, and answers with the second form, which uses it.

// linkView is what the page of a link shows.
type linkView struct {
	Purpose account.Purpose
	Path    string       // of both forms
	Link    account.Link // zero: not looked at yet
	Known   bool
	Account account.Account // that an invitation is to join; zero: it makes a new one
}

// PasswordLabel is what the field for the password is called.
func (l linkView) PasswordLabel() string {
	if l.Purpose == account.Reset {
		return "New password"
	}
	return "Password"
}

// linkErrWrong is told for a link of another purpose, as for one that is spent: the page it belongs to is not this one.
func linkErrWrong() error {
	return &matching.Error{Code: account.CodeLinkSpent, Message: "the link was used, revoked, or is out of date; ask for a new one"}
}

func linkForm(v *visit, purpose account.Purpose) page {
	view := linkView{Purpose: purpose}
	p := page{Template: "link", Form: url.Values{
		"secret": {v.value("secret")}, "email": {v.value("email")}, "account_name": {v.value("account_name")},
	}}
	switch purpose {
	case account.SetUp:
		p.Title, view.Path = "Set up this service", root+"/setup"
	case account.Invitation:
		p.Title, view.Path = "Accept your invitation", root+"/join"
	case account.Reset:
		p.Title, view.Path = "Choose a new password", root+"/reset"
	}
	p.Data = view
	return p
}

func (d *dashboard) setUpPage(v *visit) error { return d.ok(v, linkForm(v, account.SetUp)) }
func (d *dashboard) joinPage(v *visit) error  { return d.ok(v, linkForm(v, account.Invitation)) }
func (d *dashboard) resetPage(v *visit) error { return d.ok(v, linkForm(v, account.Reset)) }

func (d *dashboard) setUp(v *visit) error { return d.follow(v, account.SetUp, d.register) }
func (d *dashboard) join(v *visit) error  { return d.follow(v, account.Invitation, d.register) }
func (d *dashboard) reset(v *visit) error { return d.follow(v, account.Reset, d.resetPassword) }

// follow answers both forms of a link's page: use is called with the second one.
func (d *dashboard) follow(v *visit, purpose account.Purpose, use func(*visit) (account.User, error)) error {
	p := linkForm(v, purpose)
	link, err := d.Accounts.LinkOf(v.r.Context(), v.value("secret"))
	if err == nil && link.Purpose != purpose {
		err = linkErrWrong()
	}
	if err != nil {
		return d.again(v, err, p)
	}
	view := linkView{Purpose: purpose, Path: v.r.URL.Path, Link: link, Known: true}
	if purpose == account.Invitation && link.Account != "" {
		if view.Account, err = d.Accounts.Account(v.r.Context(), link.Account); err != nil {
			return err
		}
	}
	p.Data = view
	if link.Email != "" {
		p.Form.Set("email", link.Email)
	}
	if !v.r.PostForm.Has("password") {
		return d.ok(v, p)
	}
	user, err := use(v)
	if err != nil {
		return d.again(v, err, p)
	}
	if err := d.begin(v, user); err != nil {
		return err
	}
	return v.redirect(root)
}

func (d *dashboard) register(v *visit) (account.User, error) {
	return d.Accounts.Register(v.r.Context(), v.by(), account.NewUser{
		Email: v.value("email"), Password: v.r.PostForm.Get("password"), AccountName: v.value("account_name"),
		Secret: v.value("secret"),
	})
}

func (d *dashboard) resetPassword(v *visit) (account.User, error) {
	return d.Accounts.ResetPassword(v.r.Context(), v.by(), v.value("secret"), v.r.PostForm.Get("password"))
}

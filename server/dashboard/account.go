package dashboard

import (
	"net/http"
	"net/url"
	"slices"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

func accountForm() page {
	return page{Template: "account", Title: "Account", Section: "account"}
}

func (d *dashboard) accountPage(v *visit) error { return d.ok(v, accountForm()) }

// changePassword ends all other sessions of the user; this one goes on under a new token.
func (d *dashboard) changePassword(v *visit) error {
	user, err := d.Accounts.ChangePassword(v.r.Context(), v.by(), v.user.ID,
		v.r.PostForm.Get("present"), v.r.PostForm.Get("password"))
	if err != nil {
		return d.again(v, err, accountForm())
	}
	if err := d.begin(v, user); err != nil {
		return err
	}
	d.notice(v, "The password is changed. Every other device is signed out.")
	return v.redirect(root + "/account")
}

// membersView is the users of an account, and the invitations to it that are open.
type membersView struct {
	Users       []account.User
	Invitations []account.Link
	Roles       []option // that may be given
	Secret      secretView
}

// secretView is a link to hand over. It is in this answer and nowhere else.
type secretView struct {
	URL  string
	Link account.Link
}

func (d *dashboard) secretView(secret string, l account.Link) secretView {
	return secretView{URL: account.URL(originOf(d.PublicURL), l.Purpose, secret), Link: l}
}

// rolesFor is the roles that a user may give: none above the own one.
func rolesFor(giver account.Role) []option {
	var roles []option
	for _, r := range []account.Role{account.Member, account.Owner, account.Administrator} {
		if giver.Includes(r) {
			roles = append(roles, option{string(r), title(r)})
		}
	}
	return roles
}

func (d *dashboard) membersForm(v *visit) (page, error) {
	users, err := d.Accounts.Users(v.r.Context(), v.account.ID)
	if err != nil {
		return page{}, err
	}
	links, err := d.invitations(v, v.account.ID)
	if err != nil {
		return page{}, err
	}
	return page{
		Template: "members", Title: "Members", Section: "members",
		Form: url.Values{"email": {v.value("email")}, "role": {v.value("role")}},
		Data: membersView{Users: users, Invitations: links, Roles: rolesFor(v.user.Role)},
	}, nil
}

// invitations is the open invitations to an account; all of them with "".
func (d *dashboard) invitations(v *visit, accountID string) ([]account.Link, error) {
	links, err := d.Accounts.Links(v.r.Context(), accountID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(links, func(l account.Link) bool { return l.Purpose != account.Invitation }), nil
}

func (d *dashboard) membersPage(v *visit) error {
	p, err := d.membersForm(v)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// againMembers answers a form of the page with what is wrong with it.
func (d *dashboard) againMembers(v *visit, refusal error) error {
	p, err := d.membersForm(v)
	if err != nil {
		return err
	}
	return d.again(v, refusal, p)
}

func (d *dashboard) inviteMember(v *visit) error {
	role := account.Role(v.value("role"))
	if role == "" || !may(v.user.Role, role) {
		return errForbidden
	}
	secret, link, err := d.Accounts.Invite(v.r.Context(), v.by(), account.Invite{
		Email: v.value("email"), Account: v.account.ID, Role: role,
	})
	if err != nil {
		return d.againMembers(v, err)
	}
	p, err := d.membersForm(v)
	if err != nil {
		return err
	}
	view, _ := p.Data.(membersView)
	view.Secret = d.secretView(secret, link)
	p.Data, p.Form = view, nil
	return d.show(v, http.StatusCreated, p)
}

// member is the user that the address names, when he is of the account and not above who asks: an owner neither demotes nor
// removes an administrator.
func (d *dashboard) member(v *visit) (account.User, error) {
	users, err := d.Accounts.Users(v.r.Context(), v.account.ID)
	if err != nil {
		return account.User{}, err
	}
	i := slices.IndexFunc(users, func(u account.User) bool { return u.ID == v.r.PathValue("user") })
	if i < 0 {
		return account.User{}, errNotFound
	}
	if !may(v.user.Role, users[i].Role) {
		return account.User{}, errForbidden
	}
	return users[i], nil
}

func (d *dashboard) setRole(v *visit) error {
	user, err := d.member(v)
	if err != nil {
		return err
	}
	role := account.Role(v.value("role"))
	if role == "" || !may(v.user.Role, role) {
		return errForbidden
	}
	if _, err := d.Accounts.SetRole(v.r.Context(), v.by(), user.ID, role); err != nil {
		return d.againMembers(v, err)
	}
	d.notice(v, user.Email+" is now "+string(role)+".")
	return v.redirect(root + "/members")
}

func (d *dashboard) removeMember(v *visit) error {
	user, err := d.member(v)
	if err != nil {
		return err
	}
	if v.value("confirm") == "" {
		return d.againMembers(v, &matching.Error{
			Code: matching.CodeInvalid, Message: user.Email + " was not removed: tick the box to confirm it",
		})
	}
	if err := d.Accounts.RemoveUser(v.r.Context(), v.by(), user.ID); err != nil {
		return d.againMembers(v, err)
	}
	d.notice(v, user.Email+" is removed.")
	return v.redirect(root + "/members")
}

func (d *dashboard) revokeMemberLink(v *visit) error {
	if err := d.Accounts.RevokeLink(v.r.Context(), v.by(), v.account.ID, v.r.PathValue("link")); err != nil {
		return err
	}
	d.notice(v, "The invitation is revoked.")
	return v.redirect(root + "/members")
}

func (d *dashboard) activityPage(v *visit) error {
	view, err := d.events(v, audit.Query{Account: v.account.ID})
	if err != nil {
		return err
	}
	if err := d.nameActors(v, &view); err != nil {
		return err
	}
	return d.ok(v, page{Template: "events", Title: "Activity", Section: "activity", Data: view})
}

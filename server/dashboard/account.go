package dashboard

import (
	"net/url"
	"slices"

	"freelancer-matching/access/account"
	"freelancer-matching/internal/matching"
)

func accountPage() page {
	return page{Template: "account", Title: "Account", Section: "account"}
}

func (d *dashboard) showAccount(v *visit) error { return d.ok(v, accountPage()) }

// changePassword ends the user's other sessions and continues this one with a new token. The password doesn't replace a
// code: a user with a second factor still has to confirm dangerous changes.
func (d *dashboard) changePassword(v *visit) error {
	user, err := d.Accounts.ChangePassword(v.r.Context(), v.by(), v.user.ID,
		v.r.PostForm.Get("present"), v.r.PostForm.Get("password"))
	if err != nil {
		return d.rejectForm(v, err, accountPage())
	}
	confirmed := d.sessions.GetInt64(v.r.Context(), sessionConfirmed)
	if err := d.signInAs(v, user); err != nil {
		return err
	}
	if user.TwoFactor.On() {
		d.sessions.Put(v.r.Context(), sessionConfirmed, confirmed)
	}
	d.notice(v, "Password changed. You are signed out on all other devices.")
	return v.redirect(root + "/account")
}

// membersView is the data of the members page.
type membersView struct {
	Users       []account.User
	Invitations []account.Link // open ones
	Roles       []option       // that the user may assign
}

// assignableRoles returns the roles that a user may assign: up to their own.
func assignableRoles(own account.Role) []option {
	var roles []option
	for _, r := range []account.Role{account.Member, account.Owner, account.Administrator} {
		if own.Includes(r) {
			roles = append(roles, option{string(r), title(r)})
		}
	}
	return roles
}

func (d *dashboard) membersPage(v *visit) (page, error) {
	users, err := d.Accounts.Users(v.r.Context(), v.account.ID)
	if err != nil {
		return page{}, err
	}
	links, err := d.invitations(v, v.account.ID)
	if err != nil {
		return page{}, err
	}
	return page{
		Template: "members",
		Title:    "Members",
		Section:  "members",
		Form:     url.Values{"email": {v.value("email")}, "role": {v.value("role")}},
		Data:     membersView{Users: users, Invitations: links, Roles: assignableRoles(v.user.Role)},
	}, nil
}

// invitations returns the open invitations to an account, or all of them for "".
func (d *dashboard) invitations(v *visit, accountID string) ([]account.Link, error) {
	links, err := d.Accounts.Links(v.r.Context(), accountID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(links, func(l account.Link) bool { return l.Purpose != account.Invitation }), nil
}

// rejectMembersForm renders the members page with a refusal.
func (d *dashboard) rejectMembersForm(v *visit, refusal error) error {
	p, err := d.membersPage(v)
	if err != nil {
		return err
	}
	return d.rejectForm(v, refusal, p)
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
		return d.rejectMembersForm(v, err)
	}
	return d.showLink(v, membersLinks(), secret, link)
}

// member returns the user named in the URL if they belong to the account. A user with a higher role than one's own is
// forbidden: owners can neither demote nor remove administrators.
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
		return d.rejectMembersForm(v, err)
	}
	d.notice(v, "The role of "+user.Email+" is now “"+title(role)+"”.")
	return v.redirect(root + "/members")
}

func (d *dashboard) removeMember(v *visit) error {
	user, err := d.member(v)
	if err != nil {
		return err
	}
	if v.value("confirm") == "" {
		return d.rejectMembersForm(v, &matching.Error{
			Code: matching.CodeInvalid, Message: "select the checkbox to remove " + user.Email,
		})
	}
	if err := d.Accounts.RemoveUser(v.r.Context(), v.by(), user.ID); err != nil {
		return d.rejectMembersForm(v, err)
	}
	d.notice(v, user.Email+" was removed.")
	return v.redirect(root + "/members")
}

func (d *dashboard) revokeMemberLink(v *visit) error {
	if err := d.Accounts.RevokeLink(v.r.Context(), v.by(), v.account.ID, v.r.PathValue("link")); err != nil {
		return err
	}
	d.notice(v, "Invitation revoked.")
	return v.redirect(root + "/members")
}

func (d *dashboard) showActivity(v *visit) error {
	return d.showEvents(v, page{Title: "Activity", Section: "activity"}, false)
}

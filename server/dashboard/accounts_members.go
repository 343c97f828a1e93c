package dashboard

import (
	"net/url"
	"slices"

	"freelancer-matching/access/account"
	"freelancer-matching/internal/matching"
)

// A memberHandler serves the page on which owners manage the members of their account.
type memberHandler struct{ linkHandler }

// NewMembers returns the handler of the page about members.
func newMembers(accounts *account.Service, public *url.URL) *memberHandler {
	return &memberHandler{linkHandler{accounts, public}}
}

// Routes returns the routes of the pages.
func (h *memberHandler) Routes() []route {
	return []route{
		get("/members", account.Owner, showing(h.membersPage)),
		post("/members", account.Owner, h.inviteMember).confirmedBy(account.Administrator),
		post("/members/{user}/role", account.Owner, h.setRole).confirmedBy(account.Administrator),
		post("/members/{user}/remove", account.Owner, h.removeMember).confirmedBy(account.Administrator),
		get("/members/invitations/{link}", account.Owner, h.showMembersLink),
		post("/members/invitations/{link}/revoke", account.Owner, h.revokeMemberLink),
	}
}

func membersLinks() linkPlace {
	return linkPlace{
		Path: root + "/members/invitations/", Back: root + "/members", Title: "Members", Section: "members",
	}
}

func (h *memberHandler) showMembersLink(v *visit) error {
	place := membersLinks()
	place.Account = v.account.ID
	return h.showNewLink(v, place)
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

func (h *memberHandler) membersPage(v *visit) (page, error) {
	users, err := h.accounts.Users(v.context(), v.account.ID)
	if err != nil {
		return page{}, err
	}
	links, err := h.openInvitations(v, v.account.ID)
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

// rejectMembersForm renders the members page with a refusal.
func (h *memberHandler) rejectMembersForm(v *visit, refusal error) error {
	p, err := h.membersPage(v)
	if err != nil {
		return err
	}
	return v.reject(refusal, p)
}

func (h *memberHandler) inviteMember(v *visit) error {
	role := account.Role(v.value("role"))
	if role == "" || !may(v.user.Role, role) {
		return errForbidden
	}
	secret, link, err := h.accounts.Invite(v.context(), v.by(), account.Invite{
		Email: v.value("email"), Account: v.account.ID, Role: role,
	})
	if err != nil {
		return h.rejectMembersForm(v, err)
	}
	return h.showLink(v, membersLinks(), secret, link)
}

// member returns the user named in the URL if they belong to the account. A user with a higher role than one's own is
// forbidden: owners can neither demote nor remove administrators.
func (h *memberHandler) member(v *visit) (account.User, error) {
	users, err := h.accounts.Users(v.context(), v.account.ID)
	if err != nil {
		return account.User{}, err
	}
	i := slices.IndexFunc(users, func(u account.User) bool { return u.ID == v.request.PathValue("user") })
	if i < 0 {
		return account.User{}, errNotFound
	}
	if !may(v.user.Role, users[i].Role) {
		return account.User{}, errForbidden
	}
	return users[i], nil
}

func (h *memberHandler) setRole(v *visit) error {
	user, err := h.member(v)
	if err != nil {
		return err
	}
	role := account.Role(v.value("role"))
	if role == "" || !may(v.user.Role, role) {
		return errForbidden
	}
	if _, err := h.accounts.SetRole(v.context(), v.by(), user.ID, role); err != nil {
		return h.rejectMembersForm(v, err)
	}
	v.notice("The role of " + user.Email + " is now “" + title(role) + "”.")
	return v.redirect(root + "/members")
}

func (h *memberHandler) removeMember(v *visit) error {
	user, err := h.member(v)
	if err != nil {
		return err
	}
	if v.value("confirm") == "" {
		return h.rejectMembersForm(v, &matching.Error{
			Code: matching.CodeInvalid, Message: "select the checkbox to remove " + user.Email,
		})
	}
	if err := h.accounts.RemoveUser(v.context(), v.by(), user.ID); err != nil {
		return h.rejectMembersForm(v, err)
	}
	v.notice(user.Email + " was removed.")
	return v.redirect(root + "/members")
}

func (h *memberHandler) revokeMemberLink(v *visit) error {
	if err := h.accounts.RevokeLink(v.context(), v.by(), v.account.ID, v.request.PathValue("link")); err != nil {
		return err
	}
	v.notice("Invitation revoked.")
	return v.redirect(root + "/members")
}

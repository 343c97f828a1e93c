package accounts

import (
	"net/url"
	"slices"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A MemberHandler serves the page on which owners manage the members of their account.
type MemberHandler struct{ linkHandler }

// NewMembers returns the handler of the page about members.
func NewMembers(accounts *account.Services, public *url.URL) *MemberHandler {
	return &MemberHandler{linkHandler{accounts, public}}
}

// Routes returns the routes of the pages.
func (h *MemberHandler) Routes() []page.Route {
	return []page.Route{
		page.Get("/members", account.Owner, page.Showing(h.membersPage)),
		page.Post("/members", account.Owner, h.inviteMember).ConfirmedBy(account.Administrator),
		page.Post("/members/{user}/role", account.Owner, h.setRole).ConfirmedBy(account.Administrator),
		page.Post("/members/{user}/remove", account.Owner, h.removeMember).ConfirmedBy(account.Administrator),
		page.Get("/members/invitations/{link}", account.Owner, h.showMembersLink),
		page.Post("/members/invitations/{link}/revoke", account.Owner, h.revokeMemberLink),
	}
}

func membersLinks() linkPlace {
	return linkPlace{
		Path: page.Root + "/members/invitations/", Back: page.Root + "/members", Title: "Members", Section: "members",
	}
}

func (h *MemberHandler) showMembersLink(v *page.Visit) error {
	place := membersLinks()
	place.Account = v.Account.ID
	return h.showNewLink(v, place)
}

// membersView is the data of the members page.
type membersView struct {
	Users       []account.User
	Invitations []account.Link // open ones
	Roles       []page.Option  // that the user may assign
}

// assignableRoles returns the roles that a user may assign: up to their own.
func assignableRoles(own account.Role) []page.Option {
	var roles []page.Option
	for _, r := range []account.Role{account.Member, account.Owner, account.Administrator} {
		if own.Includes(r) {
			roles = append(roles, page.Option{Value: string(r), Label: page.Title(r)})
		}
	}
	return roles
}

func (h *MemberHandler) membersPage(v *page.Visit) (page.Page, error) {
	users, err := h.accounts.Users.List(v.Context(), v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}
	links, err := h.openInvitations(v, v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}
	return page.Page{
		Template: "members",
		Title:    "Members",
		Section:  "members",
		Form:     url.Values{"email": {v.Value("email")}, "role": {v.Value("role")}},
		Data:     membersView{Users: users, Invitations: links, Roles: assignableRoles(v.User.Role)},
	}, nil
}

// rejectMembersForm renders the members page with a refusal.
func (h *MemberHandler) rejectMembersForm(v *page.Visit, refusal error) error {
	p, err := h.membersPage(v)
	if err != nil {
		return err
	}
	return v.Reject(refusal, p)
}

func (h *MemberHandler) inviteMember(v *page.Visit) error {
	role := account.Role(v.Value("role"))
	if role == "" || !page.May(v.User.Role, role) {
		return page.ErrForbidden
	}
	secret, link, err := h.accounts.Links.Invite(v.Context(), v.By(), account.Invite{
		Email: v.Value("email"), Account: v.Account.ID, Role: role,
	})
	if err != nil {
		return h.rejectMembersForm(v, err)
	}
	return h.showLink(v, membersLinks(), secret, link)
}

// member returns the user named in the URL if they belong to the account. A user with a higher role than one's own is
// forbidden: owners can neither demote nor remove administrators.
func (h *MemberHandler) member(v *page.Visit) (account.User, error) {
	users, err := h.accounts.Users.List(v.Context(), v.Account.ID)
	if err != nil {
		return account.User{}, err
	}
	i := slices.IndexFunc(users, func(u account.User) bool { return u.ID == v.Request.PathValue("user") })
	if i < 0 {
		return account.User{}, page.ErrNotFound
	}
	if !page.May(v.User.Role, users[i].Role) {
		return account.User{}, page.ErrForbidden
	}
	return users[i], nil
}

func (h *MemberHandler) setRole(v *page.Visit) error {
	user, err := h.member(v)
	if err != nil {
		return err
	}
	role := account.Role(v.Value("role"))
	if role == "" || !page.May(v.User.Role, role) {
		return page.ErrForbidden
	}
	if _, err := h.accounts.Users.SetRole(v.Context(), v.By(), user.ID, role); err != nil {
		return h.rejectMembersForm(v, err)
	}
	v.Notice("The role of " + user.Email + " is now “" + page.Title(role) + "”.")
	return v.Redirect(page.Root + "/members")
}

func (h *MemberHandler) removeMember(v *page.Visit) error {
	user, err := h.member(v)
	if err != nil {
		return err
	}
	if v.Value("confirm") == "" {
		return h.rejectMembersForm(v, &matching.Error{
			Code: matching.CodeInvalid, Message: "select the checkbox to remove " + user.Email,
		})
	}
	if err := h.accounts.Users.Remove(v.Context(), v.By(), user.ID); err != nil {
		return h.rejectMembersForm(v, err)
	}
	v.Notice(user.Email + " was removed.")
	return v.Redirect(page.Root + "/members")
}

func (h *MemberHandler) revokeMemberLink(v *page.Visit) error {
	if err := h.accounts.Links.Revoke(v.Context(), v.By(), v.Account.ID, v.Request.PathValue("link")); err != nil {
		return err
	}
	v.Notice("Invitation revoked.")
	return v.Redirect(page.Root + "/members")
}

package accounts

import (
	"net/url"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

func accountInvitations() linkPlace {
	const path = page.Root + "/admin/invitations"
	return linkPlace{Path: path + "/", Back: path, Title: "Invitations", Section: "invitations"}
}

func (h *AdminHandler) showInvitation(v *page.Visit) error {
	return h.showNewLink(v, accountInvitations())
}

// invitationsView is the data of the page with all open invitations.
type invitationsView struct {
	Invitations []account.Link
	Plans       []page.Option
}

func (h *AdminHandler) invitationsPage(v *page.Visit) (page.Page, error) {
	links, err := h.openInvitations(v, "")
	if err != nil {
		return page.Page{}, err
	}
	return page.Page{
		Template: "invitations",
		Title:    "Invitations",
		Section:  "invitations",
		Form:     url.Values{"email": {v.Value("email")}, "plan": {v.Value("plan")}},
		Data:     invitationsView{Invitations: links, Plans: plans()},
	}, nil
}

// invite creates an invitation to open a new account. Owners invite people to existing accounts, see MemberHandler.
func (h *AdminHandler) invite(v *page.Visit) error {
	secret, link, refusal := h.accounts.Links.Invite(v.Context(), v.By(), account.Invite{
		Email: v.Value("email"), Plan: v.Value("plan"), Role: account.Owner,
	})
	if refusal == nil {
		return h.showLink(v, accountInvitations(), secret, link)
	}
	p, err := h.invitationsPage(v)
	if err != nil {
		return err
	}
	return v.Reject(refusal, p)
}

func (h *AdminHandler) revokeLink(v *page.Visit) error {
	if err := h.accounts.Links.Revoke(v.Context(), v.By(), "", v.Request.PathValue("link")); err != nil {
		return err
	}
	v.Notice("Invitation revoked.")
	return v.Redirect(page.Root + "/admin/invitations")
}

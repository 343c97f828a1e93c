package dashboard

import (
	"net/url"

	"freelancer-matching/access/account"
)

func accountInvitations() linkPlace {
	const path = root + "/admin/invitations"
	return linkPlace{Path: path + "/", Back: path, Title: "Invitations", Section: "invitations"}
}

func (h *adminHandler) showInvitation(v *visit) error { return h.showNewLink(v, accountInvitations()) }

// invitationsView is the data of the page with all open invitations.
type invitationsView struct {
	Invitations []account.Link
	Plans       []option
}

func (h *adminHandler) invitationsPage(v *visit) (page, error) {
	links, err := h.openInvitations(v, "")
	if err != nil {
		return page{}, err
	}
	return page{
		Template: "invitations",
		Title:    "Invitations",
		Section:  "invitations",
		Form:     url.Values{"email": {v.value("email")}, "plan": {v.value("plan")}},
		Data:     invitationsView{Invitations: links, Plans: plans()},
	}, nil
}

// invite creates an invitation to open a new account. Owners invite people to existing accounts, see inviteMember.
func (h *adminHandler) invite(v *visit) error {
	secret, link, refusal := h.accounts.Invite(v.context(), v.by(), account.Invite{
		Email: v.value("email"), Plan: v.value("plan"), Role: account.Owner,
	})
	if refusal == nil {
		return h.showLink(v, accountInvitations(), secret, link)
	}
	p, err := h.invitationsPage(v)
	if err != nil {
		return err
	}
	return v.reject(refusal, p)
}

func (h *adminHandler) revokeLink(v *visit) error {
	if err := h.accounts.RevokeLink(v.context(), v.by(), "", v.request.PathValue("link")); err != nil {
		return err
	}
	v.notice("Invitation revoked.")
	return v.redirect(root + "/admin/invitations")
}

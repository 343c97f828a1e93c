package dashboard

import (
	"net/url"
	"slices"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/server/web"
)

// newLinkView is the data of the page that shows a new one-time link to hand over. The link is shown only once.
type newLinkView struct {
	URL     string // "" if it was shown before
	Purpose account.Purpose
	Email   string
	Expires time.Time
	Links   linkPlace
	Revoke  string // path of the form that revokes the link; "" for a reset link, which a new one replaces
}

// linkPlace is where links of a kind are created.
type linkPlace struct {
	Account string // whose links they are; "" for those of all accounts
	Path    string // of the links; the id follows
	Back    string // path of the page that creates links
	Title   string // of that page
	Section string // of the navigation
	Again   string // path of the form that creates the same link again; "" if there are others to fill in
}

func membersLinks() linkPlace {
	return linkPlace{
		Path: root + "/members/invitations/", Back: root + "/members", Title: "Members", Section: "members",
	}
}

func accountInvitations() linkPlace {
	const path = root + "/admin/invitations"
	return linkPlace{Path: path + "/", Back: path, Title: "Invitations", Section: "invitations"}
}

func resetLinks(v *visit) linkPlace {
	id := v.r.PathValue("account")
	back := root + "/admin/accounts/" + url.PathEscape(id)
	again := back + "/users/" + url.PathEscape(v.r.PathValue("user")) + "/reset"
	return linkPlace{Account: id, Path: again + "/", Back: back, Title: "Account", Section: "accounts", Again: again}
}

func (p linkPlace) page(secretURL string, l account.Link) page {
	view := newLinkView{URL: secretURL, Purpose: l.Purpose, Email: l.Email, Expires: l.Expires, Links: p}
	if l.Purpose == account.Invitation {
		view.Revoke = p.Path + url.PathEscape(l.ID) + "/revoke"
	}
	title := "Invitation link"
	if l.Purpose == account.Reset {
		title = "Password reset link"
	}
	if l.Email != "" {
		title += " for " + l.Email
	}
	return page{Template: "newlink", Title: title, Section: p.Section, Data: view}
}

// showLink redirects to the page that shows a new link.
func (d *dashboard) showLink(v *visit, place linkPlace, secret string, l account.Link) error {
	link := account.URL(web.Origin(d.PublicURL), l.Purpose, secret)
	return d.showOnce(v, place.Path+url.PathEscape(l.ID), link, place.page(link, l))
}

// showNewLink shows a new link once. A link that was used or revoked, or has expired, has no page.
func (d *dashboard) showNewLink(v *visit, place linkPlace) error {
	links, err := d.Accounts.Links(v.r.Context(), place.Account)
	if err != nil {
		return err
	}
	id := v.r.PathValue("link")
	user := v.r.PathValue("user")
	i := slices.IndexFunc(links, func(l account.Link) bool { return l.ID == id && l.User == user })
	if i < 0 {
		return errNotFound
	}
	var shown string
	d.takeSecret(v, place.Path+url.PathEscape(id), &shown)
	return d.ok(v, place.page(shown, links[i]))
}

func (d *dashboard) showMembersLink(v *visit) error {
	place := membersLinks()
	place.Account = v.account.ID
	return d.showNewLink(v, place)
}

func (d *dashboard) showInvitation(v *visit) error { return d.showNewLink(v, accountInvitations()) }
func (d *dashboard) showResetLink(v *visit) error  { return d.showNewLink(v, resetLinks(v)) }

package accounts

import (
	"net/url"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/web"
)

// A linkHandler shows new one-time links.
type linkHandler struct {
	accounts *account.Services
	public   *url.URL // where links lead
}

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

func (p linkPlace) page(secretURL string, l account.Link) page.Page {
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
	return page.Page{Template: "newlink", Title: title, Section: p.Section, Data: view}
}

// showLink redirects to the page that shows a new link.
func (h *linkHandler) showLink(v *page.Visit, place linkPlace, secret string, l account.Link) error {
	link := account.URL(web.Origin(h.public), l.Purpose, secret)
	return v.ShowOnce(place.Path+url.PathEscape(l.ID), link, place.page(link, l))
}

// showNewLink shows a new link once. A link that was used or revoked, or has expired, has no page.
func (h *linkHandler) showNewLink(v *page.Visit, place linkPlace) error {
	links, err := h.accounts.Links.List(v.Context(), place.Account)
	if err != nil {
		return err
	}
	id := v.Request.PathValue("link")
	user := v.Request.PathValue("user")
	i := slices.IndexFunc(links, func(l account.Link) bool { return l.ID == id && l.User == user })
	if i < 0 {
		return page.ErrNotFound
	}
	var shown string
	v.TakeSecret(place.Path+url.PathEscape(id), &shown)
	return v.OK(place.page(shown, links[i]))
}

// openInvitations returns the open invitations to an account, or all of them for "".
func (h *linkHandler) openInvitations(v *page.Visit, accountID string) ([]account.Link, error) {
	links, err := h.accounts.Links.List(v.Context(), accountID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(links, func(l account.Link) bool { return l.Purpose != account.Invitation }), nil
}

package settings

import (
	"context"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// maxChanges is how many changes of credentials the page lists.
const maxChanges = 100

// Changes reads changes of credentials.
type Changes interface {
	// Changes returns the latest changes of the credentials of a user, and with keys also those of the account's API keys,
	// newest first.
	Changes(ctx context.Context, account, user string, keys bool, limit int) ([]audit.Event, error)
}

// securityPage lists the changes of the user's credentials, and for owners those of the account's keys. They are the
// same changes as in notices.
func (h *Handler) securityPage(v *page.Visit) (page.Page, error) {
	isOwner := v.User.Role.Includes(account.Owner)
	events, err := h.Changes.Changes(v.Context(), v.Account.ID, v.User.ID, isOwner, maxChanges)
	if err != nil {
		return page.Page{}, err
	}
	users, err := h.Accounts.Users.List(v.Context(), v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}

	emails := map[string]string{}
	for _, u := range users {
		emails[u.ID] = u.Email
	}
	self := notices.Recipient{Email: v.User.Email, User: v.User.ID, Account: v.Account.ID}
	list := make([]notices.Event, len(events))
	for i := range events {
		list[i] = notices.Describe(&events[i], self, emails[events[i].Actor])
	}

	return page.Page{Template: "security", Title: "Security", Section: "account", Data: list}, nil
}

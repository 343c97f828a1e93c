package settings

import (
	"context"
	"io"
	"net/url"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// Exports writes personal data as JSON.
type Exports interface {
	// ExportAccount writes everything that belongs to an account, and records it in the audit log.
	ExportAccount(ctx context.Context, by audit.By, id string, w io.Writer) error
	// ExportUser writes everything about a user, and records it in the audit log.
	ExportUser(ctx context.Context, by audit.By, id string, w io.Writer) error
}

// A Handler serves the pages on which users change their own password and second factor, export their data, and
// leave.
type Handler struct {
	Accounts  *account.Services
	Exports   Exports
	Results   *results.Service
	Changes   Changes
	PublicURL *url.URL // its host is part of the name of a second factor
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/account", account.Member, h.showAccount),
		page.Post("/account/password", account.Member, h.changePassword),
		page.Get("/account/sessions", account.Member, page.Showing(sessionsPage)),
		page.Post("/account/sessions/{session}/end", account.Member, h.endSession),
		page.Get("/account/security", account.Member, page.Showing(h.securityPage)),
		page.Post("/account/export", account.Member, h.exportUser),
		page.Post("/account/export-account", account.Owner, h.exportAccount).ConfirmedBy(account.Owner),
		page.Post("/account/require-two-factor", account.Owner, h.requireTwoFactor).ConfirmedBy(account.Owner),
		page.Post("/account/results", account.Owner, h.storeResults),
		page.Post("/account/leave", account.Member, h.leaveAccount),
		page.Post("/account/delete", account.Owner, h.deleteAccount),
		page.Get("/account/two-factor", account.Member, page.Showing(h.twoFactorPage)).WhileEnrolling(),
		page.Post("/account/two-factor", account.Member, h.enableTwoFactor).WhileEnrolling(),
		page.Post("/account/two-factor/start", account.Member, h.startEnrollment).
			ConfirmedBy(account.Member).WhileEnrolling(),
		page.Post("/account/two-factor/cancel", account.Member, h.cancelEnrollment).WhileEnrolling(),
		page.Get("/account/two-factor/codes", account.Member, h.showNewCodes),
		page.Post("/account/two-factor/codes", account.Member, h.newRecoveryCodes).ConfirmedBy(account.Member),
		page.Post("/account/two-factor/disable", account.Member, h.disableTwoFactor).ConfirmedBy(account.Member),
	}
}

func (h *Handler) showAccount(v *page.Visit) error { return v.OK(page.AccountPage()) }

// changePassword ends the user's other sessions and continues this one with a new token. The password doesn't replace a
// code: a user with a second factor still has to confirm dangerous changes.
func (h *Handler) changePassword(v *page.Visit) error {
	user, err := h.Accounts.Passwords.Change(v.Context(), v.By(), v.User.ID,
		v.Request.PostForm.Get("present"), v.Request.PostForm.Get("password"))
	if err != nil {
		return v.Reject(err, page.AccountPage())
	}
	if err := v.RenewSession(user); err != nil {
		return err
	}
	v.Notice("Password changed. You are signed out on all other devices.")
	return v.Redirect(page.Root + "/account")
}

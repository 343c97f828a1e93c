package dashboard

import (
	"context"
	"io"
	"net/url"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
)

// Exports writes personal data as JSON.
type Exports interface {
	// ExportAccount writes everything that belongs to an account, and records it in the audit log.
	ExportAccount(ctx context.Context, by audit.By, id string, w io.Writer) error
	// ExportUser writes everything about a user, and records it in the audit log.
	ExportUser(ctx context.Context, by audit.By, id string, w io.Writer) error
}

// A settingsHandler serves the pages on which users change their own password and second factor, export their data, and
// leave.
type settingsHandler struct {
	Accounts         *account.Service
	Exports          Exports
	PublicURL        *url.URL // its host is part of the name of a second factor
	RequireTwoFactor bool     // of administrators
}

// Routes returns the routes of the pages.
func (h *settingsHandler) Routes() []route {
	return []route{
		get("/account", account.Member, h.showAccount),
		post("/account/password", account.Member, h.changePassword),
		post("/account/export", account.Member, h.exportUser),
		post("/account/export-account", account.Owner, h.exportAccount).confirmedBy(account.Owner),
		post("/account/leave", account.Member, h.leaveAccount),
		post("/account/delete", account.Owner, h.deleteAccount),
		get("/account/two-factor", account.Member, showing(h.twoFactorPage)).whileEnrolling(),
		post("/account/two-factor", account.Member, h.enableTwoFactor).whileEnrolling(),
		post("/account/two-factor/start", account.Member, h.startEnrollment).
			confirmedBy(account.Member).whileEnrolling(),
		post("/account/two-factor/cancel", account.Member, h.cancelEnrollment).whileEnrolling(),
		get("/account/two-factor/codes", account.Member, h.showNewCodes),
		post("/account/two-factor/codes", account.Member, h.newRecoveryCodes).confirmedBy(account.Member),
		post("/account/two-factor/disable", account.Member, h.disableTwoFactor).confirmedBy(account.Member),
	}
}

func (h *settingsHandler) showAccount(v *visit) error { return v.ok(accountPage()) }

// changePassword ends the user's other sessions and continues this one with a new token. The password doesn't replace a
// code: a user with a second factor still has to confirm dangerous changes.
func (h *settingsHandler) changePassword(v *visit) error {
	user, err := h.Accounts.ChangePassword(v.context(), v.by(), v.user.ID,
		v.request.PostForm.Get("present"), v.request.PostForm.Get("password"))
	if err != nil {
		return v.reject(err, accountPage())
	}
	if err := v.renewSession(user); err != nil {
		return err
	}
	v.notice("Password changed. You are signed out on all other devices.")
	return v.redirect(root + "/account")
}

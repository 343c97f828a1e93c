package dashboard

import (
	"net/url"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/internal/matching"
)

// enrollmentTime is how long a new second factor waits for its first code.
const enrollmentTime = 30 * time.Minute

// The values of a new second factor in a session.
const (
	enrollmentURL   = "enrollment_url" // otpauth://…
	enrollmentSince = "enrollment_since"
)

// twoFactorView is the data of the page about the second factor.
type twoFactorView struct {
	Required bool // of this user
	Secret   string
	QR       qrCode
	Recovery int // unused recovery codes
}

func (h *settingsHandler) twoFactorPage(v *visit) (page, error) {
	view := twoFactorView{
		Required: h.RequireTwoFactor && v.user.Role.Includes(account.Administrator),
		Recovery: len(v.user.TwoFactor.Recovery),
	}
	if link := h.enrollment(v); link != nil {
		view.Secret = link.Query().Get("secret")
		var err error
		if view.QR, err = newQRCode(link.String()); err != nil {
			return page{}, err
		}
	}
	return page{Template: "twofactor", Title: "Two-factor authentication", Section: "account", Data: view}, nil
}

// enrollment returns the otpauth link of the second factor that the user is setting up, or nil.
func (h *settingsHandler) enrollment(v *visit) *url.URL {
	text := v.getString(enrollmentURL)
	if text == "" || v.since(enrollmentSince) > enrollmentTime {
		return nil
	}
	link, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return link
}

// startEnrollment creates a new second factor, which replaces the present one when its first code is entered.
func (h *settingsHandler) startEnrollment(v *visit) error {
	e, err := account.NewEnrollment("Freelancer matching ("+h.PublicURL.Hostname()+")", v.user.Email)
	if err != nil {
		return err
	}
	v.put(enrollmentURL, e.URL)
	v.putNow(enrollmentSince)
	if err := v.storeSession(); err != nil {
		return err
	}
	return v.redirect(twoFactorPath)
}

func (h *settingsHandler) cancelEnrollment(v *visit) error {
	h.endEnrollment(v)
	return v.redirect(twoFactorPath)
}

func (h *settingsHandler) endEnrollment(v *visit) {
	v.remove(enrollmentURL)
	v.remove(enrollmentSince)
}

func (h *settingsHandler) enableTwoFactor(v *visit) error {
	link := h.enrollment(v)
	if link == nil {
		return v.redirect(twoFactorPath)
	}
	secret := link.Query().Get("secret")
	codes, err := h.Accounts.EnableTwoFactor(v.context(), v.by(), v.user.ID, secret, v.value("code"))
	if err != nil {
		p, pageErr := h.twoFactorPage(v)
		if pageErr != nil {
			return pageErr
		}
		return v.reject(err, p)
	}
	h.endEnrollment(v)
	return h.showRecoveryCodes(v, recoveryView{Codes: codes, Enabled: true})
}

// recoveryView is the data of the page with new recovery codes, which is shown only once.
type recoveryView struct {
	Codes   []string // none if they were shown before
	Enabled bool     // with a new second factor
}

const recoveryPath = twoFactorPath + "/codes"

func recoveryPage(view recoveryView) page {
	return page{Template: "recovery", Title: "Recovery codes", Section: "account", Data: view}
}

func (h *settingsHandler) showRecoveryCodes(v *visit, view recoveryView) error {
	return v.showOnce(recoveryPath, view, recoveryPage(view))
}

// showNewCodes shows new recovery codes once.
func (h *settingsHandler) showNewCodes(v *visit) error {
	var view recoveryView
	if !v.takeSecret(recoveryPath, &view) && !v.user.TwoFactor.On() {
		return v.redirect(twoFactorPath)
	}
	return v.ok(recoveryPage(view))
}

func (h *settingsHandler) newRecoveryCodes(v *visit) error {
	codes, err := h.Accounts.NewRecoveryCodes(v.context(), v.by(), v.user.ID)
	if err != nil {
		return err
	}
	return h.showRecoveryCodes(v, recoveryView{Codes: codes})
}

func (h *settingsHandler) disableTwoFactor(v *visit) error {
	if h.RequireTwoFactor && v.user.Role.Includes(account.Administrator) {
		p, err := h.twoFactorPage(v)
		if err != nil {
			return err
		}
		return v.reject(&matching.Error{
			Code: account.CodeNotAllowed, Message: "Administrators need two-factor authentication.",
		}, p)
	}
	if err := h.Accounts.DisableTwoFactor(v.context(), v.by(), v.user.ID); err != nil {
		return err
	}
	v.notice("Two-factor authentication is off.")
	return v.redirect(root + "/account")
}

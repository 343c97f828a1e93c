package settings

import (
	"net/url"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
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

func (h *Handler) twoFactorPage(v *page.Visit) (page.Page, error) {
	view := twoFactorView{
		Required: v.NeedsTwoFactor(),
		Recovery: len(v.User.TwoFactor.Recovery),
	}
	if link := h.enrollment(v); link != nil {
		view.Secret = link.Query().Get("secret")
		var err error
		if view.QR, err = newQRCode(link.String()); err != nil {
			return page.Page{}, err
		}
	}
	return page.Page{Template: "twofactor", Title: "Two-factor authentication", Section: "account", Data: view}, nil
}

// enrollment returns the otpauth link of the second factor that the user is setting up, or nil.
func (h *Handler) enrollment(v *page.Visit) *url.URL {
	text := v.GetSecret(enrollmentURL)
	if text == "" || v.Since(enrollmentSince) > enrollmentTime {
		return nil
	}
	link, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return link
}

// startEnrollment creates a new second factor, which replaces the present one when its first code is entered.
func (h *Handler) startEnrollment(v *page.Visit) error {
	e, err := account.NewEnrollment("Freelancer matching ("+h.PublicURL.Hostname()+")", v.User.Email)
	if err != nil {
		return err
	}
	if err := v.PutSecret(enrollmentURL, e.URL); err != nil {
		return err
	}
	v.PutNow(enrollmentSince)
	if err := v.StoreSession(); err != nil {
		return err
	}
	return v.Redirect(page.TwoFactorPath)
}

func (h *Handler) cancelEnrollment(v *page.Visit) error {
	h.endEnrollment(v)
	return v.Redirect(page.TwoFactorPath)
}

func (h *Handler) endEnrollment(v *page.Visit) {
	v.Remove(enrollmentURL)
	v.Remove(enrollmentSince)
}

func (h *Handler) enableTwoFactor(v *page.Visit) error {
	link := h.enrollment(v)
	if link == nil {
		return v.Redirect(page.TwoFactorPath)
	}
	secret := link.Query().Get("secret")
	codes, err := h.Accounts.SecondFactors.Enable(v.Context(), v.By(), v.User.ID, secret, v.Value("code"))
	if err != nil {
		p, pageErr := h.twoFactorPage(v)
		if pageErr != nil {
			return pageErr
		}
		return v.Reject(err, p)
	}
	h.endEnrollment(v)
	return h.showRecoveryCodes(v, recoveryView{Codes: codes, Enabled: true})
}

// recoveryView is the data of the page with new recovery codes, which is shown only once.
type recoveryView struct {
	Codes   []string // none if they were shown before
	Enabled bool     // with a new second factor
}

const recoveryPath = page.TwoFactorPath + "/codes"

func recoveryPage(view recoveryView) page.Page {
	return page.Page{Template: "recovery", Title: "Recovery codes", Section: "account", Data: view}
}

func (h *Handler) showRecoveryCodes(v *page.Visit, view recoveryView) error {
	return v.ShowOnce(recoveryPath, view, recoveryPage(view))
}

// showNewCodes shows new recovery codes once.
func (h *Handler) showNewCodes(v *page.Visit) error {
	var view recoveryView
	if !v.TakeSecret(recoveryPath, &view) && !v.User.TwoFactor.On() {
		return v.Redirect(page.TwoFactorPath)
	}
	return v.OK(recoveryPage(view))
}

func (h *Handler) newRecoveryCodes(v *page.Visit) error {
	codes, err := h.Accounts.SecondFactors.NewRecoveryCodes(v.Context(), v.By(), v.User.ID)
	if err != nil {
		return err
	}
	return h.showRecoveryCodes(v, recoveryView{Codes: codes})
}

// requireTwoFactor makes all users of the account need a second factor, or no longer.
func (h *Handler) requireTwoFactor(v *page.Visit) error {
	on := v.Value("required") == "yes"
	if err := h.Accounts.Accounts.RequireTwoFactor(v.Context(), v.By(), v.Account.ID, on); err != nil {
		return v.Reject(err, page.AccountPage())
	}

	notice := "Two-factor authentication is optional for members."
	if on {
		notice = "All members need two-factor authentication from now on."
	}
	v.Notice(notice)

	return v.Redirect(page.Root + "/account")
}

func (h *Handler) disableTwoFactor(v *page.Visit) error {
	if v.NeedsTwoFactor() {
		p, err := h.twoFactorPage(v)
		if err != nil {
			return err
		}
		return v.Reject(&matching.Error{
			Code:    account.CodeNotAllowed,
			Message: "You need two-factor authentication: you are an administrator, or your account requires it.",
		}, p)
	}
	if err := h.Accounts.SecondFactors.Disable(v.Context(), v.By(), v.User.ID); err != nil {
		return err
	}
	v.Notice("Two-factor authentication is off.")
	return v.Redirect(page.Root + "/account")
}

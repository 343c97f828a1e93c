package dashboard

import (
	"fmt"
	"image/color"
	"net/url"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"

	"freelancer-matching/access/account"
	"freelancer-matching/internal/matching"
)

const (
	codePath      = root + "/sign-in/code"
	twoFactorPath = root + "/account/two-factor"
	// pendingTime is how long a sign-in waits for its code.
	pendingTime = 10 * time.Minute
	// enrollmentTime is how long a new second factor waits for its first code.
	enrollmentTime = 30 * time.Minute
)

// The values in the session of a user who has entered the password but not yet the code. It has no other user.
const (
	pendingUser       = "pending_user"
	pendingGeneration = "pending_generation"
	pendingSince      = "pending_since"
	pendingNext       = "pending_next" // path to go to afterwards
)

// The values of a new second factor in a session.
const (
	enrollmentURL   = "enrollment_url" // otpauth://…
	enrollmentSince = "enrollment_since"
)

// letIn signs a user in, or first asks for the code of the user's second factor.
func (d *dashboard) letIn(v *visit, u account.User, next string) error {
	if !u.TwoFactor.On() {
		if err := d.signInAs(v, u); err != nil {
			return err
		}
		return v.redirect(next)
	}
	if err := d.beginSession(v); err != nil {
		return err
	}
	ctx := v.r.Context()
	d.sessions.Put(ctx, pendingUser, u.ID)
	d.sessions.Put(ctx, pendingGeneration, u.Sessions)
	d.sessions.Put(ctx, pendingSince, d.Now().Unix())
	d.sessions.Put(ctx, pendingNext, next)
	if err := d.storeSession(v); err != nil {
		return err
	}
	return v.redirect(codePath)
}

// pending returns the id of the user who has to enter a code, or "".
func (d *dashboard) pending(v *visit) string {
	ctx := v.r.Context()
	if d.since(v, pendingSince) > pendingTime {
		return ""
	}
	return d.sessions.GetString(ctx, pendingUser)
}

// since returns the time since the one that a session has under a name.
func (d *dashboard) since(v *visit, name string) time.Duration {
	return d.Now().Sub(time.Unix(d.sessions.GetInt64(v.r.Context(), name), 0))
}

// codeView is the data of the page that asks for a code.
type codeView struct {
	Recovery bool // ask for a recovery code instead
}

func codePage(v *visit) page {
	return page{Template: "code", Title: "Two-factor authentication", Data: codeView{v.r.FormValue("recovery") != ""}}
}

func (d *dashboard) showCode(v *visit) error {
	switch {
	case v.signedIn():
		return v.redirect(root)
	case d.pending(v) == "":
		return v.redirect(root + "/sign-in")
	}
	return d.ok(v, codePage(v))
}

func (d *dashboard) enterCode(v *visit) error {
	user := d.pending(v)
	if user == "" {
		return v.redirect(root + "/sign-in?note=late")
	}
	ctx := v.r.Context()
	u, err := d.Accounts.SignInWithCode(ctx, account.SecondStep{
		User:     user,
		Sessions: d.sessions.GetInt(ctx, pendingGeneration),
		Code:     v.value("code"),
		Address:  d.Address(v.r),
		Browser:  d.browser(v.r),
	})
	if err != nil {
		return d.rejectForm(v, err, codePage(v))
	}

	next := d.sessions.GetString(ctx, pendingNext)
	if err := d.signInAs(v, u); err != nil {
		return err
	}

	return v.redirect(localPath(next))
}

// mustEnroll reports whether a user may do nothing before they have a second factor.
func (d *dashboard) mustEnroll(u account.User) bool {
	return d.RequireTwoFactor && u.Role.Includes(account.Administrator) && !u.TwoFactor.On()
}

// twoFactorView is the data of the page about the second factor.
type twoFactorView struct {
	Required bool // of this user
	Secret   string
	QR       qrCode
	Recovery int // unused recovery codes
}

func (d *dashboard) twoFactorPage(v *visit) (page, error) {
	view := twoFactorView{
		Required: d.RequireTwoFactor && v.user.Role.Includes(account.Administrator),
		Recovery: len(v.user.TwoFactor.Recovery),
	}
	if link := d.enrollment(v); link != nil {
		view.Secret = link.Query().Get("secret")
		var err error
		if view.QR, err = newQRCode(link.String()); err != nil {
			return page{}, err
		}
	}
	return page{Template: "twofactor", Title: "Two-factor authentication", Section: "account", Data: view}, nil
}

// enrollment returns the otpauth link of the second factor that the user is setting up, or nil.
func (d *dashboard) enrollment(v *visit) *url.URL {
	text := d.sessions.GetString(v.r.Context(), enrollmentURL)
	if text == "" || d.since(v, enrollmentSince) > enrollmentTime {
		return nil
	}
	link, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return link
}

// startEnrollment creates a new second factor, which replaces the present one when its first code is entered.
func (d *dashboard) startEnrollment(v *visit) error {
	e, err := account.NewEnrollment("Freelancer matching ("+d.PublicURL.Hostname()+")", v.user.Email)
	if err != nil {
		return err
	}
	ctx := v.r.Context()
	d.sessions.Put(ctx, enrollmentURL, e.URL)
	d.sessions.Put(ctx, enrollmentSince, d.Now().Unix())
	if err := d.storeSession(v); err != nil {
		return err
	}
	return v.redirect(twoFactorPath)
}

func (d *dashboard) cancelEnrollment(v *visit) error {
	d.endEnrollment(v)
	return v.redirect(twoFactorPath)
}

func (d *dashboard) endEnrollment(v *visit) {
	d.sessions.Remove(v.r.Context(), enrollmentURL)
	d.sessions.Remove(v.r.Context(), enrollmentSince)
}

func (d *dashboard) enableTwoFactor(v *visit) error {
	link := d.enrollment(v)
	if link == nil {
		return v.redirect(twoFactorPath)
	}
	secret := link.Query().Get("secret")
	codes, err := d.Accounts.EnableTwoFactor(v.r.Context(), v.by(), v.user.ID, secret, v.value("code"))
	if err != nil {
		p, pageErr := d.twoFactorPage(v)
		if pageErr != nil {
			return pageErr
		}
		return d.rejectForm(v, err, p)
	}
	d.endEnrollment(v)
	return d.showRecoveryCodes(v, recoveryView{Codes: codes, Enabled: true})
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

func (d *dashboard) showRecoveryCodes(v *visit, view recoveryView) error {
	return d.showOnce(v, recoveryPath, view, recoveryPage(view))
}

// showNewCodes shows new recovery codes once.
func (d *dashboard) showNewCodes(v *visit) error {
	var view recoveryView
	if !d.takeSecret(v, recoveryPath, &view) && !v.user.TwoFactor.On() {
		return v.redirect(twoFactorPath)
	}
	return d.ok(v, recoveryPage(view))
}

func (d *dashboard) newRecoveryCodes(v *visit) error {
	codes, err := d.Accounts.NewRecoveryCodes(v.r.Context(), v.by(), v.user.ID)
	if err != nil {
		return err
	}
	return d.showRecoveryCodes(v, recoveryView{Codes: codes})
}

func (d *dashboard) disableTwoFactor(v *visit) error {
	if d.RequireTwoFactor && v.user.Role.Includes(account.Administrator) {
		p, err := d.twoFactorPage(v)
		if err != nil {
			return err
		}
		return d.rejectForm(v, &matching.Error{
			Code: account.CodeNotAllowed, Message: "Administrators need two-factor authentication.",
		}, p)
	}
	if err := d.Accounts.DisableTwoFactor(v.r.Context(), v.by(), v.user.ID); err != nil {
		return err
	}
	d.notice(v, "Two-factor authentication is off.")
	return v.redirect(root + "/account")
}

// qrCode is a QR code as an SVG path. One unit is one module, and a margin of four modules surrounds the code.
type qrCode struct {
	Size int
	Path string
}

const qrMargin = 4

func newQRCode(text string) (qrCode, error) {
	code, err := qr.Encode(text, qr.L, qr.Unicode) // on a screen, nothing covers a part of it
	if err != nil {
		return qrCode{}, fmt.Errorf("encode QR code: %w", err)
	}
	bounds := code.Bounds()
	var path strings.Builder
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			if gray, ok := color.GrayModel.Convert(code.At(x, y)).(color.Gray); ok && gray.Y < 128 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+qrMargin, y+qrMargin)
			}
		}
	}
	return qrCode{Size: bounds.Dx() + 2*qrMargin, Path: path.String()}, nil
}

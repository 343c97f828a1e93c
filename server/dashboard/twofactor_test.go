package dashboard_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard"
	"github.com/freelancer-matching/service/store"
)

const twoFactorPath = "/dashboard/account/two-factor"

var (
	secretPattern   = regexp.MustCompile(`<code id="secret">([A-Z2-7]{32,})</code>`)
	recoveryPattern = regexp.MustCompile(`\b[a-z2-7]{4}(?:-[a-z2-7]{4}){3}\b`)
)

// startSignIn sends the password of a user who has a second factor.
func (b *browser) startSignIn(u account.User, fields ...string) {
	b.w.t.Helper()
	a := b.post("/dashboard/sign-in", append([]string{"email", u.Email, "password", password}, fields...)...)
	if a.status != http.StatusSeeOther || a.location != "/dashboard/sign-in/code" {
		b.w.t.Fatalf("status %d, location %q, want a redirect to the page for the code", a.status, a.location)
	}
}

// Before an administrator has a second factor, nothing but its page works.
func TestTwoFactor_IsRequiredForAdministrators(t *testing.T) {
	w := newWorld(t)
	w.must(w.accounts.SecondFactors.Disable(t.Context(), audit.By{Actor: audit.CommandLine}, w.admin.ID))
	b := w.as(w.admin)
	for _, route := range dashboard.Routes() {
		if route.Access == "" || strings.HasPrefix(route.Path, twoFactorPath) || strings.Contains(route.Path, "sign-out") {
			continue
		}
		path := fill(route.Path, map[string]string{"id": "x", "user": w.owner.ID, "account": w.owner.Account})
		if a := b.do(route.Method, path, nil, nil); a.status != http.StatusSeeOther || a.location != twoFactorPath {
			t.Errorf("%s %s: status %d, location %q", route.Method, path, a.status, a.location)
		}
	}

	b.get(twoFactorPath).expect(t, http.StatusOK, "Required for administrators")
	b.post(twoFactorPath+"/start").expect(t, http.StatusSeeOther)
	secret := secretPattern.FindStringSubmatch(b.get(twoFactorPath).body)[1]
	code, err := totp.GenerateCode(secret, w.clock.now())
	w.must(err)
	a := b.create(twoFactorPath, "code", code).expect(t, http.StatusOK, "Two-factor authentication is on.")
	if codes := recoveryPattern.FindAllString(a.body, -1); len(codes) != 10 {
		t.Errorf("recovery codes %q, want 10", codes)
	}

	b.get("/dashboard/admin/accounts").expect(t, http.StatusOK)
	b.post(twoFactorPath+"/disable").expect(t, http.StatusUnprocessableEntity, "You need two-factor")
	if strings.Contains(w.log.String(), secret) {
		t.Error("the secret is in the log")
	}
}

func TestTwoFactor_IsOptionalInTheDemo(t *testing.T) {
	w := newWorld(t, func(c *dashboard.Config, _ *account.Config) { c.RequireTwoFactor = false })
	b := w.as(w.admin)
	b.post(twoFactorPath+"/disable").expect(t, http.StatusSeeOther)
	b.get("/dashboard/admin/accounts").expect(t, http.StatusOK)
	w.as(w.admin).get("/dashboard").expect(t, http.StatusOK)
}

// A member turns two-factor authentication on, signs in with it, and turns it off.
func TestTwoFactor_OptionalForOthers(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	b.get("/dashboard/account").expect(t, http.StatusOK, "Off.")
	b.post(twoFactorPath, "code", "000000").expect(t, http.StatusSeeOther) // nothing to confirm
	b.post(twoFactorPath+"/start").expect(t, http.StatusSeeOther)
	page := b.get(twoFactorPath).expect(t, http.StatusOK, "Set up your authenticator app")
	if !regexp.MustCompile(`<path d="(M\d+ \d+h1v1h-1z){200,}"`).MatchString(page.body) {
		t.Error("the page has no QR code")
	}

	secret := secretPattern.FindStringSubmatch(page.body)[1]
	code := func() string {
		code, err := totp.GenerateCode(secret, w.clock.now())
		w.must(err)
		return code
	}

	b.post(twoFactorPath, "code", "000000").expect(t, http.StatusUnprocessableEntity, "The code is wrong.", secret)
	a := b.create(twoFactorPath, "code", code()).expect(t, http.StatusOK)
	recovery := recoveryPattern.FindAllString(a.body, -1)
	for _, codes := range [][]string{recovery, {secret}} {
		for _, page := range []answer{b.get(twoFactorPath), b.get("/dashboard/account")} {
			if strings.Contains(page.body, codes[0]) {
				t.Error("a secret is shown again")
			}
		}
	}

	w.clock.advance(time.Minute)

	next := w.browser()
	next.startSignIn(w.member, "next", "/dashboard/usage")
	for _, path := range []string{"/dashboard", "/dashboard/account", "/dashboard/sign-in"} {
		if a := next.get(path); a.status == http.StatusOK && path != "/dashboard/sign-in" {
			t.Errorf("%s is open before the code was entered", path)
		}
	}

	next.post("/dashboard/sign-in/code", "code", "000000").expect(t, http.StatusUnprocessableEntity, "The code is wrong")
	if a := next.post("/dashboard/sign-in/code", "code", code()); a.location != "/dashboard/usage" {
		t.Fatalf("status %d, location %q\n%s", a.status, a.location, a.text())
	}
	next.get(twoFactorPath).expect(t, http.StatusOK, "10 unused recovery codes")

	lost := w.browser()
	lost.startSignIn(w.member)
	lost.get("/dashboard/sign-in/code?recovery=1").expect(t, http.StatusOK, "Recovery code")

	if a := lost.post("/dashboard/sign-in/code", "code", recovery[0]); a.location != "/dashboard" {
		t.Fatalf("status %d, location %q\n%s", a.status, a.location, a.text())
	}
	lost.get(twoFactorPath).expect(t, http.StatusOK, "9 unused recovery codes")
	lost.create(twoFactorPath+"/codes").expect(t, http.StatusOK, "Save these codes now")
	lost.post(twoFactorPath+"/disable").expect(t, http.StatusSeeOther)
	w.as(w.member).get("/dashboard/account").expect(t, http.StatusOK, "Off.")
}

// A sign-in waits ten minutes for its code, in the browser it began in.
func TestTwoFactor_SignInExpires(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	b.get("/dashboard/sign-in/code").expect(t, http.StatusSeeOther)
	b.startSignIn(w.admin)
	w.clock.advance(10*time.Minute + time.Second)
	w.forgetCodes(w.admin)
	if a := b.post("/dashboard/sign-in/code", "code", w.code()); a.location != "/dashboard/sign-in?note=late" {
		t.Errorf("status %d, location %q", a.status, a.location)
	}
	b.get("/dashboard/sign-in?note=late").expect(t, http.StatusOK, "It took too long")
	if a := w.browser().post("/dashboard/sign-in/code", "code", w.code()); a.location != "/dashboard/sign-in?note=late" {
		t.Errorf("in another browser: status %d, location %q", a.status, a.location)
	}
}

// A reset link replaces the password, not the second factor.
func TestTwoFactor_IsNeededAfterAReset(t *testing.T) {
	w := newWorld(t)
	secret, _, err := w.accounts.Links.CreateReset(t.Context(), audit.By{Actor: audit.CommandLine}, w.admin.ID)
	w.must(err)
	b := w.browser()
	a := b.post("/dashboard/reset", "secret", secret, "password", newPassword).expect(t, http.StatusSeeOther)
	if a.location != "/dashboard/sign-in/code" {
		t.Fatalf("location %q", a.location)
	}
	b.get("/dashboard").expect(t, http.StatusSeeOther)
	w.forgetCodes(w.admin)
	b.post("/dashboard/sign-in/code", "code", w.code()).expect(t, http.StatusSeeOther)
	b.get("/dashboard").expect(t, http.StatusOK)
}

// Ten minutes after the sign-in, administrators confirm dangerous changes. The page keeps the form.
func TestConfirm_DangerousChanges(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.admin)
	owner := w.as(w.owner)
	path := "/dashboard/admin/accounts/" + w.owner.Account
	change := form("plan", "enterprise", "grace", "24h0m0s")
	plan := func() string {
		a, err := w.accounts.Accounts.Find(t.Context(), w.owner.Account)
		w.must(err)
		return a.Plan
	}

	w.clock.advance(10*time.Minute + time.Second)
	a := b.do(http.MethodPost, path+"/plan", change, nil).expect(t, http.StatusForbidden, "Confirm that it's you")
	for name, values := range change {
		if !strings.Contains(a.body, `<input type="hidden" name="`+name+`" value="`+values[0]+`">`) {
			t.Errorf("the page does not keep the field %s:\n%s", name, a.body)
		}
	}

	confirm := func(proof string) answer {
		fields := url.Values{"confirmation": {proof}}
		for name, values := range change {
			fields[name] = values
		}
		return b.do(http.MethodPost, path+"/plan", fields, nil)
	}
	for _, proof := range []string{"", "000000", password} {
		confirm(proof).expect(t, http.StatusUnprocessableEntity, "The code is wrong")
	}

	if plan() != "professional" {
		t.Fatal("the plan was changed without a confirmation")
	}

	if a := confirm(w.code()); a.status != http.StatusSeeOther || plan() != "enterprise" {
		t.Fatalf("status %d, plan %s\n%s", a.status, plan(), a.text())
	}
	b.create(path+"/users/"+w.member.ID+"/reset").expect(t, http.StatusOK) // confirmed a moment ago
	w.clock.advance(10*time.Minute + time.Second)

	for _, at := range []string{
		path + "/users/" + w.member.ID + "/reset", path + "/disable", path + "/enable", "/dashboard/admin/invitations",
		"/dashboard/members", "/dashboard/members/" + w.admin.ID + "/role", "/dashboard/members/" + w.admin.ID + "/remove",
		twoFactorPath + "/start", twoFactorPath + "/codes", twoFactorPath + "/disable",
	} {
		b.post(at).expect(t, http.StatusForbidden, "Confirm that it's you")
	}

	// A new password is no confirmation.
	b.post("/dashboard/account/password", "present", password, "password", newPassword).expect(t, http.StatusSeeOther)
	b.post(path+"/disable").expect(t, http.StatusForbidden, "Enter a code")
	// Owners confirm what concerns their sign-in only, with their password.
	owner.create("/dashboard/members", "role", "member").expect(t, http.StatusOK)
	owner.post(twoFactorPath+"/start").expect(t, http.StatusForbidden, "Enter your password")
	owner.post(twoFactorPath+"/start", "confirmation", "wrong password").expect(t, http.StatusUnprocessableEntity)
	owner.post(twoFactorPath+"/start", "confirmation", password).expect(t, http.StatusSeeOther)
}

// fullSessions are sessions on a full disk.
type fullSessions struct {
	store.Sessions
	full bool
}

func (s *fullSessions) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	if s.full {
		return &matching.Error{Code: matching.CodeStorageFull, Message: "full", Cause: errors.New("disk full")}
	}
	return s.Sessions.CommitCtx(ctx, token, data, expires)
}

// On a full disk, signed-in users keep their sessions. Nobody can sign in; the page says why.
func TestSession_SurvivesAFullDisk(t *testing.T) {
	sessions := &fullSessions{}
	w := newWorld(t, func(c *dashboard.Config, _ *account.Config) {
		sessions.Sessions, _ = c.Sessions.(store.Sessions)
		c.Sessions = sessions
	})
	b := w.as(w.owner)
	sessions.full = true
	w.clock.advance(time.Hour)
	b.get("/dashboard").expect(t, http.StatusOK)
	if !strings.Contains(w.log.String(), `msg="session not updated"`) {
		t.Errorf("the log is %s", w.log)
	}
	a := w.browser().post("/dashboard/sign-in", "email", w.owner.Email, "password", password)
	a.expect(t, http.StatusServiceUnavailable)
	sessions.full = false
	w.as(w.owner).get("/dashboard").expect(t, http.StatusOK)
}

// An owner requires a second factor of all members: those without one can do nothing else.
func TestTwoFactor_RequiredByTheAccount(t *testing.T) {
	w := newWorld(t)
	owner, member, stranger := w.as(w.owner), w.as(w.member), w.as(w.stranger)
	const require = "/dashboard/account/require-two-factor"
	member.post(require, "required", "yes").expect(t, http.StatusForbidden)
	member.get("/dashboard/keys").expect(t, http.StatusOK)

	owner.post(require, "required", "yes").expect(t, http.StatusSeeOther)
	for _, b := range []*browser{owner, member} {
		if a := b.get("/dashboard/keys"); a.location != twoFactorPath {
			t.Errorf("without a second factor: status %d, location %q", a.status, a.location)
		}
	}
	member.get(twoFactorPath).expect(t, http.StatusOK, "Kiln & Glaze requires it of all members.")
	stranger.get("/dashboard/keys").expect(t, http.StatusOK)

	w.owner = w.enroll(w.owner)
	owner = w.as(w.owner)
	owner.post(twoFactorPath+"/disable").expect(t, http.StatusUnprocessableEntity, "You need two-factor")
	owner.post(require, "required", "no").expect(t, http.StatusSeeOther)
	member.get("/dashboard/keys").expect(t, http.StatusOK)
	owner.get("/dashboard/activity").expect(t, http.StatusOK, "Account two factor optional \"Kiln")
}

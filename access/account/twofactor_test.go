package account_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// code returns the code that an app shows now.
func (f *fixture) code(secret string) string { return must(totp.GenerateCode(secret, f.clock.now())) }

// enroll gives a user a second factor.
func (f *fixture) enroll(t *testing.T, u account.User) (secret string, recovery []string) {
	t.Helper()
	e := must(account.NewEnrollment("Freelancer matching", u.Email))
	recovery = must(f.SecondFactors.Enable(t.Context(), by(u), u.ID, e.Secret, f.code(e.Secret)))
	f.clock.advance(time.Minute) // the code was used
	return e.Secret, recovery
}

func (f *fixture) secondStep(t *testing.T, u account.User, code string) (account.User, error) {
	t.Helper()
	return f.SignIns.EnterCode(t.Context(), account.SecondStep{
		User: u.ID, Sessions: u.Sessions, Code: code, Address: home(),
	})
}

func TestTwoFactor_Enrollment(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	e := must(account.NewEnrollment("Freelancer matching", u.Email))
	other := must(account.NewEnrollment("Freelancer matching", u.Email))
	if len(e.Secret) < 32 || e.Secret == other.Secret ||
		!strings.HasPrefix(e.URL, "otpauth://totp/Freelancer%20matching:") || !strings.Contains(e.URL, "secret="+e.Secret) {
		t.Errorf("enrollment %+v", e)
	}

	for _, code := range []string{"", "000000", "12345", f.code(other.Secret), "not a code"} {
		_, err := f.SecondFactors.Enable(t.Context(), by(u), u.ID, e.Secret, code)
		wantCode(t, err, account.CodeWrongCode)
	}

	_, err := f.SecondFactors.Enable(t.Context(), by(u), u.ID, "", "")
	wantCode(t, err, account.CodeWrongCode)
	if must(f.Users.FindByEmail(t.Context(), u.Email)).TwoFactor.On() {
		t.Fatal("enabled without a valid code")
	}

	recovery := must(f.SecondFactors.Enable(t.Context(), by(u), u.ID, e.Secret, f.code(e.Secret)))
	slices.Sort(recovery)
	if len(slices.Compact(recovery)) != 10 {
		t.Errorf("recovery codes %q", recovery)
	}

	stored := must(f.Users.FindByEmail(t.Context(), u.Email)).TwoFactor
	for _, code := range recovery {
		if slices.Contains(stored.Recovery, code) || slices.Contains(stored.Recovery, strings.ReplaceAll(code, "-", "")) {
			t.Error("a recovery code is stored in plain text")
		}
	}

	if ev := f.events(t)[0]; ev.Action != audit.TwoFactorOn || ev.Subject != u.ID || ev.Actor != u.ID {
		t.Errorf("event %+v", ev)
	}

	f.wantNotLogged(t, append(recovery, e.Secret)...)
}

func TestTwoFactor_SignIn(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	secret, _ := f.enroll(t, u)
	f.clock.advance(time.Minute)
	got, codeNeeded, err := f.SignIns.SignIn(t.Context(), account.Credentials{
		Email: u.Email, Password: password, Address: home(),
	})
	if err != nil || !codeNeeded || got.ID != u.ID || !got.LastSignIn.Equal(u.LastSignIn) {
		t.Fatalf("SignIn = %+v, %t, %v; want a code to be needed, and no sign-in yet", got, codeNeeded, err)
	}

	code := f.code(secret)
	done, err := f.secondStep(t, got, code[:3]+" "+code[3:])
	if err != nil || done.ID != u.ID || !done.LastSignIn.Equal(f.clock.now()) {
		t.Fatalf("EnterCode = %+v, %v", done, err)
	}

	if e := f.events(t)[0]; e.Action != audit.UserSignedIn || e.Address != "192.0.2.7" {
		t.Errorf("event %+v", e)
	}

	_, err = f.secondStep(t, got, code)
	wantCode(t, err, account.CodeWrongCode) // it was used
	f.clock.advance(30 * time.Second)
	_, err = f.secondStep(t, got, code)
	wantCode(t, err, account.CodeWrongCode) // still within the tolerance, but used

	if _, err = f.secondStep(t, got, f.code(secret)); err != nil {
		t.Error(err)
	}
	// The clock of a phone may be half a minute off, in either direction.
	f.clock.advance(time.Hour)
	early := must(totp.GenerateCode(secret, f.clock.now().Add(-30*time.Second)))
	if _, err = f.secondStep(t, got, early); err != nil {
		t.Error(err)
	}

	late := must(totp.GenerateCode(secret, f.clock.now().Add(30*time.Second)))
	if _, err = f.secondStep(t, got, late); err != nil {
		t.Error(err)
	}

	_, err = f.secondStep(t, got, f.code(secret))
	wantCode(t, err, account.CodeWrongCode) // older than the last one
	f.clock.advance(time.Hour)
	old := must(totp.GenerateCode(secret, f.clock.now().Add(-time.Minute)))
	_, err = f.secondStep(t, got, old)
	wantCode(t, err, account.CodeWrongCode)

	// The first step is void once the sessions have ended.
	if err := f.Sessions.EndAll(t.Context(), by(u), u.ID); err != nil {
		t.Fatal(err)
	}

	_, err = f.secondStep(t, got, f.code(secret))
	wantCode(t, err, account.CodeSessionEnded)
	f.wantNotLogged(t, secret)
}

// Of several sign-ins with one code, one succeeds.
func TestTwoFactor_CodeWorksOnce(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	secret, recovery := f.enroll(t, u)
	for _, code := range []string{f.code(secret), recovery[3]} {
		got := codes(20, func(i int) error {
			_, err := f.SignIns.EnterCode(t.Context(), account.SecondStep{User: u.ID, Code: code, Address: stranger(i)})
			return err
		})
		if got[""] != 1 || got[account.CodeWrongCode] != 19 {
			t.Errorf("codes %v, want one success", got)
		}
	}
}

func TestTwoFactor_RecoveryCodes(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	_, recovery := f.enroll(t, u)
	typed := " " + strings.ToUpper(strings.ReplaceAll(recovery[0], "-", " ")) + " "
	if _, err := f.secondStep(t, u, typed); err != nil {
		t.Fatal(err)
	}

	if e := f.events(t)[0]; e.Action != audit.UserSignedIn || e.Detail != "with a recovery code, 9 left" {
		t.Errorf("event %+v", e)
	}

	_, err := f.secondStep(t, u, recovery[0])
	wantCode(t, err, account.CodeWrongCode)
	replaced := must(f.SecondFactors.NewRecoveryCodes(t.Context(), by(u), u.ID))
	_, err = f.secondStep(t, u, recovery[1])
	wantCode(t, err, account.CodeWrongCode)

	if _, err := f.secondStep(t, u, replaced[9]); err != nil {
		t.Error(err)
	}

	other := f.signUp(t, "other@example.com")
	_, err = f.SecondFactors.NewRecoveryCodes(t.Context(), by(other), other.ID)
	wantCode(t, err, matching.CodeNotFound)
	f.wantNotLogged(t, append(replaced, recovery...)...)
}

func TestTwoFactor_LimitsWrongCodes(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits = account.DefaultLimits() })
	u := f.setUp(t)
	secret, _ := f.enroll(t, u)
	try := func(from netip.Addr, code, browser string) error {
		_, err := f.SignIns.EnterCode(t.Context(), account.SecondStep{
			User: u.ID, Sessions: u.Sessions, Code: code, Address: from, Browser: browser,
		})
		return err
	}

	token := must(f.Browsers.Remember(t.Context(), u.ID, ""))
	for range 5 {
		wantCode(t, try(home(), "000000", ""), account.CodeWrongCode)
	}

	wantThrottled(t, try(home(), f.code(secret), "")) // per address

	for i := range 5 {
		wantCode(t, try(stranger(i), "000000", ""), account.CodeWrongCode)
	}

	wantThrottled(t, try(stranger(6), f.code(secret), "")) // per user

	if e := f.events(t)[0]; e.Action != audit.SignInFailed || e.Detail != "wrong code after the right password" {
		t.Errorf("event %+v", e)
	}

	if err := try(stranger(6), f.code(secret), token); err != nil {
		t.Errorf("in the known browser: %v", err)
	}

	for range 5 {
		wantCode(t, try(home(), "000000", token), account.CodeWrongCode)
	}

	wantThrottled(t, try(home(), "000000", token))
	f.clock.advance(time.Hour)

	if err := try(home(), f.code(secret), ""); err != nil {
		t.Error(err)
	}
}

// Setting the clock back must not keep a user out until it is where it was.
func TestTwoFactor_SurvivesAClockThatWasAhead(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	secret, _ := f.enroll(t, u)
	f.clock.advance(-time.Hour)
	if _, err := f.secondStep(t, u, f.code(secret)); err != nil {
		t.Error(err)
	}
	_, err := f.secondStep(t, u, f.code(secret))
	wantCode(t, err, account.CodeWrongCode)
}

func TestTwoFactor_Removal(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	f.enroll(t, u)

	if err := f.SecondFactors.Disable(t.Context(), by(u), u.ID); err != nil {
		t.Fatal(err)
	}

	if e := f.events(t)[0]; e.Action != audit.TwoFactorOff || e.Actor != u.ID {
		t.Errorf("event %+v", e)
	}

	got := must(f.signIn(t, u.Email, password))
	if got.TwoFactor.On() || got.Sessions != u.Sessions {
		t.Errorf("user %+v", got)
	}

	secret, recovery := f.enroll(t, u)
	if err := f.SecondFactors.Reset(t.Context(), operator(), u.ID); err != nil {
		t.Fatal(err)
	}

	for _, code := range []string{f.code(secret), recovery[0]} {
		_, err := f.secondStep(t, u, code)
		wantCode(t, err, account.CodeSessionEnded)
	}

	got = must(f.signIn(t, u.Email, password))
	if got.TwoFactor.On() || got.Sessions == u.Sessions {
		t.Errorf("user %+v, want ended sessions", got)
	}

	_, err := f.secondStep(t, got, f.code(secret))
	wantCode(t, err, account.CodeWrongCode)
	wantCode(t, f.SecondFactors.Reset(t.Context(), operator(), "usr_none"), matching.CodeNotFound)
}

func TestConfirm(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Confirm = limit(2) })
	u := f.setUp(t)
	confirm := func(proof string) error { return f.Verifier.Confirm(t.Context(), by(u), u.ID, proof) }
	wantCode(t, confirm(otherPassword), account.CodeWrongCredentials)
	wantCode(t, confirm(password), "")
	secret, recovery := f.enroll(t, u)
	wantCode(t, confirm(password), account.CodeWrongCode) // the second factor is asked for
	wantThrottled(t, confirm(f.code(secret)))
	f.clock.advance(time.Hour)
	wantCode(t, confirm(f.code(secret)), "")
	wantCode(t, confirm(f.code(secret)), account.CodeWrongCode)
	wantCode(t, confirm(recovery[0]), "")
	if e := f.events(t)[0]; e.Action != audit.RecoveryUsed {
		t.Errorf("event %+v", e)
	}
	wantCode(t, f.Verifier.Confirm(t.Context(), by(u), "usr_none", ""), matching.CodeNotFound)
}

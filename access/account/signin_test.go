package account_test

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

func wantThrottled(t *testing.T, err error) {
	t.Helper()
	wantCode(t, err, account.CodeTooManyAttempts)
	if e, ok := errors.AsType[*matching.Error](err); !ok || e.RetryAfter <= 0 {
		t.Errorf("%v has no RetryAfter", err)
	}
}

func TestSignIn(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	f.clock.advance(time.Hour)
	got, err := f.signIn(t, " ADMIN@example.com ", password)
	if err != nil || got.ID != u.ID || !got.LastSignIn.Equal(f.clock.now()) {
		t.Fatalf("SignIn = %+v, %v; want %s, signed in now", got, err, u.ID)
	}
	stored := must(f.Users.FindByEmail(t.Context(), "Admin@example.com"))
	if !stored.LastSignIn.Equal(f.clock.now()) {
		t.Errorf("stored user %+v, want the time of the sign-in", stored)
	}
	e := f.events(t)[0]
	if e.Action != audit.UserSignedIn || e.Actor != u.ID || e.Address != "192.0.2.7" || e.Account != u.Account {
		t.Errorf("event %+v", e)
	}
	if _, _, err := f.Sessions.Find(t.Context(), u.ID, got.Sessions); err != nil {
		t.Error(err)
	}
}

// calls records the calls of stores during a sign-in.
type calls []string

type recordingUsers struct {
	account.UserStore
	calls *calls
}

func (s recordingUsers) FindByEmail(ctx context.Context, email string) (account.User, error) {
	*s.calls = append(*s.calls, "user by email")
	return s.UserStore.FindByEmail(ctx, email)
}

type recordingAccounts struct {
	account.AccountStore
	calls *calls
}

func (s recordingAccounts) Find(ctx context.Context, id string) (account.Account, error) {
	*s.calls = append(*s.calls, "account")
	return s.AccountStore.Find(ctx, id)
}

func TestSignIn_HidesWhetherAUserExists(t *testing.T) {
	var made calls
	f := newFixture(t, func(c *account.Config) {
		c.Stores.Users = recordingUsers{c.Stores.Users, &made}
		c.Stores.Accounts = recordingAccounts{c.Stores.Accounts, &made}
	})

	f.setUp(t)
	hashes := f.CountHashes()
	want := ""
	for _, tt := range []struct{ name, email, password string }{
		{"wrong password", "admin@example.com", otherPassword},
		{"unknown address", "nobody@example.com", password},
		{"malformed address", "nobody", password},
		{"empty form", "", ""},
		{"very long form", strings.Repeat("a", 100_000), strings.Repeat("b", 100_000)},
		{"a hash as the password", "admin@example.com", "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA"},
	} {
		made = nil
		hashes.Store(0)
		_, err := f.signIn(t, tt.email, tt.password)
		wantCode(t, err, account.CodeWrongCredentials)

		if err != nil && want == "" {
			want = err.Error()
		}

		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", tt.name, err, want)
		}

		if diff := cmp.Diff(calls{"user by email"}, made); diff != "" || hashes.Load() != 1 {
			t.Errorf("%s: %d hashes, want 1; calls of stores (-want +got):\n%s", tt.name, hashes.Load(), diff)
		}
	}
}

func TestSignIn_Throttles(t *testing.T) {
	const unlimited = 1_000_000
	tests := []struct {
		name                    string
		visitor, address, email int
		attempts                []string      // addresses that send a wrong password for the owner
		elsewhere               matching.Code // for the owner from another address
		otherUser               matching.Code // for another user from the first address
	}{
		{"visitor", 2, unlimited, unlimited, []string{"192.0.2.7", "192.0.2.7"}, "", ""},
		{"address", unlimited, 2, unlimited, []string{"192.0.2.7", "192.0.2.7"}, "", account.CodeTooManyAttempts},
		{"email", unlimited, unlimited, 2, []string{"192.0.2.7", "198.51.100.1"}, account.CodeTooManyAttempts, ""},
		{"one IPv6 network", 2, unlimited, unlimited, []string{"2001:db8::1", "2001:db8::ffff:2"}, "", ""},
		{"IPv4 written as IPv6", 2, unlimited, unlimited, []string{"192.0.2.7", "::ffff:192.0.2.7"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, func(c *account.Config) {
				c.Limits.Visitor = limit(tt.visitor)
				c.Limits.Address = limit(tt.address)
				c.Limits.Email = limit(tt.email)
			})

			f.setUp(t)
			f.signUp(t, "other@example.com")
			for _, from := range tt.attempts {
				_, err := f.signInFrom(t, netip.MustParseAddr(from), "admin@example.com", otherPassword)
				wantCode(t, err, account.CodeWrongCredentials)
			}

			from := netip.MustParseAddr(tt.attempts[0])
			hashes := f.CountHashes()
			_, err := f.signInFrom(t, from, "ADMIN@example.com", password)
			wantThrottled(t, err)

			if hashes.Load() != 0 {
				t.Error("a hash was computed for a throttled sign-in")
			}

			_, err = f.signInFrom(t, netip.MustParseAddr("203.0.113.9"), "admin@example.com", password)
			wantCode(t, err, tt.elsewhere)
			_, err = f.signInFrom(t, from, "other@example.com", password)
			wantCode(t, err, tt.otherUser)
		})
	}
}

// Concurrent guesses get hardly more attempts than sequential ones.
func TestSignIn_ThrottlesConcurrentAttempts(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Email = limit(5) })
	f.setUp(t)
	hashes := f.CountHashes()
	codes(100, func(i int) error {
		_, err := f.signInFrom(t, netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), "admin@example.com", otherPassword)
		return err
	})
	if n, limit := int(hashes.Load()), 5+max(1, runtime.GOMAXPROCS(0)/2)-1; n < 5 || n > limit {
		t.Errorf("%d passwords were compared, want 5 to %d", n, limit)
	}
}

func TestSignIn_WaitsForASlotUntilTheContextEnds(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	leave := f.OccupySlots()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := f.SignIns.SignIn(ctx, account.Credentials{
			Email: "admin@example.com", Password: password, Address: home(),
		})
		done <- err
	}()
	for f.Queued() == 0 {
		runtime.Gosched()
	}
	cancel()
	wantCode(t, <-done, matching.CodeOverloaded)
	leave()
	if _, err := f.signIn(t, "admin@example.com", password); err != nil {
		t.Error(err)
	}
}

func TestSignIn_UpdatesOutdatedHashes(t *testing.T) {
	f := newFixture(t)
	before := f.setUp(t)
	f.SetCost(16)
	_, err := f.signIn(t, "admin@example.com", otherPassword)
	wantCode(t, err, account.CodeWrongCredentials)
	if now := must(f.Users.FindByEmail(t.Context(), before.Email)); now.Password != before.Password {
		t.Error("a wrong password replaced the hash")
	}
	after := must(f.signIn(t, "admin@example.com", password))
	if !strings.Contains(after.Password, "$m=16,") || after.Sessions != before.Sessions {
		t.Errorf("user %+v, want a hash at the new cost and the same sessions", after)
	}
	second := must(f.signIn(t, "admin@example.com", password))
	if second.Password != after.Password {
		t.Error("an up-to-date hash was replaced")
	}
}

func TestSession_Ends(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	u := f.signUp(t, "a@example.com")
	wantSession := func(generation int, want matching.Code) {
		t.Helper()
		got, a, err := f.Sessions.Find(t.Context(), u.ID, generation)
		wantCode(t, err, want)
		if err == nil && (got.ID != u.ID || a.ID != u.Account) {
			t.Errorf("Session = %+v, %+v", got, a)
		}
	}

	wantSession(0, "")
	wantSession(1, account.CodeSessionEnded)
	if err := f.Sessions.EndAll(t.Context(), by(u), u.ID); err != nil {
		t.Fatal(err)
	}

	wantSession(0, account.CodeSessionEnded)
	wantSession(1, "")

	changed, err := f.Passwords.Change(t.Context(), by(u), u.ID, password, otherPassword)
	if err != nil || changed.Sessions != 2 {
		t.Fatalf("ChangePassword = %+v, %v; want generation 2", changed, err)
	}

	wantSession(1, account.CodeSessionEnded)
	wantSession(2, "")

	must(f.Passwords.Reset(t.Context(), visitor(), f.resetLink(t, by(admin), u.ID), password))
	wantSession(2, account.CodeSessionEnded)
	wantSession(3, "")

	must(f.Accounts.Disable(t.Context(), by(admin), u.Account))
	wantSession(3, account.CodeAccountDisabled)
	_, err = f.signIn(t, u.Email, password)
	wantCode(t, err, account.CodeAccountDisabled)
	_, err = f.signIn(t, u.Email, otherPassword)
	wantCode(t, err, account.CodeWrongCredentials) // reveals nothing without the password
	must(f.Accounts.Enable(t.Context(), by(admin), u.Account))
	wantSession(3, "")

	if err := f.Users.Remove(t.Context(), by(admin), u.ID); err != nil {
		t.Fatal(err)
	}

	wantSession(3, account.CodeSessionEnded)
}

func TestChangePassword(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Confirm = limit(2) })
	u := f.setUp(t)
	_, err := f.Passwords.Change(t.Context(), by(u), u.ID, password, "short")
	if diff := cmp.Diff([]string{"password"}, invalidFields(err)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}

	_, err = f.Passwords.Change(t.Context(), by(u), "usr_none", password, otherPassword)
	wantCode(t, err, matching.CodeNotFound)
	must(f.Passwords.Change(t.Context(), by(u), u.ID, password, otherPassword))

	if _, err := f.signIn(t, u.Email, otherPassword); err != nil {
		t.Error(err)
	}

	for range 2 {
		_, err = f.Passwords.Change(t.Context(), by(u), u.ID, password, otherPassword)
		wantCode(t, err, account.CodeWrongCredentials)
	}

	_, err = f.Passwords.Change(t.Context(), by(u), u.ID, otherPassword, password)
	wantThrottled(t, err)
	f.wantNotLogged(t, password, otherPassword)
}

func TestResetPassword(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	replaced := f.resetLink(t, operator(), u.ID)
	secret, l, err := f.Links.CreateReset(t.Context(), operator(), u.ID)
	if err != nil || l.Email != u.Email || !l.Expires.Equal(f.clock.now().Add(day)) {
		t.Fatalf("CreateResetLink = %+v, %v; want a link for %s that expires in a day", l, err, u.Email)
	}

	_, err = f.Passwords.Reset(t.Context(), visitor(), replaced, otherPassword)
	wantCode(t, err, account.CodeLinkSpent)
	_, err = f.Passwords.Reset(t.Context(), visitor(), secret, "password123")
	wantCode(t, err, matching.CodeInvalid)
	f.clock.advance(time.Minute)
	got, err := f.Passwords.Reset(t.Context(), visitor(), secret, otherPassword)
	if err != nil || got.ID != u.ID || !got.LastSignIn.Equal(f.clock.now()) {
		t.Fatalf("ResetPassword = %+v, %v", got, err)
	}

	if e := f.events(t)[0]; e.Action != audit.PasswordChanged || e.Actor != u.ID || e.Address != "192.0.2.7" {
		t.Errorf("event %+v", e)
	}

	_, err = f.Passwords.Reset(t.Context(), visitor(), secret, password)
	wantCode(t, err, account.CodeLinkSpent)
	_, err = f.signIn(t, u.Email, password)
	wantCode(t, err, account.CodeWrongCredentials)

	if _, err := f.signIn(t, u.Email, otherPassword); err != nil {
		t.Error(err)
	}

	_, _, err = f.Links.CreateReset(t.Context(), operator(), "usr_none")
	wantCode(t, err, matching.CodeNotFound)
	f.wantNotLogged(t, secret, replaced, password, otherPassword)
}

// Users who change their password or sign out everywhere lock out anyone who has a reset link.
func TestResetPassword_LinkEndsWithTheSessions(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	secret := f.resetLink(t, operator(), u.ID)
	must(f.signIn(t, u.Email, password))
	if _, err := f.Links.Find(t.Context(), secret); err != nil {
		t.Errorf("after a sign-in: %v", err)
	}
	must(f.Passwords.Change(t.Context(), by(u), u.ID, password, otherPassword))
	_, err := f.Passwords.Reset(t.Context(), visitor(), secret, "somebody else's words")
	wantCode(t, err, account.CodeLinkSpent)
	secret = f.resetLink(t, operator(), u.ID)
	if err := f.Sessions.EndAll(t.Context(), by(u), u.ID); err != nil {
		t.Fatal(err)
	}
	_, err = f.Passwords.Reset(t.Context(), visitor(), secret, "somebody else's words")
	wantCode(t, err, account.CodeLinkSpent)
}

func TestUserByEmail_Errors(t *testing.T) {
	f := newFixture(t)
	_, err := f.Users.FindByEmail(t.Context(), "nobody@example.com")
	wantCode(t, err, matching.CodeNotFound)
	if !errors.Is(err, account.ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
	_, err = f.Users.FindByEmail(t.Context(), "nobody")
	wantCode(t, err, matching.CodeInvalid)
}

// Every sign-in is observed once, with the code of its error.
func TestSignIn_IsObserved(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	var outcomes []matching.Code
	f.SignIns.Observe(func(outcome matching.Code) { outcomes = append(outcomes, outcome) })
	for _, p := range []string{password, otherPassword} {
		_, _ = f.signIn(t, u.Email, p)
	}
	secret, _ := f.enroll(t, u)
	u, _, _ = f.SignIns.SignIn(t.Context(), account.Credentials{Email: u.Email, Password: password, Address: home()})
	for _, code := range []string{"000000", f.code(secret)} {
		_, _ = f.secondStep(t, u, code)
	}
	want := []matching.Code{"", account.CodeWrongCredentials, account.CodeWrongCode, ""}
	if !slices.Equal(outcomes, want) {
		t.Errorf("observed %q, want %q", outcomes, want)
	}
}

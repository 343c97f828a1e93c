package account_test

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/access/quota"
	"freelancer-matching/internal/matching"
)

func wantThrottled(t *testing.T, err error) {
	t.Helper()
	wantCode(t, err, account.CodeTooManyAttempts)
	if e, ok := errors.AsType[*matching.Error](err); !ok || e.RetryAfter <= 0 {
		t.Errorf("no time to wait: %v", err)
	}
}

func TestSignIn(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	f.clock.pass(time.Hour)
	got, err := f.SignIn(t.Context(), home(), " ADMIN@example.com ", password)
	if err != nil || got.ID != u.ID || !got.LastSignIn.Equal(f.clock.now()) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if stored := must[account.User](t)(f.UserByEmail(t.Context(), "Admin@example.com")); !stored.LastSignIn.Equal(f.clock.now()) {
		t.Errorf("stored %+v", stored)
	}
	if e := f.last(t); e.Action != audit.UserSignedIn || e.Actor != u.ID || e.Address != "192.0.2.7" || e.Account != u.Account {
		t.Errorf("event %+v", e)
	}
	if _, _, err := f.Session(t.Context(), u.ID, got.Sessions); err != nil {
		t.Error(err)
	}
}

// asked counts what a store is asked while somebody signs in.
type asked struct {
	account.Store
	calls []string
}

func (a *asked) UserByEmail(ctx context.Context, email string) (account.User, error) {
	a.calls = append(a.calls, "UserByEmail")
	return a.Store.UserByEmail(ctx, email)
}

func (a *asked) Account(ctx context.Context, id string) (account.Account, error) {
	a.calls = append(a.calls, "Account")
	return a.Store.Account(ctx, id)
}

func TestSignIn_TellsAndDoesTheSameForUnknownAndWrong(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	store := &asked{Store: f.db}
	s := account.New(account.Config{
		Store: store, Now: f.clock.now, SignUp: account.Open, Throttles: patient(), Log: quiet(),
	})
	s.SetCost(8)
	hashes := s.CountHashes()
	want := ""
	for _, tt := range []struct{ name, email, password string }{
		{"wrong password", "admin@example.com", another},
		{"unknown", "nobody@example.com", password},
		{"no address", "nobody", password},
		{"nothing", "", ""},
		{"very long", strings.Repeat("a", 100_000), strings.Repeat("b", 100_000)},
		{"a hash for a password", "admin@example.com", "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA"},
	} {
		store.calls = nil
		hashes.Store(0)
		_, err := s.SignIn(t.Context(), home(), tt.email, tt.password)
		wantCode(t, err, account.CodeWrongCredentials)
		if err != nil && want == "" {
			want = err.Error()
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", tt.name, err, want)
		}
		if diff := cmp.Diff([]string{"UserByEmail"}, store.calls); diff != "" || hashes.Load() != 1 {
			t.Errorf("%s: %d hashes, want 1; store asked %s", tt.name, hashes.Load(), diff)
		}
	}
}

func TestSignIn_Throttled(t *testing.T) {
	const never = 1_000_000
	tests := []struct {
		name                    string
		visitor, address, email int
		attempts                []string // addresses with a wrong password, for the owner's e-mail address
		elsewhere               matching.Code
		other                   matching.Code // for another user from the same address
	}{
		{"a visitor", 2, never, never, []string{"192.0.2.7", "192.0.2.7"}, "", ""},
		{"an address", never, 2, never, []string{"192.0.2.7", "192.0.2.7"}, "", account.CodeTooManyAttempts},
		{"an e-mail address", never, never, 2, []string{"192.0.2.7", "198.51.100.1"}, account.CodeTooManyAttempts, ""},
		{"the addresses of one network of IPv6", 2, never, never, []string{"2001:db8::1", "2001:db8::ffff:2"}, "", ""},
		{"IPv4 written as IPv6", 2, never, never, []string{"192.0.2.7", "::ffff:192.0.2.7"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, func(c *account.Config) {
				c.Throttles.Visitor = quota.NewGuard(tt.visitor, time.Hour)
				c.Throttles.Address = quota.NewGuard(tt.address, time.Hour)
				c.Throttles.Email = quota.NewGuard(tt.email, time.Hour)
			})
			f.setUp(t)
			f.signUp(t, "other@example.com")
			for _, from := range tt.attempts {
				_, err := f.SignIn(t.Context(), netip.MustParseAddr(from), "admin@example.com", another)
				wantCode(t, err, account.CodeWrongCredentials)
			}
			from := netip.MustParseAddr(tt.attempts[0])
			hashes := f.CountHashes()
			_, err := f.SignIn(t.Context(), from, "ADMIN@example.com", password) // even with the right one
			wantThrottled(t, err)
			if hashes.Load() != 0 {
				t.Error("a throttled attempt cost a hash")
			}
			_, err = f.SignIn(t.Context(), netip.MustParseAddr("203.0.113.9"), "admin@example.com", password)
			wantCode(t, err, tt.elsewhere)
			_, err = f.SignIn(t.Context(), from, "other@example.com", password)
			wantCode(t, err, tt.other)
		})
	}
}

// Who tries many passwords at the same moment gets hardly more tries than who tries one after the other.
func TestSignIn_ThrottledAlsoAtOnce(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Throttles.Visitor = quota.NewGuard(5, time.Hour) })
	f.setUp(t)
	hashes := f.CountHashes()
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() { _, _ = f.SignIn(t.Context(), home(), "admin@example.com", another) })
	}
	group.Wait()
	if n, most := int(hashes.Load()), 5+runtime.GOMAXPROCS(0)-1; n < 5 || n > most {
		t.Errorf("%d passwords were compared, want 5 to %d", n, most)
	}
}

func TestSignIn_WaitsForItsTurnUntilTheDeadline(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	leave := f.Occupy()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.SignIn(ctx, home(), "admin@example.com", password)
	wantCode(t, err, matching.CodeOverloaded)
	leave()
	if _, err := f.SignIn(t.Context(), home(), "admin@example.com", password); err != nil {
		t.Error(err)
	}
}

func TestSignIn_HashesAgainAtTheCostOfNow(t *testing.T) {
	f := newFixture(t)
	before := f.setUp(t)
	f.SetCost(16)
	_, err := f.SignIn(t.Context(), home(), "admin@example.com", another)
	wantCode(t, err, account.CodeWrongCredentials)
	if now := must[account.User](t)(f.UserByEmail(t.Context(), before.Email)); now.Password != before.Password {
		t.Error("a wrong password was hashed in place of the right one")
	}
	after := must[account.User](t)(f.SignIn(t.Context(), home(), "admin@example.com", password))
	if !strings.Contains(after.Password, "$m=16,") || after.Sessions != before.Sessions {
		t.Errorf("got %+v", after)
	}
	again := must[account.User](t)(f.SignIn(t.Context(), home(), "admin@example.com", password))
	if again.Password != after.Password {
		t.Error("hashed again without need")
	}
}

func TestSession_Ends(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	u := f.signUp(t, "a@example.com")
	check := func(generation int, want matching.Code) {
		t.Helper()
		got, a, err := f.Session(t.Context(), u.ID, generation)
		wantCode(t, err, want)
		if err == nil && (got.ID != u.ID || a.ID != u.Account) {
			t.Errorf("got %+v, %+v", got, a)
		}
	}
	check(0, "")
	check(1, account.CodeSessionEnded)
	if err := f.SignOutEverywhere(t.Context(), by(u), u.ID); err != nil {
		t.Fatal(err)
	}
	check(0, account.CodeSessionEnded)
	check(1, "")

	changed, err := f.ChangePassword(t.Context(), by(u), u.ID, password, another)
	if err != nil || changed.Sessions != 2 {
		t.Fatalf("got %+v, %v", changed, err)
	}
	check(1, account.CodeSessionEnded)
	check(2, "")

	secret, _, err := f.MakeReset(t.Context(), by(admin), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ResetPassword(t.Context(), visitor(), secret, password); err != nil {
		t.Fatal(err)
	}
	check(2, account.CodeSessionEnded)
	check(3, "")

	if _, err := f.DisableAccount(t.Context(), by(admin), u.Account); err != nil {
		t.Fatal(err)
	}
	check(3, account.CodeAccountDisabled)
	_, err = f.SignIn(t.Context(), home(), u.Email, password)
	wantCode(t, err, account.CodeAccountDisabled)
	_, err = f.SignIn(t.Context(), home(), u.Email, another)
	wantCode(t, err, account.CodeWrongCredentials) // tells nothing to who does not know the password
	if _, err := f.EnableAccount(t.Context(), by(admin), u.Account); err != nil {
		t.Fatal(err)
	}
	check(3, "")
	if err := f.RemoveUser(t.Context(), by(admin), u.ID); err != nil {
		t.Fatal(err)
	}
	check(3, account.CodeSessionEnded)
}

func TestChangePassword(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Throttles.Visitor = quota.NewGuard(2, time.Hour) })
	u := f.setUp(t)
	_, err := f.ChangePassword(t.Context(), by(u), u.ID, password, "short")
	if diff := cmp.Diff([]string{"password"}, fields(err)); diff != "" {
		t.Error(diff)
	}
	_, err = f.ChangePassword(t.Context(), by(u), "usr_none", password, another)
	wantCode(t, err, matching.CodeNotFound)
	if _, err := f.ChangePassword(t.Context(), by(u), u.ID, password, another); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SignIn(t.Context(), home(), u.Email, another); err != nil {
		t.Error(err)
	}
	for range 2 { // with the old one
		_, err = f.ChangePassword(t.Context(), by(u), u.ID, password, another)
		wantCode(t, err, account.CodeWrongCredentials)
	}
	_, err = f.ChangePassword(t.Context(), by(u), u.ID, another, password)
	wantThrottled(t, err)
	f.wantNowhere(t, password, another)
}

func TestResetPassword(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	old, _, err := f.MakeReset(t.Context(), operator(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	secret, l, err := f.MakeReset(t.Context(), operator(), u.ID)
	if err != nil || l.Email != u.Email || !l.Expires.Equal(f.clock.now().Add(day)) {
		t.Fatalf("%+v, %v", l, err)
	}
	_, err = f.ResetPassword(t.Context(), visitor(), old, another)
	wantCode(t, err, account.CodeLinkSpent) // a newer one took its place
	_, err = f.ResetPassword(t.Context(), visitor(), secret, "password123")
	wantCode(t, err, matching.CodeInvalid)
	if got, err := f.ResetPassword(t.Context(), visitor(), secret, another); err != nil || got.ID != u.ID {
		t.Fatalf("%+v, %v", got, err)
	}
	if e := f.last(t); e.Action != audit.PasswordChanged || e.Actor != u.ID || e.Address != "192.0.2.7" {
		t.Errorf("event %+v", e)
	}
	_, err = f.ResetPassword(t.Context(), visitor(), secret, password)
	wantCode(t, err, account.CodeLinkSpent)
	_, err = f.SignIn(t.Context(), home(), u.Email, password)
	wantCode(t, err, account.CodeWrongCredentials)
	if _, err := f.SignIn(t.Context(), home(), u.Email, another); err != nil {
		t.Error(err)
	}
	_, _, err = f.MakeReset(t.Context(), operator(), "usr_none")
	wantCode(t, err, matching.CodeNotFound)
	f.wantNowhere(t, secret, old, password, another)
}

func TestUserByEmail(t *testing.T) {
	f := newFixture(t)
	_, err := f.UserByEmail(t.Context(), "nobody@example.com")
	wantCode(t, err, matching.CodeNotFound)
	if !errors.Is(err, account.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	_, err = f.UserByEmail(t.Context(), "nobody")
	wantCode(t, err, matching.CodeInvalid)
}

// Who changes the password, or signs out everywhere, shuts out whoever has a link to reset it.
func TestResetPassword_EndsWithAllSessions(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	link := func() string {
		secret, _, err := f.MakeReset(t.Context(), operator(), u.ID)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	before := link()
	if _, err := f.SignIn(t.Context(), home(), u.Email, password); err != nil {
		t.Fatal(err)
	}
	if _, err := f.LinkOf(t.Context(), before); err != nil {
		t.Errorf("after a sign-in: %v", err)
	}
	if _, err := f.ChangePassword(t.Context(), by(u), u.ID, password, another); err != nil {
		t.Fatal(err)
	}
	_, err := f.ResetPassword(t.Context(), visitor(), before, "somebody else's words")
	wantCode(t, err, account.CodeLinkSpent)
	second := link()
	if err := f.SignOutEverywhere(t.Context(), by(u), u.ID); err != nil {
		t.Fatal(err)
	}
	_, err = f.ResetPassword(t.Context(), visitor(), second, "somebody else's words")
	wantCode(t, err, account.CodeLinkSpent)
}

package account_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// stranger returns the network address of one of many strangers.
func stranger(i int) netip.Addr { return netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)}) }

// Strangers with many addresses cannot keep users from signing in where they have signed in before.
func TestSignIn_KnownBrowserIsNotLockedOut(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits = account.DefaultLimits() })
	u := f.setUp(t)
	token := must(f.Browsers.Remember(t.Context(), u.ID, ""))
	attack := func() {
		for i := range 20 {
			for range 5 {
				_, err := f.signInFrom(t, stranger(i), u.Email, otherPassword)
				wantCode(t, err, account.CodeWrongCredentials)
			}
		}
	}

	attack()
	// The attack is slowed down, wherever it comes from.
	_, err := f.signInFrom(t, stranger(1000), u.Email, password)
	wantThrottled(t, err)

	known := account.Credentials{Email: u.Email, Password: password, Address: stranger(1), Browser: token}
	if got, _, err := f.SignIns.SignIn(t.Context(), known); err != nil || got.ID != u.ID {
		t.Fatalf("SignIn in the known browser = %+v, %v", got, err)
	}
	// The token exempts its own user only, and has a limit of its own.
	f.signUp(t, "other@example.com")
	_, _, err = f.SignIns.SignIn(t.Context(), account.Credentials{
		Email: "other@example.com", Password: password, Address: stranger(1000), Browser: token,
	})
	wantCode(t, err, "")
	known.Password = otherPassword
	for range 5 {
		_, _, err = f.SignIns.SignIn(t.Context(), known)
		wantCode(t, err, account.CodeWrongCredentials)
	}

	known.Password = password
	_, _, err = f.SignIns.SignIn(t.Context(), known)
	wantThrottled(t, err)

	f.clock.advance(15 * time.Minute)
	_, err = f.signInFrom(t, stranger(1000), u.Email, password)
	wantCode(t, err, "")
}

func TestRememberBrowser(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Email = limit(1) })
	u := f.setUp(t)
	_, err := f.signIn(t, u.Email, otherPassword)
	wantCode(t, err, account.CodeWrongCredentials)
	wantKnown := func(token string, known bool) {
		t.Helper()
		_, _, err := f.SignIns.SignIn(t.Context(), account.Credentials{Email: u.Email, Password: password, Browser: token})
		if known != (err == nil) {
			t.Errorf("%v, want known %t", err, known)
		}
	}

	first := must(f.Browsers.Remember(t.Context(), u.ID, ""))
	wantKnown(first, true)
	second := must(f.Browsers.Remember(t.Context(), u.ID, first))
	wantKnown(first, false)
	wantKnown(second, true)
	wantKnown("", false)

	for range 20 {
		f.clock.advance(time.Second)
		must(f.Browsers.Remember(t.Context(), u.ID, ""))
	}

	wantKnown(second, false) // only the newest 20 are known

	third := must(f.Browsers.Remember(t.Context(), u.ID, ""))
	must(f.Passwords.Change(t.Context(), by(u), u.ID, password, otherPassword))
	must(f.Passwords.Change(t.Context(), by(u), u.ID, otherPassword, password))
	wantKnown(third, false)
	fourth := must(f.Browsers.Remember(t.Context(), u.ID, ""))
	f.clock.advance(time.Hour - time.Second)
	wantKnown(fourth, true)
	f.clock.advance(181 * day)
	_, err = f.signIn(t, u.Email, otherPassword)
	wantCode(t, err, account.CodeWrongCredentials)
	wantKnown(fourth, false)
	f.wantNotLogged(t, first, second)
}

// Failures count on all servers that share a database.
func TestSignIn_ServersShareCounts(t *testing.T) {
	var config account.Config
	f := newFixture(t, func(c *account.Config) {
		c.Limits.Visitor = limit(2)
		config = *c
	})
	u := f.setUp(t)
	other := account.New(config)
	other.SetCost(8)
	wrong := account.Credentials{Email: u.Email, Password: otherPassword, Address: home()}
	for _, s := range []*account.Services{f.Services, other} {
		_, _, err := s.SignIns.SignIn(t.Context(), wrong)
		wantCode(t, err, account.CodeWrongCredentials)
	}
	for _, s := range []*account.Services{f.Services, other} {
		_, _, err := s.SignIns.SignIn(t.Context(), wrong)
		wantThrottled(t, err)
	}
}

// After the clock was set back, a count from the future is ignored.
func TestSignIn_IgnoresCountsFromTheFuture(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Visitor = account.Limit{Failures: 1, Period: time.Minute} })
	u := f.setUp(t)
	_, err := f.signIn(t, u.Email, otherPassword)
	wantCode(t, err, account.CodeWrongCredentials)
	f.clock.advance(-time.Hour)
	_, err = f.signIn(t, u.Email, otherPassword)
	wantCode(t, err, account.CodeWrongCredentials)
	_, err = f.signIn(t, u.Email, password)
	wantThrottled(t, err)
	f.clock.advance(time.Minute)
	_, err = f.signIn(t, u.Email, password)
	wantCode(t, err, "")
}

// Failed sign-ins of one user from one address have an entry at the first, second, fourth and so on.
func TestSignIn_RecordsFailures(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Recorded = account.Limit{Failures: 3, Period: time.Hour} })
	u := f.setUp(t)
	type entry struct{ Account, Subject, Detail, Address string }
	failures := func() (entries []entry) {
		for _, e := range f.events(t) {
			if e.Action == audit.SignInFailed {
				entries = append(entries, entry{e.Account, e.Subject, e.Detail, e.Address})
			}
		}
		return entries
	}

	for _, try := range []struct{ from, email string }{
		{"192.0.2.7", u.Email},
		{"192.0.2.7", u.Email},
		{"192.0.2.7", u.Email},
		{"2001:db8::1", "nobody@example.com"},
		{"2001:db8::2", "my secret passphrase"},
		{"192.0.2.8", u.Email},
		// The limit of entries is reached.
		{"192.0.2.7", u.Email},
		{"192.0.2.9", u.Email},
		{"192.0.2.10", u.Email},
		{"192.0.2.11", "nobody@example.com"},
	} {
		_, err := f.signInFrom(t, netip.MustParseAddr(try.from), try.email, otherPassword)
		wantCode(t, err, account.CodeWrongCredentials)
	}

	want := []entry{
		{"", "", "no user has the email address, from further network addresses", ""},
		{u.Account, u.ID, "wrong password, from further network addresses, 2 attempts", ""},
		{u.Account, u.ID, "wrong password, from further network addresses", ""},
		{u.Account, u.ID, "wrong password, 4 attempts", "192.0.2.7"},
		{u.Account, u.ID, "wrong password", "192.0.2.8"},
		{"", "", "no user has the email address, 2 attempts", "2001:db8::2"},
		{"", "", "no user has the email address", "2001:db8::1"},
		{u.Account, u.ID, "wrong password, 2 attempts", "192.0.2.7"},
		{u.Account, u.ID, "wrong password", "192.0.2.7"},
	}
	if diff := cmp.Diff(want, failures()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}

	f.clock.advance(time.Hour)
	_, err := f.signIn(t, u.Email, otherPassword)
	wantCode(t, err, account.CodeWrongCredentials)

	if n := len(failures()); n != len(want)+1 {
		t.Errorf("%d entries, want a new one after the period", n)
	}

	f.wantNotLogged(t, otherPassword, "my secret passphrase")
}

// A store whose writes about users fail, as on a full disk.
type fullStore struct {
	account.UserStore
	full bool
}

func (s *fullStore) Update(
	ctx context.Context, id string, spend *account.Token, at time.Time,
	change func([]account.User, []apikey.Key) (account.UserChanges, error),
) error {
	if s.full {
		return &matching.Error{Code: matching.CodeStorageFull, Cause: errors.New("disk full")}
	}
	return s.UserStore.Update(ctx, id, spend, at, change)
}

func TestSignIn_SurvivesAFailedRecord(t *testing.T) {
	store := &fullStore{}
	f := newFixture(t, func(c *account.Config) {
		store.UserStore = c.Stores.Users
		c.Stores.Users = store
	})
	u := f.setUp(t)
	f.SetCost(16) // so that the hash would be replaced, too
	store.full = true
	got, err := f.signIn(t, u.Email, password)
	if err != nil || got.ID != u.ID {
		t.Errorf("SignIn = %+v, %v", got, err)
	}
	if !strings.Contains(f.log.String(), `msg="sign-in not recorded"`) {
		t.Errorf("the failure is missing from the log: %s", f.log)
	}
	_, err = f.signIn(t, u.Email, otherPassword)
	wantCode(t, err, account.CodeWrongCredentials)
}

// One client cannot fill the queue for hashing, and strangers cannot fill it for known browsers.
func TestSignIn_QueueIsBoundedAndFair(t *testing.T) {
	f := newFixture(t)
	u := f.setUp(t)
	token := must(f.Browsers.Remember(t.Context(), u.ID, ""))
	leave := f.OccupySlots()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	done := make(chan error)
	begin := func(c account.Credentials) {
		queued := f.Queued()
		go func() {
			_, _, err := f.SignIns.SignIn(ctx, c)
			done <- err
		}()

		for f.Queued() == queued {
			select {
			case err := <-done:
				t.Fatalf("not queued: %v", err)
			default:
				runtime.Gosched()
			}
		}
	}

	refused := func(c account.Credentials) {
		t.Helper()
		_, _, err := f.SignIns.SignIn(ctx, c)
		wantCode(t, err, matching.CodeOverloaded)
	}

	from := func(i int) account.Credentials {
		return account.Credentials{Email: u.Email, Password: password, Address: stranger(i)}
	}
	for range 4 {
		begin(from(0))
	}

	refused(from(0))
	for i := 4; i < 64; i++ {
		begin(from(i / 4))
	}

	refused(from(1000))
	known := from(1000)
	known.Browser = token
	begin(known)
	leave()

	for range 65 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}

	if _, err := f.signIn(t, u.Email, password); err != nil || f.Queued() != 0 {
		t.Errorf("%v, %d queued", err, f.Queued())
	}
}

// An attack stores a bounded number of rows, however long its names are.
func TestSignIn_StoresLittleAboutAttacks(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	for i := range 30 {
		_, err := f.signInFrom(t, stranger(i), fmt.Sprint(strings.Repeat("x", 200), i, "@example.com"), otherPassword)
		wantCode(t, err, account.CodeWrongCredentials)
		f.clock.advance(time.Hour + time.Second) // all earlier counts have ended and are deleted
	}
	if n := f.countRows(t, "sign_in_failures"); n > 10 {
		t.Errorf("%d rows are left", n)
	}
}

package account_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/access/quota"
	"freelancer-matching/internal/matching"
	"freelancer-matching/store"
	"freelancer-matching/store/sqlite"
)

var _ account.Throttle = (*quota.Guard)(nil)

const (
	day      = 24 * time.Hour
	password = "purple otter under the stairs"
	another  = "seven kettles on a raft"
)

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fixture is the services on a real database, with hashes that cost little and throttles that are not in the way.
type fixture struct {
	*account.Service
	keys  *apikey.Service
	db    *store.DB
	clock *clock
	log   *bytes.Buffer
}

func patient() account.Throttles {
	g := quota.NewGuard(1_000_000, time.Hour)
	return account.Throttles{Visitor: g, Address: g, Email: g, SignUp: g, Taken: g}
}

func newFixture(t *testing.T, change ...func(*account.Config)) *fixture {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "service.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{db: db, clock: &clock{at: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)}, log: &bytes.Buffer{}}
	c := account.Config{
		Store: db, Now: f.clock.now, SignUp: account.Open, Throttles: patient(), Log: slog.New(slog.NewTextHandler(f.log, nil)),
	}
	for _, change := range change {
		change(&c)
	}
	f.Service, f.keys = account.New(c), apikey.NewService(db, f.clock.now)
	f.SetCost(8)
	return f
}

func visitor() audit.By { return audit.By{Address: "192.0.2.7"} }

func by(u account.User) audit.By { return audit.By{Actor: u.ID, Address: "192.0.2.7"} }

func operator() audit.By { return audit.By{Actor: audit.CommandLine} }

func home() netip.Addr { return netip.MustParseAddr("192.0.2.7") }

// must is a value that came without an error.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// setUp makes the first administrator.
func (f *fixture) setUp(t *testing.T) account.User {
	t.Helper()
	secret := must[string](t)(f.SetUpLink(t.Context()))
	return must[account.User](t)(f.Register(t.Context(), visitor(), account.NewUser{
		Email: "admin@example.com", Password: password, AccountName: "Operators", Secret: secret,
	}))
}

// signUp makes the owner of a new account.
func (f *fixture) signUp(t *testing.T, email string) account.User {
	t.Helper()
	return must[account.User](t)(f.Register(t.Context(), visitor(), account.NewUser{
		Email: email, Password: password, AccountName: "Account of " + email,
	}))
}

// join makes another user of an account.
func (f *fixture) join(t *testing.T, id, email string, role account.Role) account.User {
	t.Helper()
	secret, _, err := f.Invite(t.Context(), operator(), account.Invite{Account: id, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return must[account.User](t)(f.Register(t.Context(), visitor(), account.NewUser{Email: email, Password: password, Secret: secret}))
}

func (f *fixture) events(t *testing.T) []audit.Event {
	t.Helper()
	return must[[]audit.Event](t)(f.Events(t.Context(), audit.Query{Limit: 10_000}))
}

// last is the newest event.
func (f *fixture) last(t *testing.T) audit.Event {
	t.Helper()
	return f.events(t)[0]
}

func wantCode(t *testing.T, err error, want matching.Code) {
	t.Helper()
	if got := matching.CodeOf(err); got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

func fields(err error) (fields []string) {
	if fault, ok := errors.AsType[*matching.Error](err); ok {
		for _, d := range fault.Details {
			fields = append(fields, d.Field)
		}
	}
	return fields
}

// wantNowhere makes sure that secrets are neither in the audit log nor in the log.
func (f *fixture) wantNowhere(t *testing.T, secrets ...string) {
	t.Helper()
	var all strings.Builder
	all.Write(f.log.Bytes())
	for _, e := range f.events(t) {
		all.WriteString(e.Actor + e.Subject + e.Detail + e.Address + e.Account)
	}
	for _, s := range secrets {
		if s == "" || strings.Contains(all.String(), s) {
			t.Errorf("%q is logged", s)
		}
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

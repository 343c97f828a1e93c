package account_test

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
)

const (
	day           = 24 * time.Hour
	password      = "purple otter under the stairs"
	otherPassword = "seven kettles on a raft"
)

// clock is a time that tests advance.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fixture holds the services on a real database, with cheap hashes and limits that block nothing.
type fixture struct {
	*account.Services
	keys  *apikey.Service
	db    *store.DB
	path  string // of the database
	clock *clock
	log   *bytes.Buffer
}

// limit returns a limit of n failures per hour.
func limit(n int) account.Limit { return account.Limit{Failures: n, Period: time.Hour} }

func unlimited() account.Limits {
	l := limit(1_000_000)
	return account.Limits{
		Visitor: l, Address: l, Email: l, Browser: l, Code: l, Confirm: l, SignUp: l, Taken: l, Recorded: l,
	}
}

func newFixture(t *testing.T, options ...func(*account.Config)) *fixture {
	t.Helper()
	path := sqlitetest.NewFile(t)
	db := must(sqlite.Open(t.Context(), path))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})

	now := &clock{at: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)}
	f := &fixture{db: db, path: path, clock: now, log: &bytes.Buffer{}}
	c := account.Config{
		Stores: db.AccountStores(), Now: f.clock.now, SignUp: account.Open, Limits: unlimited(),
		Log: slog.New(slog.NewTextHandler(f.log, nil)),
	}
	for _, option := range options {
		option(&c)
	}

	f.Services, f.keys = account.New(c), apikey.NewService(db.Keys, f.clock.now)
	f.SetCost(8)
	return f
}

// signIn signs in from home, in a browser that is not known.
func (f *fixture) signIn(t *testing.T, email, password string) (account.User, error) {
	t.Helper()
	return f.signInFrom(t, home(), email, password)
}

func (f *fixture) signInFrom(t *testing.T, from netip.Addr, email, password string) (account.User, error) {
	t.Helper()
	u, codeNeeded, err := f.SignIns.SignIn(t.Context(), account.Credentials{
		Email: email, Password: password, Address: from,
	})
	if codeNeeded {
		t.Errorf("%s needs a code", email)
	}
	return u, err
}

func visitor() audit.By { return audit.By{Address: "192.0.2.7"} }

func by(u account.User) audit.By { return audit.By{Actor: u.ID, Address: "192.0.2.7"} }

func operator() audit.By { return audit.By{Actor: audit.CommandLine} }

func home() netip.Addr { return netip.MustParseAddr("192.0.2.7") }

// must returns v, and panics if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// setUp registers the first administrator.
func (f *fixture) setUp(t *testing.T) account.User {
	t.Helper()
	secret := must(f.Links.CreateSetUp(t.Context()))
	return must(f.SignUps.Register(t.Context(), visitor(), account.NewUser{
		Email: "admin@example.com", Password: password, AccountName: "Operators", Secret: secret,
	}))
}

// signUp registers the owner of a new account.
func (f *fixture) signUp(t *testing.T, email string) account.User {
	t.Helper()
	return must(f.SignUps.Register(t.Context(), visitor(), account.NewUser{
		Email: email, Password: password, AccountName: "Account of " + email,
	}))
}

// join registers another user of an account.
func (f *fixture) join(t *testing.T, id, email string, role account.Role) account.User {
	t.Helper()
	secret, _ := f.invite(t, operator(), account.Invite{Account: id, Role: role})
	return must(f.SignUps.Register(t.Context(), visitor(), account.NewUser{
		Email: email, Password: password, Secret: secret,
	}))
}

func (f *fixture) invite(t *testing.T, by audit.By, i account.Invite) (string, account.Link) {
	t.Helper()
	secret, l, err := f.Links.Invite(t.Context(), by, i)
	if err != nil {
		t.Fatal(err)
	}
	return secret, l
}

func (f *fixture) resetLink(t *testing.T, by audit.By, userID string) string {
	t.Helper()
	secret, _, err := f.Links.CreateReset(t.Context(), by, userID)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func (f *fixture) createKey(t *testing.T, u account.User, r apikey.Request) (string, apikey.Key) {
	t.Helper()
	token, k, err := f.Accounts.CreateKey(t.Context(), by(u), u.Account, r)
	if err != nil {
		t.Fatal(err)
	}
	return token, k
}

// events returns the audit log, newest first.
func (f *fixture) events(t *testing.T) []audit.Event {
	t.Helper()
	return must(f.AuditLog.Events(t.Context(), audit.Query{Limit: 10_000}))
}

// countRows returns the number of rows of a table.
func (f *fixture) countRows(t *testing.T, table string) (n int) {
	t.Helper()
	db := must(sql.Open("sqlite", f.path))
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func wantCode(t *testing.T, err error, want matching.Code) {
	t.Helper()
	if got := matching.CodeOf(err); got != want {
		t.Errorf("code %q (%v), want %q", got, err, want)
	}
}

// invalidFields returns the fields that an error names.
func invalidFields(err error) (fields []string) {
	if e, ok := errors.AsType[*matching.Error](err); ok {
		for _, d := range e.Details {
			fields = append(fields, d.Field)
		}
	}
	return fields
}

// wantNotLogged checks that secrets are neither in the log nor in the audit log.
func (f *fixture) wantNotLogged(t *testing.T, secrets ...string) {
	t.Helper()
	all := f.log.String()
	for _, e := range f.events(t) {
		all += e.Actor + e.Subject + e.Detail + e.Address + e.Account
	}
	for _, s := range secrets {
		if s == "" || strings.Contains(all, s) {
			t.Errorf("%q is logged", s)
		}
	}
}

// codes runs n functions at once and counts the codes of their errors.
func codes(n int, call func(i int) error) map[matching.Code]int {
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		count = map[matching.Code]int{}
	)
	for i := range n {
		group.Go(func() {
			code := matching.CodeOf(call(i))
			mu.Lock()
			defer mu.Unlock()
			count[code]++
		})
	}
	group.Wait()
	return count
}

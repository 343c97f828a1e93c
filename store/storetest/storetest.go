// Package storetest holds the tests that the store must pass on every database. Every test gets an empty store.
package storetest

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/store"
)

// suite holds tests of a store of type S by name.
type suite[S any] map[string]func(t *testing.T, s S)

func (tests suite[S]) run(t *testing.T, open func(t *testing.T) S) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// errTest is the error of a change function.
var errTest = errors.New("the change failed")

// callers is the number of concurrent calls in tests.
const callers = 20

// concurrently calls f many times at once. It counts the errors by the sentinel they wrap, and successes as nil. Any
// other error fails the test.
func concurrently(t *testing.T, f func(i int) error, sentinels ...error) map[error]int {
	t.Helper()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		count = map[error]int{}
	)
	for i := range callers {
		group.Go(func() {
			err := f(i)
			mu.Lock()
			defer mu.Unlock()

			// Stores wrap their errors, so they are counted by what they wrap.
			if n := slices.IndexFunc(sentinels, func(s error) bool { return errors.Is(err, s) }); n >= 0 {
				err = sentinels[n]
			} else if err != nil {
				t.Error(err)
			}

			count[err]++
		})
	}

	group.Wait()
	return count
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns value, and panics if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func wantEqual(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// start returns the earliest time in the tests, with the microsecond precision of a store.
func start() time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 123_456_000, time.UTC) }

func after(seconds int) time.Time { return start().Add(time.Duration(seconds) * time.Second) }

func testAccount(n int) account.Account {
	return account.Account{
		ID: fmt.Sprintf("acc_%012d", n), Name: fmt.Sprintf("Œuvre & Fils %d", n), Plan: "freelancer",
		PlanSince: after(n), Created: after(n),
	}
}

// testUser returns user n of account number acc.
func testUser(n, acc int) account.User {
	return account.User{
		ID: fmt.Sprintf("usr_%012d", n), Account: testAccount(acc).ID, Email: fmt.Sprintf("user%d@example.com", n),
		Role: account.Owner, Password: fmt.Sprintf("hash %d", n), Created: after(n),
	}
}

// testKey returns key n, without an account.
func testKey(n int) apikey.Key {
	id := fmt.Sprintf("key_%012d", n)
	return apikey.Key{
		ID: id, Name: fmt.Sprintf("Søren & Ko %d", n), Plan: "professional", Prefix: "svc_pr_", Last4: "wxyz",
		Hash: apikey.HashOf(id), Counter: id, PlanSince: after(n), Created: after(n),
	}
}

// keyOf returns key n of account number acc.
func keyOf(n, acc int) apikey.Key {
	k := testKey(n)
	k.Account = testAccount(acc).ID
	return k
}

func testLink(n int, p account.Purpose) account.Link {
	return account.Link{
		ID: fmt.Sprintf("lnk_%012d", n), Token: account.Token{byte(n), 1}, Purpose: p,
		Created: after(n), Expires: after(n + 3600),
	}
}

func event(n int, account string) audit.Event {
	return audit.Event{
		At: after(n), Actor: audit.System, Account: account, Action: audit.KeyChanged,
		Subject: fmt.Sprintf("key_%012d", n), Detail: "a → b", Address: "192.0.2.7",
	}
}

// register adds account n with user n.
func register(t *testing.T, s *store.DB, n int) {
	t.Helper()
	a := testAccount(n)
	noError(t, s.Users.Register(t.Context(), account.Registration{Account: &a, User: testUser(n, n)}, start()))
}

func insertKeys(t *testing.T, s *store.DB, keys ...apikey.Key) {
	t.Helper()
	for _, k := range keys {
		noError(t, s.Keys.Update(t.Context(), k.Account, writeKeys(k)))
	}
}

// writeKeys returns a change function that writes keys.
func writeKeys(keys ...apikey.Key) func([]apikey.Key) (apikey.Changes, error) {
	return func([]apikey.Key) (apikey.Changes, error) { return apikey.Changes{Keys: keys}, nil }
}

func allKeys(t *testing.T, s *store.DB) []apikey.Key {
	t.Helper()
	return must(s.Keys.List(t.Context()))
}

func allEvents(t *testing.T, s *store.DB) []audit.Event {
	t.Helper()
	return must(s.AuditLog.Events(t.Context(), audit.Query{Limit: 1000}))
}

// longText returns a text of n letters.
func longText(n int) string { return strings.Repeat("x", n) }

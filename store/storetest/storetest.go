// Package storetest holds the contract suites that every database passes. Each suite opens an empty store for every one of its
// tests.
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
	"freelancer-matching/access/usage"
)

// Store is what the suites ask of a database: its parts refer to each other.
type Store interface {
	apikey.Store
	account.Store
	usage.Store
}

type suite map[string]func(t *testing.T, s Store)

func (all suite) run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range all {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// errTest is the failure of a change.
var errTest = errors.New("the change failed")

// many is how many do the same thing at once.
const many = 20

// atOnce runs f many times at once, and counts how often each error came back, by the sentinel it wraps; nil for none.
// Any other error fails the test.
func atOnce(t *testing.T, f func(i int) error, sentinels ...error) map[error]int {
	t.Helper()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		count = map[error]int{}
	)
	for i := range many {
		group.Go(func() {
			err := f(i)
			mu.Lock()
			defer mu.Unlock()
			if known := slices.IndexFunc(sentinels, func(s error) bool { return errors.Is(err, s) }); known >= 0 {
				err = sentinels[known]
			} else if err != nil {
				t.Error(err)
			}
			count[err]++
		})
	}
	group.Wait()
	return count
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get is what a method of the store answers; an error ends the test.
func get[T any](t *testing.T, value T, err error) T {
	t.Helper()
	must(t, err)
	return value
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func wantSame(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// start is a moment with microseconds, which a store keeps.
func start() time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 123_456_000, time.UTC) }

func after(seconds int) time.Time { return start().Add(time.Duration(seconds) * time.Second) }

func testAccount(n int) account.Account {
	return account.Account{
		ID: fmt.Sprintf("acc_%012d", n), Name: fmt.Sprintf("Œuvre & Fils %d", n), Plan: "freelancer",
		PlanSince: after(n), Created: after(n),
	}
}

// testUser is user n of account of.
func testUser(n, of int) account.User {
	return account.User{
		ID: fmt.Sprintf("usr_%012d", n), Account: testAccount(of).ID, Email: fmt.Sprintf("user%d@example.com", n),
		Role: account.Owner, Password: fmt.Sprintf("hash %d", n), Created: after(n),
	}
}

// testKey is key n without an account.
func testKey(n int) apikey.Key {
	id := fmt.Sprintf("key_%012d", n)
	return apikey.Key{
		ID: id, Name: fmt.Sprintf("Søren & Ko %d", n), Plan: "professional", Prefix: "svc_pr_", Last4: "wxyz",
		Hash: apikey.HashOf(id), Counter: id, PlanSince: after(n), Created: after(n),
	}
}

// keyOf is key n of account of.
func keyOf(n, of int) apikey.Key {
	k := testKey(n)
	k.Account = testAccount(of).ID
	return k
}

func testLink(n int, p account.Purpose) account.Link {
	return account.Link{
		ID: fmt.Sprintf("lnk_%012d", n), Token: account.Token{byte(n), 1}, Purpose: p, Created: after(n), Expires: after(n + 3600),
	}
}

func event(n int, of string) audit.Event {
	return audit.Event{
		At: after(n), Actor: audit.System, Account: of, Action: audit.KeyChanged, Subject: fmt.Sprintf("key_%012d", n),
		Detail: "a → b", Address: "192.0.2.7",
	}
}

// register adds account n with user n.
func register(t *testing.T, s Store, n int) {
	t.Helper()
	a := testAccount(n)
	must(t, s.Register(t.Context(), account.Registration{Account: &a, User: testUser(n, n)}, start()))
}

func insertKeys(t *testing.T, s Store, keys ...apikey.Key) {
	t.Helper()
	for _, k := range keys {
		must(t, s.UpdateKeys(t.Context(), k.Account, put(k)))
	}
}

// put is the change that writes keys and nothing else.
func put(keys ...apikey.Key) func([]apikey.Key) (apikey.Changes, error) {
	return func([]apikey.Key) (apikey.Changes, error) { return apikey.Changes{Keys: keys}, nil }
}

func allKeys(t *testing.T, s Store) []apikey.Key {
	t.Helper()
	keys, err := s.Keys(t.Context())
	return get(t, keys, err)
}

func allEvents(t *testing.T, s Store) []audit.Event {
	t.Helper()
	events, err := s.Events(t.Context(), audit.Query{Limit: 1000})
	return get(t, events, err)
}

// long is a text of n letters.
func long(n int) string { return strings.Repeat("x", n) }

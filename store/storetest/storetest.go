// Package storetest holds the tests that the store must pass on every database. Every test gets an empty store. Package
// interviewtest has the tests of the stores of interviews.
package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/storetest/check"
)

// suite holds tests of a store of type S by name.
type suite[S any] map[string]func(t *testing.T, s S)

func (tests suite[S]) run(t *testing.T, open func(t *testing.T) S) {
	check.Suite[S](tests).Run(t, open)
}

// errTest is the error of a change function.
var errTest = errors.New("the change failed")

// The helpers of package check have short names here, because every line of these suites needs one.

const callers = check.Callers

func concurrently(t *testing.T, f func(i int) error, sentinels ...error) map[error]int {
	t.Helper()
	return check.Concurrently(t, f, sentinels...)
}

func noError(t *testing.T, err error) {
	t.Helper()
	check.NoError(t, err)
}

func must[T any](value T, err error) T { return check.Must(value, err) }

func wantError(t *testing.T, err, want error) {
	t.Helper()
	check.Error(t, err, want)
}

func wantEqual(t *testing.T, want, got any) {
	t.Helper()
	check.Equal(t, want, got)
}

func start() time.Time { return check.Start() }

func after(seconds int) time.Time { return check.After(seconds) }

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

// allEvents returns the entries of the audit log without when they were erased, which is the time of the test.
func allEvents(t *testing.T, s *store.DB) []audit.Event {
	t.Helper()
	events := must(s.AuditLog.Events(t.Context(), audit.Query{Limit: 1000}))
	for i := range events {
		events[i].Erased = time.Time{}
	}
	return events
}

// longText returns a text of n letters.
func longText(n int) string { return strings.Repeat("x", n) }

package storetest

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store"
)

func testCounter(n int) account.Counter {
	return account.Counter{Key: [32]byte{byte(n), 7}, Period: 10 * time.Second}
}

// wantFailures checks the counts of two counters at a time.
func wantFailures(t *testing.T, s *store.DB, at time.Time, want ...account.Failures) {
	t.Helper()
	wantEqual(t, want, must(s.SignInFailures.Current(t.Context(), []account.Counter{testCounter(1), testCounter(2)}, at)))
}

func countsSignInFailures(t *testing.T, s *store.DB) {
	none := account.Failures{}
	wantFailures(t, s, start(), none, none)
	for i := range 3 {
		noError(t, s.SignInFailures.Add(t.Context(), testCounter(2), after(i)))
	}
	three := account.Failures{N: 3, Ends: after(10)}
	wantFailures(t, s, after(2), none, three)
	wantFailures(t, s, after(9), none, three)
	wantFailures(t, s, after(10), none, none)
	noError(t, s.SignInFailures.Add(t.Context(), testCounter(2), after(10)))
	noError(t, s.SignInFailures.Add(t.Context(), testCounter(1), after(11)))
	wantFailures(t, s, after(11), account.Failures{N: 1, Ends: after(21)}, account.Failures{N: 1, Ends: after(20)})
	noError(t, s.SignInFailures.DeleteOld(t.Context(), after(20)))
	wantFailures(t, s, after(11), account.Failures{N: 1, Ends: after(21)}, none)
}

// A count that ends far in the future was written while a clock was wrong. One by another server whose clock is
// slightly ahead counts.
func ignoresFailuresOfTheFuture(t *testing.T, s *store.DB) {
	noError(t, s.SignInFailures.Add(t.Context(), testCounter(1), after(5)))
	noError(t, s.SignInFailures.Add(t.Context(), testCounter(1), start()))
	wantFailures(t, s, start(), account.Failures{N: 2, Ends: after(15)}, account.Failures{})
	noError(t, s.SignInFailures.Add(t.Context(), testCounter(2), after(3600)))
	wantFailures(t, s, start(), account.Failures{N: 2, Ends: after(15)}, account.Failures{})
	noError(t, s.SignInFailures.Add(t.Context(), testCounter(2), start()))
	wantFailures(t, s, start(), account.Failures{N: 2, Ends: after(15)}, account.Failures{N: 1, Ends: after(10)})
}

func countsConcurrentSignInFailures(t *testing.T, s *store.DB) {
	got := concurrently(t, func(int) error { return s.SignInFailures.Add(t.Context(), testCounter(1), start()) })
	wantEqual(t, map[error]int{nil: callers}, got)
	wantFailures(t, s, start(), account.Failures{N: callers, Ends: after(10)}, account.Failures{})
}

func recordsSignInFailures(t *testing.T, s *store.DB) {
	e := event(1, testAccount(1).ID)
	record := func(seconds int) {
		t.Helper()
		failed := e
		failed.At = after(seconds)
		noError(t, s.SignInFailures.AddEvent(t.Context(), testCounter(1), failed, func(n int) string {
			return fmt.Sprint(n, " failures")
		}))
	}
	for i := range 3 {
		record(i)
	}

	// want checks the entries, given as the time and number of failures of each, newest first.
	want := func(entries ...[2]int) {
		t.Helper()
		var events []audit.Event
		for _, entry := range entries {
			recorded := e
			recorded.At = after(entry[0])
			recorded.Detail = fmt.Sprint(entry[1], " failures")
			events = append(events, recorded)
		}
		wantEqual(t, events, allEvents(t, s))
	}

	want([2]int{1, 2}, [2]int{0, 1})
	record(3)
	want([2]int{3, 4}, [2]int{1, 2}, [2]int{0, 1})

	// After a period, a new count begins.
	record(10)
	want([2]int{10, 1}, [2]int{3, 4}, [2]int{1, 2}, [2]int{0, 1})
	concurrently(t, func(int) error { record(11); return nil })
	if n := len(allEvents(t, s)); n != 4+powersOfTwo(1+callers)-1 {
		t.Errorf("%d entries after %d failures at once", n, callers)
	}
}

// powersOfTwo returns how many powers of two are at most n.
func powersOfTwo(n int) int { return bits.Len(uint(n)) }

func testBrowser(n, user int) account.Browser {
	return account.Browser{
		Token: account.Token{byte(n), 3}, User: testUser(user, user).ID, Created: after(n), Expires: after(n + 100),
	}
}

func remembersBrowsers(t *testing.T, s *store.DB) {
	register(t, s, 1)
	register(t, s, 2)
	for n := 1; n <= 4; n++ {
		noError(t, s.Browsers.Insert(t.Context(), testBrowser(n, 1), 2))
	}

	// The limit of two browsers is per user, so another user's browser forgets none.
	noError(t, s.Browsers.Insert(t.Context(), testBrowser(5, 2), 2))
	want := func(at time.Time, users ...string) {
		t.Helper()
		for i, user := range users {
			got, err := s.Browsers.User(t.Context(), testBrowser(i+1, 1).Token, at)
			if user == "" {
				wantError(t, err, account.ErrNotFound)
			} else if got != user || err != nil {
				t.Errorf("browser %d is known for %q, %v; want %q", i+1, got, err, user)
			}
		}
	}

	one := testUser(1, 1).ID
	two := testUser(2, 2).ID
	want(start(), "", "", one, one, two)
	want(after(103), "", "", "", one, two)
	noError(t, s.Browsers.Delete(t.Context(), testBrowser(4, 1).Token))
	noError(t, s.Browsers.Delete(t.Context(), testBrowser(4, 1).Token))
	want(start(), "", "", one, "", two)

	// Forgetting the browsers of one user must not forget those of another.
	noError(t, updateUsers(t, s, testAccount(1).ID, account.UserChanges{ForgetBrowsers: []string{one}}))
	want(start(), "", "", "", "", two)
	noError(t, updateUsers(t, s, testAccount(2).ID, account.UserChanges{Removed: []string{two}}))
	want(start(), "", "", "", "", "")
}

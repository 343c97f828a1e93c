// Package check has the assertions and the times that the contract suites of stores share.
package check

import (
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A Suite holds tests of a store of type S by name.
type Suite[S any] map[string]func(t *testing.T, s S)

// Run runs each test with a store of its own from open.
func (tests Suite[S]) Run(t *testing.T, open func(t *testing.T) S) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Callers is the number of calls that Concurrently makes.
const Callers = 20

// Concurrently calls f Callers times at once. It counts the errors by the sentinel they wrap, and successes as nil. Any
// other error fails the test.
func Concurrently(t *testing.T, f func(i int) error, sentinels ...error) map[error]int {
	t.Helper()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		count = map[error]int{}
	)
	for i := range Callers {
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

// NoError ends the test if err is not nil.
func NoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns value, and panics if err is not nil.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Error reports an error of the test unless err wraps want.
func Error(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// Equal reports an error of the test if want and got differ.
func Equal(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Start returns the earliest time in the tests, with the microsecond precision of a store.
func Start() time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 123_456_000, time.UTC) }

// After returns the time some seconds after Start.
func After(seconds int) time.Time { return Start().Add(time.Duration(seconds) * time.Second) }

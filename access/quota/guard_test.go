package quota

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGuard(3, time.Minute)
		wantBlocked := func(key string, want time.Duration) {
			t.Helper()
			got, blocked := g.Blocked(key)
			if blocked != (want > 0) || got != want {
				t.Fatalf("blocked is %t for %v, want %v", blocked, got, want)
			}
		}

		wantBlocked("a", 0)
		g.Failed("a")
		time.Sleep(10 * time.Second)
		g.Failed("a")

		for range 100 {
			wantBlocked("a", 0) // calling Blocked counts nothing
		}

		g.Failed("a")
		wantBlocked("a", 50*time.Second) // a minute after the first failure
		wantBlocked("b", 0)
		time.Sleep(50*time.Second + 1)
		wantBlocked("a", 0)
		g.Failed("a")
		g.Failed("a")
		wantBlocked("a", 0) // in a new count
	})
}

// A count that ends later than a count that begins now is left over from a clock that has been set back.
func TestGuard_ClockSetBack(t *testing.T) {
	g := NewGuard(3, time.Minute)
	g.failures.Increment(hashKey("a"), 3, time.Hour+time.Minute) // as if they had happened before the clock was set back
	if wait, blocked := g.Blocked("a"); blocked {
		t.Errorf("blocked for %v", wait)
	}
	for range 3 {
		g.Failed("a")
	}
	if wait, blocked := g.Blocked("a"); !blocked || wait > time.Minute {
		t.Errorf("after new failures: blocked is %t for %v, want for a minute", blocked, wait)
	}
}

func TestGuard_DeletesEndedCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGuard(3, time.Minute)
		for i := range 1000 {
			g.Failed(fmt.Sprint(i))
		}

		time.Sleep(2 * time.Minute)
		g.Failed("a")

		for i := range 1000 {
			if _, kept := g.failures.Load(hashKey(fmt.Sprint(i))); kept {
				t.Fatalf("the count of %d is still kept", i)
			}
		}

		if _, kept := g.failures.Load(hashKey("a")); !kept {
			t.Error("the count of a was deleted")
		}
	})

	if name := hashKey(strings.Repeat("a", 1<<20)); len(name) > 100 {
		t.Errorf("a long key takes %d bytes", len(name))
	}
}

func TestGuard_Concurrent(t *testing.T) {
	g := NewGuard(500, time.Hour)
	var group sync.WaitGroup
	for range 499 {
		group.Go(func() {
			g.Failed("a")
			g.Blocked("a")
		})
	}
	group.Wait()
	if _, blocked := g.Blocked("a"); blocked {
		t.Error("499 failures block the key, want 500")
	}
	g.Failed("a")
	if wait, blocked := g.Blocked("a"); !blocked || wait <= 0 || wait > time.Hour {
		t.Errorf("500 failures: blocked is %t for %v", blocked, wait)
	}
}

func TestAddressKey(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"192.0.2.7", "192.0.2.7"},
		{"::ffff:192.0.2.7", "192.0.2.7"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"},
		{"2001:db8:1:3::1", "2001:db8:1:3::/64"},
		{"fe80::1%eth0", "fe80::/64"},
		{"::1", "::/64"},
	} {
		if got := AddressKey(netip.MustParseAddr(tt.address)); got != tt.want {
			t.Errorf("AddressKey(%s) = %s, want %s", tt.address, got, tt.want)
		}
	}
	if got := AddressKey(netip.Addr{}); got != "invalid IP" {
		t.Errorf("AddressKey of the zero address = %s", got)
	}
}

package quota

import (
	"crypto/sha256"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/ulule/limiter/v3/drivers/store/memory"
)

// cleanInterval is how often Failed deletes counts that have ended.
const cleanInterval = time.Minute

// A Guard slows down clients that fail again and again, such as an address that guesses keys. It counts failed attempts
// only, in the memory of this process. A count begins with the first failure and ends a fixed time later. Of several
// attempts made at once, all may pass, because none has failed yet.
//
// A Guard is safe for concurrent use and starts no goroutines.
type Guard struct {
	limit    int64
	period   time.Duration
	failures *memory.CacheWrapper
	cleaned  atomic.Int64 // time of the last cleaning, Unix nanoseconds
}

// NewGuard returns a Guard that blocks a key after limit failures within a period. Both must be positive.
func NewGuard(limit int, period time.Duration) *Guard {
	// With an interval of 0, the cache starts no cleaning goroutine, which only garbage collection could stop.
	return &Guard{limit: int64(limit), period: period, failures: memory.NewCache(0)}
}

// Blocked reports whether a key has failed too often, and how long it has to wait.
func (g *Guard) Blocked(key string) (retryAfter time.Duration, blocked bool) {
	failed, end := g.failures.Get(hashKey(key), g.period)
	if failed < g.limit {
		return 0, false
	}
	wait := time.Until(end)
	if wait > g.period { // the clock has been set back since
		g.failures.Delete(hashKey(key))
		return 0, false
	}
	return max(wait, time.Nanosecond), true
}

// Failed counts a failed attempt of a key.
func (g *Guard) Failed(key string) {
	g.clean()
	g.failures.Increment(hashKey(key), 1, g.period)
}

func (g *Guard) clean() {
	now := time.Now().UnixNano()
	last := g.cleaned.Load()
	if now-last >= int64(cleanInterval) && g.cleaned.CompareAndSwap(last, now) {
		g.failures.Clean()
	}
}

// hashKey returns a short name for a key. Clients choose keys, so an attacker could otherwise fill the memory with long
// ones.
func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}

// clientPrefixBits is the size of the IPv6 network that one client controls and may take any address from (RFC 6177).
const clientPrefixBits = 64

// AddressKey returns the key of a Guard for a network address: the address itself for IPv4, its /64 network for IPv6.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if network, err := a.Prefix(clientPrefixBits); a.Is6() && err == nil {
		return network.String()
	}
	return a.String()
}

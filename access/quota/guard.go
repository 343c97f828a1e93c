package quota

import (
	"crypto/sha256"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/ulule/limiter/v3/drivers/store/memory"
)

// cleanEvery is how often what is over is forgotten, by whoever fails next.
const cleanEvery = time.Minute

// Guard slows down who fails again and again: an address that tries keys, someone who tries the passwords of an account. It
// counts failures in the memory of this process; what succeeds costs nothing. A count begins with the first failure, and ends
// a fixed time later. Attempts that are made at the same time are all let through before the first of them has failed.
//
// It is safe for concurrent use, and has no background work to end.
type Guard struct {
	limit    int64
	per      time.Duration
	failures *memory.CacheWrapper
	cleaned  atomic.Int64 // when what is over was forgotten, Unix nanoseconds
}

// NewGuard lets so many attempts fail in a time, at least 1 and over 0.
func NewGuard(limit int, per time.Duration) *Guard {
	// 0: without a goroutine that cleans, and that only garbage collection ends.
	return &Guard{limit: int64(limit), per: per, failures: memory.NewCache(0)}
}

// Blocked tells whether too many attempts of a key have failed, and how long it has to wait, over 0.
func (g *Guard) Blocked(key string) (retryAfter time.Duration, blocked bool) {
	failed, end := g.failures.Get(counter(key), g.per)
	if failed < g.limit {
		return 0, false
	}
	return max(time.Until(end), time.Nanosecond), true
}

// Failed counts a failed attempt of a key.
func (g *Guard) Failed(key string) {
	g.clean()
	g.failures.Increment(counter(key), 1, g.per)
}

func (g *Guard) clean() {
	now, last := time.Now().UnixNano(), g.cleaned.Load()
	if now-last >= int64(cleanEvery) && g.cleaned.CompareAndSwap(last, now) {
		g.failures.Clean()
	}
}

// counter is the name of a key's count. Who fails may choose the key: however long, it is kept short.
func counter(key string) string {
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}

// ofOneClient is the network of IPv6 that one client has for itself, and whose addresses it can change at will (RFC 6177).
const ofOneClient = 64

// AddressKey is the key of a Guard for a network address: the address itself for IPv4, its /64 for IPv6.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if network, err := a.Prefix(ofOneClient); a.Is6() && err == nil {
		return network.String()
	}
	return a.String()
}

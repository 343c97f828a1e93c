// Package admission shares a limited number of slots fairly among accounts, so that one account can't keep the others
// from being served.
package admission

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// CodeTooManyConcurrent is the code of a request that is rejected because its own account has too many requests in
// progress. If all accounts together have too many, the code is matching.CodeOverloaded.
const CodeTooManyConcurrent matching.Code = "too_many_concurrent_requests"

// retryAfter is how long a rejected client should wait. Slots become free much more often.
const retryAfter = time.Second

// Limits are the limits of a Gate.
type Limits struct {
	Slots   int           // requests that may run at once; 0 admits none
	PerKey  int           // requests of one key that may run at once; 0 means Share(Slots)
	Waiting int           // requests of one key that may wait; 0 means no limit
	Wait    time.Duration // how long a request may wait; 0 means until its context ends
}

// Share returns how many of n slots one account may use: three quarters, so that others find a free slot, but at least
// one.
func Share(n int) int { return max(1, n*3/4) }

// A Reason says why a gate didn't admit a request.
type Reason string

// The reasons are values of a metric's label.
const (
	ReasonAccount Reason = "account" // the account has too many requests in progress
	ReasonServer  Reason = "server"  // all accounts together have too many
	ReasonContext Reason = "context" // the request's context ended
)

// An Observer counts the decisions of gates. Each request leads to one call. Implementations must be safe for
// concurrent use.
type Observer interface {
	// Admitted reports how long a request waited for its slot; 0 means not at all.
	Admitted(gate string, waited time.Duration)
	Rejected(gate string, reason Reason)
}

// A Gate limits how many requests run at once, overall and for each key, which is usually an account. Further requests
// wait. A free slot goes to the waiting key with the fewest running requests (max-min fairness). If several have
// equally few, it goes to the one whose request has waited longest. Requests of one key are admitted in the order in
// which they arrived.
//
// A Gate is safe for concurrent use and starts no goroutines.
type Gate struct {
	name     string
	limits   Limits
	observer Observer

	mu      sync.Mutex
	running int
	arrived uint64 // number of requests that have had to wait
	keys    map[string]*keyState
}

// A keyState holds the requests of one key. A key without requests has none.
type keyState struct {
	running int
	waiting []*waiter // in order of arrival
}

type waiter struct {
	arrived  uint64
	admitted chan struct{} // closed when the waiter gets a slot
}

// NewGate returns a gate whose slots are all free. The observer may be nil.
func NewGate(name string, l Limits, o Observer) *Gate {
	l.PerKey = cmp.Or(l.PerKey, Share(l.Slots))
	return &Gate{name: name, limits: l, observer: o, keys: map[string]*keyState{}}
}

// Enter waits for a slot. If it succeeds, the caller must call leave once. Otherwise, Enter returns the context's
// error, or a matching.Error with CodeTooManyConcurrent or matching.CodeOverloaded.
func (g *Gate) Enter(ctx context.Context, key string) (leave func(), err error) {
	return g.enter(ctx, key, g.limits.Wait)
}

// Await does what Enter does, but waits until the context ends, for work that has begun and would be lost.
func (g *Gate) Await(ctx context.Context, key string) (leave func(), err error) {
	return g.enter(ctx, key, 0)
}

// enter waits for a slot for up to wait, or until the context ends if wait is 0.
func (g *Gate) enter(ctx context.Context, key string, wait time.Duration) (leave func(), err error) {
	leave = func() { g.leave(key) }
	w, reason := g.join(key)
	if reason != "" {
		return nil, g.reject(reason)
	}

	if w == nil {
		g.admit(0)
		return leave, nil
	}

	start := time.Now()
	var limit <-chan time.Time

	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		limit = timer.C
	}

	// A nil channel never receives, so without a time limit only the context ends the wait.
	select {
	case <-w.admitted:
	case <-limit:
		reason = g.giveUp(key, w)
	case <-ctx.Done():
		if g.giveUp(key, w) == "" { // admitted in the same moment
			leave()
		}
		g.observe(func(o Observer) { o.Rejected(g.name, ReasonContext) })
		return nil, ctx.Err()
	}

	if reason != "" {
		return nil, g.reject(reason)
	}

	g.admit(time.Since(start))

	return leave, nil
}

// join takes a slot for the key and returns nil, or returns a waiter, or says why the request can't even wait.
func (g *Gate) join(key string) (*waiter, Reason) {
	g.mu.Lock()
	defer g.mu.Unlock()

	k := g.keys[key]
	if k == nil {
		k = &keyState{}
		g.keys[key] = k
	}

	// While a slot is free, all waiting keys have reached their limits: nobody is overtaken.
	if g.running < g.limits.Slots && k.running < g.limits.PerKey {
		g.running++
		k.running++
		return nil, ""
	}

	if g.limits.Waiting > 0 && len(k.waiting) >= g.limits.Waiting {
		return nil, ReasonAccount
	}

	g.arrived++
	w := &waiter{arrived: g.arrived, admitted: make(chan struct{})}
	k.waiting = append(k.waiting, w)

	return w, ""
}

// giveUp removes a waiter and says what kept it waiting, or returns "" if it was admitted meanwhile.
func (g *Gate) giveUp(key string, w *waiter) Reason {
	g.mu.Lock()
	defer g.mu.Unlock()

	select {
	case <-w.admitted:
		return ""
	default:
	}

	// The reason tells the client whether it has too many requests open itself, or the server has.
	k := g.keys[key]
	for i := range k.waiting {
		if k.waiting[i] == w {
			k.waiting = append(k.waiting[:i], k.waiting[i+1:]...)
			break
		}
	}
	defer g.forget(key)

	if k.running >= g.limits.PerKey {
		return ReasonAccount
	}

	return ReasonServer
}

// leave returns a slot and passes it on.
func (g *Gate) leave(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.keys[key].running--
	if next := g.next(); next != nil {
		g.running++
		next.running++
		close(next.waiting[0].admitted)
		next.waiting = next.waiting[1:]
	}
	g.forget(key)
}

// next returns the key that gets a free slot, or nil if no key waits for one that it may use.
func (g *Gate) next() *keyState {
	var best *keyState
	for _, k := range g.keys {
		if len(k.waiting) == 0 || k.running >= g.limits.PerKey {
			continue
		}
		if best == nil || k.running < best.running ||
			k.running == best.running && k.waiting[0].arrived < best.waiting[0].arrived {
			best = k
		}
	}
	return best
}

// forget removes a key without requests.
func (g *Gate) forget(key string) {
	if k := g.keys[key]; k.running == 0 && len(k.waiting) == 0 {
		delete(g.keys, key)
	}
}

func (g *Gate) admit(waited time.Duration) {
	g.observe(func(o Observer) { o.Admitted(g.name, waited) })
}

func (g *Gate) reject(reason Reason) error {
	g.observe(func(o Observer) { o.Rejected(g.name, reason) })
	if reason == ReasonAccount {
		return &matching.Error{
			Code: CodeTooManyConcurrent, RetryAfter: retryAfter,
			Message: "Too many requests of this account are in progress. Wait for one to finish, then retry.",
		}
	}
	return &matching.Error{
		Code: matching.CodeOverloaded, RetryAfter: retryAfter,
		Message: "The server is handling too many requests. Retry in a moment.",
	}
}

func (g *Gate) observe(report func(Observer)) {
	if g.observer != nil {
		report(g.observer)
	}
}

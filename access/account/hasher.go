package account

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/internal/matching"
)

// currentParams returns the cost of new hashes: the cheaper choice of OWASP's Password Storage Cheat Sheet, about 25
// ms.
func currentParams() argon2id.Params {
	return argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// The limits of stored hashes. A damaged record must not exhaust the machine, and an empty key must not match
// everything.
const (
	maxMemory     = 1 << 20 // KiB
	maxIterations = 32
	minKeyLength  = 16
)

// The limits of the queue for hashing.
const (
	maxPerClient = 4   // operations of one client that run or wait
	maxQueue     = 64  // operations in total that run or wait, unless the client is known
	maxKnown     = 128 // operations in total, if the client is known
)

// hasher hashes and compares passwords. It uses at most half of the processors, so that sign-ins leave the others to
// requests. Further operations wait in a queue in the order in which they came. The queue is bounded, in total and per
// client, so that one client cannot fill it. Known clients have places of their own.
type hasher struct {
	params argon2id.Params
	slots  chan struct{}
	create func(password string, p *argon2id.Params) (hash string, err error)
	check  func(password, hash string) (match bool, p *argon2id.Params, err error)
	dummy  string // a hash without a password

	mu      sync.Mutex
	queued  int            // operations that run or wait
	clients map[string]int // the same, by client
}

func newHasher(p argon2id.Params) *hasher {
	h := &hasher{
		params:  p,
		slots:   make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		create:  argon2id.CreateHash,
		check:   argon2id.CheckHash,
		clients: map[string]int{},
	}
	h.dummy = randomHash(p)
	return h
}

// randomHash returns random bytes in the form of a hash. Comparing a password with it takes as long as with any other,
// and making it takes no time when the server starts.
func randomHash(p argon2id.Params) string {
	salt := make([]byte, p.SaltLength)
	key := make([]byte, p.KeyLength)
	_, _ = rand.Read(salt) // never fails
	_, _ = rand.Read(key)

	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s",
		p.Memory, p.Iterations, p.Parallelism, encode(salt), encode(key))
}

// enter waits for a free slot, which the caller gives back with leave. The client is a network address or a user. It
// returns matching.CodeOverloaded if the queue is full, or if the context ends first.
func (h *hasher) enter(ctx context.Context, client string, known bool) (leave func(), err error) {
	if !h.queue(client, known) {
		return nil, errQueueFull(nil)
	}
	select {
	case h.slots <- struct{}{}: // a channel serves its senders in the order in which they came
		return func() { <-h.slots; h.dequeue(client) }, nil
	case <-ctx.Done():
		h.dequeue(client)
		return nil, errQueueFull(ctx.Err())
	}
}

// queue takes a place in the queue, and reports whether there was one.
func (h *hasher) queue(client string, known bool) bool {
	limit := maxQueue
	if known {
		limit = maxKnown
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.queued >= limit || h.clients[client] >= maxPerClient {
		return false
	}
	h.queued++
	h.clients[client]++
	return true
}

func (h *hasher) dequeue(client string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queued--
	if h.clients[client]--; h.clients[client] == 0 {
		delete(h.clients, client)
	}
}

func errQueueFull(cause error) error {
	return &matching.Error{
		Code: matching.CodeOverloaded, Message: "Too many people are signing in right now. Try again soon.",
		RetryAfter: time.Second, Cause: cause,
	}
}

// hash returns the hash of a password in PHC string format. Call it between enter and leave.
func (h *hasher) hash(password string) string {
	hash, _ := h.create(normalize(password), &h.params) // can't fail: crypto/rand never returns an error
	return hash
}

// matches reports whether a password has the stored hash, and whether that hash was created at another cost than the
// current one. Call it between enter and leave.
func (h *hasher) matches(stored, password string) (match, outdated bool, err error) {
	p, _, _, err := argon2id.DecodeHash(stored)
	if err != nil || p.Memory > maxMemory || p.Iterations < 1 || p.Iterations > maxIterations || p.Parallelism < 1 ||
		p.KeyLength < minKeyLength {
		return false, false, errors.New("the stored password is not a valid argon2id hash") // and don't log any of it
	}
	match, _, err = h.check(normalize(password), stored)
	return match, *p != h.params, err
}

// normalize returns the same text for a password however the keyboard composes its letters (NIST SP 800-63B, 3.1.1.2).
func normalize(password string) string { return norm.NFKC.String(password) }

package account

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"

	"freelancer-matching/internal/matching"
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

// hasher hashes and compares passwords. It runs as many operations at a time as there are processors, because more
// would only take memory.
type hasher struct {
	params argon2id.Params
	slots  chan struct{}
	create func(password string, p *argon2id.Params) (hash string, err error)
	check  func(password, hash string) (match bool, p *argon2id.Params, err error)
	dummy  string // the hash of a random password that nobody knows
}

func newHasher(p argon2id.Params) *hasher {
	h := &hasher{
		params: p,
		slots:  make(chan struct{}, runtime.GOMAXPROCS(0)),
		create: argon2id.CreateHash,
		check:  argon2id.CheckHash,
	}
	h.dummy = h.hash(rand.Text())
	return h
}

// enter waits for a free slot, which the caller gives back with leave. It returns matching.CodeOverloaded if the
// context ends first.
func (h *hasher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, &matching.Error{
			Code: matching.CodeOverloaded, Message: "Too many people are signing in right now. Try again soon.",
			RetryAfter: time.Second, Cause: ctx.Err(),
		}
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

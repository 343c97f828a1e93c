package interview

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// The answers of a Store.
var (
	ErrNotFound = errors.New("no such session")
	ErrChanged  = errors.New("the session, or the claim to a request, was changed by another one")
	ErrTooMany  = errors.New("the account has too many open sessions")
)

// Store keeps sessions, and what was answered to requests with an Idempotency-Key. Moments are kept to the microsecond, in UTC.
type Store interface {
	// Find is the session with an id that has not expired at a moment. ErrNotFound.
	Find(ctx context.Context, id string, at time.Time) (Record, error)
	// Insert adds a session, unless its account has limit open ones at a moment: ErrTooMany. The limit may be passed by as many
	// as are inserted at once. The claim, nil for none, is settled along with it, or nothing is done: ErrChanged.
	Insert(ctx context.Context, r Record, limit int, at time.Time, settled *Claim) error
	// Update replaces the session that has the version before r's, and settles the claim, nil for none: both or nothing,
	// ErrChanged.
	Update(ctx context.Context, r Record, settled *Claim) error
	// Delete forgets a session of an account, and what was answered to requests about it. ErrNotFound.
	Delete(ctx context.Context, account, id string) error
	// Claim takes a key for a request, unless another request has it until after a moment. The answer is the claim that holds:
	// with c's Holder it was taken.
	Claim(ctx context.Context, c Claim, at time.Time) (Claim, error)
	// Settle replaces a claim by one with a Result. ErrChanged where its Holder does not have it any more.
	Settle(ctx context.Context, c Claim) error
	// Release gives a claim back that was not settled. One that its Holder does not have is left alone.
	Release(ctx context.Context, c Claim) error
	// DeleteExpired forgets sessions and claims whose time has come at a moment.
	DeleteExpired(ctx context.Context, at time.Time) error
}

// Record is a session as it is stored.
type Record struct {
	ID      string
	Account string
	Version int64 // 1, and 1 more with each change
	Open    bool  // it counts against the limit of its account
	Expires time.Time
	Data    []byte // JSON
}

// Claim is an account's Idempotency-Key in use.
type Claim struct {
	Account, Key string
	Fingerprint  [sha256.Size]byte // of the request
	Holder       string            // who carries the request out
	Session      string            // that the result is about; "" while it is not settled
	Result       []byte            // JSON; nil while it is not settled
	Until        time.Time         // not settled: another request may take the key over then; settled: it is forgotten
}

// settled reports whether there is a result.
func (c *Claim) settled() bool { return c.Result != nil }

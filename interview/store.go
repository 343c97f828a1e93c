package interview

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// The errors of a Store.
var (
	ErrNotFound = errors.New("no such session")
	ErrChanged  = errors.New("another request changed the session or the claim")
	ErrTooMany  = errors.New("the account has too many open sessions")
)

// A Store stores sessions and the results of requests with an Idempotency-Key. It keeps times in UTC with a precision
// of one microsecond.
type Store interface {
	// Find returns the session with an ID, or ErrNotFound if there is none or it expired before now.
	Find(ctx context.Context, id string, now time.Time) (Record, error)
	// Insert adds a session and settles the claim, if it is not nil, or does neither. It returns ErrTooMany if the account
	// has limit open sessions at now, and ErrChanged if the claim's Holder no longer holds it. Concurrent calls may exceed
	// the limit by their number.
	Insert(ctx context.Context, r Record, limit int, now time.Time, settled *Claim) error
	// Update replaces the version of the session before r.Version and settles the claim, if it is not nil, or does
	// neither. It returns ErrChanged if the session has another version, or if the claim's Holder no longer holds it.
	Update(ctx context.Context, r Record, settled *Claim) error
	// Delete deletes a session of an account and the results of requests about it, or returns ErrNotFound.
	Delete(ctx context.Context, account, id string) error
	// Claim claims a key for a request, unless another request holds it at now. It returns the current claim; if its
	// Holder is c's, the call succeeded.
	Claim(ctx context.Context, c Claim, now time.Time) (Claim, error)
	// Settle replaces a claim with one that has a Result. It returns ErrChanged if the Holder no longer holds it.
	Settle(ctx context.Context, c Claim) error
	// Release removes an unsettled claim. It does nothing if the Holder no longer holds it.
	Release(ctx context.Context, c Claim) error
	// DeleteExpired deletes the sessions and claims that have expired at now.
	DeleteExpired(ctx context.Context, now time.Time) error
}

// A Record is a stored session.
type Record struct {
	ID      string
	Account string
	Version int64 // starts at 1 and increases by 1 with each update
	Open    bool  // whether it counts toward the account's limit
	Expires time.Time
	Data    []byte // JSON
}

// A Claim is an account's Idempotency-Key in use. A claim is settled once it has a Result.
type Claim struct {
	Account, Key string
	Fingerprint  [sha256.Size]byte // of the request
	Holder       string            // identifies the request that claimed the key
	Session      string            // ID of the session in Result; "" before the claim is settled
	Result       []byte            // JSON; nil before the claim is settled
	Until        time.Time         // before: another request can take over the key then; after: the result expires
}

// settled reports whether the claim has a result.
func (c *Claim) settled() bool { return c.Result != nil }

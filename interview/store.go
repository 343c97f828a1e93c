package interview

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/webhook"
)

// The errors of a Store.
var (
	ErrNotFound = errors.New("no such session")
	ErrChanged  = errors.New("another request changed the session or the claim")
	ErrTooMany  = errors.New("the account has too many sessions")
	ErrFull     = errors.New("the sessions of the account take too much space")
)

// Limits limits what an account stores. 0 means no limit.
type Limits struct {
	Sessions int   // open or evaluated
	Bytes    int64 // total length of their Data
}

// exceeded returns ErrTooMany or ErrFull if the usage exceeds the limits, or nil.
func (l Limits) exceeded(u Usage) error {
	switch {
	case l.Sessions > 0 && u.Sessions > l.Sessions:
		return ErrTooMany
	case l.Bytes > 0 && u.Bytes > l.Bytes:
		return ErrFull
	}
	return nil
}

// A Usage is what an account stores, without expired sessions.
type Usage struct {
	Sessions int
	Bytes    int64 // total length of their Data
}

// Allows returns an error unless an account with this usage may replace a session of old bytes by one of size bytes. It
// returns ErrTooMany or ErrFull. For a new session, old is 0; a session that shrinks is always allowed.
func (l Limits) Allows(u Usage, old, size int64) error {
	if old > 0 && size <= old {
		return nil
	}
	if old == 0 {
		u.Sessions++
	}
	u.Bytes += size - old
	return l.exceeded(u)
}

// A Store stores sessions and the results of requests with an Idempotency-Key. It keeps times in UTC with a precision
// of one microsecond.
type Store interface {
	// Find returns the session with an ID, or ErrNotFound if there is none or it expired before now.
	Find(ctx context.Context, id string, now time.Time) (Record, error)
	// Insert adds a session and settles the claim, if it is not nil, or does neither. It returns an error of
	// Limits.Allows, with the account's usage at now, and ErrChanged if the claim's Holder no longer holds it. Concurrent
	// calls may exceed the limits by their number.
	Insert(ctx context.Context, r Record, l Limits, now time.Time, settled *Claim) error
	// Update replaces the version of the session before r.Version and settles the claim, if it is not nil, or does
	// neither. It returns ErrFull like Insert, and ErrChanged if the session has another version, or if the claim's Holder
	// no longer holds it.
	Update(ctx context.Context, r Record, l Limits, now time.Time, settled *Claim) error
	// UpdateAudited does the same without limits and without a claim, and adds the entry to the audit log in the same
	// step, unless it is nil.
	UpdateAudited(ctx context.Context, r Record, entry *audit.Event) error
	// FindInvited returns the session whose invitation has a token, or ErrNotFound.
	FindInvited(ctx context.Context, token [sha256.Size]byte, now time.Time) (Record, error)
	// Due returns the IDs of up to limit sessions whose invitations are due at now, the longest due first.
	Due(ctx context.Context, now time.Time, limit int) ([]string, error)
	// Usage returns what an account stores at now.
	Usage(ctx context.Context, account string, now time.Time) (Usage, error)
	// NextToExpire returns the ID of the account's session that expires first after now, and the time when it does. It
	// returns ErrNotFound if the account has none.
	NextToExpire(ctx context.Context, account string, now time.Time) (id string, expires time.Time, err error)
	// List returns up to limit of the selected sessions that expire after now and come after a place in the list, the
	// newest first. The zero place is the beginning. Sessions whose beginning is unknown come last.
	List(ctx context.Context, s Selection, after Place, limit int, now time.Time) ([]Record, error)
	// Webhook returns the state of the session's last message, or ErrNotFound if the session has no endpoint.
	Webhook(ctx context.Context, session string) (webhook.Status, error)
	// DeleteSome deletes up to limit of the selected sessions, including expired ones, like DeleteAudited. It adds an
	// entry for each to the audit log, and returns how many it has deleted.
	DeleteSome(ctx context.Context, s Selection, limit int, entry func(id string) audit.Event) (int, error)
	// DeleteAudited deletes a session of an account and the results of requests about it, and adds the entry to the audit
	// log in the same step, or returns ErrNotFound.
	DeleteAudited(ctx context.Context, account, id string, entry audit.Event) error
	// AuditOnce adds an entry to the audit log, unless it has one of the same actor, action and subject since the given
	// time. Concurrent calls may add several.
	AuditOnce(ctx context.Context, entry audit.Event, since time.Time) error
	// Claim claims a key for a request, unless another request holds it at now. It returns the current claim; if its
	// Holder is c's, the call succeeded.
	Claim(ctx context.Context, c Claim, now time.Time) (Claim, error)
	// Settle replaces a claim with one that has a Result. It returns ErrChanged if the Holder no longer holds it.
	Settle(ctx context.Context, c Claim) error
	// Release removes an unsettled claim. It does nothing if the Holder no longer holds it.
	Release(ctx context.Context, c Claim) error
	// DeleteExpired deletes the sessions and claims that have expired at now. Before, it lets no session expire after
	// latest, so that a shorter retention also applies to the sessions that were stored before.
	DeleteExpired(ctx context.Context, now, latest time.Time) error
}

// A Record is a stored session.
type Record struct {
	ID         string
	Account    string
	Version    int64 // starts at 1 and increases by 1 with each update
	Open       bool  // whether it accepts answers
	Expires    time.Time
	Data       []byte    // JSON
	Freelancer string    // ID of the freelancer whom the session is about; "" if unknown
	Begun      time.Time // zero if unknown; in whole seconds for sessions of releases without this column

	// Invitation is stored with the session, for FindInvited and Due, and not read back: Data has it, too.
	Invitation *InvitationKey // nil for none

	// What Insert and Update store together with the session, or nil. Nothing reads them back: the secret of an endpoint
	// is only for messages.
	Endpoint *webhook.Endpoint // only Insert
	Message  *webhook.Message  // needs an Endpoint
}

// An InvitationKey finds the session of an invitation.
type InvitationKey struct {
	Token [sha256.Size]byte // hash
	Due   time.Time         // zero for never
}

// A Selection selects sessions of an account.
type Selection struct {
	Account      string
	FreelancerID string // "" for all
	State        State  // "" for all
}

// A Place is a place in the list of sessions: right after a session.
type Place struct {
	Begun time.Time
	ID    string // "" for the beginning of the list
}

// A Claim is an account's Idempotency-Key in use. A claim is settled once it has a Result.
type Claim struct {
	Account, Key string
	Fingerprint  [sha256.Size]byte // of the request
	Holder       string            // identifies the request that claimed the key
	Session      string            // ID of the session that Result is about; "" before the claim is settled
	Result       []byte            // JSON, short: what to read from the session; nil before the claim is settled
	Until        time.Time         // before: another request can take over the key then; after: the result expires
}

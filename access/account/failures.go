package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
)

// A Limit is how many attempts may fail within a period. The period begins with the first failure.
type Limit struct {
	Failures int
	Period   time.Duration
}

// Limits holds the limits of failed attempts. All servers share the counts.
//
// A browser in which a user has signed in before counts for itself: it is neither affected by the failures of others
// nor adds to their counts. Strangers can therefore not lock out users who sign in where they usually do.
type Limits struct {
	Visitor  Limit // sign-ins, per email address and network address together
	Address  Limit // sign-ins, per network address
	Email    Limit // sign-ins, per email address
	Browser  Limit // sign-ins and codes, per known browser
	Code     Limit // codes of a second factor after the right password, per user
	Confirm  Limit // passwords and codes of signed-in users, per user
	SignUp   Limit // open sign-ups, per network address; all count, because each costs a hash and may reveal a user
	Taken    Limit // invitations that revealed that an email address is taken, per network address
	Recorded Limit // users and network addresses with entries of the audit log about failed sign-ins, in total
}

// DefaultLimits returns limits that tolerate mistyped passwords, and offices that share an address. Email allows the
// most failures, because using them up stops the owner of the address from signing in with a new browser. Code allows
// few, because a code has six digits and the attempts come from someone who knows the password.
func DefaultLimits() Limits {
	const quarter = 15 * time.Minute
	return Limits{
		Visitor:  Limit{5, quarter},
		Address:  Limit{50, quarter},
		Email:    Limit{100, quarter},
		Browser:  Limit{5, quarter},
		Code:     Limit{10, time.Hour},
		Confirm:  Limit{5, quarter},
		SignUp:   Limit{10, time.Hour},
		Taken:    Limit{10, time.Hour},
		Recorded: Limit{200, quarter},
	}
}

// A Counter counts the failures of a key.
type Counter struct {
	Key    [sha256.Size]byte
	Period time.Duration
}

// MaxPeriod returns how far in the future the end of a count can be, if the clocks of servers differ. A count that ends
// later was written while a clock was wrong, and is ignored.
func (c Counter) MaxPeriod() time.Duration { return 2 * c.Period }

// Failures is the state of a Counter.
type Failures struct {
	N    int
	Ends time.Time // zero if there are none
}

// limited is a Counter with the number of failures it allows.
type limited struct {
	Counter
	max int
}

// counter returns the counter of a kind of failure for a key of any length. Clients choose keys, so only a hash of them
// is stored.
func (l Limit) counter(kind, key string) limited {
	return limited{Counter{sha256.Sum256([]byte(kind + " " + key)), l.Period}, l.Failures}
}

// A throttle counts failed attempts and refuses further ones.
type throttle struct {
	store   FailureStore
	limits  Limits
	now     clock
	log     *slog.Logger
	cleaned atomic.Int64 // time of the last deletion of old counts, in Unix seconds
}

// blocked returns CodeTooManyAttempts with the longest wait of all counters, or nil if none has reached its limit.
func (s *throttle) blocked(ctx context.Context, counters ...limited) error {
	now := s.now()
	plain := make([]Counter, len(counters))
	for i, c := range counters {
		plain[i] = c.Counter
	}

	failures, err := s.store.Current(ctx, plain, now)
	if err != nil {
		return err
	}

	// At least a second, so that a client that obeys doesn't come back at once.
	var wait time.Duration
	for i, c := range counters {
		if failures[i].N >= c.max {
			wait = max(wait, failures[i].Ends.Sub(now), time.Second)
		}
	}

	if wait > 0 {
		return errTooManyAttempts(wait)
	}

	return nil
}

// count counts a failure with all counters. Now and then, it deletes old counts.
func (s *throttle) count(ctx context.Context, counters ...limited) error {
	now := s.now()
	for _, c := range counters {
		if err := s.store.Add(ctx, c.Counter, now); err != nil {
			return err
		}
	}
	if last := s.cleaned.Load(); now.Unix()-last >= cleanSeconds && s.cleaned.CompareAndSwap(last, now.Unix()) {
		if err := s.store.DeleteOld(ctx, now); err != nil {
			s.log.WarnContext(ctx, "old failed sign-ins not deleted", "error", err)
		}
	}
	return nil
}

// cleanSeconds is how often count deletes old counts. Together with the time that a password's hash takes, it bounds
// the number of rows.
const cleanSeconds = 60

// record writes a failed sign-in to the audit log. Of the failures of one user from one network address within a
// quarter of an hour, the first, second, fourth, eighth and so on have entries. An email address without a user is not
// recorded, because it may be a mistyped password. When the limit of entries is reached, because an attacker uses many
// network addresses, further failures of a user count together, and have no address.
func (s *throttle) record(ctx context.Context, u User, address netip.Addr, reason string) error {
	now := s.now()
	who := cmp.Or(u.ID, "nobody")
	ofAddress := s.limits.Recorded.counter("entry", who+" "+quota.AddressKey(address))
	allEntries := s.limits.Recorded.counter("entries", "")
	counts, err := s.store.Current(ctx, []Counter{ofAddress.Counter, allEntries.Counter}, now)
	if err != nil {
		return err
	}
	hasEntry := counts[0].N > 0
	mayAddEntry := counts[1].N < allEntries.max

	e := audit.Event{
		At: now, Actor: audit.System, Account: u.Account, Action: audit.SignInFailed, Subject: u.ID,
		Address: address.String(),
	}
	if !address.IsValid() { // it would be written as "invalid IP"
		e.Address = ""
	}

	// An attacker with many addresses must not fill the log, so the number of entries is limited, too.
	switch {
	case hasEntry:
		return s.addFailure(ctx, ofAddress, e, reason)
	case mayAddEntry:
		if err := s.store.Add(ctx, allEntries.Counter, now); err != nil {
			return err
		}
		return s.addFailure(ctx, ofAddress, e, reason)
	default:
		e.Address = ""
		return s.addFailure(ctx, s.limits.Recorded.counter("entry", who), e, reason+", from further network addresses")
	}
}

// addFailure counts a failure, and writes an entry with the number of attempts if the store wants one for it.
func (s *throttle) addFailure(ctx context.Context, entry limited, e audit.Event, reason string) error {
	return s.store.AddEvent(ctx, entry.Counter, e, func(n int) string {
		if n == 1 {
			return reason
		}
		return fmt.Sprintf("%s, %d attempts", reason, n)
	})
}

// attempt is one attempt to use a password or a code.
type attempt struct {
	counters []limited
	client   string // for the queue of the hasher
	known    bool   // made in a browser in which the user has signed in before
}

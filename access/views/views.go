// Package views limits how many distinct freelancers an account sees per day (UTC), so that no account can copy the
// whole data set page by page. A freelancer that the account has seen before on that day doesn't count again.
package views

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// CodeLimit is the error code of a response that would exceed the limit. Clients receive it with status 429.
const CodeLimit matching.Code = "freelancer_limit_exceeded"

// An Allowance is the daily limit of one account.
type Allowance struct {
	Subject string // id of the account, or the counter of a key without an account
	PerDay  int    // distinct freelancers per day, at least 1
}

// A Store remembers which freelancers each subject has seen on a day, such as "2031-05-17".
type Store interface {
	// AddViews remembers freelancers, given as distinct hashes, if the subject has then seen at most limit on that day.
	// Otherwise it remembers none of them. It returns how many the subject had seen before, and how many of the
	// freelancers were not among those. It is one atomic step, however many servers share the store.
	AddViews(ctx context.Context, subject, day string, freelancers []uint64, limit int) (before, added int, err error)
	// Views returns how many freelancers the subject has seen on that day.
	Views(ctx context.Context, subject, day string) (int, error)
}

// A Decision says whether a response may be sent, and what is left of the limit.
type Decision struct {
	Limit int // of the account
	Seen  int // today, including those of this response if it is allowed
	New   int // freelancers in the response that the account had not seen today
	Shown int // all freelancers in the response

	Allowed bool
	End     time.Time     // of the day
	Reset   time.Duration // from the decision to End; positive
}

// Left returns how many more freelancers the account may see today.
func (d Decision) Left() int { return max(0, d.Limit-d.Seen) }

// Err returns a matching.Error with CodeLimit for a response that must not be sent, and nil for an allowed one.
func (d Decision) Err() error {
	if d.Allowed {
		return nil
	}
	advice := "Freelancers already seen today can be requested again."
	if left := d.Left(); left > 0 {
		advice = fmt.Sprintf("Request at most %d new ones, for example with a lower `limit`.", left)
	}
	return &matching.Error{
		Code: CodeLimit, RetryAfter: d.Reset,
		Message: fmt.Sprintf("The response would show %s, but this account has %d left of its plan's %d per day. %s "+
			"The next day begins at %s.", newFreelancers(d.New), d.Left(), d.Limit, advice, d.End.Format(time.RFC3339)),
	}
}

func newFreelancers(n int) string {
	if n == 1 {
		return "1 new freelancer"
	}
	return fmt.Sprintf("%d new freelancers", n)
}

// A Limiter decides which responses may be sent. It is safe for concurrent use.
type Limiter struct {
	store Store
	now   func() time.Time
}

// New returns a Limiter that counts in store.
func New(store Store, now func() time.Time) *Limiter { return &Limiter{store, now} }

// Show counts the freelancers with the given ids and decides whether they may be shown: all of them or none.
func (l *Limiter) Show(ctx context.Context, a Allowance, ids []string) (Decision, error) {
	day, d := l.today()
	seen := make(map[uint64]bool, len(ids))
	freelancers := make([]uint64, 0, len(ids))
	for _, id := range ids {
		if h := hash(id); !seen[h] {
			seen[h] = true
			freelancers = append(freelancers, h)
		}
	}

	before, added, err := l.store.AddViews(ctx, a.Subject, day, freelancers, a.PerDay)
	if err != nil {
		return Decision{}, fmt.Errorf("count freelancers shown: %w", err)
	}

	d.Limit, d.Seen, d.New, d.Shown = a.PerDay, before, added, len(freelancers)
	// An account above its limit, because its plan changed during the day, may still see the same freelancers again.
	if d.Allowed = added == 0 || before+added <= a.PerDay; d.Allowed {
		d.Seen += added
	}

	return d, nil
}

// Today returns how much of its limit an account has used, without counting anything.
func (l *Limiter) Today(ctx context.Context, a Allowance) (Decision, error) {
	day, d := l.today()
	seen, err := l.store.Views(ctx, a.Subject, day)
	if err != nil {
		return Decision{}, fmt.Errorf("read freelancers seen: %w", err)
	}
	d.Limit = a.PerDay
	d.Seen = seen
	d.Allowed = true
	return d, nil
}

// today returns the name of the current day, and a decision with its end.
func (l *Limiter) today() (string, Decision) {
	now := l.now().UTC()
	end := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	return now.Format(time.DateOnly), Decision{End: end, Reset: end.Sub(now)}
}

// hash returns the first 64 bits of the SHA-256 of an id. Even for an account that sees 5,000 of 10 million
// freelancers, the chance that two of them share a hash is below one in a million; they then count as one.
func hash(id string) uint64 {
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:])
}

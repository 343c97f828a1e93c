// Package changes limits how many freelancers an account changes per minute and per day (UTC), so that a faulty or
// stolen key can't rewrite a whole data set.
package changes

import (
	"context"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// CodeLimit is the error code of a change that would exceed a limit. Clients receive it with status 429.
const CodeLimit matching.Code = "change_limit_exceeded"

// An Allowance is how many changes one account may make.
type Allowance struct {
	Subject   string // id of the account, or the counter of a key without an account
	PerMinute int    // at least 1
	PerDay    int    // at least 1
}

// Windows are the two windows at a time, and the changes counted in them.
type Windows struct {
	Minute, Day         time.Time // starts, UTC
	MinuteUsed, DayUsed int
}

// A Store counts changes. Each method is one atomic step, however many servers share the store.
type Store interface {
	// TakeChanges counts up to n changes of a subject in both windows: as many as both limits have left. It returns how
	// many it has counted, and the windows afterward. A window that starts later than the stored one replaces it with
	// nothing used; one that starts earlier, because a server's clock lags, counts in the stored one. A stored window that
	// starts after latest, because the clock has been set back, is replaced, too.
	TakeChanges(
		ctx context.Context, a Allowance, minute, day, latest time.Time, n int,
	) (taken int, after Windows, err error)
}

// A Decision says how many changes may be made, and what is left.
type Decision struct {
	Taken   int           // changes that may be made
	Limit   int           // of the window with fewer changes left
	Left    int           // in that window, after these changes
	Reset   time.Duration // until that window ends
	PerDay  bool          // that window is the day
	Refused bool          // fewer changes were taken than requested
}

// Err returns a matching.Error with CodeLimit if no change may be made, and nil otherwise.
func (d Decision) Err() error {
	if d.Taken > 0 || !d.Refused {
		return nil
	}
	window := "minute"
	if d.PerDay {
		window = "day"
	}
	return &matching.Error{
		Code: CodeLimit, RetryAfter: d.Reset,
		Message: fmt.Sprintf("This account has used all of its plan's %d changes of freelancers per %s. Retry in %s.",
			d.Limit, window, d.Reset.Round(time.Second)),
	}
}

// A Limiter decides how many changes an account may make. It is safe for concurrent use.
type Limiter struct {
	store Store
	now   func() time.Time
}

// New returns a Limiter that counts in store.
func New(store Store, now func() time.Time) *Limiter { return &Limiter{store, now} }

// maxLag is how far a server's clock may lag behind that of another one with the same store.
const maxLag = 2 * time.Minute

// Take counts up to n changes of an account and decides how many it may make.
func (l *Limiter) Take(ctx context.Context, a Allowance, n int) (Decision, error) {
	now := l.now().UTC()
	minute := now.Truncate(time.Minute)
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	taken, w, err := l.store.TakeChanges(ctx, a, minute, day, now.Add(maxLag), n)
	if err != nil {
		return Decision{}, fmt.Errorf("count changes: %w", err)
	}

	// Of the two windows, the response describes the one with fewer changes left.
	d := Decision{Taken: taken, Refused: taken < n}
	minuteLeft := max(0, a.PerMinute-w.MinuteUsed)
	dayLeft := max(0, a.PerDay-w.DayUsed)
	end := w.Minute.Add(time.Minute)

	if d.Limit, d.Left = a.PerMinute, minuteLeft; dayLeft <= minuteLeft {
		d.Limit = a.PerDay
		d.Left = dayLeft
		d.PerDay = true
		end = w.Day.AddDate(0, 0, 1)
	}

	d.Reset = max(time.Second, end.Sub(now))
	return d, nil
}

package quota

import (
	"fmt"
	"math"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// The error codes of refused requests.
const (
	CodeRateLimit       matching.Code = "rate_limit_exceeded"      // 429: the minute's requests are used up
	CodeQuota           matching.Code = "quota_exceeded"           // 429: the month's requests are used up
	CodeTooManyFailures matching.Code = "too_many_failed_attempts" // 429: a Guard blocks the client
	CodeUnavailable     matching.Code = "quota_unavailable"        // 503: the store does not answer
)

// The names of the windows.
const (
	NameMinute = "minute"
	NameMonth  = "month"
)

// A Span is a window at the time of a decision.
type Span struct {
	Name string // NameMinute or NameMonth
	Window
	End   time.Time
	Reset time.Duration // from the decision to End; positive
}

// A Decision says whether a request is allowed, and what is left in both windows.
type Decision struct {
	Allowed       bool
	Requests      int // how many requests the decision is about; 0 means 1
	Minute, Month Span
}

// decide returns the decision at now, given the windows after the request.
func decide(now time.Time, w Windows, allowed bool) Decision {
	span := func(name string, w Window, length time.Duration) Span {
		end := w.Start.Add(length)
		return Span{Name: name, Window: w, End: end, Reset: end.Sub(now)}
	}
	return Decision{
		Allowed: allowed,
		Minute:  span(NameMinute, w.Minute, Minute),
		Month:   span(NameMonth, w.Month, Month),
	}
}

// Tightest returns the window with the fewest requests left, or the one that ends later if both have as many left.
// For a single refused request, it is the window that refuses it.
func (d Decision) Tightest() Span {
	minute := d.Minute.Left()
	month := d.Month.Left()
	if minute < month || minute == month && d.Minute.End.After(d.Month.End) {
		return d.Minute
	}
	return d.Month
}

// refusing returns the window that refuses the requests, or the one that ends later if both do.
func (d Decision) refusing() Span {
	n := max(1, d.Requests)
	minute := d.Minute.Left() < n
	month := d.Month.Left() < n
	if minute && (!month || d.Minute.End.After(d.Month.End)) {
		return d.Minute
	}
	return d.Month
}

// RetryAfter returns how long a refused client has to wait, and 0 for an allowed request.
func (d Decision) RetryAfter() time.Duration {
	if d.Allowed {
		return 0
	}
	return d.refusing().Reset
}

// Err returns a matching.Error with CodeRateLimit or CodeQuota for a refused request, and nil for an allowed one.
func (d Decision) Err() error {
	if d.Allowed {
		return nil
	}
	s := d.refusing()
	code := CodeRateLimit
	limit := requests(s.Limit) + " per minute"
	next := "The next minute begins in " + seconds(s.Reset) + "."
	if s.Name == NameMonth {
		code = CodeQuota
		limit = requests(s.Limit) + " per 30 days"
		next = "The next 30 days begin at " + s.End.UTC().Format(time.RFC3339) + "."
	}
	message := fmt.Sprintf("This key has used all of its plan's %s. %s", limit, next)
	if left := min(d.Minute.Left(), d.Month.Left()); left > 0 {
		message = fmt.Sprintf("These %s exceed what is left of the plan's %s. Send at most %d at once, or wait. %s",
			requests(d.Requests), limit, left, next)
	}
	return &matching.Error{Code: code, RetryAfter: s.Reset, Message: message}
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// seconds returns d in whole seconds, rounded up so that a client that waits this long does not return too early.
func seconds(d time.Duration) string { return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds())) }

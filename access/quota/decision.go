package quota

import (
	"fmt"
	"math"
	"time"

	"freelancer-matching/internal/matching"
)

// The codes of requests that are not served.
const (
	CodeRateLimit       matching.Code = "rate_limit_exceeded"      // 429: all of the minute's are used
	CodeQuota           matching.Code = "quota_exceeded"           // 429: all of the month's are used
	CodeTooManyFailures matching.Code = "too_many_failed_attempts" // 429: a Guard blocks
	CodeUnavailable     matching.Code = "quota_unavailable"        // 503: the store does not answer, and the policy is to refuse
)

// The names of the windows.
const (
	NameMinute = "minute"
	NameMonth  = "month"
)

// Span is a window as one decision saw it.
type Span struct {
	Name string // NameMinute or NameMonth
	Window
	End   time.Time
	Reset time.Duration // from the decision to End, over 0
}

// Decision is the answer to one request.
type Decision struct {
	Allowed       bool
	Minute, Month Span
	Degraded      bool // the store did not answer: by the local limits, which stand in the spans
}

// decide tells what follows from the windows after a request.
func decide(now time.Time, w Windows, allowed bool) Decision {
	span := func(name string, w Window, length time.Duration) Span {
		end := w.Start.Add(length)
		return Span{Name: name, Window: w, End: end, Reset: end.Sub(now)}
	}
	return Decision{Allowed: allowed, Minute: span(NameMinute, w.Minute, Minute), Month: span(NameMonth, w.Month, Month)}
}

// Tightest is the window with the fewest requests left; of two with as many, the one that ends later. Of a refused request it
// is the one that refuses it.
func (d Decision) Tightest() Span {
	minute, month := d.Minute.Left(), d.Month.Left()
	if minute < month || minute == month && d.Minute.End.After(d.Month.End) {
		return d.Minute
	}
	return d.Month
}

// RetryAfter is how long a refused request has to wait; 0 for an allowed one.
func (d Decision) RetryAfter() time.Duration {
	if d.Allowed {
		return 0
	}
	return d.Tightest().Reset
}

// Err is the refusal as a matching.Error with CodeRateLimit or CodeQuota; nil for an allowed request.
func (d Decision) Err() error {
	if d.Allowed {
		return nil
	}
	s := d.Tightest()
	who := "the plan allows"
	if d.Degraded {
		who = "requests cannot be counted together at the moment, and alone this server allows"
	}
	if s.Name == NameMinute {
		return &matching.Error{
			Code: CodeRateLimit, RetryAfter: s.Reset,
			Message: fmt.Sprintf("%s %s a minute, and all of this minute's are used; the next minute begins in %s",
				who, requests(s.Limit), seconds(s.Reset)),
		}
	}
	return &matching.Error{
		Code: CodeQuota, RetryAfter: s.Reset,
		Message: fmt.Sprintf("%s %s in 30 days, and all of them are used; the next 30 days begin at %s",
			who, requests(s.Limit), s.End.UTC().Format(time.RFC3339)),
	}
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// seconds is a wait in whole seconds, rounded up: who comes back then does not come too early.
func seconds(d time.Duration) string { return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds())) }

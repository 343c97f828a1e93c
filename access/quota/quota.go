// Package quota enforces the request limits of plans: a number of requests per minute and per 30 days. A request counts
// in both windows or in neither, in one atomic step of the store, so concurrent requests never exceed a limit.
package quota

import (
	"context"
	"time"
)

// The lengths of the two windows that every plan has.
const (
	Minute = time.Minute
	Month  = 30 * 24 * time.Hour
)

// An Allowance is what one subject may use.
type Allowance struct {
	Subject   string    // the name of the counter, such as apikey.Key.Counter
	Since     time.Time // the start of the plan; its months follow from here, 30 days each
	PerMinute int       // requests per minute of the clock, at least 1
	PerMonth  int       // requests per 30 days, at least 1
}

// A Window is one span of time and the requests counted in it.
type Window struct {
	Start time.Time
	Limit int
	Used  int // at most Limit
}

// Windows holds the two windows a request falls into.
type Windows struct {
	Minute, Month Window
}

// A Store counts requests. Every method is one atomic step. Start times, to the millisecond, identify the windows of a
// subject. If the requested window starts later than the stored one, it replaces the stored one with nothing used. If
// it starts earlier (because a server's clock lags or the request was delayed), the request counts in the stored
// window, so a lagging clock grants no extra requests. A stored window that starts after Windows.LatestStart, because
// the clock has been set back, is replaced by the requested one; see Windows.Counted.
type Store interface {
	// Take counts one request in both windows if both have one left, and reports whether it did. A refused request
	// changes nothing. The returned windows hold the starts and uses after the call, and the limits passed in.
	Take(ctx context.Context, subject string, w Windows) (after Windows, taken bool, err error)
	// Peek returns the windows as they are, without counting a request.
	Peek(ctx context.Context, subject string, w Windows) (Windows, error)
}

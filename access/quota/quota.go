// Package quota holds keys to what their plans allow: so many requests a minute, and so many in 30 days. A request takes one
// from both windows or from neither, in one step of the store, whoever else asks at the same moment.
package quota

import (
	"context"
	"time"
)

// The lengths of the windows of every plan.
const (
	Minute = time.Minute
	Month  = 30 * 24 * time.Hour
)

// Allowance is what one subject may use.
type Allowance struct {
	Subject   string    // under this name it is counted: apikey.Key.Counter
	Since     time.Time // when the plan began; its months are 30 days each from then on
	PerMinute int       // requests in each whole minute of the clock, at least 1
	PerMonth  int       // requests in each 30 days, at least 1
}

// Window is one span of time and what was used in it.
type Window struct {
	Start time.Time
	Limit int
	Used  int // never over Limit
}

// Windows is both windows that a request falls into.
type Windows struct {
	Minute, Month Window
}

// Store counts. Each method is one atomic step. A window of a subject is told by its start; one that is later than the one
// stored takes its place with nothing used, and one that is earlier (a clock that lags, a request that was delayed) is
// counted in the stored one, so that time running backwards never gives anything away. Starts are whole seconds or finer,
// kept to the millisecond.
type Store interface {
	// Take uses one of both windows, when both have one left, and reports whether it did; a refused request changes nothing. The
	// answer holds starts and uses after it, and the limits as they were given.
	Take(ctx context.Context, subject string, w Windows) (after Windows, taken bool, err error)
	// Peek tells what is used, and takes nothing.
	Peek(ctx context.Context, subject string, w Windows) (Windows, error)
}

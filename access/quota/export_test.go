package quota

import "time"

// The internals that the tests outside the package look at.
const (
	TripAfter      = tripAfter
	RetryInterval  = retryInterval
	RecoveryPeriod = recoveryPeriod
)

var Decide = decide

func (a Allowance) Windows(now time.Time) Windows { return a.windows(now) }

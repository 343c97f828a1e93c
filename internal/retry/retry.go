// Package retry times repeated calls: how long to wait before the next attempt, and the wait itself. Whether there is a
// next attempt is for the caller to decide.
package retry

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff returns how long to wait after a failed attempt; the first attempt is number 0. The wait is first, doubled
// with each attempt up to longest, less a random part of up to half, so that callers that failed together come back
// apart.
func Backoff(attempt int, first, longest time.Duration) time.Duration {
	wait := min(longest, first<<min(attempt, 20))
	return wait/2 + rand.N(wait/2+1) //nolint:gosec // the random part keeps no secret
}

// Sleep waits for d. If ctx ends first, it returns the cause.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

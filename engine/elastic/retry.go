package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"freelancer-matching/internal/retry"
)

// timing holds the periods that tests shorten.
type timing struct {
	firstWait, longestWait time.Duration // between attempts
	attempt                time.Duration // maximum duration of one attempt
	renewal                time.Duration // period of the lock's renewal
	stale                  time.Duration // age from which a lock that is not renewed may be taken over
	takeoverWait           time.Duration // for a renewal before a stale lock is taken over
}

func defaultTiming() timing {
	return timing{
		firstWait: 100 * time.Millisecond, longestWait: 5 * time.Second,
		attempt: 90 * time.Second, // Elasticsearch itself waits a minute for a shard
		renewal: 5 * time.Second, stale: 30 * time.Second, takeoverWait: 6 * time.Second,
	}
}

// retry calls try until it succeeds, fails permanently, or has failed for Options.RetryFor. try must be idempotent,
// since the answer to an attempt that succeeded can be lost.
func (e *Engine) retry(ctx context.Context, operation string, try func(ctx context.Context) error) error {
	r := retrier{engine: e, operation: operation}
	for {
		err := e.attempt(ctx, try)
		if err == nil {
			r.recovered(ctx)
			return nil
		}
		if err := r.wait(ctx, err); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
	}
}

// attempt calls try once, with a timeout.
func (e *Engine) attempt(ctx context.Context, try func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.options.timing.attempt)
	defer cancel()
	return try(ctx)
}

// A retrier keeps track of consecutive failed attempts.
type retrier struct {
	engine    *Engine
	operation string
	since     time.Time // of the first failure; zero if the last attempt succeeded
	failures  int       // since then
}

// wait waits before the next attempt. It returns an error if there must be none, because err is permanent, ctx has
// ended, or nothing has succeeded for too long.
func (r *retrier) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !transient(err) {
		return err
	}

	o := &r.engine.options
	now := time.Now()

	if r.since.IsZero() {
		r.since = now
		r.failures = 0
		o.Log.WarnContext(ctx, "Elasticsearch request failed; retrying", "operation", r.operation, "error", err,
			"retry_for", o.RetryFor)
	}

	r.failures++
	failing := now.Sub(r.since)
	if failing >= o.RetryFor {
		return fmt.Errorf("gave up after %d attempts in %s: %w: %s, then load again",
			r.failures, failing.Round(time.Millisecond), err, remedy(err))
	}

	wait := retry.Backoff(r.failures-1, o.timing.firstWait, o.timing.longestWait)
	return retry.Sleep(ctx, min(o.RetryFor-failing, wait))
}

// recovered notes that an attempt made progress.
func (r *retrier) recovered(ctx context.Context) {
	if !r.since.IsZero() {
		r.engine.options.Log.InfoContext(ctx, "Elasticsearch accepts requests again", "operation", r.operation,
			"attempts", r.failures+1, "seconds", time.Since(r.since).Seconds())
	}
	r.since = time.Time{}
}

// transient reports whether an error says something about the state of the cluster rather than about the request, and
// may go away: the cluster is unreachable, starting or overloaded, or its disks are full.
func transient(err error) bool {
	if _, ok := errors.AsType[*unreachable](err); ok ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNotAcknowledged) {
		return true
	}
	f, ok := errors.AsType[*Failure](err)
	return ok && (f.Status == http.StatusTooManyRequests || f.Status == http.StatusRequestTimeout || f.Status >= 500)
}

// remedy returns what an operator can do about a transient error that has lasted.
func remedy(err error) string {
	switch {
	case failed(err, 0, "cluster_block_exception"):
		return "check the disks of the nodes (GET _cat/allocation), which accept no documents above the flood-stage " +
			"watermark, and free some space"
	case failed(err, http.StatusTooManyRequests):
		return "the cluster is overloaded: give it more memory and processors, or choose a time with less traffic"
	default:
		return "check that the nodes are running and healthy (GET _cluster/health)"
	}
}

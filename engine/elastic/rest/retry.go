package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/freelancer-matching/service/internal/retry"
)

// Waits are the periods of repeated attempts, which tests shorten.
type Waits struct {
	First, Longest time.Duration // between attempts
	Attempt        time.Duration // maximum duration of one attempt
}

// DefaultWaits returns the periods of a real cluster.
func DefaultWaits() Waits {
	return Waits{
		First: 100 * time.Millisecond, Longest: 5 * time.Second,
		Attempt: 90 * time.Second, // Elasticsearch itself waits a minute for a shard
	}
}

// Retry calls try until it succeeds, fails permanently, or has failed for Config.RetryFor. try must be idempotent,
// since the answer to an attempt that succeeded can be lost.
func (c *Client) Retry(ctx context.Context, operation string, try func(ctx context.Context) error) error {
	r := c.NewRetrier(operation)
	for {
		err := c.Attempt(ctx, try)
		if err == nil {
			r.Recovered(ctx)
			return nil
		}
		if err := r.Wait(ctx, err); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
	}
}

// Attempt calls try once, with a timeout.
func (c *Client) Attempt(ctx context.Context, try func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.waits.Attempt)
	defer cancel()
	return try(ctx)
}

// NewRetrier returns a Retrier for an operation that makes progress in several requests.
func (c *Client) NewRetrier(operation string) *Retrier {
	return &Retrier{client: c, operation: operation}
}

// Backoff returns how long to wait after a number of failures in a row.
func (c *Client) Backoff(failures int) time.Duration {
	return retry.Backoff(failures-1, c.waits.First, c.waits.Longest)
}

// A Retrier keeps track of consecutive failed attempts.
type Retrier struct {
	client    *Client
	operation string
	since     time.Time // of the first failure; zero if the last attempt succeeded
	failures  int       // since then
}

// Wait waits before the next attempt. It returns an error if there must be none, because err is permanent, ctx has
// ended, or nothing has succeeded for too long.
func (r *Retrier) Wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !IsTransient(err) {
		return err
	}

	c := r.client
	now := time.Now()

	if r.since.IsZero() {
		r.since = now
		r.failures = 0
		c.log.WarnContext(ctx, "Elasticsearch request failed; retrying", "operation", r.operation, "error", err,
			"retry_for", c.retryFor)
	}

	r.failures++
	failing := now.Sub(r.since)
	if failing >= c.retryFor {
		return fmt.Errorf("gave up after %d attempts in %s: %w: %s, then load again",
			r.failures, failing.Round(time.Millisecond), err, Remedy(err))
	}

	wait := c.Backoff(r.failures)
	return retry.Sleep(ctx, min(c.retryFor-failing, wait))
}

// Recovered notes that an attempt made progress.
func (r *Retrier) Recovered(ctx context.Context) {
	if !r.since.IsZero() {
		r.client.log.InfoContext(ctx, "Elasticsearch accepts requests again", "operation", r.operation,
			"attempts", r.failures+1, "seconds", time.Since(r.since).Seconds())
	}
	r.since = time.Time{}
}

// IsTransient reports whether an error says something about the state of the cluster rather than about the request, and
// may go away: the cluster is unreachable, starting or overloaded, or its disks are full.
func IsTransient(err error) bool {
	_, isUnreachable := errors.AsType[*unreachable](err)
	isLate := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNotAcknowledged)
	if isUnreachable || isLate {
		return true
	}

	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return false
	}
	isOverloaded := f.Status == http.StatusTooManyRequests || f.Status == http.StatusRequestTimeout
	return isOverloaded || f.Status >= 500
}

// Remedy returns what an operator can do about a transient error that has lasted.
func Remedy(err error) string {
	switch {
	case IsFailure(err, 0, "cluster_block_exception"):
		return "check the disks of the nodes (GET _cat/allocation), which accept no documents above the flood-stage " +
			"watermark, and free some space"
	case IsFailure(err, http.StatusTooManyRequests):
		return "the cluster is overloaded: give it more memory and processors, or choose a time with less traffic"
	default:
		return "check that the nodes are running and healthy (GET _cluster/health)"
	}
}

package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"freelancer-matching/internal/retry"
)

// pace is how often things are done that tests do not want to wait for.
type pace struct {
	retry, mostRetry time.Duration // the waits between tries, the first and the longest
	attempt          time.Duration // bound of one try
	renewal          time.Duration // of the lock
	stale            time.Duration // a lock that was not renewed for so long may be taken over …
	look             time.Duration // … unless it was renewed once this is over
}

func defaultPace() pace {
	return pace{
		retry: 100 * time.Millisecond, mostRetry: 5 * time.Second,
		attempt: 90 * time.Second, // Elasticsearch itself waits a minute for a shard
		renewal: 5 * time.Second, stale: 30 * time.Second, look: 6 * time.Second,
	}
}

// insist tries until it succeeds, fails for good, or the patience of an indexer is over. try must be idempotent: the
// answer to one that succeeded may be lost.
func (e *Engine) insist(ctx context.Context, doing string, try func(ctx context.Context) error) error {
	p := patience{engine: e, doing: doing}
	for {
		err := e.attempt(ctx, try)
		if err == nil {
			p.recovered(ctx)
			return nil
		}
		if err := p.wait(ctx, err); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
}

// attempt is one try, bounded.
func (e *Engine) attempt(ctx context.Context, try func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.options.pace.attempt)
	defer cancel()
	return try(ctx)
}

// patience keeps the account of tries that failed, one after the other.
type patience struct {
	engine  *Engine
	doing   string
	failing time.Time // since when; zero: the last try succeeded
	tries   int       // that failed since
}

// wait waits before the next try. It fails when there should be none: the failure is for good, ctx ended, or nothing
// succeeded for too long.
func (p *patience) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !passing(err) {
		return err
	}
	o, now := &p.engine.options, time.Now()
	if p.failing.IsZero() {
		p.failing, p.tries = now, 0
		o.Log.WarnContext(ctx, "Elasticsearch does not take this now; trying again", "doing", p.doing, "error", err,
			"patience", o.RetryFor)
	}
	left := o.RetryFor - now.Sub(p.failing)
	if left <= 0 {
		return fmt.Errorf("gave up after %d tries in %s: %w: %s, and load again", p.tries+1, now.Sub(p.failing).Round(time.Millisecond), err, remedy(err))
	}
	wait := min(left, retry.Backoff(p.tries, o.pace.retry, o.pace.mostRetry))
	p.tries++
	return retry.Sleep(ctx, wait)
}

// recovered starts the account anew after a try that got anything done.
func (p *patience) recovered(ctx context.Context) {
	if !p.failing.IsZero() {
		p.engine.options.Log.InfoContext(ctx, "Elasticsearch takes this again", "doing", p.doing, "tries", p.tries+1,
			"seconds", time.Since(p.failing).Seconds())
	}
	p.failing = time.Time{}
}

// passing reports whether a failure may pass by itself: the cluster is away, starting, overloaded, or its disk is full.
func passing(err error) bool {
	if _, ok := errors.AsType[*unreachable](err); ok || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNotAcknowledged) {
		return true
	}
	f, ok := errors.AsType[*Failure](err)
	return ok && (f.Status == http.StatusTooManyRequests || f.Status == http.StatusRequestTimeout || f.Status >= 500)
}

// remedy is what whoever runs the cluster can do about a failure that did not pass.
func remedy(err error) string {
	switch {
	case failed(err, 0, "cluster_block_exception"):
		return "look at the disks of the nodes (GET _cat/allocation): above the flood-stage watermark indexes take no documents; free space"
	case failed(err, http.StatusTooManyRequests):
		return "the cluster has more to do than it can: give it more memory and processors, or choose a time with less traffic"
	default:
		return "see whether the nodes run and are well (GET _cluster/health)"
	}
}

package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/retry"
)

// After maxFailures failed calls in a row, no calls are sent for pause; then a single call tests the server.
const (
	maxFailures = 5
	pause       = 10 * time.Second
)

// The first retry waits for about firstWait, and the wait doubles with every further one. If a server asks for more
// than longestWait, there is no retry.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = time.Minute
)

// caller limits the calls to one server: their time, their number of attempts, and how many run at once, for all
// accounts and for each. It stops calling a server that keeps failing.
type caller struct {
	timeout     time.Duration // of one attempt
	attempts    int
	concurrency int
	gate        *admission.Gate // by account
	breaker     *gobreaker.CircuitBreaker[struct{}]
	log         *slog.Logger
}

// newCaller returns a caller that makes up to concurrency calls at once, and up to perAccount of them for one account.
// The observer of its gate, which has the given name, may be nil.
func newCaller(
	name string, timeout time.Duration, attempts, concurrency, perAccount int, o admission.Observer, log *slog.Logger,
) *caller {
	limits := admission.Limits{Slots: concurrency, PerKey: perAccount}
	return &caller{
		timeout: timeout, attempts: attempts, concurrency: concurrency, log: log,
		gate: admission.NewGate(name, limits, o),
		breaker: gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
			Timeout:      pause,
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= maxFailures },
			IsSuccessful: isAlive,
			// A client that hung up says nothing about the server.
			IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
			OnStateChange: func(_ string, _, to gobreaker.State) {
				switch to {
				case gobreaker.StateOpen:
					log.Warn("model server keeps failing; calls are paused", "for", pause)
				case gobreaker.StateClosed:
					log.Info("model server is back")
				case gobreaker.StateHalfOpen: // the next call decides
				}
			},
		}),
	}
}

// isAlive reports whether err may come from a server that works. Rate limits and wrong settings don't mean that it is
// down.
func isAlive(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return !ok || !errors.Is(f.kind, ErrUnavailable) || f.alive
}

// do makes a call for an account. It repeats it until it succeeds, fails permanently, or runs out of attempts. It never
// waits past ctx's deadline: if the next attempt would come too late, it returns the last error at once.
func (c *caller) do(ctx context.Context, account string, call func(context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := c.attempt(ctx, account, call)
		f, ok := errors.AsType[*failure](err)
		isTemporary := ok && errors.Is(f.kind, ErrUnavailable) && !f.final
		if c.attempts == 1 || !isTemporary {
			return err
		}

		// A wait that ends after the deadline would only replace a precise error by a timeout.
		wait := max(f.retryAfter, retry.Backoff(attempt-1, firstWait, longestWait))
		deadline, bounded := ctx.Deadline()
		isTooLong := wait > longestWait || bounded && time.Until(deadline) <= wait
		if attempt == c.attempts || isTooLong {
			return fmt.Errorf("gave up after attempt %d of %d: %w", attempt, c.attempts, err)
		}

		c.log.Warn("retrying the model server", "attempt", attempt, "wait", wait, "error", err)
		_ = retry.Sleep(ctx, wait) // if ctx ends first, the next attempt reports it
	}
}

// attempt makes a single call, once a slot is free for the account and if the breaker allows it.
func (c *caller) attempt(ctx context.Context, account string, call func(context.Context) error) error {
	leave, err := c.gate.Enter(ctx, account)
	if err == nil {
		defer leave()
		err = ctx.Err() // a call that starts too late says nothing about the server
	}

	// A canceled request needs no explanation. Running out of time in the queue is a failure to act on.
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("call the model server: %w", err)
	case err != nil:
		text := fmt.Sprintf("time ran out while waiting for one of %d concurrent calls to finish", c.concurrency)
		return &failure{kind: ErrUnavailable, text: text, cause: err}
	}

	_, err = c.breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		return struct{}{}, call(ctx)
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		text := fmt.Sprintf("calls are paused for %v after %d failures in a row", pause, maxFailures)
		return &failure{kind: ErrUnavailable, text: text, cause: err}
	}

	return err
}

package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"

	"freelancer-matching/internal/retry"
)

// A server that failed breakAfter calls in a row is left alone for breakFor; then one call finds out whether it is back.
const (
	breakAfter = 5
	breakFor   = 10 * time.Second
)

// The wait before the second try is firstWait, or up to a half shorter, so that callers do not come back all at once. It
// doubles with every try. A server that asks for more than longestWait is not waited for.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = time.Minute
)

// patience is how much the calls to one server may take: time, tries, and calls at once.
type patience struct {
	timeout time.Duration // for one try
	tries   int
	slots   chan struct{} // one element for each call under way
	breaker *gobreaker.CircuitBreaker[struct{}]
	log     *slog.Logger
}

func newPatience(timeout time.Duration, tries, concurrency int, log *slog.Logger) *patience {
	return &patience{
		timeout: timeout, tries: tries, slots: make(chan struct{}, concurrency), log: log,
		breaker: gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
			Timeout:      breakFor,
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
			IsSuccessful: isAlive,
			// A client that hung up says nothing about the server.
			IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
			OnStateChange: func(_ string, _, to gobreaker.State) {
				switch to {
				case gobreaker.StateOpen:
					log.Warn("the model server keeps failing and is left alone", "for", breakFor)
				case gobreaker.StateClosed:
					log.Info("the model server is back")
				case gobreaker.StateHalfOpen: // the next call will tell
				}
			},
		}),
	}
}

// isAlive reports whether the server answered what a working one may answer: a limit or a wrong setting is not its end.
func isAlive(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return !ok || !errors.Is(f.kind, ErrUnavailable) || f.alive
}

// do makes a call until it succeeds, fails for good, or tries or time run out. It never waits past ctx's deadline: where
// the next try would come too late, the last failure is returned at once.
func (p *patience) do(ctx context.Context, call func(context.Context) error) error {
	for try := 1; ; try++ {
		err := p.try(ctx, call)
		if f, ok := errors.AsType[*failure](err); !ok || p.tries == 1 || !errors.Is(f.kind, ErrUnavailable) || f.final {
			return err
		}
		wait := waitAfter(err, try)
		deadline, bounded := ctx.Deadline()
		if try == p.tries || wait > longestWait || bounded && time.Until(deadline) <= wait {
			return fmt.Errorf("gave up after try %d of %d: %w", try, p.tries, err)
		}
		p.log.Warn("try the model server again", "try", try, "wait", wait, "error", err)
		_ = retry.Sleep(ctx, wait) // if ctx ends first, the next try reports it
	}
}

// try makes a call once: when a slot is free and the breaker lets it pass.
func (p *patience) try(ctx context.Context, call func(context.Context) error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
	}
	switch err := ctx.Err(); { // also with a slot: a call that is late from the start says nothing about the server
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("ask the model server: %w", err)
	case err != nil:
		text := fmt.Sprintf("time ran out before the call, of which %d go at once", cap(p.slots))
		return &failure{kind: ErrUnavailable, text: text, cause: err}
	}
	_, err := p.breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, p.timeout)
		defer cancel()
		return struct{}{}, call(ctx)
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		text := fmt.Sprintf("it failed %d times in a row and is left alone for %v", breakAfter, breakFor)
		return &failure{kind: ErrUnavailable, text: text, cause: err}
	}
	return err
}

// waitAfter is how long to wait after the given failed try: what the server asked for, or a growing time of our own.
func waitAfter(err error, try int) time.Duration {
	wait := retry.Backoff(try-1, firstWait, longestWait)
	if f, ok := errors.AsType[*failure](err); ok {
		wait = max(wait, f.retryAfter)
	}
	return wait
}

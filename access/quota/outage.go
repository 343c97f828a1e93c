package quota

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/freelancer-matching/service/internal/tracing"
)

const (
	// tripAfter is the number of consecutive failures after which requests are refused without calling the store.
	tripAfter = 5
	// retryInterval is how long the store is left alone before one request probes it again.
	retryInterval = time.Second
	// recoveryPeriod is how long calls must succeed before an outage has ended, so that a store that fails now and then
	// causes one outage in the log rather than many.
	recoveryPeriod = 10 * time.Second
)

// errAbandoned reports that the caller left before the store answered. It says nothing about the store's health.
var errAbandoned = errors.New("the request ended before it was counted")

func newBreaker() *gobreaker.CircuitBreaker[Decision] {
	return gobreaker.NewCircuitBreaker[Decision](gobreaker.Settings{
		Name: "quota", MaxRequests: 1, Timeout: retryInterval,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsExcluded:  func(err error) bool { return errors.Is(err, errAbandoned) },
	})
}

// call runs one store operation behind the circuit breaker and records outages. It returns errAbandoned if ctx ended
// before the operation or was canceled during it.
func (q *Quota) call(
	ctx context.Context, now time.Time, operation func() (after Windows, taken bool, err error),
) (Decision, error) {
	if ctx.Err() != nil {
		return Decision{}, errAbandoned
	}

	_, span := tracing.Start(ctx, "quota")
	d, err := q.breaker.Execute(func() (Decision, error) {
		after, taken, err := operation()
		// An expired deadline counts against the store: it did not answer in all that time.
		if err != nil && errors.Is(ctx.Err(), context.Canceled) {
			err = errAbandoned
		}

		if err != nil {
			return Decision{}, err
		}

		return decide(now, after, taken), nil
	})

	span.End(err)
	switch {
	case err == nil:
		q.outage.succeeded(now, q.config.Log)
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		err = q.outage.skipped(now, err)
	case !errors.Is(err, errAbandoned):
		q.outage.failed(now, err, q.config.Log)
	}

	return d, err
}

// outage is a period in which calls to the store fail. Its beginning and its end are logged once each.
type outage struct {
	ongoing atomic.Bool  // read by every request without locking
	refused atomic.Int64 // requests refused during the outage

	mu          sync.Mutex // guards the fields below
	began       time.Time
	lastFailure time.Time
	cause       error // of the last call that failed
}

// skipped records that the circuit breaker skipped the store. It returns err with the failure that made it do so.
func (o *outage) skipped(now time.Time, err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lastFailure = now
	return fmt.Errorf("%w after a failure: %w", err, o.cause)
}

func (o *outage) failed(now time.Time, err error, log *slog.Logger) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lastFailure = now
	o.cause = err
	if o.ongoing.Load() {
		return
	}
	o.began = now
	o.refused.Store(0)
	o.ongoing.Store(true)
	log.Error("quota store unavailable; refusing requests of limited plans", "error", err)
}

func (o *outage) succeeded(now time.Time, log *slog.Logger) {
	if !o.ongoing.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ongoing.Load() || now.Sub(o.lastFailure) < recoveryPeriod {
		return
	}
	o.ongoing.Store(false)
	log.Warn("quota store available again", "duration", o.lastFailure.Sub(o.began), "refused", o.refused.Load())
}

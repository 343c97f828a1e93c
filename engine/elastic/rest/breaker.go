package rest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"
)

// ErrUnavailable is returned without sending a request after several requests in a row have failed.
//
//nolint:staticcheck // a proper noun
var ErrUnavailable = errors.New("Elasticsearch failed repeatedly; retry in a second")

const (
	// TripAfter is the number of consecutive failures that open the circuit breaker.
	TripAfter = 5
	// OpenFor is how long the breaker stays open before it lets one request through as a probe.
	OpenFor = time.Second
)

// newBreaker returns a circuit breaker for searches. It spares clients the wait for a cluster that is down, and spares
// a recovering cluster a flood of requests.
func newBreaker(log *slog.Logger) *gobreaker.CircuitBreaker[struct{}] {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "elasticsearch", MaxRequests: 1, Timeout: OpenFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= TripAfter },
		IsSuccessful: func(err error) bool { return !IsTransient(err) },
		// A canceled request says nothing about the cluster.
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			log.Warn("Elasticsearch circuit breaker changed", "from", from.String(), "to", to.String())
		},
	})
}

// Ask sends a request of a search through the circuit breaker. An incomplete answer is an error.
func (c *Client) Ask(ctx context.Context, r Request, out any) error {
	if ctx.Err() != nil {
		return ContextError(ctx)
	}
	_, err := c.breaker.Execute(func() (none struct{}, err error) {
		if err = c.Do(ctx, r, out); err != nil {
			return none, err
		}
		if a, ok := out.(SearchAnswer); ok {
			err = a.CheckComplete()
		}
		return none, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return ErrUnavailable
	}
	return err
}

package elastic

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
	// tripAfter is the number of consecutive failures that open the circuit breaker.
	tripAfter = 5
	// openFor is how long the breaker stays open before it lets one request through as a probe.
	openFor = time.Second
)

// newBreaker returns a circuit breaker for searches. It spares clients the wait for a cluster that is down, and spares
// a recovering cluster a flood of requests.
func newBreaker(log *slog.Logger) *gobreaker.CircuitBreaker[struct{}] {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "elasticsearch", MaxRequests: 1, Timeout: openFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !transient(err) },
		// A canceled request says nothing about the cluster.
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			log.Warn("Elasticsearch circuit breaker changed", "from", from.String(), "to", to.String())
		},
	})
}

// ask sends a request of a search through the circuit breaker. An incomplete answer is an error.
func (e *Engine) ask(ctx context.Context, r request, out any) error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	_, err := e.breaker.Execute(func() (none struct{}, err error) {
		if err = e.client.do(ctx, r, out); err != nil {
			return none, err
		}
		if a, ok := out.(searchAnswer); ok {
			err = a.complete()
		}
		return none, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return ErrUnavailable
	}
	return err
}

package elastic

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/sony/gobreaker/v2"
)

// ErrUnavailable is the failure of a call that was not even sent, because those before it failed.
var ErrUnavailable = errors.New("Elasticsearch did not answer the calls before; the next try follows shortly") //nolint:staticcheck // a name

const (
	// tripAfter so many failed calls in a row no more are sent.
	tripAfter = 5
	// restFor so long; then one call shows whether the cluster is back.
	restFor = time.Second
)

// newBreaker keeps those who ask from waiting for a cluster that is away, and a cluster that comes back from being
// overrun.
func newBreaker(log *slog.Logger) *gobreaker.CircuitBreaker[struct{}] {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "elasticsearch", MaxRequests: 1, Timeout: restFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !weak(err) },
		// A client that went away says nothing of the cluster, neither good nor bad.
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			log.Warn("calls to Elasticsearch", "before", from.String(), "now", to.String())
		},
	})
}

// weak reports whether a failure tells of the state of the cluster, and not of the request.
func weak(err error) bool {
	if _, ok := errors.AsType[*unreachable](err); ok || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	f, ok := errors.AsType[*Failure](err)
	return ok && (f.Status == http.StatusTooManyRequests || f.Status >= 500)
}

// ask sends a request of those who search. An answer that is not complete is a failure.
func (e *Engine) ask(ctx context.Context, r request, out any) error {
	if ctx.Err() != nil {
		return ended(ctx)
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

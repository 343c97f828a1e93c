package quota

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// tripAfter so many failures of the store in a row it is not asked any more, so that it costs a request nothing.
	tripAfter = 5
	// rest is how long it is not asked; then one request shows whether it is back.
	rest = time.Second
	// calm is how long no call may fail before an outage is over: a store that fails now and then is one outage, not many.
	calm = 10 * time.Second
)

// errAbandoned is what a call ended with when whoever asked had gone. It says nothing of the store.
var errAbandoned = errors.New("the request ended before its count")

func newCircuit() *gobreaker.CircuitBreaker[Decision] {
	return gobreaker.NewCircuitBreaker[Decision](gobreaker.Settings{
		Name: "quota", MaxRequests: 1, Timeout: rest,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsExcluded:  func(err error) bool { return errors.Is(err, errAbandoned) },
	})
}

// ask asks the store, unless it failed too often just now, and keeps book of its outages.
func (q *Quota) ask(ctx context.Context, now time.Time, call func() (Windows, bool, error)) (Decision, error) {
	if ctx.Err() != nil {
		return Decision{}, errAbandoned
	}
	d, err := q.circuit.Execute(func() (Decision, error) {
		after, taken, err := call()
		// A deadline that passes meanwhile is no such end: the store has not answered in all that time.
		if err != nil && errors.Is(ctx.Err(), context.Canceled) {
			err = errAbandoned
		}
		if err != nil {
			return Decision{}, err
		}
		return decide(now, after, taken), nil
	})
	switch {
	case err == nil:
		q.outage.answered(now, q.config.Log)
	case errors.Is(err, errAbandoned):
	default:
		q.outage.failed(now, err, q.config.Fallback, q.config.Log)
	}
	return d, err
}

// outage is a time in which calls of the store fail. Its beginning and its end are logged, once each.
type outage struct {
	mu sync.Mutex // guards all but running

	running          atomic.Bool // looked at by every request, without waiting
	began, last      time.Time   // the first failure, and the last one
	allowed, refused int         // requests decided without the store
}

// failed is told of every request that had no answer from the store.
func (o *outage) failed(now time.Time, err error, policy Fallback, log *slog.Logger) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = now
	if o.running.Load() {
		return
	}
	o.began, o.allowed, o.refused = now, 0, 0
	o.running.Store(true)
	if policy == Local {
		log.Error("the store of the quotas does not answer; this server decides alone, with a share of every allowance", "error", err)
	} else {
		log.Error("the store of the quotas does not answer; requests of limited plans are refused", "error", err)
	}
}

// decided counts a request that was decided without the store.
func (o *outage) decided(allowed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if allowed {
		o.allowed++
	} else {
		o.refused++
	}
}

// answered is told of every answer of the store.
func (o *outage) answered(now time.Time, log *slog.Logger) {
	if !o.running.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.running.Load() || now.Sub(o.last) < calm {
		return
	}
	o.running.Store(false)
	log.Warn("the store of the quotas answers again", "out_for", o.last.Sub(o.began), "allowed_alone", o.allowed, "refused", o.refused)
}

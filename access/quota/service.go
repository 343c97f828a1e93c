package quota

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/sony/gobreaker/v2"

	"freelancer-matching/internal/matching"
)

// Fallback is what happens to requests while the store does not answer.
type Fallback string

// The fallbacks.
const (
	// Refuse serves none of them: CodeUnavailable.
	Refuse Fallback = "refuse"
	// Local counts them in the memory of this process, with a share of both windows.
	Local Fallback = "local"
)

// What an Observer is told of a decision.
const (
	allowed      = "allowed"
	unavailable  = "unavailable" // refused, because the store did not answer
	localAllowed = "local_allowed"
	localRefused = "local_refused"
)

// Observer is told of every decision of Take: allowed, minute or month (the window that refused), unavailable, local_allowed,
// local_refused.
type Observer interface {
	Decided(outcome string)
}

// Config is what a Quota is made of.
type Config struct {
	Store    Store
	Now      func() time.Time // asked once for each request
	Fallback Fallback         // "": Refuse
	Share    float64          // of both windows, rounded down but at least 1 request, for Local; over 0, up to 1
	Log      *slog.Logger
	Observer Observer // nil: nobody
}

// Quota decides requests. It is safe for concurrent use.
type Quota struct {
	config  Config
	circuit *gobreaker.CircuitBreaker[Decision]
	outage  outage
	local   *Memory
}

// New is a Quota on a store.
func New(c Config) *Quota {
	return &Quota{config: c, circuit: newCircuit(), local: NewMemory()}
}

// Take uses one request of an allowance, and decides whether it is allowed: see Decision.Err. An error means that it could not
// be decided: ctx was over before the store was asked, or was cancelled; or the store does not answer, until ctx's deadline at the
// latest, and the policy is to refuse, which is a matching.Error with CodeUnavailable.
// Whether the store has counted such a request is open: its answer may be what was lost.
func (q *Quota) Take(ctx context.Context, a Allowance) (Decision, error) {
	now := q.config.Now()
	w := a.windows(now)
	d, err := q.ask(ctx, now, func() (Windows, bool, error) { return q.config.Store.Take(ctx, a.Subject, w) })
	switch {
	case err == nil && d.Allowed:
		q.tell(allowed)
		return d, nil
	case err == nil:
		q.tell(d.Tightest().Name)
		return d, nil
	case errors.Is(err, errAbandoned):
		return Decision{}, fmt.Errorf("count a request: %w", ctx.Err())
	case q.config.Fallback == Local:
		w = q.share(w)
		after, taken, _ := q.local.Take(ctx, a.Subject, w) // memory does not fail
		outcome := localRefused
		if taken {
			outcome = localAllowed
		}
		q.tell(outcome)
		q.outage.decided(taken)
		return degraded(now, after, taken), nil
	default:
		q.tell(unavailable)
		q.outage.decided(false)
		return Decision{}, errUnavailable(err)
	}
}

// Peek tells how a request would be decided, and takes nothing. Errors are those of Take.
func (q *Quota) Peek(ctx context.Context, a Allowance) (Decision, error) {
	now := q.config.Now()
	w := a.windows(now)
	d, err := q.ask(ctx, now, func() (Windows, bool, error) {
		stand, err := q.config.Store.Peek(ctx, a.Subject, w)
		return stand, stand.left(), err
	})
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, errAbandoned):
		return Decision{}, fmt.Errorf("look at what is used: %w", ctx.Err())
	case q.config.Fallback == Local:
		stand, _ := q.local.Peek(ctx, a.Subject, q.share(w)) // memory does not fail
		return degraded(now, stand, stand.left()), nil
	default:
		return Decision{}, errUnavailable(err)
	}
}

func (q *Quota) tell(outcome string) {
	if q.config.Observer != nil {
		q.config.Observer.Decided(outcome)
	}
}

// share is the local part of both windows.
func (q *Quota) share(w Windows) Windows {
	of := func(limit int) int {
		const rounding = 1e-9 // 0.29 × 100 is a hair under 29
		return max(1, int(math.Floor(float64(limit)*q.config.Share+rounding)))
	}
	w.Minute.Limit, w.Month.Limit = of(w.Minute.Limit), of(w.Month.Limit)
	return w
}

// left reports whether both windows have one left.
func (w Windows) left() bool { return w.Minute.Left() > 0 && w.Month.Left() > 0 }

func degraded(now time.Time, w Windows, allowed bool) Decision {
	d := decide(now, w, allowed)
	d.Degraded = true
	return d
}

func errUnavailable(cause error) error {
	return &matching.Error{
		Code: CodeUnavailable, RetryAfter: rest, Cause: cause,
		Message: fmt.Sprintf("requests of limited plans cannot be counted at the moment, and are not served uncounted; try again in %s",
			seconds(rest)),
	}
}

package quota

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
)

// failing is a store whose failure can be set.
type failing struct {
	*Memory
	err   error
	calls int
}

func (f *failing) Take(ctx context.Context, subject string, w Windows) (Windows, bool, error) {
	if f.calls++; f.err != nil {
		return Windows{}, false, f.err
	}
	return f.Memory.Take(ctx, subject, w)
}

func (f *failing) Peek(ctx context.Context, subject string, w Windows) (Windows, error) {
	if f.calls++; f.err != nil {
		return Windows{}, f.err
	}
	return f.Memory.Peek(ctx, subject, w)
}

// told counts what an Observer is told.
type told map[string]int

func (t told) Decided(outcome string) { t[outcome]++ }

var errAway = errors.New("connection refused")

// rig is a Quota in simulated time.
type rig struct {
	*Quota
	t     *testing.T
	store *failing
	told  told
	log   *bytes.Buffer
	a     Allowance
}

func newRig(t *testing.T, policy Fallback) *rig {
	r := &rig{t: t, store: &failing{Memory: NewMemory()}, told: told{}, log: &bytes.Buffer{}}
	r.a = Allowance{Subject: "a", Since: time.Now().Add(-time.Hour), PerMinute: 8, PerMonth: 100}
	r.Quota = New(Config{
		Store: r.store, Now: time.Now, Fallback: policy, Share: 0.25, Observer: r.told,
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})),
	})
	return r
}

// take expects a decision.
func (r *rig) take(allowed, degraded bool) Decision {
	r.t.Helper()
	d, err := r.Take(r.t.Context(), r.a)
	if err != nil || d.Allowed != allowed || d.Degraded != degraded {
		r.t.Fatalf("%+v (%v), want allowed %t, degraded %t", d, err, allowed, degraded)
	}
	return d
}

// unavailable expects that it cannot be decided.
func (r *rig) unavailable() {
	r.t.Helper()
	d, err := r.Take(r.t.Context(), r.a)
	e, ok := errors.AsType[*matching.Error](err)
	if !ok || e.Code != CodeUnavailable || e.RetryAfter != rest || e.Cause == nil || d.Allowed {
		r.t.Fatalf("%+v (%v), want %s", d, err, CodeUnavailable)
	}
}

// outcomes expects what the observer was told.
func (r *rig) outcomes(want told) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.told); diff != "" {
		r.t.Errorf("the observer was told (-want +got):\n%s", diff)
	}
}

func (r *rig) logged(want string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.log.String()); diff != "" {
		r.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Refuse)
		r.a.PerMinute, r.a.PerMonth = 2, 3
		r.take(true, false)
		if d, err := r.Peek(t.Context(), r.a); err != nil || !d.Allowed || d.Minute.Used != 1 || d.Month.Used != 1 {
			t.Errorf("peek: %+v (%v)", d, err)
		}
		r.take(true, false)
		d := r.take(false, false)
		if d.Tightest().Name != NameMinute || d.Month.Left() != 1 {
			t.Errorf("refused by the %s with %d left of the month", d.Tightest().Name, d.Month.Left())
		}
		time.Sleep(d.RetryAfter()) // simulated
		r.take(true, false)
		d = r.take(false, false)
		if d.Tightest().Name != NameMonth {
			t.Errorf("refused by the %s", d.Tightest().Name)
		}
		if d, err := r.Peek(t.Context(), r.a); err != nil || d.Allowed || d.Err() == nil {
			t.Errorf("peek: %+v (%v)", d, err)
		}
		time.Sleep(d.RetryAfter())
		r.take(true, false)
		r.outcomes(told{"allowed": 4, "minute": 1, "month": 1})
		r.logged("")
	})
}

func TestQuota_Refuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "")
		r.take(true, false)
		r.store.err = errAway
		for range 20 {
			r.unavailable()
		}
		if _, err := r.Peek(t.Context(), r.a); matching.CodeOf(err) != CodeUnavailable {
			t.Errorf("peek: %v", err)
		}
		if asked := r.store.calls - 1; asked != tripAfter {
			t.Errorf("a store that is away was asked %d times, want %d", asked, tripAfter)
		}
		time.Sleep(rest + 1)
		r.unavailable() // one looks whether it is back
		r.unavailable()
		if asked := r.store.calls - 1; asked != tripAfter+1 {
			t.Errorf("a store that is away was asked %d times, want %d", asked, tripAfter+1)
		}
		r.store.err = nil
		time.Sleep(rest + 1)
		if d := r.take(true, false); d.Minute.Used != 2 {
			t.Errorf("%d are used, want 2: what was not served costs nothing", d.Minute.Used)
		}
		time.Sleep(calm)
		r.take(true, false)
		r.outcomes(told{"allowed": 3, "unavailable": 22})
		r.logged(`level=ERROR msg="the store of the quotas does not answer; requests of limited plans are refused" error="connection refused"
level=WARN msg="the store of the quotas answers again" out_for=1.000000001s allowed_alone=0 refused=22
`)
	})
}

func TestQuota_Local(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Local)
		for range 3 {
			r.take(true, false)
		}
		r.store.err = errAway
		r.take(true, true)
		if d, err := r.Peek(t.Context(), r.a); err != nil || !d.Allowed || !d.Degraded || d.Minute.Used != 1 || d.Minute.Limit != 2 {
			t.Errorf("peek: %+v (%v)", d, err)
		}
		d := r.take(true, true)
		if d.Minute.Limit != 2 || d.Month.Limit != 25 {
			t.Errorf("the limits are %d and %d, want a quarter of 8 and 100", d.Minute.Limit, d.Month.Limit)
		}
		r.take(false, true)

		// It is back: what was allowed alone is not counted there, and the share of this minute is used up for another outage.
		r.store.err = nil
		time.Sleep(rest + 1)
		if d := r.take(true, false); d.Minute.Used != 4 {
			t.Errorf("%d are used, want 4", d.Minute.Used)
		}
		r.store.err = errAway
		r.take(false, true)
		time.Sleep(Minute)
		r.take(true, true)
		r.store.err = nil
		time.Sleep(calm)
		r.take(true, false)
		r.outcomes(told{"allowed": 5, "local_allowed": 3, "local_refused": 2})
		r.logged(`level=ERROR msg="the store of the quotas does not answer; this server decides alone, with a share of every allowance" error="connection refused"
level=WARN msg="the store of the quotas answers again" out_for=1m1.000000001s allowed_alone=3 refused=2
`)
	})
}

func TestQuota_Share(t *testing.T) {
	for _, c := range []struct {
		share       float64
		limit, want int
	}{{1, 100, 100}, {0.5, 100, 50}, {0.29, 100, 29}, {0.1, 1000, 100}, {0.5, 1, 1}, {0.01, 7, 1}, {0.33, 10, 3}} {
		q := New(Config{Share: c.share})
		got := q.share(Windows{Window{Limit: c.limit}, Window{Limit: c.limit}})
		if got.Minute.Limit != c.want || got.Month.Limit != c.want {
			t.Errorf("%g of %d is %d and %d, want %d", c.share, c.limit, got.Minute.Limit, got.Month.Limit, c.want)
		}
	}
}

// Whoever goes away says nothing of the store.
func TestQuota_AbandonedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Local)
		for range 3 * tripAfter {
			ctx, cancel := context.WithCancel(t.Context())
			r.store.err = context.Canceled
			cancel()
			if _, err := r.Take(ctx, r.a); !errors.Is(err, context.Canceled) {
				t.Fatalf("%v, want that it was cancelled", err)
			}
			if _, err := r.Peek(ctx, r.a); !errors.Is(err, context.Canceled) {
				t.Fatalf("%v, want that it was cancelled", err)
			}
		}
		r.store.err = nil
		r.take(true, false)
		r.outcomes(told{"allowed": 1})
		r.logged("")
	})
}

// cancelling is a store during whose answer the caller goes away.
type cancelling struct {
	Store
	cancel context.CancelFunc
}

func (c *cancelling) Take(context.Context, string, Windows) (Windows, bool, error) {
	c.cancel()
	return Windows{}, false, errAway
}

func TestQuota_AbandonedInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Refuse)
		for range 2 * tripAfter {
			ctx, cancel := context.WithCancel(t.Context())
			r.config.Store = &cancelling{r.store, cancel}
			if _, err := r.Take(ctx, r.a); !errors.Is(err, context.Canceled) {
				t.Fatalf("%v, want that it was cancelled", err)
			}
		}
		r.config.Store = r.store
		r.take(true, false)
		r.logged("")
	})
}

// hanging is a store that does not answer, such as a database whose tables somebody has locked.
type hanging struct{ Store }

func (hanging) Take(ctx context.Context, _ string, _ Windows) (Windows, bool, error) {
	<-ctx.Done()
	return Windows{}, false, ctx.Err()
}

func TestQuota_AStoreThatHangsDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Refuse)
		r.config.Store = hanging{r.store}
		take := func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := r.Take(ctx, r.a)
			return err
		}
		for range tripAfter {
			if err := take(10 * time.Second); matching.CodeOf(err) != CodeUnavailable {
				t.Fatalf("got %v, want %s", err, CodeUnavailable)
			}
		}
		began := time.Now()
		r.unavailable()
		if waited := time.Since(began); waited > 0 {
			t.Errorf("a request waited %s for a store that does not answer", waited)
		}
		if err := take(0); !errors.Is(err, context.DeadlineExceeded) { // before the store was asked: says nothing of it
			t.Errorf("got %v", err)
		}
		r.outcomes(told{"unavailable": tripAfter + 1})
		if !strings.Contains(r.log.String(), "does not answer") {
			t.Errorf("log: %s", r.log)
		}
	})
}

// A store that fails now and then is one outage in the log.
func TestQuota_Flickering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Local)
		for range 50 {
			r.store.err = errAway
			r.take(true, true)
			r.store.err = nil
			time.Sleep(Minute / 10)
			r.take(true, false)
			time.Sleep(Minute / 20)
			r.a.Subject += "a" // each with a share of its own
		}
		if lines := strings.Count(r.log.String(), "\n"); lines != 1 {
			t.Errorf("%d lines, want 1:\n%s", lines, r.log.String())
		}
	})
}

// However many ask while the store is away, each gets an answer, and together no more than the share.
func TestQuota_LocalIsExact(t *testing.T) {
	r := newRig(t, Local)
	r.config.Observer, r.a.PerMinute, r.a.PerMonth = nil, 1000, 40
	r.config.Store = away{}
	var group sync.WaitGroup
	var mu sync.Mutex
	allowed := 0
	for range 200 {
		group.Go(func() {
			d, err := r.Take(t.Context(), r.a)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || !d.Degraded {
				t.Errorf("%+v (%v)", d, err)
			}
			if d.Allowed {
				allowed++
			}
		})
	}
	group.Wait()
	if allowed != 10 {
		t.Errorf("%d requests were allowed, want a quarter of 40", allowed)
	}
}

// away is a store that never answers.
type away struct{}

func (away) Take(context.Context, string, Windows) (Windows, bool, error) {
	return Windows{}, false, errAway
}
func (away) Peek(context.Context, string, Windows) (Windows, error) { return Windows{}, errAway }

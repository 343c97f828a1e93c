package quota_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/internal/matching"
)

// flakyStore is a store whose calls can be made to fail.
type flakyStore struct {
	*quotatest.Memory
	fail  func(ctx context.Context) error // nil: calls succeed
	calls int
}

func (s *flakyStore) Take(ctx context.Context, subject string, w quota.Windows) (quota.Windows, bool, error) {
	if s.calls++; s.fail != nil {
		return quota.Windows{}, false, s.fail(ctx)
	}
	return s.Memory.Take(ctx, subject, w)
}

func (s *flakyStore) Peek(ctx context.Context, subject string, w quota.Windows) (quota.Windows, error) {
	if s.calls++; s.fail != nil {
		return quota.Windows{}, s.fail(ctx)
	}
	return s.Memory.Peek(ctx, subject, w)
}

func refuseConnection(context.Context) error { return errors.New("connection refused") }

// outcomes counts what an Observer receives.
type outcomes map[string]int

func (o outcomes) Decided(outcome string) { o[outcome]++ }

// fixture is a Quota in simulated time.
type fixture struct {
	*quota.Quota
	t        *testing.T
	store    *flakyStore
	observed outcomes
	log      *bytes.Buffer
	a        quota.Allowance
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{
		t: t, store: &flakyStore{Memory: quotatest.NewMemory()}, observed: outcomes{}, log: &bytes.Buffer{},
		a: quota.Allowance{Subject: "a", Since: time.Now().Add(-time.Hour), PerMinute: 8, PerMonth: 100},
	}
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	f.Quota = quota.New(quota.Config{
		Store: f.store, Now: time.Now, Observer: f.observed,
		Log: slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{ReplaceAttr: withoutTime})),
	})
	return f
}

func (f *fixture) wantDecision(allowed bool) quota.Decision {
	f.t.Helper()
	d, err := f.Take(f.t.Context(), f.a)
	if err != nil || d.Allowed != allowed {
		f.t.Fatalf("Take = %+v, %v; want Allowed %t", d, err, allowed)
	}
	return d
}

func (f *fixture) wantUnavailable() {
	f.t.Helper()
	d, err := f.Take(f.t.Context(), f.a)
	e, ok := errors.AsType[*matching.Error](err)
	if !ok || e.Code != quota.CodeUnavailable || e.RetryAfter != quota.RetryInterval || e.Cause == nil || d.Allowed {
		f.t.Fatalf("Take = %+v, %v; want an error with code %s", d, err, quota.CodeUnavailable)
	}
}

func (f *fixture) wantObserved(want outcomes) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.observed); diff != "" {
		f.t.Errorf("observed outcomes (-want +got):\n%s", diff)
	}
}

func (f *fixture) wantLog(want string) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.log.String()); diff != "" {
		f.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestQuota_EnforcesBothWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.a.PerMinute = 2
		f.a.PerMonth = 3
		f.wantDecision(true)

		if d, err := f.Peek(t.Context(), f.a); err != nil || !d.Allowed || d.Minute.Used != 1 || d.Month.Used != 1 {
			t.Errorf("Peek = %+v, %v; want 1 request used", d, err)
		}

		f.wantDecision(true)
		d := f.wantDecision(false)
		if d.Tightest().Name != quota.NameMinute || d.Month.Left() != 1 {
			t.Errorf("refused by the %s with %d left of the month", d.Tightest().Name, d.Month.Left())
		}

		time.Sleep(d.RetryAfter())
		f.wantDecision(true)
		d = f.wantDecision(false)
		if d.Tightest().Name != quota.NameMonth {
			t.Errorf("refused by the %s, want the month", d.Tightest().Name)
		}

		if d, err := f.Peek(t.Context(), f.a); err != nil || d.Allowed || d.Err() == nil {
			t.Errorf("Peek = %+v, %v; want a refusal", d, err)
		}

		time.Sleep(d.RetryAfter())
		f.wantDecision(true)
		f.wantObserved(outcomes{"allowed": 4, "minute": 1, "month": 1})
		f.wantLog("")
	})
}

func TestQuota_RefusesDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.wantDecision(true)
		f.store.fail = refuseConnection
		for range 20 {
			f.wantUnavailable()
		}

		if _, err := f.Peek(t.Context(), f.a); matching.CodeOf(err) != quota.CodeUnavailable {
			t.Errorf("Peek: %v, want %s", err, quota.CodeUnavailable)
		}

		if calls := f.store.calls - 1; calls != quota.TripAfter {
			t.Errorf("the failing store was called %d times, want %d", calls, quota.TripAfter)
		}

		time.Sleep(quota.RetryInterval + 1)
		f.wantUnavailable() // probes the store
		f.wantUnavailable()

		if calls := f.store.calls - 1; calls != quota.TripAfter+1 {
			t.Errorf("the failing store was called %d times, want %d", calls, quota.TripAfter+1)
		}

		f.store.fail = nil
		time.Sleep(quota.RetryInterval + 1)

		if d := f.wantDecision(true); d.Minute.Used != 2 {
			t.Errorf("%d requests are used, want 2: refused requests must not count", d.Minute.Used)
		}

		time.Sleep(quota.RecoveryPeriod)
		f.wantDecision(true)
		f.wantObserved(outcomes{"allowed": 3, "unavailable": 22})
		f.wantLog(`level=ERROR msg="quota store unavailable; refusing requests of limited plans" error="connection refused"
level=WARN msg="quota store available again" duration=1.000000001s refused=22
`)
	})
}

func TestQuota_IgnoresAbandonedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		for range 2 * quota.TripAfter {
			ctx, cancel := context.WithCancel(t.Context())
			f.store.fail = func(context.Context) error { cancel(); return errors.New("connection closed") }
			for _, when := range []string{"during the call", "before the call"} {
				if _, err := f.Take(ctx, f.a); !errors.Is(err, context.Canceled) {
					t.Fatalf("canceled %s: Take: %v, want context.Canceled", when, err)
				}
			}

			if _, err := f.Peek(ctx, f.a); !errors.Is(err, context.Canceled) {
				t.Fatalf("Peek: %v, want context.Canceled", err)
			}
		}

		f.store.fail = nil
		f.wantDecision(true)
		f.wantObserved(outcomes{"allowed": 1})
		f.wantLog("")
	})
}

// A store that hangs, such as a database with locked tables, is as unavailable as one that refuses connections.
func TestQuota_StoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.store.fail = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		takeWithin := func(timeout time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			_, err := f.Take(ctx, f.a)
			return err
		}
		for range quota.TripAfter {
			if err := takeWithin(10 * time.Second); matching.CodeOf(err) != quota.CodeUnavailable {
				t.Fatalf("Take: %v, want %s", err, quota.CodeUnavailable)
			}
		}

		before := time.Now()
		f.wantUnavailable()
		if waited := time.Since(before); waited > 0 {
			t.Errorf("a request waited %s for a store that is known to hang", waited)
		}

		if err := takeWithin(0); !errors.Is(err, context.DeadlineExceeded) { // the deadline passed before the call
			t.Errorf("Take: %v, want context.DeadlineExceeded", err)
		}

		f.wantObserved(outcomes{"unavailable": quota.TripAfter + 1})

		if !strings.Contains(f.log.String(), "quota store unavailable") {
			t.Errorf("the outage is missing from the log: %s", f.log)
		}
	})
}

func TestQuota_LogsIntermittentFailuresAsOneOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		for range 50 {
			f.store.fail = refuseConnection
			f.wantUnavailable()
			f.store.fail = nil
			time.Sleep(quota.RecoveryPeriod - time.Second)
			f.wantDecision(true)
			time.Sleep(time.Second)
		}
		if lines := strings.Count(f.log.String(), "\n"); lines != 1 {
			t.Errorf("%d lines in the log, want 1:\n%s", lines, f.log)
		}
	})
}

// Check counts nothing, and reports refusals only.
func TestQuota_Check(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.a.PerMinute = 1
		if d, err := f.Check(t.Context(), f.a, 1); err != nil || !d.Allowed {
			t.Errorf("Check = %+v, %v; want it allowed", d, err)
		}
		f.wantObserved(outcomes{})
		f.wantDecision(true)
		if d, err := f.Check(t.Context(), f.a, 1); err != nil || d.Allowed || d.Minute.Used != 1 {
			t.Errorf("Check = %+v, %v; want a refusal", d, err)
		}
		f.store.fail = refuseConnection
		if _, err := f.Check(t.Context(), f.a, 1); matching.CodeOf(err) != quota.CodeUnavailable {
			t.Errorf("Check: %v, want %s", err, quota.CodeUnavailable)
		}
		f.wantObserved(outcomes{"allowed": 1, quota.NameMinute: 1, "unavailable": 1})
	})
}

// Several requests are allowed only together, and the refusal says how many fit.
func TestQuota_CheckSeveral(t *testing.T) {
	for _, test := range []struct {
		perMinute, perMonth, n int
		code                   matching.Code
		message                string
	}{
		{perMinute: 20, perMonth: 100, n: 19},
		{20, 100, 20, quota.CodeRateLimit, "These 20 requests exceed what is left of the plan's 20 requests per minute. " +
			"Send at most 19 at once, or wait. The next minute begins in "},
		{100, 20, 20, quota.CodeQuota, "These 20 requests exceed what is left of the plan's 20 requests per 30 days. " +
			"Send at most 19 at once, or wait. The next 30 days begin at "},
		{10, 20, 20, quota.CodeQuota, "Send at most 9 at once"},
		{1, 20, 5, quota.CodeRateLimit, "This key has used all of its plan's 1 request per minute."},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			f.a.PerMinute = test.perMinute
			f.a.PerMonth = test.perMonth
			f.wantDecision(true)
			d, err := f.Check(t.Context(), f.a, test.n)
			if err != nil || d.Allowed != (test.code == "") {
				t.Fatalf("%+v: Check = %+v, %v", test, d, err)
			}

			if refusal := d.Err(); matching.CodeOf(refusal) != test.code ||
				refusal != nil && !strings.Contains(refusal.Error(), test.message) {
				t.Errorf("%+v: %v", test, refusal)
			}

			if d, err := f.Peek(t.Context(), f.a); err != nil || d.Month.Used != 1 {
				t.Errorf("%+v: %d requests counted, want 1 (%v)", test, d.Month.Used, err)
			}
		})
	}
}

// The message of a refused request begins with the fault of the database, even while the circuit breaker skips it.
func TestQuota_NamesTheFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.store.fail = func(context.Context) error {
			return fmt.Errorf("count: %w", &matching.Error{
				Code: matching.CodeStorageFull, Message: "The disk is full.", RetryAfter: time.Minute,
			})
		}
		for range 2 * quota.TripAfter {
			_, err := f.Take(t.Context(), f.a)
			e, _ := errors.AsType[*matching.Error](err)
			if e == nil || e.Code != quota.CodeUnavailable || e.RetryAfter != time.Minute ||
				!strings.HasPrefix(e.Message, "The disk is full. ") {
				t.Fatalf("Take: %+v, want %s because the disk is full", e, quota.CodeUnavailable)
			}
		}
	})
}

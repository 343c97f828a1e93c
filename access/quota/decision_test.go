package quota_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/internal/matching"
)

var (
	minuteStart = time.Date(2026, 3, 9, 12, 30, 0, 0, time.UTC)
	monthStart  = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	decidedAt   = minuteStart.Add(25500 * time.Millisecond)
)

func windows(minuteUsed, minuteLimit, monthUsed, monthLimit int) quota.Windows {
	return quota.Windows{
		Minute: quota.Window{Start: minuteStart, Limit: minuteLimit, Used: minuteUsed},
		Month:  quota.Window{Start: monthStart, Limit: monthLimit, Used: monthUsed},
	}
}

func TestDecision_Allowed(t *testing.T) {
	for _, tt := range []struct {
		name     string
		windows  quota.Windows
		tightest string
	}{
		{"one left of the month", windows(1, 100, 4999, 5000), quota.NameMonth},
		{"two left of the minute", windows(98, 100, 12, 5000), quota.NameMinute},
		{"ten left of both", windows(90, 100, 4990, 5000), quota.NameMonth},
		{"none left of the minute", windows(100, 100, 12, 5000), quota.NameMinute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := quota.Decide(decidedAt, tt.windows, true)
			if got := d.Tightest().Name; got != tt.tightest {
				t.Errorf("the tightest window is the %s, want the %s", got, tt.tightest)
			}

			if d.RetryAfter() != 0 || d.Err() != nil {
				t.Errorf("RetryAfter = %v, Err = %v; want neither", d.RetryAfter(), d.Err())
			}
		})
	}
}

func TestDecision_Refused(t *testing.T) {
	monthEndsFirst := windows(2, 2, 3, 3)
	monthEndsFirst.Month.Start = minuteStart.Add(50*time.Second - quota.Month)
	const (
		untilMinuteEnds = 34500 * time.Millisecond
		perMonth        = "This key has used all of its plan's 5000 requests per 30 days. " +
			"The next 30 days begin at 2026-03-31T08:00:00Z."
	)

	untilMonthEnds := monthStart.Add(quota.Month).Sub(decidedAt)
	for _, tt := range []struct {
		name       string
		windows    quota.Windows
		code       matching.Code
		retryAfter time.Duration
		message    string
	}{
		{
			"by the minute", windows(100, 100, 12, 5000), quota.CodeRateLimit, untilMinuteEnds,
			"This key has used all of its plan's 100 requests per minute. The next minute begins in 35 s.",
		},
		{"by the month", windows(99, 100, 5000, 5000), quota.CodeQuota, untilMonthEnds, perMonth},
		{"by both", windows(100, 100, 5000, 5000), quota.CodeQuota, untilMonthEnds, perMonth},
		{
			"by both, and the month ends first", monthEndsFirst, quota.CodeRateLimit, untilMinuteEnds,
			"This key has used all of its plan's 2 requests per minute. The next minute begins in 35 s.",
		},
		{
			"with a limit of 1", windows(1, 1, 1, 2), quota.CodeRateLimit, untilMinuteEnds,
			"This key has used all of its plan's 1 request per minute. The next minute begins in 35 s.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := quota.Decide(decidedAt, tt.windows, false)
			if d.RetryAfter() != tt.retryAfter {
				t.Errorf("RetryAfter = %v, want %v", d.RetryAfter(), tt.retryAfter)
			}
			e, ok := errors.AsType[*matching.Error](d.Err())
			if !ok || e.Code != tt.code || e.Message != tt.message || e.RetryAfter != tt.retryAfter {
				t.Errorf("Err = %+v\nwant %s after %v: %s", e, tt.code, tt.retryAfter, tt.message)
			}
		})
	}
}

// Whatever a store answers, the decision is consistent. In particular, RetryAfter never ends too early.
func TestDecision_Properties(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	store := quotatest.NewMemory()
	now := decidedAt
	for range 20_000 {
		now = now.Add(time.Duration(random.Int64N(int64(20 * time.Second))))
		if random.IntN(200) == 0 {
			now = now.Add(time.Duration(random.Int64N(int64(quota.Month))))
		}

		local := now.Add(-time.Duration(random.Int64N(int64(90 * time.Second)))) // by a clock that may lag
		a := quota.Allowance{Subject: "a", Since: monthStart, PerMinute: 1 + random.IntN(3), PerMonth: 1 + random.IntN(30)}
		w, taken, err := store.Take(t.Context(), a.Subject, a.Windows(local))
		if err != nil {
			t.Fatal(err)
		}

		d := quota.Decide(local, w, taken)
		tightest := d.Tightest()
		other := d.Minute
		if tightest.Name == quota.NameMinute {
			other = d.Month
		}

		switch {
		case d.Minute.Reset <= 0 || d.Month.Reset <= 0:
			t.Fatalf("a window has already ended: %+v", d)
		case tightest.Left() > other.Left() || tightest.Left() == other.Left() && tightest.End.Before(other.End):
			t.Fatalf("the other window is tighter: %+v", d)
		case taken != (d.Err() == nil), taken != (d.RetryAfter() == 0):
			t.Fatalf("taken is %t, but the decision is %+v", taken, d)
		case !taken && (tightest.Left() != 0 || other.Left() == 0 && other.End.After(tightest.End)):
			t.Fatalf("RetryAfter = %v, when the other window is still used up: %+v", d.RetryAfter(), d)
		}
	}
}

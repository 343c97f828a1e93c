package quota

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"freelancer-matching/internal/matching"
)

// Twenty-five seconds into a minute, eight days into a month.
var (
	decided = time.Date(2026, 3, 9, 12, 30, 25, 500_000_000, time.UTC)
	aMinute = time.Date(2026, 3, 9, 12, 30, 0, 0, time.UTC)
	aMonth  = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
)

func after(minuteLimit, minuteUsed, monthLimit, monthUsed int) Windows {
	return Windows{Window{aMinute, minuteLimit, minuteUsed}, Window{aMonth, monthLimit, monthUsed}}
}

func TestDecision(t *testing.T) {
	soon := time.Date(2026, 2, 7, 12, 30, 50, 0, time.UTC) // ends before the minute does
	endsFirst := after(2, 2, 3, 3)
	endsFirst.Month.Start = soon
	for _, c := range []struct {
		name     string
		w        Windows
		allowed  bool
		degraded bool
		tightest string
		retry    time.Duration
		code     matching.Code
		message  string
	}{
		{"much left of the minute", after(100, 1, 5000, 4999), true, false, NameMonth, 0, "", ""},
		{"much left of the month", after(100, 98, 5000, 12), true, false, NameMinute, 0, "", ""},
		{"as much left of both", after(100, 90, 5000, 4990), true, false, NameMonth, 0, "", ""},
		{"the last one", after(100, 100, 5000, 12), true, false, NameMinute, 0, "", ""},
		{
			"no minute left", after(100, 100, 5000, 12), false, false, NameMinute, 34500 * time.Millisecond, CodeRateLimit,
			"the plan allows 100 requests a minute, and all of this minute's are used; the next minute begins in 35 s",
		},
		{
			"no month left", after(100, 99, 5000, 5000), false, false, NameMonth, aMonth.Add(Month).Sub(decided), CodeQuota,
			"the plan allows 5000 requests in 30 days, and all of them are used; the next 30 days begin at 2026-03-31T08:00:00Z",
		},
		{
			"neither left", after(100, 100, 5000, 5000), false, false, NameMonth, aMonth.Add(Month).Sub(decided), CodeQuota,
			"the plan allows 5000 requests in 30 days, and all of them are used; the next 30 days begin at 2026-03-31T08:00:00Z",
		},
		{
			"neither left, in the last seconds of a month", endsFirst, false, false, NameMinute, 34500 * time.Millisecond, CodeRateLimit,
			"the plan allows 2 requests a minute, and all of this minute's are used; the next minute begins in 35 s",
		},
		{
			"locally", after(1, 1, 5000, 4999), false, true, NameMinute, 34500 * time.Millisecond, CodeRateLimit,
			"requests cannot be counted together at the moment, and alone this server allows 1 request a minute, and all of this " +
				"minute's are used; the next minute begins in 35 s",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := decide(decided, c.w, c.allowed)
			d.Degraded = c.degraded
			if got := d.Tightest().Name; got != c.tightest {
				t.Errorf("the tightest window is the %s, want the %s", got, c.tightest)
			}
			if d.RetryAfter() != c.retry {
				t.Errorf("try again after %v, want %v", d.RetryAfter(), c.retry)
			}
			err := d.Err()
			if c.allowed {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e, ok := errors.AsType[*matching.Error](err)
			if !ok || e.Code != c.code || e.Message != c.message || e.RetryAfter != c.retry {
				t.Errorf("refused with %+v, want %s after %v: %s", err, c.code, c.retry, c.message)
			}
		})
	}
}

// What a memory store decides at a moment, a decision tells without contradiction: nobody is told to come back too early.
func TestDecision_Properties(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	m := NewMemory()
	now := decided
	for range 20_000 {
		now = now.Add(time.Duration(random.Int64N(int64(20 * time.Second))))
		if random.IntN(200) == 0 {
			now = now.Add(time.Duration(random.Int64N(int64(Month))))
		}
		at := now.Add(-time.Duration(random.Int64N(int64(90 * time.Second)))) // of a clock that may lag
		a := Allowance{Subject: "a", Since: aMonth, PerMinute: 1 + random.IntN(3), PerMonth: 1 + random.IntN(30)}
		w, taken, err := m.Take(t.Context(), a.Subject, a.windows(at))
		if err != nil {
			t.Fatal(err)
		}
		d := decide(at, w, taken)
		s := d.Tightest()
		other := d.Minute
		if s.Name == NameMinute {
			other = d.Month
		}
		switch {
		case d.Minute.Reset <= 0 || d.Month.Reset <= 0:
			t.Fatalf("a window is over already: %+v", d)
		case s.Left() > other.Left() || s.Left() == other.Left() && s.End.Before(other.End):
			t.Fatalf("the other window is tighter: %+v", d)
		case taken != (d.Err() == nil), taken != (d.RetryAfter() == 0):
			t.Fatalf("taken is %t, but: %+v", taken, d)
		case !taken && (s.Left() != 0 || other.Left() == 0 && other.End.After(s.End)):
			t.Fatalf("try again in %v, when nothing is left still: %+v", d.RetryAfter(), d)
		}
	}
}

func TestDecision_MessagesAreSentences(t *testing.T) {
	for _, w := range []Windows{after(1, 1, 2, 1), after(2, 1, 1, 1)} {
		message := decide(decided, w, false).Err().Error()
		if strings.Contains(message, "1 requests") || strings.HasSuffix(message, ".") {
			t.Error(message)
		}
	}
}

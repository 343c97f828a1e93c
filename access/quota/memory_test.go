package quota_test

import (
	"fmt"
	"testing"
	"time"

	"freelancer-matching/access/quota"
	"freelancer-matching/access/quota/quotatest"
)

func TestMemory(t *testing.T) {
	quotatest.Store(t, func(*testing.T) quota.Store { return quota.NewMemory() })
}

func windows(now time.Time, perMinute, perMonth int) quota.Windows {
	return quota.Windows{
		Minute: quota.Window{Start: now.Truncate(quota.Minute), Limit: perMinute},
		Month:  quota.Window{Start: now.Truncate(time.Hour), Limit: perMonth},
	}
}

// Subjects come and go for years, and one that stays keeps its count through every month.
func TestMemory_ForgetsOnlyWhatIsOver(t *testing.T) {
	m := quota.NewMemory()
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for month := range 24 {
		now := begin.Add(time.Duration(month) * quota.Month)
		last := now.Add(quota.Month - quota.Minute)
		if _, taken, err := m.Take(t.Context(), "stays", windows(now, 1, 1)); err != nil || !taken {
			t.Fatalf("month %d: taken is %t (%v)", month, taken, err)
		}
		for i := range 20_000 {
			subject := fmt.Sprintf("%d in month %d", i, month)
			if _, taken, err := m.Take(t.Context(), subject, windows(last, 1, 1)); err != nil || !taken {
				t.Fatalf("%s: taken is %t (%v)", subject, taken, err)
			}
		}
		w := windows(last, 1, 1)
		w.Month.Start = now
		if got, err := m.Peek(t.Context(), "stays", w); err != nil || got.Month.Used != 1 {
			t.Fatalf("%d are used in the last minute of month %d (%v), want 1", got.Month.Used, month, err)
		}
	}
	if n := m.Len(); n > 100_000 {
		t.Errorf("%d subjects are kept, of 20,000 a month", n)
	}
}

func BenchmarkMemory(b *testing.B) {
	m, w := quota.NewMemory(), windows(time.Now(), 1<<40, 1<<40)
	for b.Loop() {
		if _, taken, err := m.Take(b.Context(), "key_000000000000", w); err != nil || !taken {
			b.Fatal(taken, err)
		}
	}
}

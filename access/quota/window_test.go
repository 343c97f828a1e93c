package quota_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/quota"
)

func TestAllowance_Windows(t *testing.T) {
	since := time.Date(2026, 3, 1, 12, 30, 45, 678_900_000, time.UTC)
	first := since.Truncate(time.Millisecond)
	fiveYears := first.Add(60*quota.Month + 3*time.Hour)
	for _, tt := range []struct {
		name          string
		now           time.Time
		minute, month time.Time
	}{
		{"the plan begins", since, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), first},
		{"last moment of a month", first.Add(quota.Month - 1), time.Date(2026, 3, 31, 12, 30, 0, 0, time.UTC), first},
		{
			"first moment of the next month", first.Add(quota.Month),
			time.Date(2026, 3, 31, 12, 30, 0, 0, time.UTC), first.Add(quota.Month),
		},
		{"years later", fiveYears, fiveYears.Truncate(quota.Minute), first.Add(60 * quota.Month)},
		{"before the plan", first.Add(-90 * time.Second), time.Date(2026, 3, 1, 12, 29, 0, 0, time.UTC), first},
		{
			"another time zone", time.Date(2026, 3, 1, 18, 15, 59, 0, time.FixedZone("", 5*3600+45*60)),
			time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), first,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := quota.Allowance{Since: since, PerMinute: 7, PerMonth: 8}.Windows(tt.now)
			want := quota.Windows{
				Minute: quota.Window{Start: tt.minute, Limit: 7},
				Month:  quota.Window{Start: tt.month, Limit: 8},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("windows (-want +got):\n%s", diff)
			}
		})
	}
}

// From the start of the plan, windows follow each other without gaps: every moment is in exactly one minute and one
// month.
func TestAllowance_WindowsProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	randomTime := func() time.Time { return time.Unix(random.Int64N(1<<33), random.Int64N(1e9)) }
	for range 10_000 {
		since, now := randomTime(), randomTime()
		if random.IntN(10) == 0 {
			since = time.Time{} // a key without a start
		}
		w := quota.Allowance{Since: since}.Windows(now)
		if elapsed := now.Sub(w.Minute.Start); elapsed < 0 || elapsed >= quota.Minute || w.Minute.Start.Unix()%60 != 0 {
			t.Fatalf("%v counts in the minute of %v", now, w.Minute.Start)
		}
		start := since.Truncate(time.Millisecond)
		if now.Before(start) {
			if !w.Month.Start.Equal(start) {
				t.Fatalf("%v, before the plan of %v, counts in the month of %v", now, since, w.Month.Start)
			}
			continue
		}
		elapsed := now.Sub(w.Month.Start)
		remainder := (w.Month.Start.UnixMilli() - start.UnixMilli()) % quota.Month.Milliseconds()
		if elapsed < 0 || elapsed >= quota.Month || remainder != 0 {
			t.Fatalf("%v counts in the month of %v, with a plan of %v", now, w.Month.Start, since)
		}
	}
}

func TestWindow_Counted(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	next := start.Add(quota.Minute)
	w := quota.Window{Start: start, Limit: 5}
	for _, tt := range []struct {
		name  string
		start time.Time
		used  int
		want  quota.Window
		left  int
	}{
		{"stored window is earlier", start.Add(-1), 3, quota.Window{Start: start, Limit: 5}, 5},
		{"stored window is the same", start, 3, quota.Window{Start: start, Limit: 5, Used: 3}, 2},
		{"stored window is later", next, 3, quota.Window{Start: next, Limit: 5, Used: 3}, 2},
		{"more used than the limit", start, 9, quota.Window{Start: start, Limit: 5, Used: 5}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := w.Counted(tt.start, tt.used)
			if diff := cmp.Diff(tt.want, got); diff != "" || got.Left() != tt.left {
				t.Errorf("%d left, want %d (-want +got):\n%s", got.Left(), tt.left, diff)
			}
		})
	}
}

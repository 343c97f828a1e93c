package quota_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/quota"
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
		since := randomTime()
		now := randomTime()

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

func TestWindows_Counted(t *testing.T) {
	month := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	minute := month.Add(time.Hour)
	w := quota.Windows{Minute: quota.Window{Start: minute, Limit: 5}, Month: quota.Window{Start: month, Limit: 5}}
	nextMonth := month.Add(quota.Month)
	atBoundary := quota.Windows{
		Minute: quota.Window{Start: nextMonth.Add(-quota.Minute), Limit: 5}, Month: quota.Window{Start: month, Limit: 5},
	}
	beforePlan := quota.Windows{
		Minute: quota.Window{Start: month.Add(-time.Hour), Limit: 5}, Month: quota.Window{Start: month, Limit: 5},
	}
	latest := minute.Add(quota.Minute + quota.MaxLag)
	for _, tt := range []struct {
		name                    string
		w                       quota.Windows
		minute, month           time.Time // starts of the stored windows, with 3 requests used
		wantMinute, wantMonth   time.Time
		minuteEmpty, monthEmpty bool
	}{
		{"the same", w, minute, month, minute, month, false, false},
		{"earlier", w, minute.Add(-1), month.Add(-1), minute, month, true, true},
		{"later minute", w, latest, month, latest, month, false, false},
		{"minute after the clock was set back", w, latest.Add(1), month, minute, month, true, false},
		{"later month", atBoundary, nextMonth, nextMonth, nextMonth, nextMonth, false, false},
		{"month after the clock was set back", w, minute.Add(quota.Month), nextMonth, minute, month, true, true},
		{"month of a plan that begins in an hour", beforePlan, month, month, month.Add(-time.Hour), month, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stored := func(start time.Time) quota.Window { return quota.Window{Start: start, Used: 3} }
			want := quota.Windows{
				Minute: quota.Window{Start: tt.wantMinute, Limit: 5, Used: 3},
				Month:  quota.Window{Start: tt.wantMonth, Limit: 5, Used: 3},
			}

			if tt.minuteEmpty {
				want.Minute.Used = 0
			}

			if tt.monthEmpty {
				want.Month.Used = 0
			}

			if diff := cmp.Diff(want, tt.w.Counted(stored(tt.minute), stored(tt.month))); diff != "" {
				t.Errorf("windows (-want +got):\n%s", diff)
			}
		})
	}

	over := w.Counted(quota.Window{Start: minute, Used: 9}, quota.Window{Start: month, Used: 9})
	if over.Minute.Used != 5 || over.Month.Used != 5 || over.Minute.Left() != 0 {
		t.Errorf("9 of 5 requests used are %+v, want 5", over)
	}
}

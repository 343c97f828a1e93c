package quota

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWindows(t *testing.T) {
	since := time.Date(2026, 3, 1, 12, 30, 45, 678_900_000, time.UTC)
	first := time.Date(2026, 3, 1, 12, 30, 45, 678_000_000, time.UTC) // to the millisecond
	for _, c := range []struct {
		name          string
		now           time.Time
		minute, month time.Time
	}{
		{"when the plan begins", since, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), first},
		{"in the last moment of a month", first.Add(Month - 1), time.Date(2026, 3, 31, 12, 30, 0, 0, time.UTC), first},
		{"in the first moment of the next", first.Add(Month), time.Date(2026, 3, 31, 12, 30, 0, 0, time.UTC), first.Add(Month)},
		{"years later", first.Add(100*Month + 3*time.Hour), first.Add(100*Month + 3*time.Hour).Truncate(Minute), first.Add(100 * Month)},
		{"before the plan", first.Add(-90 * time.Second), time.Date(2026, 3, 1, 12, 29, 0, 0, time.UTC), first},
		{
			"in another place", time.Date(2026, 3, 1, 18, 15, 59, 0, time.FixedZone("", 5*3600+45*60)),
			time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), first,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Allowance{Since: since, PerMinute: 7, PerMonth: 8}.windows(c.now)
			want := Windows{Window{Start: c.minute, Limit: 7}, Window{Start: c.month, Limit: 8}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("windows (-want +got):\n%s", diff)
			}
		})
	}
}

// Every moment from the beginning of the plan on lies in exactly one window of each kind: they follow each other without a gap.
func TestWindows_Properties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	moment := func() time.Time { return time.Unix(random.Int64N(1<<33), random.Int64N(1e9)) }
	for range 10_000 {
		since, now := moment(), moment()
		if random.IntN(10) == 0 {
			since = time.Time{} // a key that was made without one
		}
		w := Allowance{Since: since}.windows(now)
		if lag := now.Sub(w.Minute.Start); lag < 0 || lag >= Minute || w.Minute.Start.Unix()%60 != 0 {
			t.Fatalf("%v is counted in the minute of %v", now, w.Minute.Start)
		}
		beginning := since.Truncate(time.Millisecond)
		lag := now.Sub(w.Month.Start)
		if now.Before(beginning) {
			if !w.Month.Start.Equal(beginning) {
				t.Fatalf("%v, before the plan of %v, is counted in the month of %v", now, since, w.Month.Start)
			}
			continue
		}
		whole := (w.Month.Start.UnixMilli() - beginning.UnixMilli()) % Month.Milliseconds()
		if lag < 0 || lag >= Month || whole != 0 {
			t.Fatalf("%v is counted in the month of %v, with a plan of %v", now, w.Month.Start, since)
		}
	}
}

func TestCounted(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	w := Window{Start: at, Limit: 5}
	for _, c := range []struct {
		name  string
		start time.Time
		used  int
		want  Window
		left  int
	}{
		{"an earlier one is over", at.Add(-1), 3, Window{at, 5, 0}, 5},
		{"the same one", at, 3, Window{at, 5, 3}, 2},
		{"a later one", at.Add(Minute), 3, Window{at.Add(Minute), 5, 3}, 2},
		{"never over the limit", at, 9, Window{at, 5, 5}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Counted(c.start, c.used)
			if diff := cmp.Diff(c.want, got); diff != "" || got.Left() != c.left {
				t.Errorf("%d left, want %d (-want +got):\n%s", got.Left(), c.left, diff)
			}
		})
	}
}

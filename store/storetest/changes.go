package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/changes"
)

// Changes tests a changes.Store. The function open returns an empty store.
func Changes(t *testing.T, open func(t *testing.T) changes.Store) {
	suite[changes.Store]{
		"changes count in both windows":                    countsChanges,
		"a new window begins with nothing used":            renewsWindows,
		"windows survive a lagging clock and one set back": keepsWindows,
		"concurrent requests respect the limits":           limitsConcurrentChanges,
	}.run(t, open)
}

// A moment is a time for a changes.Store.
type moment struct{ minute, day, latest time.Time }

func momentAt(at time.Time) moment {
	return moment{at.Truncate(time.Minute), at.Truncate(24 * time.Hour), at.Add(2 * time.Minute)}
}

// wantTaken fails the test unless n changes at a moment lead to taken ones and to these counts.
func wantTaken(t *testing.T, s changes.Store, subject string, m moment, n, taken, minuteUsed, dayUsed int) {
	t.Helper()
	a := changes.Allowance{Subject: subject, PerMinute: 10, PerDay: 25}
	got, w, err := s.TakeChanges(t.Context(), a, m.minute, m.day, m.latest, n)
	noError(t, err)
	if got != taken || w.MinuteUsed != minuteUsed || w.DayUsed != dayUsed {
		t.Errorf("took %d of %d, used %d and %d; want %d, %d and %d", got, n, w.MinuteUsed, w.DayUsed, taken, minuteUsed,
			dayUsed)
	}
}

func countsChanges(t *testing.T, s changes.Store) {
	now := momentAt(start())
	wantTaken(t, s, "acc_1", now, 4, 4, 4, 4)
	wantTaken(t, s, "acc_1", now, 8, 6, 10, 10) // as many as are left
	wantTaken(t, s, "acc_1", now, 1, 0, 10, 10)
	wantTaken(t, s, "acc_2", now, 1, 1, 1, 1)
}

func renewsWindows(t *testing.T, s changes.Store) {
	day := start().Truncate(24 * time.Hour)
	for i, taken := range []int{10, 10, 5} {
		wantTaken(t, s, "acc_1", momentAt(day.Add(time.Duration(i)*time.Minute)), 10, taken, taken, min(25, (i+1)*10))
	}
	wantTaken(t, s, "acc_1", momentAt(day.Add(24*time.Hour)), 10, 10, 10, 10)
}

func keepsWindows(t *testing.T, s changes.Store) {
	now := start().Truncate(24 * time.Hour).Add(time.Hour)
	wantTaken(t, s, "acc_1", momentAt(now), 10, 10, 10, 10)
	wantTaken(t, s, "acc_1", momentAt(now.Add(-time.Minute)), 10, 0, 10, 10)
	wantTaken(t, s, "acc_1", momentAt(now.Add(-48*time.Hour)), 10, 10, 10, 10)
}

func limitsConcurrentChanges(t *testing.T, s changes.Store) {
	now := momentAt(start())
	a := changes.Allowance{Subject: "acc_1", PerMinute: 10, PerDay: 25}
	var mu sync.Mutex
	total := 0
	var all sync.WaitGroup
	for range 8 {
		// Together, the calls ask for 24 changes and may get 10.
		all.Go(func() {
			taken, _, err := s.TakeChanges(t.Context(), a, now.minute, now.day, now.latest, 3)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()

			total += taken
		})
	}

	all.Wait()
	if total != 10 {
		t.Errorf("took %d changes, want 10", total)
	}
}

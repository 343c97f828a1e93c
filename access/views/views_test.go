package views_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
)

func newLimiter(t *testing.T, now *time.Time) *views.Limiter {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return views.New(db.Views, func() time.Time { return *now })
}

func ids(from, to int) []string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprintf("freelancer-%d", i))
	}
	return list
}

// The day is the day in UTC, wherever the server is.
func TestLimiter(t *testing.T) {
	evening := time.Date(2031, 5, 17, 23, 30, 0, 0, time.UTC)
	now := evening.In(time.FixedZone("UTC+14", 14*60*60))
	l := newLimiter(t, &now)
	a := views.Allowance{Subject: "acc_1", PerDay: 10}
	midnight := time.Date(2031, 5, 18, 0, 0, 0, 0, time.UTC)
	show := func(from, to int, want views.Decision) {
		t.Helper()
		got, err := l.Show(t.Context(), a, ids(from, to))
		want.Limit, want.End, want.Reset = a.PerDay, midnight, midnight.Sub(now)
		if err != nil || got != want {
			t.Errorf("Show = %+v, %v\nwant %+v", got, err, want)
		}

		if today, err := l.Today(t.Context(), a); err != nil || today.Seen != want.Seen || today.Left() != got.Left() {
			t.Errorf("Today = %+v, %v; want %d seen", today, err, want.Seen)
		}
	}

	show(0, 8, views.Decision{Seen: 8, New: 8, Shown: 8, Allowed: true})
	show(4, 12, views.Decision{Seen: 8, New: 4, Shown: 8})
	show(0, 8, views.Decision{Seen: 8, Shown: 8, Allowed: true})
	show(2, 10, views.Decision{Seen: 10, New: 2, Shown: 8, Allowed: true})
	show(10, 11, views.Decision{Seen: 10, New: 1, Shown: 1})
	a.PerDay = 5 // a smaller plan
	show(0, 10, views.Decision{Seen: 10, Shown: 10, Allowed: true})
	show(10, 11, views.Decision{Seen: 10, New: 1, Shown: 1})
	a.PerDay = 10
	now = now.Add(time.Hour)
	midnight = midnight.AddDate(0, 0, 1)
	show(20, 30, views.Decision{Seen: 10, New: 10, Shown: 10, Allowed: true})
	// setting the clock back grants nothing
	now = now.Add(-time.Hour)
	midnight = midnight.AddDate(0, 0, -1)
	show(10, 11, views.Decision{Seen: 10, New: 1, Shown: 1})
}

func TestDecision_Err(t *testing.T) {
	end := time.Date(2031, 5, 18, 0, 0, 0, 0, time.UTC)
	const rest = " The next day begins at 2031-05-18T00:00:00Z."
	for _, tt := range []struct {
		d    views.Decision
		want string
	}{
		{
			views.Decision{Limit: 500, Seen: 500, New: 1},
			"The response would show 1 new freelancer, but this account has 0 left of its plan's 500 per day. " +
				"Freelancers already seen today can be requested again." + rest,
		},
		{
			views.Decision{Limit: 500, Seen: 497, New: 10},
			"The response would show 10 new freelancers, but this account has 3 left of its plan's 500 per day. " +
				"Request at most 3 new ones, for example with a lower `limit`." + rest,
		},
		{
			views.Decision{Limit: 500, Seen: 4000, New: 10},
			"The response would show 10 new freelancers, but this account has 0 left of its plan's 500 per day. " +
				"Freelancers already seen today can be requested again." + rest,
		},
	} {
		tt.d.End = end
		tt.d.Reset = 90 * time.Minute
		e, ok := errors.AsType[*matching.Error](tt.d.Err())
		if !ok || e.Code != views.CodeLimit || e.RetryAfter != 90*time.Minute || e.Message != tt.want {
			t.Errorf("Err = %+v\nwant %s", e, tt.want)
		}
	}

	if err := (views.Decision{Limit: 5, Seen: 5, Allowed: true}).Err(); err != nil {
		t.Errorf("Err = %v for an allowed response", err)
	}
}

type failingStore struct{ views.Store }

var errAway = errors.New("the database is away")

func (failingStore) AddViews(context.Context, string, string, []uint64, int) (before, added int, err error) {
	return 0, 0, errAway
}

func (failingStore) Views(context.Context, string, string) (int, error) { return 0, errAway }

// Without its store, the limiter shows nothing.
func TestLimiter_StoreFails(t *testing.T) {
	l := views.New(failingStore{}, time.Now)
	if d, err := l.Show(t.Context(), views.Allowance{Subject: "a", PerDay: 5}, ids(0, 1)); !errors.Is(err, errAway) ||
		d.Allowed {
		t.Errorf("Show = %+v, %v; want the store's error", d, err)
	}
	if _, err := l.Today(t.Context(), views.Allowance{Subject: "a", PerDay: 5}); !errors.Is(err, errAway) {
		t.Errorf("Today: %v, want the store's error", err)
	}
}

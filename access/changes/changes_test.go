package changes_test

import (
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
)

func TestLimiter(t *testing.T) {
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = db.Close() })
	// The day is the day in UTC, wherever the server is.
	now := time.Date(2031, 5, 17, 23, 58, 15, 0, time.UTC).In(time.FixedZone("UTC+14", 14*60*60))
	l := changes.New(db.Changes, func() time.Time { return now })
	a := changes.Allowance{Subject: "acc_1", PerMinute: 10, PerDay: 15}
	take := func(n int, want changes.Decision) {
		t.Helper()
		if got, err := l.Take(t.Context(), a, n); err != nil || got != want {
			t.Errorf("Take(%d) = %+v, %v\nwant %+v", n, got, err, want)
		}
	}

	take(4, changes.Decision{Taken: 4, Limit: 10, Left: 6, Reset: 45 * time.Second})
	take(8, changes.Decision{Taken: 6, Limit: 10, Left: 0, Reset: 45 * time.Second, Refused: true})
	take(1, changes.Decision{Limit: 10, Left: 0, Reset: 45 * time.Second, Refused: true})
	now = now.Add(time.Minute)
	take(9, changes.Decision{Taken: 5, Limit: 15, Left: 0, Reset: 45 * time.Second, PerDay: true, Refused: true})
	now = now.Add(time.Minute) // the next day
	take(2, changes.Decision{Taken: 2, Limit: 10, Left: 8, Reset: 45 * time.Second})
}

func TestDecision_Err(t *testing.T) {
	for _, test := range []struct {
		d    changes.Decision
		want string
	}{
		{changes.Decision{Taken: 3, Refused: true}, ""},
		{changes.Decision{}, ""},
		{
			changes.Decision{Refused: true, Limit: 100, Reset: 45 * time.Second},
			"This account has used all of its plan's 100 changes of freelancers per minute. Retry in 45s.",
		},
		{
			changes.Decision{Refused: true, Limit: 1000, PerDay: true, Reset: time.Hour},
			"This account has used all of its plan's 1000 changes of freelancers per day. Retry in 1h0m0s.",
		},
	} {
		err := test.d.Err()
		if test.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", test.d, err)
			}
			continue
		}

		e, ok := err.(*matching.Error) //nolint:errorlint // it is not wrapped
		if !ok || e.Code != changes.CodeLimit || e.Message != test.want || e.RetryAfter != test.d.Reset {
			t.Errorf("%+v: %v", test.d, err)
		}
	}
}

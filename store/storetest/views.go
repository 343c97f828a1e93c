package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/views"
)

// A ViewStore is a views.Store that can delete old days.
type ViewStore interface {
	views.Store
	DeleteOld(ctx context.Context, at time.Time) error
}

// Views tests a views.Store. The function open returns an empty store.
func Views(t *testing.T, open func(t *testing.T) ViewStore) {
	suite[ViewStore]{
		"freelancers count once per subject and day":     countsViewsOnce,
		"a set that exceeds the limit is not remembered": limitsViews,
		"a freelancer listed twice counts once":          countsDuplicatesOnce,
		"hashes of any value are remembered":             remembersEveryHash,
		"old days are deleted":                           deletesOldViews,
		"concurrent requests respect the limit":          func(t *testing.T, s ViewStore) { limitsConcurrentViews(t, s, s) },
	}.run(t, open)
}

// SharedViews tests a views.Store that several servers have opened. The function open returns two of them.
func SharedViews(t *testing.T, open func(t *testing.T) []ViewStore) {
	t.Run("servers share the limit", func(t *testing.T) {
		servers := open(t)
		limitsConcurrentViews(t, servers[0], servers[1])
	})
}

func wantViews(t *testing.T, s views.Store, subject, day string, limit int, freelancers []uint64, before, added int) {
	t.Helper()
	gotBefore, gotAdded, err := s.AddViews(t.Context(), subject, day, freelancers, limit)
	noError(t, err)
	if gotBefore != before || gotAdded != added {
		t.Errorf("AddViews(%s, %s, %v) = %d before, %d added; want %d, %d", subject, day, freelancers, gotBefore, gotAdded,
			before, added)
	}
}

func wantSeen(t *testing.T, s views.Store, subject, day string, want int) {
	t.Helper()
	if got := must(s.Views(t.Context(), subject, day)); got != want {
		t.Errorf("%s has seen %d freelancers on %s, want %d", subject, got, day, want)
	}
}

func countsViewsOnce(t *testing.T, s ViewStore) {
	wantSeen(t, s, "acc_1", today, 0)
	wantViews(t, s, "acc_1", today, 100, []uint64{1, 2, 3}, 0, 3)
	wantViews(t, s, "acc_1", today, 100, []uint64{3, 2, 1}, 3, 0)
	wantViews(t, s, "acc_1", today, 100, []uint64{5, 3, 4}, 3, 2)
	wantViews(t, s, "acc_2", today, 100, []uint64{1, 2}, 0, 2)
	wantViews(t, s, "acc_1", tomorrow, 100, []uint64{1}, 0, 1)
	wantViews(t, s, "acc_1", today, 100, nil, 5, 0)
	wantSeen(t, s, "acc_1", today, 5)
	wantSeen(t, s, "acc_2", today, 2)
	wantSeen(t, s, "acc_1", tomorrow, 1)
}

func limitsViews(t *testing.T, s ViewStore) {
	wantViews(t, s, "acc_1", today, 2, []uint64{1, 2, 3}, 0, 3)
	wantSeen(t, s, "acc_1", today, 0)
	wantViews(t, s, "acc_1", today, 3, []uint64{1, 2, 3}, 0, 3)
	wantViews(t, s, "acc_1", today, 3, []uint64{4}, 3, 1)
	wantViews(t, s, "acc_1", today, 3, []uint64{3, 4}, 3, 1)
	wantViews(t, s, "acc_1", today, 3, []uint64{2, 3}, 3, 0)
	wantSeen(t, s, "acc_1", today, 3)
	wantViews(t, s, "acc_1", today, 4, []uint64{4}, 3, 1) // a larger plan
	wantViews(t, s, "acc_1", today, 1, []uint64{4, 1}, 4, 0)
	wantSeen(t, s, "acc_1", today, 4)
}

func countsDuplicatesOnce(t *testing.T, s ViewStore) {
	wantViews(t, s, "acc_1", today, 2, []uint64{7, 7, 8, 7}, 0, 2)
	wantSeen(t, s, "acc_1", today, 2)
}

func remembersEveryHash(t *testing.T, s ViewStore) {
	odd := []uint64{0, 1<<64 - 1, 1 << 63, 0x00ff00ff00ff00ff, '\'' << 56}
	wantViews(t, s, "acc_'1", today, 100, odd, 0, len(odd))
	wantViews(t, s, "acc_'1", today, 100, odd, len(odd), 0)
}

func deletesOldViews(t *testing.T, s ViewStore) {
	wantViews(t, s, "acc_1", today, 100, []uint64{1}, 0, 1)
	at := func(day string) time.Time { return must(time.Parse(time.DateOnly, day)) }
	noError(t, s.DeleteOld(t.Context(), at(tomorrow).Add(23*time.Hour)))
	wantSeen(t, s, "acc_1", today, 1) // a server whose clock lags may still need it
	noError(t, s.DeleteOld(t.Context(), at(tomorrow).Add(24*time.Hour)))
	wantSeen(t, s, "acc_1", today, 0)
}

// limitsConcurrentViews lets many requests show three of 60 freelancers each, with a limit of 20.
func limitsConcurrentViews(t *testing.T, a, b views.Store) {
	const (
		limit      = 20
		perRequest = 3
		// A request is counted as a whole or not at all, so six requests fit in, and two views remain.
		wantShown = limit / perRequest * perRequest
	)
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		shown = map[uint64]bool{}
	)
	for i := range uint64(callers) {
		// Both stores get the same request, which counts once.
		for _, s := range []views.Store{a, b} {
			group.Go(func() {
				freelancers := []uint64{i, i + callers, i + 2*callers}
				before, added, err := s.AddViews(t.Context(), "acc_1", today, freelancers, limit)
				if err != nil {
					t.Error(err)
				}

				isRefused := added > 0 && before+added > limit
				if isRefused {
					return
				}

				mu.Lock()
				defer mu.Unlock()

				for _, f := range freelancers {
					shown[f] = true
				}
			})
		}
	}

	group.Wait()
	if len(shown) != wantShown {
		t.Errorf("%d freelancers shown, want %d", len(shown), wantShown)
	}

	wantSeen(t, a, "acc_1", today, len(shown))
	wantSeen(t, b, "acc_1", today, len(shown))
}

package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store"
)

// Rankings tests a rankings.Store.
func Rankings(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"versions are listed, the newest first":         listsRankings,
		"keys carry the published version":              readsRankingWithKey,
		"a failed change stores nothing":                rankingChangeIsAtomic,
		"accounts don't see each other's rankings":      separatesRankings,
		"changes of an account wait for each other":     serializesRankings,
		"changes of an account keep its ranking":        keepsRanking,
		"rankings are deleted with their account":       deletesRankings,
		"versions can be dropped and none be published": dropsRankings,
	}.run(t, func(t *testing.T) *store.DB {
		db := open(t)
		register(t, db, 1)
		register(t, db, 2)
		return db
	})
}

func testRanking(n int) *rankings.Version {
	return &rankings.Version{
		Ranking: matching.Ranking{
			Name: "Œuvre <b>", Version: n, Profile: "default", Weights: map[string]float64{"text": .1 + float64(n)},
		},
		Note: "learned", MadeBy: "usr_1", Created: after(n),
	}
}

// addRanking stores a version of an account and publishes it.
func addRanking(t *testing.T, s *store.DB, n, acc int) *rankings.Version {
	t.Helper()
	v := testRanking(n)
	id := testAccount(acc).ID
	noError(t, s.Rankings.Update(t.Context(), id,
		func([]rankings.Version, *matching.Ranking) (rankings.Change, error) {
			return rankings.Change{Add: v, Published: &v.Ranking, Event: event(n, id)}, nil
		}))
	return v
}

func wantRankings(t *testing.T, s *store.DB, acc int, published *matching.Ranking, want ...rankings.Version) {
	t.Helper()
	list, got, err := s.Rankings.List(t.Context(), testAccount(acc).ID)
	noError(t, err)
	wantEqual(t, want, list)
	wantEqual(t, published, got)
	wantEqual(t, published, must(s.Rankings.Published(t.Context(), testAccount(acc).ID)))
}

func listsRankings(t *testing.T, s *store.DB) {
	wantRankings(t, s, 1, nil)
	first := addRanking(t, s, 1, 1)
	second := addRanking(t, s, 2, 1)
	wantRankings(t, s, 1, &second.Ranking, *second, *first)
	wantEqual(t, []audit.Event{event(2, testAccount(1).ID), event(1, testAccount(1).ID)}, allEvents(t, s))
}

func readsRankingWithKey(t *testing.T, s *store.DB) {
	insertKeys(t, s, keyOf(1, 1), keyOf(2, 2), testKey(3))
	v := addRanking(t, s, 1, 1)
	for id, want := range map[apikey.Hash]*matching.Ranking{
		keyOf(1, 1).Hash: &v.Ranking, keyOf(2, 2).Hash: nil, testKey(3).Hash: nil,
	} {
		wantEqual(t, want, must(s.Keys.FindByHash(t.Context(), id)).Ranking)
	}
}

func rankingChangeIsAtomic(t *testing.T, s *store.DB) {
	v := addRanking(t, s, 1, 1)
	err := s.Rankings.Update(t.Context(), testAccount(1).ID,
		func(list []rankings.Version, published *matching.Ranking) (rankings.Change, error) {
			wantEqual(t, []rankings.Version{*v}, list)
			wantEqual(t, &v.Ranking, published)
			return rankings.Change{Add: testRanking(2)}, errTest
		})
	wantError(t, err, errTest)
	wantRankings(t, s, 1, &v.Ranking, *v)
}

func separatesRankings(t *testing.T, s *store.DB) {
	first := addRanking(t, s, 1, 1)
	second := addRanking(t, s, 1, 2)
	wantRankings(t, s, 1, &first.Ranking, *first)
	wantRankings(t, s, 2, &second.Ranking, *second)
	_, _, err := s.Rankings.List(t.Context(), "acc_none")
	wantError(t, err, rankings.ErrNotFound)
	wantError(t, s.Rankings.Update(t.Context(), "acc_none", nil), rankings.ErrNotFound)
}

func serializesRankings(t *testing.T, s *store.DB) {
	id := testAccount(1).ID
	concurrently(t, func(i int) error {
		return s.Rankings.Update(t.Context(), id,
			func(list []rankings.Version, _ *matching.Ranking) (rankings.Change, error) {
				v := testRanking(len(list) + 1)
				return rankings.Change{Add: v, Published: &v.Ranking, Event: event(i, id)}, nil
			})
	}, nil)
	list, published, err := s.Rankings.List(t.Context(), id)
	noError(t, err)
	wantEqual(t, callers, len(list))
	wantEqual(t, &list[0].Ranking, published)
}

func keepsRanking(t *testing.T, s *store.DB) {
	v := addRanking(t, s, 1, 1)
	rename := func(a *account.Account, _ []apikey.Key) (apikey.Changes, error) {
		a.Name = "Other"
		return apikey.Changes{}, nil
	}
	noError(t, s.Accounts.Update(t.Context(), testAccount(1).ID, rename))
	wantRankings(t, s, 1, &v.Ranking, *v)
}

func deletesRankings(t *testing.T, s *store.DB) {
	addRanking(t, s, 1, 1)
	other := addRanking(t, s, 1, 2)
	noError(t, s.Accounts.Delete(t.Context(), testAccount(1).ID,
		func(account.Deletion) ([]audit.Event, error) { return nil, nil }))
	_, _, err := s.Rankings.List(t.Context(), testAccount(1).ID)
	if !errors.Is(err, rankings.ErrNotFound) {
		t.Error(fmt.Errorf("rankings of a deleted account: %w", err))
	}
	wantRankings(t, s, 2, &other.Ranking, *other)
}

func dropsRankings(t *testing.T, s *store.DB) {
	addRanking(t, s, 1, 1)
	second := addRanking(t, s, 2, 1)
	id := testAccount(1).ID
	noError(t, s.Rankings.Update(t.Context(), id, func([]rankings.Version, *matching.Ranking) (rankings.Change, error) {
		return rankings.Change{Drop: []int{1}, Event: event(3, id)}, nil
	}))
	wantRankings(t, s, 1, nil, *second)
}

package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store"
)

// An eventStore stores matches and events, in a database that has their accounts.
type eventStore struct {
	store.MatchEvents
	db *store.DB
}

// MatchEvents tests an events.Store.
func MatchEvents(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[eventStore]{
		"matches are found by account and ID":                 findsMatches,
		"a match with a known ID replaces one without events": replacesMatches,
		"many matches and events are stored at once":          storesMany,
		"an event is stored once":                             storesEventsOnce,
		"an account has a limited number of events":           limitsEvents,
		"concurrent requests respect the limit of events":     limitsConcurrentEvents,
		"briefs are kept while the account agrees":            keepsBriefs,
		"lessons are kept while the account agrees":           keepsLessons,
		"one server learns for an account in a night":         claimsLearning,
		"events about a freelancer are erased":                erasesEvents,
		"events are counted by week and rank":                 talliesEvents,
		"the newest matches are read":                         readsNewestMatches,
		"old events and matches are deleted":                  deletesOldEvents,
		"events are deleted with their account":               deletesAccountEvents,
	}.run(t, func(t *testing.T) eventStore {
		db := open(t)
		return eventStore{db.MatchEvents, db}
	})
}

func testMatch(n, acc int) events.Match {
	return events.Match{
		Account: testAccount(acc).ID, ID: fmt.Sprintf("request-%03d", n), At: after(n), Offset: 10 * n,
		Freelancers: []uint64{uint64(n), 1<<64 - 1, 1 << 63, 0}, Scores: []float64{1, .123456, 0, 1e-6},
		Versions: matching.Versions{Program: "1.2", Index: "freelancers-1", Numbers: fmt.Sprint(n % 3)},
	}
}

func testEvent(n, acc int, freelancer string, kind events.Type) events.Event {
	m := testMatch(n, acc)
	return events.Event{
		Account: m.Account, Match: m.ID, Freelancer: freelancer, Type: kind, At: after(100 + n), Rank: m.Offset + 1,
	}
}

func addEvents(t *testing.T, s eventStore, list ...events.Event) []bool {
	t.Helper()
	return must(s.AddEvents(t.Context(), list[0].Account, list, 1000))
}

func allMatches(t *testing.T, s eventStore, account string, withEvents bool) (all []events.Match) {
	t.Helper()
	noError(t, s.EachMatch(t.Context(), account, withEvents, func(m events.Match) error {
		all = append(all, m)
		return nil
	}))
	return all
}

func findsMatches(t *testing.T, s eventStore) {
	noError(t, s.AddMatches(t.Context(), []events.Match{testMatch(1, 1), testMatch(2, 1), testMatch(1, 2)}))
	find := func(acc int, ids ...string) []events.Match {
		found := must(s.Matches(t.Context(), testAccount(acc).ID, ids))
		slices.SortFunc(found, func(a, b events.Match) int { return a.At.Compare(b.At) })
		return found
	}
	one := testMatch(1, 1)
	two := testMatch(2, 1)
	brief := func(m events.Match) events.Match { // what the check of an event needs
		m.Scores, m.Versions = nil, matching.Versions{}
		return m
	}
	wantEqual(t, []events.Match{brief(one), brief(two)}, find(1, two.ID, one.ID, "none"))
	wantEqual(t, []events.Match{brief(testMatch(1, 2))}, find(2, one.ID, two.ID))
	wantEqual(t, 0, len(find(3, one.ID)))
	wantEqual(t, []events.Match{one, two, testMatch(1, 2)}, allMatches(t, s, "", false))
	wantEqual(t, []events.Match{testMatch(1, 2)}, allMatches(t, s, testAccount(2).ID, false))
}

func replacesMatches(t *testing.T, s eventStore) {
	noError(t, s.AddMatches(t.Context(), []events.Match{testMatch(1, 1), testMatch(2, 1)}))
	addEvents(t, s, testEvent(2, 1, "f1", events.Hired))
	for _, n := range []int{1, 2} {
		later := testMatch(n, 1)
		later.Freelancers, later.Scores, later.At = []uint64{7}, []float64{.5}, after(50)
		later.Versions.Program = "1.3"
		noError(t, s.AddMatches(t.Context(), []events.Match{later}))
	}
	replaced := testMatch(1, 1)
	replaced.Freelancers, replaced.Scores, replaced.At = []uint64{7}, []float64{.5}, after(50)
	replaced.Versions.Program = "1.3"
	wantEqual(t, []events.Match{replaced, testMatch(2, 1)}, allMatches(t, s, "", false))
}

func storesMany(t *testing.T, s eventStore) {
	var matches []events.Match
	var list []events.Event
	for n := range 1100 {
		matches = append(matches, testMatch(n, 1))
		list = append(list, testEvent(n, 1, fmt.Sprint("f", n), events.Shown))
	}
	noError(t, s.AddMatches(t.Context(), matches))
	added := must(s.AddEvents(t.Context(), testAccount(1).ID, list, 1100))
	wantEqual(t, false, slices.Contains(added, false))
	ids := []string{}
	for _, m := range matches {
		ids = append(ids, m.ID)
	}
	wantEqual(t, 1100, len(must(s.Matches(t.Context(), testAccount(1).ID, ids))))
	wantEqual(t, 1100, len(allMatches(t, s, "", true)))
}

func storesEventsOnce(t *testing.T, s eventStore) {
	noError(t, s.AddMatches(t.Context(), []events.Match{testMatch(1, 1), testMatch(2, 1)}))
	shown := testEvent(1, 1, "f1", events.Shown)
	clicked := testEvent(1, 1, "f1", events.Clicked)
	wantEqual(t, []bool{true}, addEvents(t, s, shown))
	again := shown
	again.At = after(500)
	again.Rank = 3
	wantEqual(t, []bool{false, true, true}, addEvents(t, s, again, clicked, testEvent(2, 1, "f1", events.Shown)))
	wantEqual(t, []events.Event{clicked, shown}, must(s.Of(t.Context(), testMatch(1, 1))))
	wantEqual(t, []bool{true}, addEvents(t, s, testEvent(1, 2, "f1", events.Shown)))
	wantEqual(t, 2, len(allMatches(t, s, "", true)))
}

func limitsEvents(t *testing.T, s eventStore) {
	one := testEvent(1, 1, "f1", events.Shown)
	two := testEvent(1, 1, "f2", events.Shown)
	three := testEvent(1, 1, "f3", events.Shown)
	add := func(list ...events.Event) error {
		_, err := s.AddEvents(t.Context(), one.Account, list, 2)
		return err
	}
	noError(t, add(one, two))
	wantError(t, add(three), events.ErrFull)
	noError(t, add(one, two))
	wantEqual(t, 0, len(must(s.About(t.Context(), []string{"f3"}))))
	wantEqual(t, 1, must(s.Erase(t.Context(), []string{"f1"})))
	noError(t, add(three))
	wantError(t, add(one), events.ErrFull)
	noError(t, s.DeleteExpired(t.Context(), after(1000), start(), 10))
	noError(t, add(one, two))
}

func limitsConcurrentEvents(t *testing.T, s eventStore) {
	results := concurrently(t, func(i int) error {
		_, err := s.AddEvents(t.Context(), testAccount(1).ID,
			[]events.Event{testEvent(i, 1, "f1", events.Shown), testEvent(99, 1, "f1", events.Shown)}, 8)
		return err
	}, events.ErrFull)
	wantEqual(t, map[error]int{nil: 7, events.ErrFull: callers - 7}, results)
}

func keepsBriefs(t *testing.T, s eventStore) {
	change := func(keep bool) bool {
		return must(s.KeepBriefs(t.Context(), testAccount(1).ID, keep, event(1, testAccount(1).ID)))
	}
	with := func(n, acc int) events.Match {
		m := testMatch(n, acc)
		m.Brief = []byte(`{"job_title":"x"}`)
		return m
	}

	// Briefs are kept only from the moment on at which an account has agreed.
	noError(t, s.AddMatches(t.Context(), []events.Match{with(1, 1)}))
	wantEqual(t, true, change(true))
	wantEqual(t, false, change(true))
	wantEqual(t, []events.Agreement{{Account: testAccount(1).ID, Briefs: true}}, must(s.Agreements(t.Context())))
	noError(t, s.AddMatches(t.Context(), []events.Match{with(2, 1), with(3, 2)}))
	wantEqual(t, []events.Match{testMatch(1, 1), with(2, 1), testMatch(3, 2)}, allMatches(t, s, "", false))

	// Withdrawing the consent also removes the briefs that were kept.
	wantEqual(t, true, change(false))
	wantEqual(t, false, change(false))
	wantEqual(t, 0, len(must(s.Agreements(t.Context()))))
	noError(t, s.AddMatches(t.Context(), []events.Match{with(4, 1)}))
	wantEqual(t, []events.Match{testMatch(1, 1), testMatch(2, 1), testMatch(4, 1), testMatch(3, 2)},
		allMatches(t, s, "", false))
	wantEqual(t, 2, len(allEvents(t, s.db)))
}

func allowSwaps(t *testing.T, s eventStore, allow bool) bool {
	t.Helper()
	return must(s.db.Learning.AllowSwaps(t.Context(), testAccount(1).ID, allow, event(1, testAccount(1).ID)))
}

func withLesson(n, acc int) events.Match {
	m := testMatch(n, acc)
	m.Lesson = (&events.Lesson{Upper: 1, Brief: uint64(n), Parts: [][]float64{{.5, 0}, {.25, 1}}}).Encode()
	return m
}

func keepsLessons(t *testing.T, s eventStore) {
	noError(t, s.AddMatches(t.Context(), []events.Match{withLesson(1, 1)}))
	wantEqual(t, true, allowSwaps(t, s, true))
	wantEqual(t, false, allowSwaps(t, s, true))
	must(s.KeepBriefs(t.Context(), testAccount(2).ID, true, event(1, testAccount(2).ID)))
	wantEqual(t, []events.Agreement{
		{Account: testAccount(1).ID, Swaps: true}, {Account: testAccount(2).ID, Briefs: true},
	}, must(s.Agreements(t.Context())))
	noError(t, s.AddMatches(t.Context(), []events.Match{
		withLesson(2, 1), withLesson(3, 1), withLesson(4, 1), withLesson(3, 2),
	}))
	wantEqual(t, []events.Match{testMatch(1, 1), withLesson(2, 1), withLesson(3, 1), withLesson(4, 1), testMatch(3, 2)},
		allMatches(t, s, "", false))

	// Only responses with events can be learned from, the newest first.
	addEvents(t, s, testEvent(1, 1, "f1", events.Hired), testEvent(2, 1, "f1", events.Hired),
		testEvent(4, 1, "f1", events.Shown), testEvent(4, 1, "f2", events.Clicked))
	lists := func(limit int) (found []string) {
		noError(t, s.db.Learning.Lists(t.Context(), testAccount(1).ID, limit, func(l learning.List) error {
			wantEqual(t, withLesson(l.Match.Offset/10, 1).Lesson, l.Match.Lesson)
			found = append(found, fmt.Sprint(l.Match.Offset/10, " ", len(l.Events)))
			return nil
		}))
		return found
	}
	wantEqual(t, []string{"4 2", "2 1"}, lists(10))
	wantEqual(t, []string{"4 2"}, lists(1))

	// A person who is erased leaves no values.
	m := withLesson(2, 1)
	m.Forget(1)
	noError(t, s.Rewrite(t.Context(), m))
	wantEqual(t, m, allMatches(t, s, testAccount(1).ID, false)[1])

	wantEqual(t, true, allowSwaps(t, s, false))
	wantEqual(t, false, allowSwaps(t, s, false))
	wantEqual(t, 0, len(lists(10)))
	noError(t, s.AddMatches(t.Context(), []events.Match{withLesson(5, 1)}))
	for _, m := range allMatches(t, s, testAccount(1).ID, false) {
		wantEqual(t, 0, len(m.Lesson))
	}
}

func claimsLearning(t *testing.T, s eventStore) {
	id := testAccount(1).ID
	run := learning.Run{At: after(5), Version: 3, Lists: 7, Learned: map[string]float64{"text": 1}}
	wantError(t, s.db.Learning.Claim(t.Context(), id, after(1), after(1)), learning.ErrClaimed)
	noError(t, s.db.Learning.Finish(t.Context(), id, run))
	wantEqual(t, learning.State{}, must(s.db.Learning.State(t.Context(), id)))

	allowSwaps(t, s, true)
	results := concurrently(t, func(int) error { return s.db.Learning.Claim(t.Context(), id, after(5), after(1)) },
		learning.ErrClaimed)
	wantEqual(t, map[error]int{nil: 1, learning.ErrClaimed: callers - 1}, results)
	wantError(t, s.db.Learning.Claim(t.Context(), id, after(6), after(5)), learning.ErrClaimed)
	noError(t, s.db.Learning.Claim(t.Context(), id, after(7), after(6)))
	noError(t, s.db.Learning.Finish(t.Context(), id, run))
	noError(t, s.AddMatches(t.Context(), []events.Match{withLesson(1, 1), testMatch(2, 1)}))
	wantEqual(t, learning.State{Allowed: true, Lists: 1, Begun: after(7), Last: &run},
		must(s.db.Learning.State(t.Context(), id)))
	wantEqual(t, learning.State{}, must(s.db.Learning.State(t.Context(), testAccount(2).ID)))
}

func erasesEvents(t *testing.T, s eventStore) {
	m := testMatch(1, 1)
	noError(t, s.AddMatches(t.Context(), []events.Match{m, testMatch(1, 2)}))
	addEvents(t, s, testEvent(1, 1, "f1", events.Shown), testEvent(1, 1, "f1", events.Hired),
		testEvent(1, 1, "f2", events.Shown))
	addEvents(t, s, testEvent(1, 2, "f1", events.Shown))
	wantEqual(t, []events.Event{
		testEvent(1, 1, "f1", events.Hired), testEvent(1, 1, "f1", events.Shown), testEvent(1, 2, "f1", events.Shown),
	}, must(s.About(t.Context(), []string{"f1", "none"})))
	latest := must(s.Latest(t.Context(), testMatch(1, 1).Account, "f1", 1))
	wantEqual(t, []events.Event{testEvent(1, 1, "f1", events.Hired)}, latest)
	wantEqual(t, 3, must(s.Erase(t.Context(), []string{"f1", "none"})))
	wantEqual(t, 0, len(must(s.About(t.Context(), []string{"f1"}))))
	wantEqual(t, 1, len(must(s.About(t.Context(), []string{"f2"}))))
	m.Freelancers[1] = 0
	noError(t, s.Rewrite(t.Context(), m))
	wantEqual(t, []events.Match{m, testMatch(1, 2)}, allMatches(t, s, "", false))
}

func deletesOldEvents(t *testing.T, s eventStore) {
	var matches []events.Match
	for n := range 6 {
		matches = append(matches, testMatch(n, 1))
	}

	noError(t, s.AddMatches(t.Context(), append(matches, testMatch(1, 2))))
	addEvents(t, s, testEvent(1, 1, "f1", events.Shown)) // after(101)
	addEvents(t, s, testEvent(3, 1, "f1", events.Shown)) // after(103)
	remaining := func() (ids []int) {
		for _, m := range allMatches(t, s, testAccount(1).ID, false) {
			ids = append(ids, m.Offset/10)
		}
		return ids
	}

	noError(t, s.DeleteExpired(t.Context(), after(101), after(1), 100))
	wantEqual(t, []int{1, 2, 3, 4, 5}, remaining())
	noError(t, s.DeleteExpired(t.Context(), after(102), after(1), 100))
	wantEqual(t, []int{1, 2, 3, 4, 5}, remaining()) // 1 has no event now, but isn't old enough
	noError(t, s.DeleteExpired(t.Context(), after(102), after(2), 100))
	wantEqual(t, []int{2, 3, 4, 5}, remaining())
	noError(t, s.DeleteExpired(t.Context(), after(102), after(2), 1)) // only the newest, and those with events
	wantEqual(t, []int{3, 5}, remaining())
	noError(t, s.DeleteExpired(t.Context(), after(104), after(6), 100))
	wantEqual(t, 0, len(remaining()))
	wantEqual(t, 0, len(allMatches(t, s, "", true)))
}

func deletesAccountEvents(t *testing.T, s eventStore) {
	for n := 1; n <= 2; n++ {
		register(t, s.db, n)
		must(s.KeepBriefs(t.Context(), testAccount(n).ID, true, event(1, testAccount(n).ID)))
		noError(t, s.AddMatches(t.Context(), []events.Match{testMatch(1, n)}))
		addEvents(t, s, testEvent(1, n, "f1", events.Shown))
	}
	noError(t, s.db.Accounts.Delete(t.Context(), testAccount(1).ID,
		func(account.Deletion) ([]audit.Event, error) { return nil, nil }))
	wantEqual(t, []events.Match{testMatch(1, 2)}, allMatches(t, s, "", false))
	wantEqual(t, []events.Event{testEvent(1, 2, "f1", events.Shown)}, must(s.About(t.Context(), []string{"f1"})))
	wantEqual(t, []events.Agreement{{Account: testAccount(2).ID, Briefs: true}}, must(s.Agreements(t.Context())))
}

func talliesEvents(t *testing.T, s eventStore) {
	at := func(e events.Event, day, rank int) events.Event {
		e.At = time.Date(2026, 11, day, 23, 59, 59, 0, time.UTC)
		e.Rank = rank
		return e
	}
	addEvents(t, s,
		at(testEvent(1, 1, "a", events.Shown), 8, 3), // a Sunday
		at(testEvent(1, 1, "b", events.Shown), 9, 3), at(testEvent(1, 1, "c", events.Shown), 15, 1),
		at(testEvent(1, 1, "d", events.Shown), 15, 4), at(testEvent(1, 1, "d", events.Hired), 15, 4),
		at(testEvent(1, 1, "e", events.Shown), 16, 400))
	addEvents(t, s, at(testEvent(1, 2, "a", events.Shown), 9, 1))

	monday := time.Date(2026, 11, 9, 0, 0, 0, 0, time.UTC)
	wantEqual(t, monday, events.WeekOf(time.Date(2026, 11, 15, 23, 0, 0, 0, time.UTC)))
	wantEqual(t, monday, events.WeekOf(monday))
	wantEqual(t, []events.Tally{
		{Week: monday, Rank: 1, Type: events.Shown, N: 2},
		{Week: monday, Rank: 4, Type: events.Hired, N: 1},
		{Week: monday, Rank: 4, Type: events.Shown, N: 1},
		{Week: monday.AddDate(0, 0, 7), Rank: 51, Type: events.Shown, N: 1},
	}, must(s.Tally(t.Context(), testAccount(1).ID, monday)))
}

func readsNewestMatches(t *testing.T, s eventStore) {
	account := testAccount(1).ID
	must(s.KeepBriefs(t.Context(), account, true, event(1, account)))
	short, long, other := testMatch(1, 1), testMatch(2, 1), testMatch(3, 2)
	short.Brief = []byte(`{}`)
	long.Brief = []byte(`{"description":"A shop"}`)
	noError(t, s.AddMatches(t.Context(), []events.Match{short, long, other}))
	long.Brief = nil
	short.Versions, long.Versions = matching.Versions{}, matching.Versions{}
	wantEqual(t, []events.Match{long, short}, must(s.Newest(t.Context(), account, after(1), 9, 5)))
	wantEqual(t, []events.Match{long}, must(s.Newest(t.Context(), account, after(1), 1, 5)))
	wantEqual(t, []events.Match{long}, must(s.Newest(t.Context(), account, after(2), 9, 5)))
}

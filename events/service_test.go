package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// memory is a Store without deletion.
type memory struct {
	mu      sync.Mutex
	matches map[matchKey]Match
	events  map[Event]bool // without times and ranks
	agreed  []Agreement
	err     error // of AddMatches
	writes  int
}

// fail makes AddMatches return an error from now on, or succeed if err is nil.
func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *memory) AddMatches(_ context.Context, list []Match) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	if m.err != nil {
		return m.err
	}
	for _, match := range list {
		m.matches[matchKey{match.Account, match.ID}] = match
	}
	return nil
}

func (m *memory) Matches(_ context.Context, account string, ids []string) (found []Match, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if match, ok := m.matches[matchKey{account, id}]; ok {
			found = append(found, match)
		}
	}
	return found, nil
}

func (m *memory) AddEvents(_ context.Context, account string, list []Event, limit int) (added []bool, err error) {
	if len(list) > 900 {
		return nil, ErrFull
	}
	for _, e := range list {
		if e.Account != account || e.Rank == 0 || e.At.IsZero() || limit != MaxEvents {
			return nil, fmt.Errorf("incomplete event %+v", e)
		}
		e.At = time.Time{}
		e.Rank = 0
		added = append(added, !m.events[e])
		m.events[e] = true
	}
	return added, nil
}

func (m *memory) Agreements(context.Context) ([]Agreement, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.agreed, nil
}

// observed counts events by type and outcome.
type observed struct {
	mu     sync.Mutex
	counts map[string]int
}

func (o *observed) Event(t Type, outcome string) { o.add(string(t)+" "+outcome, 1) }
func (o *observed) MatchesDropped(n int)         { o.add("dropped", n) }

func (o *observed) add(name string, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts[name] += n
}

func newService(t *testing.T) (*Service, *memory, *observed) {
	t.Helper()
	store := &memory{matches: map[matchKey]Match{}, events: map[Event]bool{}}
	o := &observed{counts: map[string]int{}}
	s := New(Config{Store: store, Now: time.Now, Log: slog.New(slog.DiscardHandler), Observer: o})
	t.Cleanup(func() {
		if err := s.Close(); err != nil && store.err == nil {
			t.Error(err)
		}
	})
	return s, store, o
}

func match(account, id string, freelancers ...string) Match {
	m := Match{Account: account, ID: id, At: time.Now()}
	for _, f := range freelancers {
		m.Freelancers = append(m.Freelancers, Hash(f))
	}
	return m
}

func TestService_Record(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, o := newService(t)
		second := match("acc_1", "b", "f3")
		second.Offset = 20
		s.Matched(match("acc_1", "a", "f1", "f2"))
		s.Matched(second)
		s.Matched(match("acc_2", "c", "f1"))
		s.Matched(match("acc_1", "empty"))
		got, err := s.Record(t.Context(), "acc_1", []Event{
			{Match: "a", Freelancer: "f1", Type: Shown},
			{Match: "c", Freelancer: "f1", Type: Hired}, // of another account
			{Match: "a", Freelancer: "f3", Type: Shown}, // in another response
			{Match: "b", Freelancer: "f3", Type: Clicked, At: time.Now().Add(-time.Minute)},
			{Match: "a", Freelancer: "f1", Type: Shown}, // again
			{Match: "empty", Freelancer: "f1", Type: Shown},
			{Match: "a", Freelancer: "f2", Type: Rejected, At: time.Now().Add(-time.Hour)},
			{Match: "a", Freelancer: "f2", Type: Rejected, At: time.Now().Add(time.Hour)},
		})
		if err != nil {
			t.Fatal(err)
		}

		var faults []string
		for _, f := range got.Rejected {
			if !strings.HasPrefix(f.Message, f.Field+" must ") {
				t.Errorf("message %q", f.Message)
			}
			faults = append(faults, f.Field+" "+f.Code)
		}

		want := []string{
			"events[1].request_id unknown_request", "events[2].freelancer_id not_in_response",
			"events[5].request_id unknown_request", "events[6].at invalid_time", "events[7].at invalid_time",
		}
		if diff := cmp.Diff(want, faults); diff != "" || got.Recorded != 2 || got.Duplicates != 1 {
			t.Errorf("%d recorded, %d duplicates, rejected: %s", got.Recorded, got.Duplicates, diff)
		}

		again, err := s.Record(t.Context(), "acc_1", []Event{{Match: "a", Freelancer: "f1", Type: Shown}})
		if err != nil || again.Recorded != 0 || again.Duplicates != 1 {
			t.Errorf("%+v (%v), want a duplicate", again, err)
		}

		counts := map[string]int{
			"shown recorded": 1, "clicked recorded": 1, "shown duplicate": 2, "hired rejected": 1, "shown rejected": 2,
			"rejected rejected": 2,
		}
		if diff := cmp.Diff(counts, o.counts); diff != "" {
			t.Errorf("observed (-want +got):\n%s", diff)
		}
	})
}

func TestMatch_Rank(t *testing.T) {
	m := match("acc_1", "a", "f1", "f2")
	m.Offset = 10
	for id, want := range map[string]int{"f1": 11, "f2": 12, "f3": 0} {
		if got := m.rank(id); got != want {
			t.Errorf("rank of %s is %d, want %d", id, got, want)
		}
	}
}

func TestService_Full(t *testing.T) {
	s, _, _ := newService(t)
	var list []Event
	for i := range 901 {
		id := fmt.Sprint(i)
		s.Matched(match("acc_1", id, "f1"))
		list = append(list, Event{Match: id, Freelancer: "f1", Type: Shown})
	}
	if _, err := s.Record(t.Context(), "acc_1", list); matching.CodeOf(err) != CodeFull {
		t.Errorf("error %v, want %s", err, CodeFull)
	}
}

// Matches are written every second, without any event, and again if the store fails.
func TestService_WritesInBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store, o := newService(t)
		s.Matched(match("acc_1", "a", "f1"))
		s.Matched(match("acc_1", "a", "f2")) // replaces the one before
		<-time.After(flushInterval + 1)
		synctest.Wait()
		stored := store.matches[matchKey{"acc_1", "a"}]
		if stored.rank("f2") != 1 || store.writes != 1 {
			t.Errorf("stored %v with %d writes", store.matches, store.writes)
		}

		store.fail(errors.New("the disk is full"))
		s.Matched(match("acc_1", "b", "f1"))
		if _, err := s.Record(t.Context(), "acc_1", []Event{{Match: "b", Freelancer: "f1", Type: Shown}}); err == nil {
			t.Error("an event was answered although its match could not be looked up")
		}

		<-time.After(3 * flushInterval)
		synctest.Wait()
		store.fail(nil)
		<-time.After(flushInterval)
		synctest.Wait()

		if _, ok := store.matches[matchKey{"acc_1", "b"}]; !ok {
			t.Error("the match was lost when the store failed")
		}

		if len(o.counts) > 0 {
			t.Errorf("observed %v", o.counts)
		}
	})
}

// While the store fails, the memory for matches stays bounded, and operators see how many were dropped.
func TestService_DropsMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store, o := newService(t)
		store.fail(errors.New("the disk is full"))
		for i := range maxPending + 5 {
			s.Matched(match("acc_1", fmt.Sprint(i), "f1"))
		}

		brief := match("acc_1", "x", "f1")
		<-time.After(2 * flushInterval)
		synctest.Wait()

		if len(s.pending) != maxPending || o.counts["dropped"] != 5 {
			t.Errorf("%d pending, %d dropped", len(s.pending), o.counts["dropped"])
		}
		s.pending = map[matchKey]*Match{}
		for i := range 100 {
			brief.ID, brief.Brief = fmt.Sprint(i), make([]byte, maxBrief)
			s.Matched(brief)
		}

		if len(s.pending) != maxPendingBytes/maxBrief {
			t.Errorf("%d briefs pending, want %d", len(s.pending), maxPendingBytes/maxBrief)
		}
		brief.ID, brief.Brief = "larger", make([]byte, maxBrief+1)
		s.Matched(brief)

		if s.pending[matchKey{"acc_1", "larger"}].Brief != nil {
			t.Error("a brief over the limit is kept")
		}
	})
}

func TestService_KeepsBriefs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store, _ := newService(t)
		agree := func(accounts ...string) {
			store.mu.Lock()
			store.agreed = nil
			for _, account := range accounts {
				store.agreed = append(store.agreed, Agreement{Account: account, Briefs: true})
			}
			store.mu.Unlock()
			<-time.After(flushInterval + 1)
			synctest.Wait()
		}
		agree("acc_1")
		if !s.KeepsBriefs("acc_1") || s.KeepsBriefs("acc_2") {
			t.Error("the briefs of acc_1 must be kept, and no others")
		}
		agree()
		if s.KeepsBriefs("acc_1") {
			t.Error("the briefs of acc_1 are still kept")
		}
	})
}

func TestService_CloseWritesTheRest(t *testing.T) {
	s, store, _ := newService(t)
	s.Matched(match("acc_1", "a", "f1"))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(store.matches) != 1 {
		t.Error("the last match was lost")
	}
}

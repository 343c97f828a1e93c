package learning

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/ranking/learn"
)

func noon(day int) time.Time { return time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC) }

// list returns a response to a brief with the people a and b, and events about them.
func list(day int, brief uint64, about map[string]events.Type) List {
	parts := make([]float64, len(ranking.Features()))
	lesson := events.Lesson{Upper: 1, Brief: brief, Parts: [][]float64{parts, parts}}
	l := List{Match: events.Match{
		At: noon(day), Freelancers: []uint64{events.Hash("a"), events.Hash("b")},
		Versions: matching.Versions{Profile: "default"}, Lesson: lesson.Encode(),
	}}
	for freelancer, kind := range about {
		l.Events = append(l.Events, events.Event{Freelancer: freelancer, Type: kind, Rank: 1})
	}
	return l
}

// Responses to one brief have one coin, so they count once, with the best that came of each person.
func TestProblem_CountsABriefOnce(t *testing.T) {
	p, err := newProblem(nil)
	if err != nil {
		t.Fatal(err)
	}
	other := list(5, 3, nil)
	other.Match.Versions.Profile = "economy"
	damaged := list(5, 4, nil)
	damaged.Match.Lesson = damaged.Match.Lesson[:20]
	erased := list(5, 5, nil)
	erased.Match.Forget(1)
	for _, l := range []List{
		list(9, 1, map[string]events.Type{"a": events.Clicked}),
		list(8, 1, map[string]events.Type{"a": events.Hired, "b": events.Rejected}),
		list(7, 2, map[string]events.Type{"b": events.Contacted}), other, damaged, erased,
	} {
		p.add(&l)
	}

	var gains []float64
	for _, l := range p.lists {
		gains = append(gains, l.Shown[0].Gain, l.Shown[1].Gain)
	}
	if want := []float64{1, 0, 0, 2. / 3}; !slices.Equal(gains, want) || !p.lists[0].At.Equal(noon(9)) {
		t.Errorf("gains %v, want %v; lists %+v", gains, want, p.lists)
	}
}

// A feature that the published ranking gives no weight keeps none.
func TestProblem_StartsFromThePublishedRanking(t *testing.T) {
	p, err := newProblem(&matching.Ranking{
		Name: "Mine", Version: 2, Profile: "economy", Weights: map[string]float64{"text": 3, "experience": 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := slices.Index(p.features, "text")
	experience := slices.Index(p.features, "experience")
	if p.profile.Name != "economy" || p.current[text] != 3 || p.shipped[text] == 3 || p.shipped[experience] != 0 {
		t.Errorf("problem %+v", p)
	}
}

func TestNightBefore(t *testing.T) {
	for now, want := range map[string]string{
		"2026-11-03T01:59:59Z":      "2026-11-02T02:00:00Z",
		"2026-11-03T02:00:00Z":      "2026-11-03T02:00:00Z",
		"2026-11-03T03:30:00+02:00": "2026-11-02T02:00:00Z",
		"2026-11-03T23:00:00Z":      "2026-11-03T02:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := nightBefore(at).Format(time.RFC3339); got != want {
			t.Errorf("at %s, the night began at %s, want %s", now, got, want)
		}
	}
}

// memory is a Store of accounts without lists.
type memory struct {
	begun    map[string]time.Time
	finished map[string]Run
	fail     string // the account whose lists can't be read
}

func (m *memory) State(context.Context, string) (State, error) { return State{Allowed: true}, nil }

func (m *memory) AllowSwaps(context.Context, string, bool, audit.Event) (bool, error) {
	return true, nil
}

func (m *memory) Claim(_ context.Context, account string, now, since time.Time) error {
	if at, ok := m.begun[account]; ok && !at.Before(since) {
		return ErrClaimed
	}
	m.begun[account] = now
	return nil
}

func (m *memory) Lists(_ context.Context, account string, _ int, _ func(List) error) error {
	if account == m.fail {
		return errors.New("disk full")
	}
	return nil
}

func (m *memory) Finish(_ context.Context, account string, run Run) error {
	m.finished[account] = run
	return nil
}

type noRankings struct{}

func (noRankings) Published(context.Context, string) (*matching.Ranking, error) { return nil, nil }

func (noRankings) Replace(
	context.Context, audit.By, string, rankings.Version, int,
) (rankings.Version, error) {
	return rankings.Version{}, errors.New("nothing to publish")
}

// A night learns once for each account that allows it, and an account that fails doesn't keep it from the others.
func TestService_Night(t *testing.T) {
	m := &memory{begun: map[string]time.Time{"c": noon(3)}, finished: map[string]Run{}, fail: "a"}
	now := noon(3)
	s := New(Config{
		Store: m, Rankings: noRankings{}, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		Options: learn.DefaultOptions(),
		Agreements: func(context.Context) ([]events.Agreement, error) {
			return []events.Agreement{
				{Account: "a", Swaps: true}, {Account: "b", Swaps: true}, {Account: "c", Swaps: true}, {Account: "d", Briefs: true},
			}, nil
		},
	})

	if err := s.Night(t.Context()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v, want the one of a", err)
	}
	if len(m.finished) != 2 || len(m.finished["a"].Reasons) != 1 || len(m.finished["b"].Reasons) == 0 {
		t.Errorf("finished %+v", m.finished)
	}

	clear(m.finished)
	now = now.Add(13 * time.Hour)
	if err := s.Night(t.Context()); err != nil || len(m.finished) > 0 {
		t.Errorf("the same night again: %+v (%v)", m.finished, err)
	}
	if _, err := s.Learn(t.Context(), "b"); err != nil || len(m.finished) != 1 {
		t.Errorf("on request: %+v (%v)", m.finished, err)
	}
	now = now.Add(2 * time.Hour)
	if err := s.Night(t.Context()); err == nil || len(m.finished) != 3 {
		t.Errorf("the next night: %+v (%v)", m.finished, err)
	}
}

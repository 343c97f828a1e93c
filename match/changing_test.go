package match_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// changing is an engine that drops its index during the first few requests.
type changing struct {
	engine.Searcher
	drops          int   // the number of requests that fail because the index was dropped
	sizes, windows []int // of the queries so far
}

func (c *changing) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	s, err := c.Searcher.Open(ctx, alias)
	return &changingSnapshot{s, c}, err
}

type changingSnapshot struct {
	engine.Snapshot
	of *changing
}

func (s *changingSnapshot) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	s.of.sizes, s.of.windows = append(s.of.sizes, q.Size), append(s.of.windows, q.Window)
	return s.Snapshot.Search(ctx, q)
}

func (s *changingSnapshot) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	if s.of.drops > 0 {
		s.of.drops--
		return nil, fmt.Errorf("fetch: %w: it was dropped", engine.ErrNotFound)
	}
	return s.Snapshot.Fetch(ctx, ids)
}

// serviceOn returns a service on another engine than the world's own.
func (w *world) serviceOn(e engine.Searcher, window int) *match.Service {
	w.t.Helper()
	s, err := match.New(match.Config{
		Engine:   e,
		Taxonomy: w.taxonomy,
		Analyzer: w.analyzer,
		Window:   window,
		Log:      slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func TestMatch_RetriesWhenTheIndexIsDropped(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"React"}})
	for drops, want := range map[int]matching.Code{0: "", 1: "", 2: matching.CodeEngineUnavailable} {
		service := w.serviceOn(&changing{Searcher: w.engine, drops: drops}, match.DefaultWindow)
		answer, err := service.Match(t.Context(), &matching.Brief{RequiredSkills: []string{"React"}, Limit: 1})
		if got := matching.CodeOf(err); got != want || err == nil && len(answer.Matches) != 1 {
			t.Errorf("dropped %d times: %v, %v; want the code %q", drops, answer, err, want)
		}
	}
}

func TestMatch_PagesBeyondTheWindowUseALargerWindow(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"React"}})
	e := &changing{Searcher: w.engine}
	service := w.serviceOn(e, 200)
	for _, page := range []struct{ offset, limit int }{{0, 10}, {100, 100}, {150, 51}, {400, 100}} {
		b := matching.Brief{RequiredSkills: []string{"React"}, Offset: page.offset, Limit: page.limit}
		if _, err := service.Match(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{200, 200, match.DefaultWindow, match.DefaultWindow}; !slices.Equal(e.windows, want) {
		t.Errorf("windows %v, want %v", e.windows, want)
	}
	if want := []int{10, 200, 201, 500}; !slices.Equal(e.sizes, want) {
		t.Errorf("sizes %v, want %v", e.sizes, want)
	}
}

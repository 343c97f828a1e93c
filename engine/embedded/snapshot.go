package embedded

import (
	"context"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A snapshot is a view for callers outside of this package: each method guards the files that the view is part of.
type snapshot struct{ *view }

var _ engine.Snapshot = snapshot{}

// Statistics implements engine.Snapshot.
func (s snapshot) Statistics(ctx context.Context, skills []string) (_ engine.Statistics, err error) {
	defer s.guard(&err)()
	return s.view.Statistics(ctx, skills)
}

// Search implements engine.Snapshot.
func (s snapshot) Search(ctx context.Context, q *engine.Query) (_ *engine.Page, err error) {
	defer s.guard(&err)()
	return s.view.Search(ctx, q)
}

// Rank implements engine.Ranker.
func (s snapshot) Rank(ctx context.Context, q *engine.Query, p engine.Placed) (_ engine.Standing, err error) {
	defer s.guard(&err)()
	return s.view.Rank(ctx, q, p)
}

// Fetch implements engine.Snapshot.
func (s snapshot) Fetch(ctx context.Context, ids []string) (_ []matching.Freelancer, err error) {
	defer s.guard(&err)()
	return s.view.Fetch(ctx, ids)
}

// Count implements engine.Snapshot.
func (s snapshot) Count(ctx context.Context, f engine.Filters) (_ int, err error) {
	defer s.guard(&err)()
	return s.view.Count(ctx, f)
}

// CountEach implements engine.Snapshot.
func (s snapshot) CountEach(ctx context.Context, filters []engine.Filters) (_ []int, err error) {
	defer s.guard(&err)()
	return s.view.CountEach(ctx, filters)
}

// CountUnknown implements engine.Snapshot.
func (s snapshot) CountUnknown(ctx context.Context, f engine.Filters) (_ int, err error) {
	defer s.guard(&err)()
	return s.view.CountUnknown(ctx, f)
}

// List implements engine.Snapshot.
func (s snapshot) List(ctx context.Context, f engine.Filters, after string, limit int) (_ []string, err error) {
	defer s.guard(&err)()
	return s.view.List(ctx, f, after, limit)
}

// Vocabulary implements engine.Snapshot.
func (s snapshot) Vocabulary(ctx context.Context) (_ *engine.Vocabulary, err error) {
	defer s.guard(&err)()
	return s.view.Vocabulary(ctx)
}

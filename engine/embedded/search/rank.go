package search

import (
	"context"
	"fmt"

	"github.com/freelancer-matching/service/engine"
)

// Rank implements engine.Ranker. It scores every hit, so it takes longer than a search, which skips most of them.
func (v Snapshot) Rank(ctx context.Context, q *engine.Query, p engine.Placed) (_ engine.Standing, err error) {
	defer v.Guard(&err)()
	if err := q.Check(v.Meta.Vectors); err != nil {
		return engine.Standing{}, fmt.Errorf("rank in index %q: %w", v.Meta.Name, err)
	}
	plan := newPlan(v.View, q)
	defer v.Shared.Searching.Enter()()
	s := v.borrow()
	defer v.giveBack(s)
	s.start(plan)
	s.lookUpWords(plan)
	var standing engine.Standing
	s.best.countInstead(standing.Counter(p))
	defer s.best.reset(0, 0)
	if err := v.search(ctx, s, plan); err != nil {
		return engine.Standing{}, err
	}
	return standing, nil
}

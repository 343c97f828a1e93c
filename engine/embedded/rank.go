package embedded

import (
	"context"
	"fmt"

	"freelancer-matching/engine"
)

var _ engine.Ranker = snapshot{}

// Rank implements engine.Ranker. It scores every hit, so it takes longer than a search, which skips most of them.
func (v *view) Rank(ctx context.Context, q *engine.Query, p engine.Placed) (engine.Standing, error) {
	if err := q.Check(v.info.Vectors); err != nil {
		return engine.Standing{}, fmt.Errorf("rank in index %q: %w", v.info.Name, err)
	}
	plan := v.newPlan(q)
	s := v.shared.scratch.Get().(*scratch)
	defer v.shared.scratch.Put(s)
	s.look(plan)
	var standing engine.Standing
	s.best.countInstead(standing.Counter(p))
	defer s.best.reset(0, 0)
	if err := s.search(ctx, plan); err != nil {
		return engine.Standing{}, err
	}
	return standing, nil
}

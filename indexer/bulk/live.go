package bulk

import (
	"context"
	"iter"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// open returns a snapshot of a complete index. The Searcher has the live one open already, unless another process has
// moved the alias a moment ago.
func (c *change) open(ctx context.Context, index string) (engine.Snapshot, error) {
	if c.Searcher != nil {
		snapshot, err := c.Searcher.Open(ctx, c.Alias)
		if err == nil && snapshot.Info().Name == index {
			return snapshot, nil
		}
	}
	return c.Indexer.OpenIndex(ctx, index)
}

// applyLive puts the freelancers of the inputs into the live index through the engine.Changer. When it returns, they
// are durable, and searches see them.
func (c *change) applyLive(ctx context.Context, r *reading) error {
	waiting := make([]matching.Freelancer, 0, batchSize)
	apply := func() error {
		documents, err := c.Preparer.Prepare(ctx, waiting)
		if err != nil {
			return err
		}
		waiting = waiting[:0]

		changes := make([]engine.Change, len(documents))
		for i, d := range documents {
			changes[i] = engine.Change{ID: d.Freelancer.ID, Document: d}
		}
		made, err := c.applyChanges(ctx, r, changes)
		c.report.Indexed += len(made)
		return err
	}

	err := r.secondPass(ctx, Loading, true, func(f matching.Freelancer) error {
		if waiting = append(waiting, f); len(waiting) < batchSize {
			return nil
		}
		return apply()
	})
	if err != nil || len(waiting) == 0 {
		return err
	}
	return apply()
}

// deleteLive deletes freelancers from the live index through the engine.Changer, and returns how many it had.
func (c *change) deleteLive(ctx context.Context, r *reading, ids iter.Seq[string]) (deleted int, err error) {
	var changes []engine.Change
	for id := range ids {
		changes = append(changes, engine.Change{ID: id})
	}
	made, err := c.applyChanges(ctx, r, changes)
	for _, o := range made {
		if o.Before != "" {
			deleted++
		}
	}
	return deleted, err
}

// applyChanges makes changes of the live index, and returns the outcomes of those that the engine didn't refuse.
func (c *change) applyChanges(
	ctx context.Context, r *reading, changes []engine.Change,
) (made []engine.Outcome, err error) {
	outcomes, err := c.Indexer.Apply(ctx, c.Alias, changes)
	if err != nil {
		return nil, err
	}
	for i, o := range outcomes {
		if o.Err != nil {
			c.report.Refused++
			r.refuse(changes[i].ID, o.Err)
			continue
		}
		made = append(made, o)
	}
	return made, nil
}

package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// An overlap holds what others change in the live index while a load builds a new one, and carries these changes over
// to the new index.
type overlap struct {
	indexer  engine.Indexer
	preparer Preparer
	isErased func(*matching.Freelancer) bool
	alias    string
	was      string // the index that was live when the change started
	carried  int    // changes that the new index has now

	changes engine.Tracker  // of the index that was live; nil if it isn't followed
	newer   map[string]bool // freelancers whom others have changed on the new index
}

// newOverlap returns an overlap with the index that was live when c started. Call follow to begin.
func newOverlap(c *change) *overlap {
	return &overlap{indexer: c.Indexer, preparer: c.Preparer, isErased: c.isErased, alias: c.Alias, was: c.was}
}

// follow begins to observe the changes that others make to the live index, so that goLive can carry them over to the
// new one. An index that can't be used can't be changed either.
func (o *overlap) follow(ctx context.Context, log *slog.Logger) error {
	tracker, err := o.indexer.Track(ctx, o.was)
	switch {
	case engine.Unusable(err) || errors.Is(err, engine.ErrNotFound):
		log.WarnContext(ctx, "changes of the live index can't be followed", "index", o.was, "error", err)
		return nil
	case err != nil:
		return fmt.Errorf("follow the changes of index %q: %w", o.was, err)
	}
	o.changes = tracker
	return nil
}

// unfollow ends the observation.
func (o *overlap) unfollow() error {
	if o.changes == nil {
		return nil
	}
	return o.changes.Close()
}

// goLive points the alias to a complete new index, with the changes that others have made to the live index since this
// overlap began. It applies nearly all of them before the alias moves, and the last few when no more can follow.
func (o *overlap) goLive(ctx context.Context, index string) (previous string, err error) {
	if o.changes == nil {
		return o.indexer.SwapAlias(ctx, o.alias, o.was, index)
	}
	if err := o.carry(ctx, index); err != nil {
		return "", fmt.Errorf("carry changes of index %q over: %w", o.was, err)
	}

	// The new index is observed before it goes live, so that no change of a client is missed.
	newer, err := o.indexer.Track(ctx, index)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, newer.Close()) }()
	if previous, err = o.indexer.SwapAlias(ctx, o.alias, o.was, index); err != nil {
		return "", err
	}
	if err := o.carryLast(ctx, newer); err != nil {
		return previous, &PartialError{Operation: "carry the last changes of index " + o.was + " over", Err: err}
	}
	return previous, nil
}

// carry applies the changes so far to a new index that isn't live yet.
func (o *overlap) carry(ctx context.Context, index string) error {
	var update engine.Update
	defer func() {
		if update != nil {
			update.Abort()
		}
	}()

	for chunk, err := range chunks(o.changes.Changed(ctx)) {
		if err != nil {
			return err
		}

		// Most loads have nothing to carry over and need no update.
		if update == nil {
			if update, err = o.indexer.Update(ctx, index, nil); err != nil {
				return err
			}
		}

		documents, deleted, err := o.prepareChanged(ctx, chunk)
		if err != nil {
			return err
		}

		for _, d := range documents {
			if err := update.Add(ctx, d); err != nil {
				return err
			}
		}

		for _, id := range deleted {
			if err := update.Delete(ctx, id); err != nil {
				return err
			}
		}
	}

	if update == nil {
		return nil
	}
	result, err := update.Close(ctx)
	if err == nil && result.Failed > 0 {
		err = fmt.Errorf("the engine refused %d changed freelancers", result.Failed)
	}

	// Missing counts deletions of freelancers whom the new index doesn't have; they were carried over as well.
	o.carried += result.Indexed + result.Deleted + result.Missing
	return err
}

// carryLast applies the changes made between carry and the move of the alias to the index that is live now. A client
// may have changed the same freelancers there since; newer observes that index, and those changes stay.
func (o *overlap) carryLast(ctx context.Context, newer engine.Tracker) error {
	for chunk, err := range chunks(o.changes.Changed(ctx)) {
		if err != nil {
			return err
		}
		documents, deleted, err := o.prepareChanged(ctx, chunk)
		if err != nil {
			return err
		}

		var changes []engine.Change
		for _, d := range documents {
			changes = append(changes, engine.Change{ID: d.Freelancer.ID, Document: d})
		}

		for _, id := range deleted {
			changes = append(changes, engine.Change{ID: id})
		}

		if changes, err = o.unlessChanged(ctx, changes, newer); err != nil {
			return err
		}
		outcomes, err := o.indexer.Apply(ctx, o.alias, changes)
		if err != nil {
			return err
		}

		for _, outcome := range outcomes {
			switch {
			case outcome.Err == nil:
				o.carried++
			case !errors.Is(outcome.Err, engine.ErrConflict): // which means that somebody has changed it meanwhile
				return outcome.Err
			}
		}
	}

	return nil
}

// noVersion is the version of no document.
const noVersion = "none"

// unlessChanged returns the changes of freelancers whom nobody has changed on the live index, each on the condition
// that this stays so.
func (o *overlap) unlessChanged(
	ctx context.Context, changes []engine.Change, newer engine.Tracker,
) ([]engine.Change, error) {
	for i := range changes { // the condition fails for every document, and the error says what version it has
		changes[i].If = engine.Condition{Versions: []string{noVersion}}
	}
	outcomes, err := o.indexer.Apply(ctx, o.alias, changes)
	if err != nil {
		return nil, err
	}

	for i, outcome := range outcomes {
		conflict, ok := errors.AsType[*engine.VersionError](outcome.Err)
		if !ok {
			return nil, fmt.Errorf("look up the version of freelancer %q: %w", changes[i].ID, outcome.Err)
		}
		changes[i].If = engine.Condition{Exists: matching.Some(false)}

		if conflict.Has != "" {
			changes[i].If = engine.Condition{Versions: []string{conflict.Has}}
		}
	}

	if o.newer == nil {
		o.newer = map[string]bool{}
	}

	for changed, err := range newer.Changed(ctx) { // after the versions were read, so that none is missed
		if err != nil {
			return nil, err
		}
		o.newer[changed.ID] = true
	}

	return slices.DeleteFunc(changes, func(change engine.Change) bool { return o.newer[change.ID] }), nil
}

// prepareChanged returns the documents of changed freelancers, and the IDs of those who were deleted or erased.
func (o *overlap) prepareChanged(
	ctx context.Context, changed []engine.Changed,
) (documents []*engine.Document, deleted []string, err error) {
	var freelancers []matching.Freelancer
	for _, one := range changed {
		if one.Freelancer == nil || o.isErased(one.Freelancer) {
			deleted = append(deleted, one.ID)
		} else {
			freelancers = append(freelancers, *one.Freelancer)
		}
	}
	documents, err = o.preparer.Prepare(ctx, freelancers)
	return documents, deleted, err
}

// chunks collects the items of a sequence into slices of up to batchSize. It ends with an error of the sequence.
func chunks[T any](items func(yield func(T, error) bool)) func(yield func([]T, error) bool) {
	return func(yield func([]T, error) bool) {
		var chunk []T
		for item, err := range items {
			if err != nil {
				yield(nil, err)
				return
			}
			if chunk = append(chunk, item); len(chunk) == batchSize {
				if !yield(chunk, nil) {
					return
				}
				chunk = nil
			}
		}
		if len(chunk) > 0 {
			yield(chunk, nil)
		}
	}
}

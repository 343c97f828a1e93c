package people

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
)

// An inPlaceEngine deletes documents from the live index, and from any other one. It reads no index as a whole, so a
// deletion takes milliseconds.
type inPlaceEngine interface {
	engine.Changer
	engine.Updater
}

// eraseInPlace deletes freelancers from every index, with the vectors of their profiles. It returns those of the IDs
// that an index had, of which the caller knows some already. An earlier index that can't be changed, because it is
// damaged or of another format, is dropped: it may have anybody.
func (s *Service) eraseInPlace(
	ctx context.Context, e inPlaceEngine, ids, known []string,
) (found []string, indexes ErasedIndexes, err error) {
	indexes.InPlace = true
	inLive, err := s.deleteFromLive(ctx, e, ids)
	if err != nil {
		return nil, indexes, fmt.Errorf("delete from the live index: %w", err)
	}
	found = slices.Concat(known, inLive)

	if indexes.Live, indexes.Previous, err = s.Indexes.Alias(ctx, s.Alias); err != nil {
		return nil, indexes, err
	}
	infos, err := s.Indexes.Indexes(ctx)
	if err != nil {
		return nil, indexes, err
	}
	for _, info := range infos {
		if !info.Complete || info.Name == indexes.Live {
			continue // a load that is under way takes over the deletions from the live index
		}
		also, isDropped, err := s.deleteFromOther(ctx, e, info.Name, ids, found)
		if err != nil {
			return nil, indexes, err
		}
		found = append(found, also...)
		if isDropped {
			indexes.Dropped = append(indexes.Dropped, info.Name)
		}
	}

	if s.Vectors != nil {
		if err := s.Vectors(ctx, ids); err != nil {
			return nil, indexes, err
		}
	}

	// A dropped index may have been the one that a rollback returns to.
	if len(indexes.Dropped) > 0 {
		_, indexes.Previous, err = s.Indexes.Alias(ctx, s.Alias)
	}
	slices.Sort(found)

	return slices.Compact(found), indexes, err
}

// deleteFromLive deletes freelancers from the live index, and returns those of the IDs that it had.
func (s *Service) deleteFromLive(ctx context.Context, e engine.Changer, ids []string) (had []string, err error) {
	changes := make([]engine.Change, len(ids))
	for i, id := range ids {
		changes[i].ID = id
	}

	outcomes, err := e.Apply(ctx, s.Alias, changes)
	if err != nil && !errors.Is(err, engine.ErrNotFound) { // without a live index, there is nothing to delete from it
		return nil, err
	}
	for i, o := range outcomes {
		if o.Err != nil {
			return nil, o.Err
		}
		if o.Before != "" {
			had = append(had, ids[i])
		}
	}
	return had, nil
}

// deleteFromOther deletes freelancers from an index that isn't live, or drops the index if it can't be changed. It
// returns those whom it had and nobody had found before.
func (s *Service) deleteFromOther(
	ctx context.Context, e engine.Updater, index string, ids, found []string,
) (also []string, isDropped bool, err error) {
	also, err = deleteFrom(ctx, e, index, ids, found)
	switch {
	case err == nil:
		return also, false, nil
	case errors.Is(err, engine.ErrNotFound): // a load has dropped it meanwhile
		return also, false, nil
	case engine.Unusable(err):
		if err := s.Indexes.Drop(ctx, index); err != nil {
			return nil, false, fmt.Errorf("drop index %q: %w", index, err)
		}
		return also, true, nil
	default:
		return nil, false, fmt.Errorf("delete from index %q: %w", index, err)
	}
}

// deleteFrom deletes freelancers from an index, and returns those whom it had and nobody had found before. These are
// deleted one by one, because an update counts, but doesn't name what it deletes.
func deleteFrom(ctx context.Context, e engine.Updater, index string, ids, found []string) (also []string, err error) {
	var together []string
	for _, id := range ids {
		if slices.Contains(found, id) {
			together = append(together, id)
			continue
		}
		deleted, err := deleteTogether(ctx, e, index, id)
		if err != nil {
			return also, err
		}
		if deleted > 0 {
			also = append(also, id)
		}
	}
	_, err = deleteTogether(ctx, e, index, together...)
	return also, err
}

func deleteTogether(ctx context.Context, e engine.Updater, index string, ids ...string) (deleted int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	update, err := e.Update(ctx, index, nil)
	if err != nil {
		return 0, err
	}
	defer update.Abort()
	for _, id := range ids {
		if err := update.Delete(ctx, id); err != nil {
			return 0, err
		}
	}
	result, err := update.Close(ctx)
	return result.Deleted, err
}

// A compactor removes what deleted documents leave in the files of an index until the next merge.
type compactor interface {
	Compact(ctx context.Context, index string) error
}

// compact removes what deleted documents have left in the files of all indexes, if the engine can.
func (s *Service) compact(ctx context.Context) error {
	e, ok := s.Indexes.(compactor)
	if !ok {
		return nil
	}
	infos, err := s.Indexes.Indexes(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		if !info.Complete || info.Fault != "" {
			continue
		}
		if err := e.Compact(ctx, info.Name); err != nil {
			return err
		}
	}
	return nil
}

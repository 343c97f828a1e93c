package bulk

import (
	"context"
	"fmt"

	"freelancer-matching/engine"
)

// Delete takes the freelancers with these distinct ids out of the live index: in place where the engine can, otherwise by a
// new index without them. Earlier indexes keep them, unless everywhere is set: then an engine that changes in place
// deletes them from every index, and any other loses every index but the live one.
//
// The error is an *UnknownError, and nothing was changed, when nobody has any of the ids.
func (l *Loader) Delete(ctx context.Context, ids []string, everywhere bool, o Options) (*Report, error) {
	return l.locked(ctx, &o, func(report *Report) error {
		live, err := l.live(ctx, o.Alias, report)
		if err != nil {
			return err
		}
		if live.Name == "" {
			return ErrNothingLive
		}
		report.Base, report.Index, report.Kept = live.Name, live.Name, live.Documents
		infos := []engine.Info{*live}
		if everywhere {
			if infos, err = l.Indexer.Indexes(ctx); err != nil {
				return err
			}
		}
		holders, err := l.holders(ctx, infos, ids, report)
		if err != nil {
			return err
		}
		if updater, ok := l.Indexer.(engine.Updater); ok {
			err = l.deleteInPlace(ctx, updater, infos, holders, report)
		} else {
			err = l.deleteAnew(ctx, live, holders[live.Name], &o, report)
			if err == nil && everywhere {
				err = l.dropOthers(ctx, infos, report)
			}
		}
		if err != nil {
			return err
		}
		report.Deleted = len(ids) - len(report.Unknown)
		return nil
	})
}

// holders is which of the ids each index has.
func (l *Loader) holders(
	ctx context.Context, infos []engine.Info, ids []string, report *Report,
) (map[string][]string, error) {
	holders := make(map[string][]string)
	found := make(map[string]bool, len(ids))
	for i := range infos {
		info := &infos[i]
		if err := l.recount(ctx, info); err != nil {
			return nil, err
		}
		snapshot, err := l.Indexer.OpenIndex(ctx, info.Name)
		if err != nil {
			return nil, err
		}
		if holders[info.Name], err = known(ctx, snapshot, ids); err != nil {
			return nil, err
		}
		for _, id := range holders[info.Name] {
			found[id] = true
		}
	}
	for _, id := range ids {
		if !found[id] {
			report.Unknown = append(report.Unknown, id)
		}
	}
	if len(found) == 0 {
		return nil, &UnknownError{IDs: ids}
	}
	return holders, nil
}

// deleteInPlace deletes from each index whom it has.
func (l *Loader) deleteInPlace(
	ctx context.Context, updater engine.Updater, infos []engine.Info, holders map[string][]string, report *Report,
) error {
	for _, info := range infos {
		if ids := holders[info.Name]; len(ids) > 0 {
			if err := l.erase(ctx, updater, &info, ids); err != nil {
				return inPlace(info.Name, err)
			}
		}
	}
	report.InPlace = true
	report.Kept -= len(holders[report.Base])
	return nil
}

// erase deletes from an index the documents with these ids, all of which it has, and checks that they are gone.
func (l *Loader) erase(ctx context.Context, updater engine.Updater, info *engine.Info, ids []string) error {
	update, err := updater.Update(ctx, info.Name, nil)
	if err != nil {
		return err
	}
	defer update.Abort()
	for _, id := range ids {
		if err := update.Delete(ctx, id); err != nil {
			return err
		}
	}
	result, err := update.Close(ctx)
	if err != nil {
		return err
	}
	if result.Deleted != len(ids) {
		return fmt.Errorf("%d documents deleted, want %d", result.Deleted, len(ids))
	}
	snapshot, err := l.holds(ctx, info.Name, info.Documents-len(ids))
	if err != nil {
		return err
	}
	left, err := known(ctx, snapshot, ids)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("still there: %s", Some(left))
	}
	return err
}

// deleteAnew makes a new index without these ids, unless the live one has none of them.
func (l *Loader) deleteAnew(ctx context.Context, live *engine.Info, ids []string, o *Options, report *Report) error {
	report.Reason = immutable
	if len(ids) == 0 {
		return nil
	}
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	report.Kept = 0 // until they are taken over
	o.Source, o.Currency = live.Source, live.Currency
	return l.renew(ctx, live, nil, o, report, func(ctx context.Context, r *reading, take emit) error {
		return l.takeOver(ctx, live, r, func(id string) bool { return gone[id] }, take)
	})
}

// dropOthers drops the indexes that are not live.
func (l *Loader) dropOthers(ctx context.Context, infos []engine.Info, report *Report) error {
	report.Previous = ""
	for _, info := range infos {
		if info.Name == report.Index {
			continue
		}
		if err := l.Indexer.Drop(ctx, info.Name); err != nil {
			return &PartialError{Doing: "remove the indexes before", Err: err}
		}
		report.Dropped = append(report.Dropped, info.Name)
	}
	return nil
}

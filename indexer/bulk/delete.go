package bulk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"freelancer-matching/engine"
)

// Delete removes the freelancers with these distinct IDs from the live index: in place if the engine can, otherwise by
// building a new index without them. Earlier indexes keep them unless o.Everywhere is set. Then an engine that changes
// indexes in place deletes them from every index; with any other engine, Delete drops the earlier indexes that have
// any of them or can't be read.
//
// If no index has any of the IDs, nothing changes and the error is an *UnknownError.
func (l *Loader) Delete(ctx context.Context, ids []string, o Options) (*Report, error) {
	c := newChange(l, nil, o)
	return c.run(ctx, func(ctx context.Context) error { return c.delete(ctx, ids) })
}

func (c *change) delete(ctx context.Context, ids []string) error {
	live, err := c.live(ctx)
	if err != nil {
		return err
	}
	c.report.Base, c.report.Index, c.report.Kept = live.Name, live.Name, live.Documents
	infos := []engine.Info{*live}
	if c.Everywhere {
		if infos, err = c.Indexer.Indexes(ctx); err != nil {
			return err
		}
	}
	found, err := c.find(ctx, infos, ids)
	if err != nil {
		return err
	}
	if err := c.guardDelete(ctx, live, len(found[live.Name])); err != nil {
		return err
	}
	c.AllowShrink = true // so that a new index isn't compared again
	c.report.Deleted = len(ids) - len(c.report.Unknown)
	if updater, ok := c.Indexer.(engine.Updater); ok {
		err = c.deleteInPlace(ctx, updater, infos, found)
	} else if err = c.deleteByCopy(ctx, live, found[live.Name]); err == nil && c.Everywhere {
		err = c.dropOthers(ctx, found)
	}
	if err != nil {
		c.report.Deleted = 0
	}
	return err
}

// find returns the IDs that each index has, by index, and sets the report's unknown IDs. It corrects the document
// counts of infos.
func (c *change) find(ctx context.Context, infos []engine.Info, ids []string) (map[string][]string, error) {
	found := make(map[string][]string)
	known := make(map[string]bool, len(ids))
	_, updater := c.Indexer.(engine.Updater)
	var unreadable error
	for i := range infos {
		info := &infos[i]
		if err := c.recount(ctx, info); err != nil {
			return nil, err
		}
		snapshot, err := c.Indexer.OpenIndex(ctx, info.Name)
		if engine.Unusable(err) && !updater && info.Name != c.report.Base {
			unreadable, found[info.Name] = err, ids // it may have any of them, so dropOthers drops it
			continue
		}
		if err != nil {
			return nil, err
		}
		if found[info.Name], err = existing(ctx, snapshot, ids); err != nil {
			return nil, err
		}
		for _, id := range found[info.Name] {
			known[id] = true
		}
	}
	if len(known) == 0 && unreadable != nil {
		return nil, fmt.Errorf("no other index has these freelancers: %w", unreadable)
	}
	if len(known) == 0 {
		return nil, &UnknownError{IDs: ids}
	}
	c.report.Unknown = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return known[id] })
	return found, nil
}

// deleteInPlace deletes the IDs found in each index from it.
func (c *change) deleteInPlace(
	ctx context.Context, updater engine.Updater, infos []engine.Info, found map[string][]string,
) error {
	for _, info := range infos {
		if ids := found[info.Name]; len(ids) > 0 {
			if err := c.deleteFrom(ctx, updater, info, ids); err != nil {
				return inPlaceError(info.Name, err)
			}
		}
	}
	c.report.InPlace = true
	c.report.Kept -= len(found[c.report.Base])
	return c.checkChanged(ctx)
}

// deleteFrom deletes documents from an index that has all of them, and checks that they are gone.
func (c *change) deleteFrom(ctx context.Context, updater engine.Updater, info engine.Info, ids []string) error {
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
	if result.Deleted != len(ids) && !c.isShared() {
		return fmt.Errorf("the engine deleted %d documents, want %d", result.Deleted, len(ids))
	}
	snapshot, err := c.openChanged(ctx, info.Name, info.Documents-len(ids))
	if err != nil {
		return err
	}
	left, err := existing(ctx, snapshot, ids)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("the index still has %s", Some(left))
	}
	if err != nil {
		return err
	}
	return c.describeDeletion(ctx, &info, len(ids))
}

// deleteRows deletes the freelancers whom rows of the inputs delete from an index, and returns their number.
func (c *change) deleteRows(ctx context.Context, index string, r *reading) (int, error) {
	if len(r.deleted) == 0 {
		return 0, nil
	}
	updater, ok := c.Indexer.(engine.Updater)
	if !ok {
		return 0, errors.New("this engine cannot delete single freelancers")
	}
	update, err := updater.Update(ctx, index, nil)
	if err != nil {
		return 0, err
	}
	defer update.Abort()
	for id := range r.deleted {
		if err := update.Delete(ctx, id); err != nil {
			return 0, err
		}
	}
	result, err := update.Close(ctx)
	c.report.Deleted += result.Deleted
	return result.Deleted, err
}

// guardDeletions compares the live index with what it will be without the freelancers whom rows of the inputs delete.
func (c *change) guardDeletions(
	ctx context.Context, live *engine.Info, snapshot engine.Snapshot, r *reading,
) error {
	n, err := count(ctx, snapshot, slices.Collect(maps.Keys(r.deleted)))
	if err != nil || n == 0 {
		return err
	}
	return c.guardDelete(ctx, live, n)
}

// deleteByCopy builds a new index without these IDs. It does nothing if ids is empty.
func (c *change) deleteByCopy(ctx context.Context, live *engine.Info, ids []string) error {
	c.report.Reason = reasonImmutable
	if len(ids) == 0 {
		return nil
	}
	deleted := make(map[string]bool, len(ids))
	for _, id := range ids {
		deleted[id] = true
	}
	c.report.Kept = 0 // copyIndex counts them again
	c.Source, c.Currency = live.Source, live.Currency
	return c.buildFrom(ctx, live, func(ctx context.Context, r *reading, emit emitFunc) error {
		return c.copyIndex(ctx, live, r, func(id string) bool { return deleted[id] }, emit)
	})
}

// dropOthers drops the indexes in which IDs were found, except the live one.
func (c *change) dropOthers(ctx context.Context, found map[string][]string) (err error) {
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name == c.report.Index || len(found[name]) == 0 {
			continue
		}
		if err := c.Indexer.Drop(ctx, name); err != nil {
			return &PartialError{Operation: "drop the earlier indexes", Err: err}
		}
		c.report.Dropped = append(c.report.Dropped, name)
	}
	_, c.report.Previous, err = c.Indexer.Alias(ctx, c.Alias)
	return err
}

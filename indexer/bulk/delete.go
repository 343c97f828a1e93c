package bulk

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"freelancer-matching/engine"
)

// Delete removes the freelancers with these distinct IDs from the live index, in place. Earlier indexes keep them
// unless o.Everywhere is set. Then Delete removes them from every index, and drops earlier indexes that can't be read.
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
	c.report.Base = live.Name
	c.report.Index = live.Name
	c.report.Kept = live.Documents
	infos := []engine.Info{*live}

	if c.Everywhere {
		if infos, err = c.Indexer.Indexes(ctx); err != nil {
			return err
		}
	}

	found, unreadable, err := c.find(ctx, infos, ids)
	if err != nil {
		return err
	}
	if err := c.guardDelete(ctx, live, len(found[live.Name])); err != nil {
		return err
	}

	// Indexes that can't be read may have the freelancers, too, so the only way to be sure is to drop them.
	if err = c.deleteInPlace(ctx, infos, found); err == nil {
		err = c.drop(ctx, unreadable)
	}

	if err == nil {
		c.report.Deleted = len(ids) - len(c.report.Unknown)
	}

	return err
}

// find returns the IDs that each index has, by index, and the earlier indexes that can't be read and may have any of
// them. It sets the report's unknown IDs, and corrects the document counts of infos.
func (c *change) find(
	ctx context.Context, infos []engine.Info, ids []string,
) (found map[string][]string, unreadable []string, err error) {
	found = make(map[string][]string)
	known := make(map[string]bool, len(ids))
	var cause error
	for i := range infos {
		info := &infos[i]
		if err := c.recount(ctx, info); err != nil {
			return nil, nil, err
		}

		// An earlier index that is damaged must not keep anybody from being deleted.
		snapshot, err := c.Indexer.OpenIndex(ctx, info.Name)
		if engine.Unusable(err) && info.Name != c.report.Base {
			cause = err
			unreadable = append(unreadable, info.Name)
			continue
		}

		if err != nil {
			return nil, nil, err
		}
		if found[info.Name], err = existing(ctx, snapshot, ids); err != nil {
			return nil, nil, err
		}

		for _, id := range found[info.Name] {
			known[id] = true
		}
	}

	// Nothing is deleted unless some ID is certain: a mistyped one must not drop a damaged index.
	if len(known) == 0 && cause != nil {
		return nil, nil, fmt.Errorf("no other index has these freelancers: %w", cause)
	}
	if len(known) == 0 {
		return nil, nil, &UnknownError{IDs: ids}
	}

	c.report.Unknown = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return known[id] })
	return found, unreadable, nil
}

// deleteInPlace deletes the IDs found in each index from it.
func (c *change) deleteInPlace(ctx context.Context, infos []engine.Info, found map[string][]string) error {
	for _, info := range infos {
		if ids := found[info.Name]; len(ids) > 0 {
			if err := c.deleteFrom(ctx, info, ids); err != nil {
				return inPlaceError(info.Name, err)
			}
		}
	}
	c.report.InPlace = true
	c.report.Kept -= len(found[c.report.Base])
	return c.checkChanged(ctx)
}

// deleteFrom deletes documents from an index that has all of them, and checks that they are gone.
func (c *change) deleteFrom(ctx context.Context, info engine.Info, ids []string) error {
	if _, err := c.deleteIDs(ctx, info.Name, slices.Values(ids)); err != nil {
		return err
	}
	snapshot, err := c.Indexer.OpenIndex(ctx, info.Name)
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

// deleteIDs deletes documents from an index and returns how many it had.
func (c *change) deleteIDs(ctx context.Context, index string, ids iter.Seq[string]) (int, error) {
	update, err := c.Indexer.Update(ctx, index, nil)
	if err != nil {
		return 0, err
	}
	defer update.Abort()
	for id := range ids {
		if err := update.Delete(ctx, id); err != nil {
			return 0, err
		}
	}
	result, err := update.Close(ctx)
	return result.Deleted, err
}

// deleteRows deletes the freelancers whom rows of the inputs delete from an index, and returns their number.
func (c *change) deleteRows(ctx context.Context, index string, r *reading) (int, error) {
	if len(r.deleted) == 0 {
		return 0, nil
	}
	deleted, err := c.deleteIDs(ctx, index, maps.Keys(r.deleted))
	c.report.Deleted += deleted
	return deleted, err
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

// drop drops indexes.
func (c *change) drop(ctx context.Context, indexes []string) (err error) {
	for _, name := range indexes {
		if err := c.Indexer.Drop(ctx, name); err != nil {
			return &PartialError{Operation: "drop the earlier indexes", Err: err}
		}
		c.report.Dropped = append(c.report.Dropped, name)
	}
	_, c.report.Previous, err = c.Indexer.Alias(ctx, c.Alias)
	return err
}

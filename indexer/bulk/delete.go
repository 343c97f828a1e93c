package bulk

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/freelancer-matching/service/engine"
)

// Delete removes the freelancers with these distinct IDs from the live index, in place. Earlier indexes keep them
// unless o.Everywhere is set. Then Delete removes them from every index, and drops earlier indexes that can't be read.
//
// If no index has any of the IDs, nothing changes and the error is an *UnknownError.
func (l *Loader) Delete(ctx context.Context, ids []string, o Options) (*Report, error) {
	d := &deletion{change: newChange(l, nil, o), ids: ids}
	return d.change.run(ctx, d.run)
}

// A deletion removes freelancers from finished indexes.
type deletion struct {
	*change
	ids []string
}

func (d *deletion) run(ctx context.Context) error {
	live, err := d.live(ctx)
	if err != nil {
		return err
	}
	d.report.Base = live.Name
	d.report.Index = live.Name
	d.report.Kept = live.Documents
	infos := []engine.Info{*live}

	if d.Everywhere {
		if infos, err = d.Indexer.Indexes(ctx); err != nil {
			return err
		}
	}

	found, unreadable, err := d.find(ctx, infos)
	if err != nil {
		return err
	}
	if err := d.guardDelete(ctx, live, len(found[live.Name])); err != nil {
		return err
	}

	// Indexes that can't be read may have the freelancers, too, so the only way to be sure is to drop them.
	if err = d.deleteInPlace(ctx, infos, found); err == nil {
		err = d.drop(ctx, unreadable)
	}

	if err == nil {
		d.report.Deleted = len(d.ids) - len(d.report.Unknown)
	}

	return err
}

// find returns the IDs that each index has, by index, and the earlier indexes that can't be read and may have any of
// them. It sets the report's unknown IDs, and corrects the document counts of infos.
func (d *deletion) find(
	ctx context.Context, infos []engine.Info,
) (found map[string][]string, unreadable []string, err error) {
	found = make(map[string][]string)
	known := make(map[string]bool, len(d.ids))
	var cause error
	for i := range infos {
		info := &infos[i]
		if err := d.recount(ctx, info); err != nil {
			return nil, nil, err
		}

		// An earlier index that is damaged must not keep anybody from being deleted.
		snapshot, err := d.Indexer.OpenIndex(ctx, info.Name)
		if engine.Unusable(err) && info.Name != d.report.Base {
			cause = err
			unreadable = append(unreadable, info.Name)
			continue
		}

		if err != nil {
			return nil, nil, err
		}
		if found[info.Name], err = existing(ctx, snapshot, d.ids); err != nil {
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
		return nil, nil, &UnknownError{IDs: d.ids}
	}

	d.report.Unknown = slices.DeleteFunc(slices.Clone(d.ids), func(id string) bool { return known[id] })
	return found, unreadable, nil
}

// deleteInPlace deletes the IDs found in each index from it.
func (d *deletion) deleteInPlace(ctx context.Context, infos []engine.Info, found map[string][]string) error {
	for _, info := range infos {
		if ids := found[info.Name]; len(ids) > 0 {
			if err := d.deleteFrom(ctx, info, ids); err != nil {
				return inPlaceError(info.Name, err)
			}
		}
	}
	d.report.InPlace = true
	d.report.Kept -= len(found[d.report.Base])
	return d.checkChanged(ctx)
}

// deleteFrom deletes documents from an index that has all of them, and checks that they are gone.
func (d *deletion) deleteFrom(ctx context.Context, info engine.Info, ids []string) error {
	if _, err := d.deleteIDs(ctx, info.Name, slices.Values(ids)); err != nil {
		return err
	}
	snapshot, err := d.Indexer.OpenIndex(ctx, info.Name)
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
	return d.describeDeletion(ctx, &info, len(ids))
}

// drop drops indexes.
func (d *deletion) drop(ctx context.Context, indexes []string) (err error) {
	for _, name := range indexes {
		if err := d.Indexer.Drop(ctx, name); err != nil {
			return &PartialError{Operation: "drop the earlier indexes", Err: err}
		}
		d.report.Dropped = append(d.report.Dropped, name)
	}
	_, d.report.Previous, err = d.Indexer.Alias(ctx, d.Alias)
	return err
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
	isLive := index == c.was
	if c.Searcher != nil && isLive {
		deleted, err := c.deleteLive(ctx, r, maps.Keys(r.deleted))
		c.report.Deleted += deleted
		return deleted, err
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

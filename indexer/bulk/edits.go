package bulk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// Edits are changes that clients made to the live index since it was loaded, and that the files don't have.
type Edits struct {
	Freelancers int            // whose values the files would undo
	ByField     map[string]int // the values by field
	Added       int            // freelancers whom clients added, and whom the files don't have
	Kept        bool           // the new index has them all the same
}

// IsEmpty reports whether there are no such changes.
func (e *Edits) IsEmpty() bool { return e.Freelancers+e.Added == 0 }

// An editMerge compares a new index with what clients have changed in the live one.
type editMerge struct {
	*change
	index   string // the new one
	deleted map[string]struct{}
	update  engine.Update // of the new index; nil until something is kept
}

// mergeEdits counts what a new index would undo of the changes that clients made since the live index was loaded, and
// adds these values to the new index if the options ask for it.
func (c *change) mergeEdits(ctx context.Context, index string, r *reading) (err error) {
	if c.was == "" || c.Edits == nil {
		return nil
	}
	live, err := c.index(ctx, c.was)
	isUnusable := errors.Is(err, engine.ErrNotFound) || engine.Unusable(err)
	if isUnusable || err == nil && live.Fault != "" {
		return nil // the load is meant to replace it
	}
	if err != nil {
		return err
	}

	c.editsSince = editsSince(live.Provenance)
	if c.editsSince.IsZero() {
		return nil
	}
	edits, err := c.Edits(ctx, c.editsSince)
	if err != nil || len(edits) == 0 {
		return err
	}

	m := &editMerge{change: c, index: index, deleted: r.deleted}
	defer func() {
		if m.update != nil {
			m.update.Abort()
		}
	}()
	return m.run(ctx, edits)
}

// editsSince returns the time since which changes of clients are missing in the files of an index.
func editsSince(p *engine.Provenance) time.Time {
	switch {
	case p == nil:
		return time.Time{}
	case !p.EditsSince.IsZero():
		return p.EditsSince
	default:
		return p.Started
	}
}

// run compares the freelancers of edits, which have the names of the changed fields.
func (m *editMerge) run(ctx context.Context, edits map[string][]string) error {
	live, err := m.Indexer.OpenIndex(ctx, m.was)
	if err != nil {
		return fmt.Errorf("open the live index: %w", err)
	}
	fresh, err := m.Indexer.OpenIndex(ctx, m.index)
	if err != nil {
		return fmt.Errorf("open the new index: %w", err)
	}

	for ids := range slices.Chunk(slices.Sorted(maps.Keys(edits)), batchSize) {
		before, err := present(ctx, live, ids)
		if err != nil {
			return err
		}
		after, err := present(ctx, fresh, ids)
		if err != nil {
			return err
		}

		var kept []matching.Freelancer
		for _, id := range ids {
			if merged := m.merge(before[id], after[id], edits[id]); merged != nil {
				kept = append(kept, *merged)
			}
		}
		if err := m.keep(ctx, kept); err != nil {
			return err
		}
	}

	return m.finish(ctx)
}

// merge returns the record of the new index with the fields that clients have changed, as they are in the live index.
// It counts them, and returns nil if there are none.
func (m *editMerge) merge(before, after *matching.Freelancer, fields []string) *matching.Freelancer {
	edits := &m.report.Edits
	isGone := before == nil || m.isErased(before)
	if isGone {
		return nil
	}

	isWhole := len(fields) == 0
	if after == nil {
		_, isDeleted := m.deleted[before.ID]
		if !isWhole || isDeleted {
			return nil // the files no longer have the freelancer
		}
		edits.Added++
		return before
	}

	merged := *after
	for _, name := range matching.Differences(before, after) {
		i := slices.IndexFunc(matching.Fields[:], func(d matching.Field) bool { return d.Name == name })
		d := &matching.Fields[i]

		// Who stores a whole record doesn't say that what it lacks is unknown.
		isEdited := slices.Contains(fields, name) || isWhole && d.Known(before)
		if !isEdited {
			continue
		}

		d.Copy(&merged, before)
		if edits.ByField == nil {
			edits.ByField = make(map[string]int)
		}
		edits.ByField[name]++
	}

	if len(matching.Differences(&merged, after)) == 0 {
		return nil
	}
	edits.Freelancers++
	return &merged
}

// keep adds merged records to the new index, if the options ask for it.
func (m *editMerge) keep(ctx context.Context, merged []matching.Freelancer) (err error) {
	if len(merged) == 0 || !m.KeepChanges {
		return nil
	}
	if m.update == nil {
		if m.update, err = m.Indexer.Update(ctx, m.index, nil); err != nil {
			return err
		}
	}

	documents, err := m.Preparer.Prepare(ctx, merged)
	if err != nil {
		return fmt.Errorf("prepare freelancers: %w", err)
	}
	for _, d := range documents {
		if err := m.update.Add(ctx, d); err != nil {
			return err
		}
	}

	return nil
}

// finish completes the update of the new index.
func (m *editMerge) finish(ctx context.Context) error {
	if m.update == nil {
		return nil
	}
	result, err := m.update.Close(ctx)
	if err == nil && result.Failed > 0 {
		err = fmt.Errorf("the engine refused %d changed freelancers", result.Failed)
	}
	if err != nil {
		return fmt.Errorf("keep the changes of clients: %w", err)
	}

	m.report.Edits.Kept = true
	m.report.Indexed += m.report.Edits.Added
	return nil
}

// present returns those of some freelancers that an index has, by ID. Damaged records count as absent.
func present(ctx context.Context, s engine.Snapshot, ids []string) (map[string]*matching.Freelancer, error) {
	found := make(map[string]*matching.Freelancer, len(ids))
	fetched, err := s.Fetch(ctx, ids)
	_, isDamaged := errors.AsType[*engine.DamagedError](err)
	isMissing := errors.Is(err, engine.ErrNotFound)
	switch {
	case isMissing && len(ids) == 1:
		return found, nil

	case isMissing: // some are: look in both halves
		for half := range slices.Chunk(ids, (len(ids)+1)/2) {
			some, err := present(ctx, s, half)
			if err != nil {
				return nil, err
			}
			maps.Copy(found, some)
		}
		return found, nil

	case err != nil && !isDamaged:
		return nil, fmt.Errorf("fetch freelancers: %w", err)
	}

	for i := range fetched {
		if fetched[i].ID != "" { // which a damaged one lacks
			found[fetched[i].ID] = &fetched[i]
		}
	}
	return found, nil
}

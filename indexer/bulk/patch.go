package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A StaleError reports that the live index can't be changed in place, because documents are prepared differently now.
type StaleError struct{ Index, Reason string }

// Error says what differs.
func (e *StaleError) Error() string {
	return fmt.Sprintf("index %q can't be changed in place: %s", e.Index, e.Reason)
}

// A patchable engine can change single freelancers and read them.
type patchable interface {
	engine.Changer
	engine.Searcher
}

// patchTries is how often a freelancer is read again because somebody else has changed them meanwhile.
const patchTries = 20

const reasonNoPatch = "nobody has this id; a patch only changes freelancers who are loaded already"

// Patch changes the freelancers of the inputs in the live index, in place. A value in the inputs replaces the
// freelancer's; what the inputs leave out stays. Freelancers whom the index doesn't have are refused. The error is a
// *StaleError if the index must be built again first.
func (l *Loader) Patch(ctx context.Context, inputs []Input, o Options) (*Report, error) {
	c := newChange(l, inputs, o)
	return c.run(ctx, c.patch)
}

func (c *change) patch(ctx context.Context) error {
	live, err := c.live(ctx)
	if err != nil {
		return err
	}
	c.report.Base = live.Name
	e, ok := c.Indexer.(patchable)
	switch {
	case live.Currency != c.Currency:
		return &CurrencyError{Index: live.Name, Has: live.Currency, Given: c.Currency}
	case !ok:
		return errors.New("this engine cannot change single freelancers")
	}
	if reason := c.difference(live); reason != "" {
		return &StaleError{Index: live.Name, Reason: reason}
	}
	r := newReading(c.inputs, c.Options, live.Name+"."+c.Now().UTC().Format(timestampFormat), c.report)
	err = r.countRows(ctx, Reading)
	c.report.Coverage = nil // it would be that of the files
	if err == nil {
		err = c.guardPatch(ctx, e, live, r)
	}
	if err != nil {
		return r.end(err)
	}
	if err := r.end(c.patchInPlace(ctx, e, live, r)); err != nil {
		return inPlaceError(live.Name, err)
	}
	c.report.InPlace, c.report.Index = true, live.Name
	return nil
}

// guardPatch compares the live index with what it will be after a patch.
func (c *change) guardPatch(ctx context.Context, e patchable, live *engine.Info, r *reading) error {
	snapshot, err := e.Open(ctx, c.Alias)
	if err != nil {
		return err
	}
	return c.guardDeletions(ctx, live, snapshot, r)
}

func (c *change) patchInPlace(ctx context.Context, e patchable, live *engine.Info, r *reading) (err error) {
	if err := c.patchAll(ctx, e, r); err != nil {
		return err
	}
	if c.removed, err = c.deleteRows(ctx, live.Name, r); err != nil {
		return err
	}
	c.report.Kept = live.Documents - c.report.Replaced - c.removed
	if err := r.checkLimit(c.report.Rejected+c.report.Refused, true); err != nil {
		return err
	}
	return c.describePatch(ctx, live)
}

// patchAll changes the freelancers of the inputs, batch by batch.
func (c *change) patchAll(ctx context.Context, e patchable, r *reading) error {
	var waiting []matching.Freelancer
	err := r.secondPass(ctx, Loading, true, func(f matching.Freelancer) error {
		if waiting = append(waiting, f); len(waiting) < batchSize {
			return nil
		}
		err := c.patchBatch(ctx, e, r, waiting)
		waiting = waiting[:0]
		return err
	})
	if err != nil {
		return err
	}
	return c.patchBatch(ctx, e, r, waiting)
}

// patchBatch changes some freelancers, each on the condition that nobody has changed them since they were read.
func (c *change) patchBatch(ctx context.Context, e patchable, r *reading, patches []matching.Freelancer) error {
	for range patchTries {
		if len(patches) == 0 {
			return nil
		}
		changes, missing, err := c.patched(ctx, e, patches)
		if err != nil {
			return err
		}
		for _, id := range missing {
			c.report.Refused++
			r.refuse(id, errors.New(reasonNoPatch))
		}
		outcomes, err := e.Apply(ctx, c.Alias, changes)
		if err != nil {
			return err
		}
		again := map[string]bool{}
		for i, o := range outcomes {
			switch {
			case o.Err == nil:
				c.report.Indexed++
				c.report.Replaced++
			case errors.Is(o.Err, engine.ErrConflict):
				again[changes[i].ID] = true
			default:
				c.report.Refused++
				r.refuse(changes[i].ID, o.Err)
			}
		}
		patches = slices.DeleteFunc(patches, func(f matching.Freelancer) bool { return !again[f.ID] })
	}
	return fmt.Errorf("freelancer %q changes too often; load the patch again", patches[0].ID)
}

// patched returns the changes that apply patches to the live freelancers, and the IDs that nobody has.
func (c *change) patched(
	ctx context.Context, e patchable, patches []matching.Freelancer,
) (changes []engine.Change, missing []string, err error) {
	snapshot, err := e.Open(ctx, c.Alias)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	for i := range patches {
		ids = append(ids, patches[i].ID)
	}
	present, err := existing(ctx, snapshot, ids)
	if err != nil {
		return nil, nil, err
	}
	missing = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(present, id) })
	freelancers, err := snapshot.Fetch(ctx, present)
	if err != nil {
		return nil, nil, err
	}
	versions := make([]string, len(freelancers))
	for i := range freelancers {
		versions[i] = engine.Version(&freelancers[i])
		at := slices.IndexFunc(patches, func(f matching.Freelancer) bool { return f.ID == freelancers[i].ID })
		if err := overlay(&freelancers[i], &patches[at]); err != nil {
			return nil, nil, err
		}
	}
	documents, err := c.Preparer.Prepare(ctx, freelancers)
	if err != nil {
		return nil, nil, err
	}
	for i, d := range documents {
		changes = append(changes, engine.Change{
			ID: d.Freelancer.ID, Document: d, If: engine.Condition{Versions: versions[i : i+1]},
		})
	}
	return changes, missing, nil
}

// overlay replaces the values of a freelancer that a patch has. The members that a record's JSON omits are those that
// are empty or unknown.
func overlay(f, patch *matching.Freelancer) error {
	known, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return json.Unmarshal(known, f)
}

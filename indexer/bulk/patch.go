package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// A StaleError reports that the live index can't be changed in place, because documents are prepared differently now.
type StaleError struct{ Index, Reason string }

// Error says what differs.
func (e *StaleError) Error() string {
	return fmt.Sprintf("index %q can't be changed in place: %s", e.Index, e.Reason)
}

// A patcher changes freelancers of the live index.
type patcher struct {
	*change
	r        *reading
	index    string
	snapshot engine.Snapshot // of the index; it may lack others' latest changes
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
	if live.Currency != c.Currency {
		return &CurrencyError{Index: live.Name, Has: live.Currency, Given: c.Currency}
	}
	if reason := c.difference(live); reason != "" {
		return &StaleError{Index: live.Name, Reason: reason}
	}

	r := newReading(c.inputs, c.Options, live.Name+"."+c.Now().UTC().Format(timestampFormat), c.report)
	p := &patcher{change: c, r: r, index: live.Name}
	err = r.countRows(ctx, Reading)
	if err == nil {
		err = p.guard(ctx, live)
	}

	c.report.Coverage = nil // it would be that of the files
	if err != nil {
		return r.end(err)
	}
	if err := r.end(p.run(ctx, live)); err != nil {
		return inPlaceError(live.Name, err)
	}

	c.report.InPlace = true
	c.report.Index = live.Name
	return nil
}

// guard rejects rows about freelancers whom the live index doesn't have, and compares that index with what it will
// be after the patch.
func (p *patcher) guard(ctx context.Context, live *engine.Info) (err error) {
	if p.snapshot, err = p.Indexer.OpenIndex(ctx, p.index); err != nil {
		return err
	}
	ids := slices.Collect(p.r.people.ids())
	for chunk := range slices.Chunk(ids, idsPerQuery) {
		present, err := existing(ctx, p.snapshot, chunk)
		if err != nil {
			return err
		}
		p.r.rejectMissing(chunk, present)
	}
	if err := p.r.checkLimit(p.report.Rejected, true); err != nil {
		return errors.Join(err, p.r.secondPass(ctx, Merging, true, emitNobody)) // writes the dead letters
	}
	return p.guardDeletions(ctx, live, p.snapshot, p.r)
}

// run changes the freelancers of the inputs, and deletes those whom a row deletes.
func (p *patcher) run(ctx context.Context, live *engine.Info) (err error) {
	if err := p.patchAll(ctx); err != nil {
		return err
	}
	if p.removed, err = p.deleteRows(ctx, live.Name, p.r); err != nil {
		return err
	}
	p.report.Kept = live.Documents - p.report.Replaced - p.removed
	if err := p.r.checkLimit(p.report.Rejected+p.report.Refused, true); err != nil {
		return err
	}
	return p.describePatch(ctx, live)
}

// patchAll changes the freelancers of the inputs, batch by batch.
func (p *patcher) patchAll(ctx context.Context) error {
	var waiting []matching.Freelancer
	err := p.r.secondPass(ctx, Loading, true, func(f matching.Freelancer) error {
		if waiting = append(waiting, f); len(waiting) < batchSize {
			return nil
		}
		err := p.patchBatch(ctx, waiting)
		waiting = waiting[:0]
		return err
	})
	if err != nil {
		return err
	}
	return p.patchBatch(ctx, waiting)
}

// patchBatch changes some freelancers, each on the condition that nobody has changed them since they were read.
func (p *patcher) patchBatch(ctx context.Context, patches []matching.Freelancer) error {
	for range patchTries {
		changes, err := p.patched(ctx, patches)
		if err != nil {
			return err
		}
		outcomes, err := p.Indexer.Apply(ctx, p.Alias, changes)
		if err != nil {
			return err
		}

		// A conflict means that somebody has changed the freelancer since they were read, so those are read again.
		again := map[string]bool{}
		for i, o := range outcomes {
			switch {
			case o.Err == nil:
				p.report.Indexed++
				p.report.Replaced++
			case errors.Is(o.Err, engine.ErrConflict):
				again[changes[i].ID] = true
			default:
				p.refuse(changes[i].ID, o.Err)
			}
		}

		if len(again) == 0 {
			return nil
		}
		patches = slices.DeleteFunc(patches, func(f matching.Freelancer) bool { return !again[f.ID] })

		if p.snapshot, err = p.Indexer.OpenIndex(ctx, p.index); err != nil {
			return err
		}
	}

	return fmt.Errorf("freelancer %q changes too often; load the patch again", patches[0].ID)
}

// refuse reports a freelancer whom the index or the engine refuses to change.
func (p *patcher) refuse(id string, reason error) {
	p.report.Refused++
	p.r.refuse(id, reason)
}

// patched returns the changes that apply patches to the freelancers as the snapshot has them.
func (p *patcher) patched(ctx context.Context, patches []matching.Freelancer) ([]engine.Change, error) {
	byID := make(map[string]*matching.Freelancer, len(patches))
	ids := make([]string, len(patches))
	for i := range patches {
		ids[i] = patches[i].ID
		byID[ids[i]] = &patches[i]
	}

	present, err := existing(ctx, p.snapshot, ids)
	if err != nil {
		return nil, err
	}
	freelancers, err := p.snapshot.Fetch(ctx, present)
	if err != nil {
		return nil, err
	}

	versions := make([]string, len(freelancers))
	for i := range freelancers {
		f := &freelancers[i]
		versions[i] = engine.Version(f)
		if err := overlay(f, byID[f.ID]); err != nil {
			return nil, err
		}
		delete(byID, f.ID)
	}

	for id := range byID { // somebody has deleted them since they were counted
		p.refuse(id, errors.New(reasonNoPatch))
	}
	documents, err := p.Preparer.Prepare(ctx, freelancers)
	if err != nil {
		return nil, err
	}

	changes := make([]engine.Change, len(documents))
	for i, d := range documents {
		changes[i] = engine.Change{ID: d.Freelancer.ID, Document: d, If: engine.Condition{Versions: versions[i : i+1]}}
	}

	return changes, nil
}

// overlay replaces the values of a freelancer that a patch has. The members that a record's JSON omits are those that
// are empty or unknown.
func overlay(f, patch *matching.Freelancer) error {
	known, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	if len(patch.Languages) > 0 {
		f.Languages = nil // otherwise, languages of the patch would get levels of those that they replace
	}
	return json.Unmarshal(known, f)
}

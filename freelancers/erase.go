package freelancers

import (
	"context"
	"errors"
	"fmt"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
)

// erase makes changes that delete freelancers. A condition is part of a deletion of its own, and everything else is
// erased after it. A freelancer who is not in the live index may still be erased elsewhere.
func (b *batch) erase(ctx context.Context) error {
	all := make([]int, len(b.changes))
	for i := range all {
		all[i] = i
	}

	_, found, err := b.read(ctx, b.ids(all))
	if err != nil {
		return err
	}

	// The audit log comes first, so that no deletion lacks an entry.
	events := make([]audit.Event, 0, len(all))
	for _, id := range b.ids(all) {
		events = append(events, b.event(id, audit.FreelancerDeleted, ""))
	}

	if err := b.record(ctx, events); err != nil {
		return err
	}
	if err := b.deleteIf(ctx); err != nil {
		return err
	}

	var people []Person
	for n, c := range b.changes {
		if b.results[n].Err == nil {
			people = append(people, Person{c.ID, found[c.ID]})
		}
	}

	erased, err := b.Eraser.EraseFreelancers(ctx, b.by, b.account, people)
	if err != nil {
		return err
	}

	var servers *ErasedOn
	if b.Servers != nil && len(erased) > 0 {
		if servers, err = b.Servers.Erasures(ctx); err != nil {
			return err
		}
	}

	for n, c := range b.changes {
		if b.results[n].Err != nil {
			continue
		}

		if e := erased[c.ID]; e != (Erasure{}) {
			e.Servers = servers
			b.results[n] = Result{Status: Deleted, Erasure: e}
			delete(erased, c.ID) // a second deletion finds nothing
			continue
		}

		b.results[n] = Result{Err: errUnknown(c.ID)}
	}

	return nil
}

// deleteIf makes the deletions that have a condition, and sets the results of those whose condition doesn't hold.
func (b *batch) deleteIf(ctx context.Context) error {
	// Deletions without a condition are left to the Eraser, which deletes everywhere.
	var deletions []engine.Change
	var numbers []int
	for n, c := range b.changes {
		if len(c.If.Versions) > 0 || c.If.Exists.Known {
			deletions = append(deletions, engine.Change{ID: c.ID, If: c.If})
			numbers = append(numbers, n)
		}
	}

	if len(deletions) == 0 {
		return nil
	}

	outcomes, err := b.changer.Apply(ctx, b.Alias, deletions)
	if errors.Is(err, engine.ErrNotFound) {
		return errNoData()
	}
	if err != nil {
		return engine.ClientError(fmt.Errorf("delete freelancers: %w", err))
	}

	for i, o := range outcomes {
		if conflict, ok := errors.AsType[*engine.VersionError](o.Err); ok {
			n := numbers[i]
			b.results[n] = Result{Err: errVersion(b.changes[n].ID, conflict.Has), Version: conflict.Has}
		}
	}

	return nil
}

package freelancers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Kind is what a change does.
type Kind int

// The kinds of changes.
const (
	Put    Kind = iota // stores the record in place of any other with the ID
	Patch              // sets the fields that the record has, and keeps the others
	Delete             // erases the freelancer
)

// A Change is a change of one freelancer.
type Change struct {
	Kind    Kind
	ID      string
	Record  Record // of Put and Patch
	If      Condition
	Readmit bool // also store a freelancer who was erased
}

// A Status says what became of a Change that succeeded.
type Status string

// The statuses of changes.
const (
	Created   Status = "created"
	Replaced  Status = "replaced"
	Patched   Status = "patched"
	Unchanged Status = "unchanged" // the freelancer had exactly these values
	Deleted   Status = "deleted"
)

// A Result is what became of a Change.
type Result struct {
	Status   Status
	Version  string // after the change; if a condition doesn't hold, the version that the freelancer has; "" if none
	Warnings []matching.FieldError
	Erasure  Erasure // of Delete
	Err      error   // a *matching.Error; the change was not made
}

// Apply makes changes in order and returns a result for each. Changes of one freelancer build on each other. A change
// that fails on its own affects no other one. If Apply itself fails, some changes may have been made; repeating them
// is safe. Each change has an entry in the audit log of the account.
func (s *Service) Apply(ctx context.Context, by audit.By, account string, changes []Change) ([]Result, error) {
	changer, ok := s.Engine.(engine.Changer)
	if !ok {
		return nil, errReadOnly()
	}

	results := make([]Result, len(changes))

	// A later change may build on an earlier one, so deletions aren't made together with those after other changes.
	for from := 0; from < len(changes); {
		to := from + 1
		for to < len(changes) && (changes[to].Kind == Delete) == (changes[from].Kind == Delete) {
			to++
		}

		b := &batch{
			Service: s, changer: changer, by: by, account: account, changes: changes[from:to], results: results[from:to],
		}
		run := b.store
		if changes[from].Kind == Delete {
			run = b.erase
		}

		err := run(ctx)
		b.announce(err)
		if err != nil {
			return nil, err
		}
		if s.Changed != nil && changes[from].Kind != Delete {
			s.Changed(idsOf(changes[from:to]))
		}

		from = to
	}

	return results, nil
}

func idsOf(changes []Change) []string {
	ids := make([]string, len(changes))
	for i := range changes {
		ids[i] = changes[i].ID
	}
	return ids
}

// A batch is a run of changes that either all delete or all store freelancers.
type batch struct {
	*Service
	changer engine.Changer
	by      audit.By
	account string
	changes []Change
	results []Result
	audited []bool // by change
	finish  []func(made func(id string) bool)
}

// record adds entries about changes that are about to be made to the audit log.
func (b *batch) record(ctx context.Context, events []audit.Event) error {
	if b.Feed == nil {
		return b.Log.Record(ctx, events...)
	}
	finish, err := b.Feed.Announce(ctx, events)
	if err == nil {
		b.finish = append(b.finish, finish)
	}
	return err
}

// announce announces what was changed. After an error, that may be any of it.
func (b *batch) announce(err error) {
	var made func(id string) bool
	if err == nil {
		changed := make(map[string]bool, len(b.changes))
		for n := range b.changes {
			r := &b.results[n]
			if r.Err == nil && r.Status != Unchanged {
				changed[b.changes[n].ID] = true
			}
		}
		made = func(id string) bool { return changed[id] }
	}
	for _, finish := range b.finish {
		finish(made)
	}
}

// read returns the live index, or nil if no index is live, and which of the freelancers exist in it.
func (b *batch) read(
	ctx context.Context, ids []string,
) (info *engine.Info, found map[string]*matching.Freelancer, err error) {
	err = engine.ReadLive(ctx, b.Engine, b.Alias, func(live engine.Snapshot) error {
		info = nil
		found = make(map[string]*matching.Freelancer, len(ids))
		if live == nil {
			return nil
		}
		has := live.Info()
		info = &has
		return fetchInto(ctx, found, live, ids)
	})
	return info, found, err
}

// fetchInto adds those of the freelancers that exist. A damaged record counts as absent: a change may replace it.
func fetchInto(ctx context.Context, found map[string]*matching.Freelancer, live engine.Snapshot, ids []string) error {
	fetched, err := live.Fetch(ctx, ids)
	if damage, ok := errors.AsType[*engine.DamagedError](err); ok {
		for i, id := range ids {
			if !slices.Contains(damage.IDs, id) {
				found[id] = &fetched[i]
			}
		}
		return nil
	}

	if errors.Is(err, engine.ErrNotFound) && len(ids) > 1 { // some are missing: look in both halves
		middle := len(ids) / 2
		if err := fetchInto(ctx, found, live, ids[:middle]); err != nil {
			return err
		}
		return fetchInto(ctx, found, live, ids[middle:])
	}

	if errors.Is(err, engine.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("fetch freelancers: %w", err)
	}

	for i, id := range ids {
		found[id] = &fetched[i]
	}

	return nil
}

// ids returns the distinct IDs of some of the changes.
func (b *batch) ids(of []int) []string {
	ids := make([]string, len(of))
	for i, n := range of {
		ids[i] = b.changes[n].ID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

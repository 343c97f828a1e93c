package freelancers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// patchTries is how often a patch is repeated because another change came in between.
const patchTries = 8

// store makes changes that store freelancers. It repeats patches that other changes have overtaken.
func (b *batch) store(ctx context.Context) error {
	indexes, err := b.indexes(ctx)
	if err != nil {
		return err
	}
	if indexes > 1 {
		for n := range b.changes {
			b.results[n] = Result{Err: errSeveralServers(indexes)}
		}
		return nil
	}

	b.audited = make([]bool, len(b.changes))
	pending := make([]int, len(b.changes))
	for i := range pending {
		pending[i] = i
	}

	for try := 0; len(pending) > 0; try++ {
		if try == patchTries {
			for _, n := range pending {
				b.results[n] = Result{Err: errContended(b.changes[n].ID)}
			}
			return nil
		}
		if pending, err = b.storeOnce(ctx, pending); err != nil {
			return err
		}
	}
	return nil
}

// indexes returns the number of indexes of the servers that share the database.
func (b *batch) indexes(ctx context.Context) (int, error) {
	if b.Servers == nil {
		return 1, nil
	}
	return b.Servers.Indexes(ctx)
}

// A planned is a change that was found to change something.
type planned struct {
	number int // of the change
	next   matching.Freelancer
	status Status
	retry  bool // if the version has changed
	change engine.Change
	// currency is the one that the amounts of the record are in.
	currency string
	// changed has the names of the fields that a stored record changes; nil if the freelancer is new.
	changed []string
}

// storeOnce makes some of the changes, and returns those that must be repeated because a version has changed meanwhile.
func (b *batch) storeOnce(ctx context.Context, pending []int) (overtaken []int, err error) {
	live, current, err := b.read(ctx, b.ids(pending))
	if err != nil {
		return nil, err
	}
	if live == nil && !b.canCreate(pending) {
		return nil, errNoData()
	}

	plan, err := b.plan(ctx, pending, live, current)
	if err != nil || len(plan) == 0 {
		return nil, err
	}

	// The changes are planned once more when the index exists: another request may have created it, and filled it.
	if live == nil {
		return pending, b.create(ctx, plan[0].currency)
	}

	// Preparing and auditing come before the change: if either fails, nothing has changed.
	if err := b.prepare(ctx, live, plan); err != nil {
		return nil, err
	}
	if err := b.audit(ctx, plan); err != nil {
		return nil, err
	}

	changes := make([]engine.Change, len(plan))
	for i := range plan {
		changes[i] = plan[i].change
	}

	outcomes, err := b.changer.Apply(ctx, b.Alias, changes)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, errNoData()
	}
	if err != nil {
		return nil, engine.ClientError(fmt.Errorf("change freelancers: %w", err))
	}

	for i := range plan {
		if b.settle(&plan[i], &outcomes[i]) {
			overtaken = append(overtaken, plan[i].number)
		}
	}

	return overtaken, b.eraseAgain(ctx, plan)
}

// settle sets the result of a change, and reports whether the change must be repeated instead.
func (b *batch) settle(p *planned, o *engine.Outcome) (overtaken bool) {
	c := &b.changes[p.number]
	r := &b.results[p.number]
	conflict, isConflict := errors.AsType[*engine.VersionError](o.Err)
	switch {
	case isConflict && p.retry:
		return true
	case isConflict:
		*r = Result{Err: errVersion(c.ID, conflict.Has), Version: conflict.Has}
	case o.Err != nil:
		*r = Result{Err: &matching.Error{
			Code: matching.CodeInvalid, Cause: o.Err,
			Message: fmt.Sprintf("The search engine can't store the record of freelancer %q.", shorten(c.ID)),
		}}

	default:
		// Another request may have changed the record since it was read, so the outcome says what has happened.
		r.Status = p.status
		r.Version = o.After
		switch o.Before {
		case "":
			r.Status = Created
		case o.After:
			r.Status = Unchanged
		}
	}

	return false
}

// plan decides what to change, and sets the results of changes that change nothing or fail.
// live is nil if there is no index yet.
func (b *batch) plan(
	ctx context.Context, pending []int, live *engine.Info, current map[string]*matching.Freelancer,
) (plan []planned, err error) {
	isErased, err := b.Erased.Matcher(ctx)
	if err != nil {
		return nil, err
	}

	for _, n := range pending {
		c := &b.changes[n]
		before := current[c.ID]
		version := ""
		if before != nil {
			version = engine.Version(before)
		}

		if !c.If.Holds(version) {
			b.results[n] = Result{Err: errVersion(c.ID, version), Version: version}
			continue
		}

		// Another request may have made an index live since the record was parsed.
		if live != nil && c.Record.currency != live.Currency {
			b.results[n] = Result{Err: errCurrency(live.Currency, c.Record.currency)}
			continue
		}

		p := planned{
			number: n, next: matching.Freelancer{ID: c.ID}, status: Replaced, change: engine.Change{ID: c.ID, If: c.If},
			currency: c.Record.currency,
		}

		if c.Kind == Patch {
			if before == nil {
				b.results[n] = Result{Err: errUnknown(c.ID)}
				continue
			}

			// A patch builds on the record that was read, so it must fail if there is another version by then.
			p.next = *before
			p.status = Patched
			p.retry = len(c.If.Versions) == 0
			p.change.If.Versions = []string{version}
		}

		c.Record.apply(&p.next)
		p.next.ID = c.ID
		warnings := slices.Clone(c.Record.Warnings)
		if c.Kind == Put { // a change of some fields must not change others
			warnings = append(warnings, c.Record.complete(&p.next)...)
		}

		remarks, fault := check(&p.next)
		if fault != nil {
			b.results[n] = Result{Err: fault}
			continue
		}

		result := Result{Status: Unchanged, Version: version, Warnings: append(warnings, remarks...)}
		erased := erasedAs(c, &p.next, isErased)
		if len(erased) > 0 && !c.Readmit {
			b.results[n] = Result{Err: errErased(c.ID)}
			continue
		}
		for _, f := range erased {
			if err := b.Eraser.ReadmitFreelancer(ctx, b.by, f); err != nil {
				return nil, err
			}
		}

		b.results[n] = result
		if engine.Version(&p.next) == version {
			continue
		}

		if before != nil {
			p.changed = matching.Differences(before, &p.next)
		}

		// A later change of the same freelancer builds on this one.
		current[c.ID] = &p.next
		plan = append(plan, p)
	}

	return plan, nil
}

// erasedAs returns a freelancer under each ID of a change that is on the list of erased people. isErased is nil if
// nobody is.
func erasedAs(
	c *Change, f *matching.Freelancer, isErased func(*matching.Freelancer) bool,
) (erased []*matching.Freelancer) {
	if isErased == nil {
		return nil
	}
	for _, known := range c.Record.identities(f) {
		if isErased(known) {
			erased = append(erased, known)
		}
	}
	return erased
}

// check returns an error if nothing in a record could be matched, and warnings otherwise.
func check(f *matching.Freelancer) (warnings []matching.FieldError, err error) {
	hasText := f.JobTitle != "" || f.Description != "" || len(f.Skills) > 0
	switch {
	case hasText:
		return nil, nil
	case f.Name == "":
		fault := matching.FieldError{
			Field: "job_title", Code: codeRequired,
			Message: "At least one of name, job_title, skills and description must have a value.",
		}
		return nil, &matching.Error{
			Code: matching.CodeInvalid, Message: fault.Message, Details: []matching.FieldError{fault},
		}
	default:
		return []matching.FieldError{{
			Field: "job_title", Code: codeRequired,
			Message: "The record has only a name, so no search finds this freelancer.",
		}}, nil
	}
}

// prepare sets the documents of planned changes.
func (b *batch) prepare(ctx context.Context, live *engine.Info, plan []planned) error {
	preparer, err := b.prepared(ctx, live)
	if err != nil {
		return err
	}
	freelancers := make([]matching.Freelancer, len(plan))
	for i := range plan {
		freelancers[i] = plan[i].next
	}
	documents, err := preparer.Prepare(ctx, freelancers)
	if err != nil {
		return errEmbeddings(err)
	}
	for i := range plan {
		plan[i].change.Document = documents[i]
	}
	return nil
}

// audit records planned changes before they are made, so that none lacks an entry. A change that is repeated keeps its
// entry.
func (b *batch) audit(ctx context.Context, plan []planned) error {
	var events []audit.Event
	for i := range plan {
		p := &plan[i]
		if b.audited[p.number] {
			continue
		}

		// Marked before the entry is written: a change that is retried after a conflict must not get a second one.
		b.audited[p.number] = true

		action := audit.FreelancerStored
		detail := strings.Join(p.changed, " ")
		if c := &b.changes[p.number]; c.Kind == Patch {
			action = audit.FreelancerPatched
			detail = strings.Join(c.Record.names, " ")
		}

		events = append(events, b.event(p.change.ID, action, detail))
	}

	if len(events) == 0 {
		return nil
	}

	return b.record(ctx, events)
}

func (b *batch) event(id string, action audit.Action, detail string) audit.Event {
	return audit.Event{
		At: b.Now().UTC(), Actor: b.by.Actor, Address: b.by.Address, Account: b.account, Action: action, Subject: id,
		Detail: detail,
	}
}

// eraseAgain deletes freelancers who were erased after plan had read the list of erased people. A process that erases
// somebody first adds them to the list, so either the erasure deletes the new record, or this does.
func (b *batch) eraseAgain(ctx context.Context, plan []planned) error {
	isErased, err := b.Erased.Matcher(ctx)
	if err != nil || isErased == nil {
		return err
	}

	var deletions []engine.Change
	for i := range plan {
		p := &plan[i]
		isStored := b.results[p.number].Err == nil
		if isStored && len(erasedAs(&b.changes[p.number], &p.next, isErased)) > 0 {
			deletions = append(deletions, engine.Change{ID: p.change.ID})
			b.results[p.number] = Result{Err: errErased(p.change.ID)}
		}
	}

	if len(deletions) == 0 {
		return nil
	}
	if _, err := b.changer.Apply(ctx, b.Alias, deletions); err != nil && !errors.Is(err, engine.ErrNotFound) {
		return engine.ClientError(fmt.Errorf("delete freelancers who were erased: %w", err))
	}

	return nil
}

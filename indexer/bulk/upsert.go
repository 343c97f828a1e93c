package bulk

import (
	"context"
	"errors"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/internal/matching"
)

// Upsert puts the freelancers of the inputs into the live index. Each one replaces the freelancer with the same ID or
// is added; all others stay. Upsert changes the index in place if the options allow it and documents are still prepared
// as they were for that index. Otherwise it builds a new index, as safely as Load does. If no index is live, it is the
// same as Load.
//
// The error is a *CurrencyError or a *VectorsError if the options don't match the live index, and a *PartialError if a
// change in place was not completed.
func (l *Loader) Upsert(ctx context.Context, inputs []Input, o Options) (*Report, error) {
	c := newChange(l, inputs, o)
	return c.run(ctx, c.upsert)
}

func (c *change) upsert(ctx context.Context) error {
	live, err := c.live(ctx)
	switch {
	case errors.Is(err, ErrNothingLive):
		c.report.Reason = "no index was live"
		return c.build(ctx, readInputs)
	case err != nil:
		return err
	case live.Currency != c.Currency:
		return &CurrencyError{Index: live.Name, Has: live.Currency, Given: c.Currency}
	}

	c.report.Base = live.Name
	c.report.Reason = c.difference(live)
	if c.NewIndex {
		c.report.Reason = "a new index was requested"
	}

	if c.report.Reason == "" {
		return c.upsertInPlace(ctx, live)
	}

	if c.Source != live.Source {
		c.Source = "mixed"
	}

	// All rows are counted before the old index is copied: copying leaves out the freelancers that the files replace.
	return c.buildFrom(ctx, live, func(ctx context.Context, r *reading, emit emitFunc) error {
		if err := r.countRows(ctx, Reading); err != nil {
			return err
		}
		if err := c.copyIndex(ctx, live, r, r.replaces, emit); err != nil {
			return err
		}

		return r.secondPass(ctx, Loading, true, emit)
	})
}

// upsertInPlace reads all inputs once to enforce the limit on failures, then changes the live index.
func (c *change) upsertInPlace(ctx context.Context, live *engine.Info) (err error) {
	r := newReading(c.inputs, c.Options, live.Name+"."+c.Now().UTC().Format(timestampFormat), c.report)
	defer func() { err = r.end(err) }()

	if err := r.countRows(ctx, Reading); err != nil {
		return err
	}
	// Opening an index takes longer than a small change. This one was opened to count its documents.
	snapshot := c.counted
	if snapshot == nil || snapshot.Info().Name != live.Name {
		if snapshot, err = c.open(ctx, live.Name); err != nil {
			return err
		}
	}
	if c.report.Replaced, err = count(ctx, snapshot, slices.Collect(r.people.ids())); err != nil {
		return err
	}

	// The guards come before the change, because a change in place can't be taken back.
	drift, err := c.guardUpsert(ctx, live, r)
	if err != nil {
		return err
	}
	if err := c.checkStillLive(ctx); err != nil {
		return err
	}
	if err := c.guardDeletions(ctx, live, snapshot, r); err != nil {
		return err
	}

	if err := c.replaceLive(ctx, live, r, drift); err != nil {
		return inPlaceError(live.Name, err)
	}
	if err := c.checkChanged(ctx); err != nil {
		return err
	}

	c.report.InPlace = true
	c.report.Index = live.Name
	return nil
}

// replaceLive changes the live index, checks it, and records the change. describeUpsert says what drift means.
func (c *change) replaceLive(ctx context.Context, live *engine.Info, r *reading, drift int) error {
	if err := c.put(ctx, live, r); err != nil {
		return err
	}
	if err := r.checkLimit(c.report.Rejected+c.report.Refused, true); err != nil {
		return err
	}

	// Rows that delete a freelancer win over other rows of them, so they are applied last.
	var err error
	if c.removed, err = c.deleteRows(ctx, live.Name, r); err != nil {
		return err
	}

	// Nobody knows the values of the deleted ones; they are assumed to have been like everyone's.
	if c.removed > 0 && c.report.Coverage != nil {
		all := coverage.Of(c.report.Kept+c.report.Indexed, c.report.Coverage)
		c.report.Coverage = all.Less(c.removed).ByField()
	}
	c.report.Kept = max(0, c.report.Kept-c.removed)

	return c.describeUpsert(ctx, live, drift)
}

// put adds the freelancers of the inputs to the live index. An engine.Changer vouches for what it has changed;
// otherwise, a sample is checked.
func (c *change) put(ctx context.Context, live *engine.Info, r *reading) error {
	if c.Searcher != nil {
		if err := c.applyLive(ctx, r); err != nil {
			return err
		}
		return c.account(ctx, live, r.refusals())
	}
	sample, err := c.apply(ctx, live.Name, r)
	if err != nil {
		return err
	}
	return c.checkUpdated(ctx, live, sample, r.refusals())
}

// apply adds the freelancers of the inputs to a finished index and returns a sample of them.
func (c *change) apply(
	ctx context.Context, index string, r *reading,
) (sample []matching.Freelancer, err error) {
	update, err := c.Indexer.Update(ctx, index, r.refuse)
	if err != nil {
		return nil, err
	}
	defer update.Abort()

	err = pipe(ctx, c.workers(), c.Preparer, update, func(ctx context.Context, emit emitFunc) error {
		return r.secondPass(ctx, Loading, true, func(f matching.Freelancer) error {
			if len(sample) < sampleSize {
				sample = append(sample, f)
			}
			return emit(f)
		})
	})
	if err != nil {
		return nil, err
	}

	c.Progress(Progress{Stage: Finishing})
	result, err := update.Close(ctx)
	c.report.Indexed = result.Indexed
	c.report.Refused = result.Failed

	return sample, err
}

// buildFrom builds a new index to replace base. It returns a *VectorsError if the new index would have fewer vectors.
func (c *change) buildFrom(ctx context.Context, base *engine.Info, produce producer) error {
	if len(base.Vectors) > len(c.Preparer.Spaces()) {
		return &VectorsError{Index: base.Name, Has: base.Vectors}
	}
	c.base = base
	return c.build(ctx, produce)
}

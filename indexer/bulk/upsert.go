package bulk

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// immutable is why a new index is made where the engine is no engine.Updater.
const immutable = "the engine's indexes do not change"

// Upsert puts the freelancers of the inputs into the live index: each replaces the one with the same id, or is new, and
// everybody else stays. Where the engine can, the documents are prepared alike and this is allowed, it changes the index
// itself; otherwise it makes a new one of both, with the safety of Load. Where nothing is live, it is Load.
//
// The error is a *CurrencyError or a *VectorsError where the options do not go with the index, and a *PartialError when
// the index itself was changed in part.
func (l *Loader) Upsert(ctx context.Context, inputs []Input, allowed bool, o Options) (*Report, error) {
	return l.locked(ctx, &o, func(report *Report) error {
		live, err := l.live(ctx, o.Alias, report)
		switch {
		case err != nil:
			return err
		case live.Name == "":
			report.Reason = "nothing was live yet"
			return l.rebuild(ctx, inputs, &o, report, files)
		case live.Currency != o.Currency:
			return &CurrencyError{Index: live.Name, Has: live.Currency, Given: o.Currency}
		}
		report.Base = live.Name
		updater, ok := l.Indexer.(engine.Updater)
		switch {
		case !ok:
			report.Reason = immutable
		case !allowed:
			report.Reason = "this was asked for"
		default:
			report.Reason = l.difference(live, &o)
		}
		if report.Reason == "" {
			return l.upsertInPlace(ctx, updater, live, inputs, &o, report)
		}
		if o.Source != live.Source {
			o.Source = "mixed"
		}
		return l.renew(ctx, live, inputs, &o, report, func(ctx context.Context, r *reading, take emit) error {
			if err := r.survey(ctx, Reading); err != nil {
				return err
			}
			if err := l.takeOver(ctx, live, r, r.replaces, take); err != nil {
				return err
			}
			return r.second(ctx, Loading, true, take)
		})
	})
}

// upsertInPlace changes the live index itself, once all rows were read and judged.
func (l *Loader) upsertInPlace(
	ctx context.Context, updater engine.Updater, live *engine.Info, inputs []Input, o *Options, report *Report,
) (err error) {
	letters := o.DeadLetters(live.Name + "." + l.Now().UTC().Format(stamp))
	r := newReading(inputs, o.MaxFailures, letters, o.Progress, report)
	defer func() { err = r.end(err) }()
	if err := r.survey(ctx, Reading); err != nil {
		return err
	}
	snapshot, err := l.Indexer.OpenIndex(ctx, live.Name)
	if err != nil {
		return err
	}
	if report.Replaced, err = count(ctx, snapshot, slices.Collect(maps.Keys(r.people))); err != nil {
		return err
	}
	sample, err := l.apply(ctx, updater, live.Name, r)
	if err == nil {
		err = l.checkChanged(ctx, live, sample, r)
	}
	if err == nil {
		err = r.judge(report.Rejected+report.Refused, true)
	}
	if err != nil {
		return inPlace(live.Name, err)
	}
	report.InPlace, report.Index = true, live.Name
	return nil
}

// apply puts the freelancers of the files into a finished index, and returns some of them.
func (l *Loader) apply(
	ctx context.Context, updater engine.Updater, index string, r *reading,
) (sample []matching.Freelancer, err error) {
	update, err := updater.Update(ctx, index, r.refuse)
	if err != nil {
		return nil, err
	}
	defer update.Abort()
	err = pipe(ctx, runtime.GOMAXPROCS(0), l.Preparer, update, func(ctx context.Context, take emit) error {
		return r.second(ctx, Loading, true, func(f matching.Freelancer) error {
			if len(sample) < sampleSize {
				sample = append(sample, f)
			}
			return take(f)
		})
	})
	if err != nil {
		return nil, err
	}
	r.progress(Progress{Stage: Finishing})
	result, err := update.Close(ctx)
	r.report.Indexed, r.report.Refused = result.Indexed, result.Failed
	return sample, err
}

// checkChanged holds an index that was changed in place to what was put into it. Whom the engine refused has the record
// of before, if any.
func (l *Loader) checkChanged(ctx context.Context, before *engine.Info, sample []matching.Freelancer, r *reading) error {
	report := r.report
	if report.Indexed+report.Refused != report.Freelancers {
		return fmt.Errorf("%d documents indexed and %d refused, of %d freelancers", report.Indexed, report.Refused, report.Freelancers)
	}
	snapshot, err := l.Indexer.OpenIndex(ctx, before.Name)
	if err != nil {
		return err
	}
	refused := r.refusals()
	spared, err := count(ctx, snapshot, refused)
	if err != nil {
		return err
	}
	report.Replaced -= spared
	report.Kept = before.Documents - report.Replaced
	if got, want := snapshot.Info().Documents, report.Kept+report.Indexed; got != want {
		return fmt.Errorf("it has %d documents, want %d", got, want)
	}
	return l.findable(ctx, snapshot, slices.DeleteFunc(sample, func(f matching.Freelancer) bool {
		return slices.Contains(refused, f.ID)
	}))
}

// renew is rebuild for a change of one index, which must not take vectors from it.
func (l *Loader) renew(
	ctx context.Context, base *engine.Info, inputs []Input, o *Options, report *Report, produce producer,
) error {
	if len(base.Vectors) > len(l.Preparer.Spaces()) {
		return &VectorsError{Index: base.Name, Has: base.Vectors}
	}
	return l.rebuild(ctx, inputs, o, report, produce)
}

// difference is what is prepared otherwise than it was for the documents of an index; "" for nothing.
func (l *Loader) difference(base *engine.Info, o *Options) string {
	// The floor of a model is measured, and may be a little different each time.
	same := func(a, b matching.VectorSpace) bool {
		return a.Model == b.Model && a.Dimensions == b.Dimensions && math.Abs(a.Floor-b.Floor) < .01
	}
	switch spaces := l.Preparer.Spaces(); {
	case base.Mapping != o.Mapping.Name:
		return fmt.Sprintf("the mapping is another since: %s, no longer %s", o.Mapping.Name, base.Mapping)
	case base.Taxonomy != o.Taxonomy:
		return fmt.Sprintf("the taxonomy is another since: %s, no longer %s", o.Taxonomy, base.Taxonomy)
	case !slices.EqualFunc(base.Vectors, spaces, same):
		return fmt.Sprintf("the vectors are others since: of %s, no longer of %s", models(spaces), models(base.Vectors))
	default:
		return ""
	}
}

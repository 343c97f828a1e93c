package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"

	"freelancer-matching/engine"
)

// stamp is how the names of indexes and dead letters write a time, in UTC.
const stamp = "20060102t150405z"

// locked does work while other indexers are kept out, once what interrupted loads left is removed.
func (l *Loader) locked(ctx context.Context, o *Options, work func(*Report) error) (report *Report, err error) {
	report = &Report{}
	start := l.Now()
	defer func() { report.Elapsed = l.Now().Sub(start) }()
	release, err := l.Indexer.Lock(ctx, o.Owner)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := RemoveRests(ctx, l.Indexer, l.Log); err != nil {
		return report, err
	}
	return report, work(report)
}

// RemoveRests drops the indexes that were never finished. The caller holds the lock, so no load is at work on them.
func RemoveRests(ctx context.Context, indexer engine.Indexer, log *slog.Logger) error {
	infos, err := indexer.Indexes(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		if info.Complete {
			continue
		}
		if err := indexer.Drop(ctx, info.Name); err != nil {
			return fmt.Errorf("remove what an interrupted load left: %w", err)
		}
		log.InfoContext(ctx, "removed what an interrupted load left", "index", info.Name)
	}
	return nil
}

// producer hands on the freelancers that a new index is made of, each in its place.
type producer func(ctx context.Context, r *reading, take emit) error

// rebuild makes a new index of what produce hands on, and points the alias to it once it is checked. On any failure it
// drops the new index, and the alias stays where it was.
func (l *Loader) rebuild(ctx context.Context, inputs []Input, o *Options, report *Report, produce producer) (err error) {
	index, err := l.create(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Indexer.Drop(context.WithoutCancel(ctx), index))
		}
	}()
	r := newReading(inputs, o.MaxFailures, o.DeadLetters(index), o.Progress, report)
	if err := r.end(l.fill(ctx, index, r, produce)); err != nil {
		return err
	}
	if err := l.check(ctx, index, report); err != nil {
		return fmt.Errorf("check index %q: %w", index, err)
	}
	previous, err := l.Indexer.PointAlias(ctx, o.Alias, index)
	if err != nil {
		return err
	}
	report.Index, report.Previous = index, previous
	return nil
}

// create makes an index named by mapping and time, and by a number where the second was taken.
func (l *Loader) create(ctx context.Context, o *Options) (string, error) {
	created := l.Now().UTC()
	base := strings.ReplaceAll(o.Mapping.Name, ".", "-") + "-" + created.Format(stamp)
	name := base
	for n := 2; ; n++ {
		err := l.Indexer.Create(ctx, engine.Spec{
			Name: name, Mapping: o.Mapping, Source: o.Source, Currency: o.Currency, Taxonomy: o.Taxonomy,
			Vectors: l.Preparer.Spaces(), Created: created,
		})
		if !errors.Is(err, engine.ErrConflict) {
			return name, err
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}

// fill puts what produce hands on into a new index.
func (l *Loader) fill(ctx context.Context, index string, r *reading, produce producer) error {
	bulk, err := l.Indexer.Bulk(ctx, index, r.refuse)
	if err != nil {
		return err
	}
	defer bulk.Abort()
	err = pipe(ctx, runtime.GOMAXPROCS(0), l.Preparer, bulk, func(ctx context.Context, take emit) error {
		return produce(ctx, r, take)
	})
	if err != nil {
		return err
	}
	if len(r.inputs) > 0 && r.report.Freelancers == 0 {
		return ErrNothing
	}
	r.progress(Progress{Stage: Finishing})
	result, err := bulk.Close(ctx)
	if err != nil {
		return err
	}
	r.report.Indexed, r.report.Refused = result.Indexed, result.Failed
	if lost := r.lost(); len(lost) > 0 {
		return &LostError{Index: r.report.Base, IDs: lost}
	}
	return r.judge(r.report.Rejected+result.Failed, true)
}

// takeOver hands on the freelancers of a finished index in their order, all but those whom leave names.
func (l *Loader) takeOver(ctx context.Context, base *engine.Info, r *reading, leave func(id string) bool, take emit) error {
	at := Progress{Stage: Copying, Total: base.Documents}
	for f, err := range l.Indexer.Scan(ctx, base.Name) {
		if err != nil {
			return err
		}
		at.Rows++
		if at.Rows%progressRows == 0 {
			r.progress(at)
		}
		if leave(f.ID) {
			continue
		}
		r.report.Kept++
		if err := take(f); err != nil {
			return err
		}
	}
	if at.Rows != base.Documents {
		return fmt.Errorf("index %q yields %d freelancers, and says that it has %d", base.Name, at.Rows, base.Documents)
	}
	r.progress(at)
	return nil
}

// live is the index that the alias points to; one without a name where it points nowhere. The report gets the previous one.
func (l *Loader) live(ctx context.Context, alias string, report *Report) (*engine.Info, error) {
	name, previous, err := l.Indexer.Alias(ctx, alias)
	report.Previous = previous
	if err != nil || name == "" {
		return &engine.Info{}, err
	}
	return l.index(ctx, name)
}

// index is what an index says of itself.
func (l *Loader) index(ctx context.Context, name string) (*engine.Info, error) {
	infos, err := l.Indexer.Indexes(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(infos, func(info engine.Info) bool { return info.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("index %q: %w", name, engine.ErrNotFound)
	}
	return &infos[i], l.recount(ctx, &infos[i])
}

// recount counts the documents of a finished index that can be changed in place: an interrupted change is none that the
// index would tell of.
func (l *Loader) recount(ctx context.Context, info *engine.Info) error {
	if _, ok := l.Indexer.(engine.Updater); !ok || !info.Complete {
		return nil
	}
	snapshot, err := l.Indexer.OpenIndex(ctx, info.Name)
	if err != nil {
		return err
	}
	info.Documents, err = snapshot.Count(ctx, engine.Filters{})
	return err
}

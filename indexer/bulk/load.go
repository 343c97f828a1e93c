package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"freelancer-matching/internal/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// Loader puts freelancers into an engine. All fields must be set.
type Loader struct {
	Indexer  engine.Indexer
	Preparer Preparer
	Log      *slog.Logger
	Now      func() time.Time
}

// Options say what a load is to do.
type Options struct {
	Owner       string // what another indexer is told while this one holds the lock
	Alias       string
	Mapping     mappings.Mapping
	Source      string // in the words of engine.Spec
	Currency    string // of the amounts that the inputs yield, ISO 4217
	Taxonomy    string // version of the one that the Preparer resolves skills with
	MaxFailures Limit
	// DeadLetters names the file for the faults of rejected rows by the name of the index. It is only made where there
	// are faults.
	DeadLetters func(index string) string
	Progress    func(Progress) // called every few hundred rows
}

// ErrNothing is the failure of a load without a single usable row.
var ErrNothing = errors.New("no usable row in the input")

// Check reads the inputs as Load does, and reports what a load would say. It needs no engine, and writes nothing but
// the faults, to the file deadLetters unless that is "".
func Check(
	ctx context.Context, inputs []Input, limit Limit, deadLetters string, progress func(Progress),
) (*Report, error) {
	report := &Report{}
	r := newReading(inputs, limit, deadLetters, progress, report)
	err := r.first(ctx, func(matching.Freelancer) error { return nil })
	if err == nil && report.Freelancers == 0 {
		err = ErrNothing
	}
	return report, r.end(err)
}

// Load makes a new index of the inputs and points the alias to it. On any failure, and when ctx ends, the new index is
// dropped and the alias stays as it was. The report is never nil; after a failure it tells how far the load came.
//
// The index that the alias pointed to before is kept, so that the load can be taken back.
func (l *Loader) Load(ctx context.Context, inputs []Input, o Options) (report *Report, err error) {
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
	index, err := l.create(ctx, o)
	if err != nil {
		return report, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Indexer.Drop(context.WithoutCancel(ctx), index))
		}
	}()
	if err := l.fill(ctx, index, inputs, o, report); err != nil {
		return report, err
	}
	if err := l.check(ctx, index, report); err != nil {
		return report, err
	}
	previous, err := l.Indexer.PointAlias(ctx, o.Alias, index)
	if err != nil {
		return report, err
	}
	report.Index, report.Previous = index, previous
	return report, nil
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

// create makes an index named by mapping and time, and by a number where the second was taken.
func (l *Loader) create(ctx context.Context, o Options) (string, error) {
	created := l.Now().UTC()
	base := strings.ReplaceAll(o.Mapping.Name, ".", "-") + "-" + created.Format("20060102t150405z")
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

// fill reads the inputs into the index.
func (l *Loader) fill(ctx context.Context, index string, inputs []Input, o Options, report *Report) (err error) {
	r := newReading(inputs, o.MaxFailures, o.DeadLetters(index), o.Progress, report)
	defer func() { err = r.end(err) }()
	bulk, err := l.Indexer.Bulk(ctx, index, nil)
	if err != nil {
		return err
	}
	defer bulk.Abort()
	err = pipe(ctx, runtime.GOMAXPROCS(0), l.Preparer, bulk, func(ctx context.Context, take emit) error {
		if err := r.first(ctx, take); err != nil {
			return err
		}
		return r.second(ctx, take)
	})
	if err != nil {
		return err
	}
	if report.Freelancers == 0 {
		return ErrNothing
	}
	o.Progress(Progress{Stage: Finishing})
	result, err := bulk.Close(ctx)
	if err != nil {
		return err
	}
	report.Indexed, report.Refused = result.Indexed, result.Failed
	if o.MaxFailures.exceeded(report.Rejected+report.Refused, report.Rows, true) {
		return &LimitError{Rejected: report.Rejected + report.Refused, Rows: report.Rows, Limit: o.MaxFailures}
	}
	return nil
}

// check holds the finished index to what was put into it: the counts agree, its records can be read, and some of its
// freelancers are found by their own words and skills.
func (l *Loader) check(ctx context.Context, index string, report *Report) error {
	if got := report.Indexed + report.Refused; got != report.Freelancers || report.Indexed == 0 {
		return fmt.Errorf("check index %q: %d documents indexed and %d refused, of %d freelancers",
			index, report.Indexed, report.Refused, report.Freelancers)
	}
	snapshot, err := l.Indexer.Inspect(ctx, index)
	if err != nil {
		return fmt.Errorf("check index %q: %w", index, err)
	}
	if got := snapshot.Info().Documents; got != report.Indexed {
		return fmt.Errorf("check index %q: it has %d documents, %d were indexed", index, got, report.Indexed)
	}
	const most = 20
	var sample []matching.Freelancer
	for f, err := range l.Indexer.Scan(ctx, index) {
		if err != nil {
			return fmt.Errorf("check index %q: %w", index, err)
		}
		if sample = append(sample, f); len(sample) == most {
			break
		}
	}
	if want := min(most, report.Indexed); len(sample) != want {
		return fmt.Errorf("check index %q: %d documents can be read, want %d", index, len(sample), want)
	}
	documents, err := l.Preparer.Prepare(ctx, sample)
	if err != nil {
		return fmt.Errorf("check index %q: %w", index, err)
	}
	for _, d := range documents {
		if err := findAgain(ctx, snapshot, d); err != nil {
			return fmt.Errorf("check index %q: %w", index, err)
		}
	}
	return nil
}

// findAgain searches for a document by all words and skills of the profile. One without cannot be found, and need not be.
func findAgain(ctx context.Context, snapshot engine.Snapshot, d *engine.Document) error {
	if len(d.Terms)+len(d.Skills) == 0 {
		return nil
	}
	q := &engine.Query{TextWeight: 1, Filters: engine.Filters{IDs: []string{d.Freelancer.ID}}, Size: 1}
	for e := matching.Sibling; e <= matching.Listed; e++ {
		q.Credit[e] = 1
	}
	for _, s := range d.Skills {
		q.Skills = append(q.Skills, engine.SkillClause{ID: s.ID, Weight: 1})
	}
	for _, term := range slices.Compact(slices.Sorted(slices.Values(d.Terms))) {
		q.Terms = append(q.Terms, engine.Term{Text: term, Weight: 1, Reference: true})
	}
	page, err := snapshot.Search(ctx, q)
	if err != nil {
		return err
	}
	if len(page.Hits) != 1 {
		return fmt.Errorf("freelancer %q is not found by the words and skills of the profile", d.Freelancer.ID)
	}
	return nil
}

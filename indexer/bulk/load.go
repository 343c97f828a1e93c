package bulk

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/mappings"
)

// Loader makes indexes of freelancers and changes them. All fields must be set.
type Loader struct {
	Indexer  engine.Indexer // where it is an engine.Updater too, indexes are changed in place
	Preparer Preparer
	Log      *slog.Logger
	Now      func() time.Time
}

// Options say what a load, or a change of what is live, is to do.
type Options struct {
	Owner       string // what another indexer is told while this one holds the lock
	Alias       string
	Mapping     mappings.Mapping
	Source      string // of the inputs, in the words of engine.Spec
	Currency    string // of the amounts that the inputs yield, ISO 4217
	Taxonomy    string // version of the one that the Preparer resolves skills with
	MaxFailures Limit
	// DeadLetters names the file for the faults of rejected rows, and for the documents that the engine refuses, by the
	// name of the index; of a change in place that is INDEX.TIME. The file is only made where there are any.
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
	return report, r.end(r.survey(ctx, Loading))
}

// Load makes a new index of the inputs and points the alias to it. On any failure, and when ctx ends, the new index is
// dropped and the alias stays as it was. The report is never nil; after a failure it tells how far the load came.
//
// The index that the alias pointed to before is kept, so that the load can be taken back.
func (l *Loader) Load(ctx context.Context, inputs []Input, o Options) (*Report, error) {
	return l.locked(ctx, &o, func(report *Report) error {
		return l.rebuild(ctx, inputs, &o, report, files)
	})
}

// files produces the freelancers of the inputs alone.
func files(ctx context.Context, r *reading, take emit) error {
	if err := r.first(ctx, Loading, take); err != nil {
		return err
	}
	return r.second(ctx, Merging, false, take)
}

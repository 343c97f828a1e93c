package bulk

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// Loader builds indexes of freelancers and changes them. All fields are required.
type Loader struct {
	Indexer  engine.Indexer
	Preparer Preparer // Delete does not need one
	Log      *slog.Logger
	Now      func() time.Time
}

// Options configure a load or a change of the live index.
type Options struct {
	Owner       string // identifies this process to other indexers while it holds the lock
	Alias       string
	Mapping     mappings.Mapping
	Source      string            // kind of input, as in engine.Spec: csv, ndjson …
	Currency    string            // ISO 4217 code of the amounts in the inputs
	CurrencyBy  CurrencySource    // what chose it
	HoursPerDay float64           // by which the inputs convert rates per day, week, month and year
	RatesDates  map[string]string // days of the exchange rates that the inputs use, by currency; missing if unknown
	Taxonomy    string            // version of the taxonomy that the Preparer uses
	MaxFailures Limit
	MaxMerged   *Limit // rows that may be merged into others or repeat them; nil for any number
	NewIndex    bool   // Upsert builds a new index even if it could change the live one in place
	Everywhere  bool   // Delete also removes the freelancers from all earlier indexes
	AllowShrink bool   // don't compare the result with the live index, and accept files whose numbers can't be read
	AllowUnread bool   // accept files whose numbers can't be read
	// Searcher keeps the live index open between changes, and is of the same engine as the Indexer. With it, Upsert
	// changes the index in place through the engine.Changer, as servers do, which is faster if only a few freelancers
	// change.
	Searcher engine.Searcher
	// DiscardChanges leaves out what others change in the live index while a new one is built. Otherwise, the new index
	// gets these changes too, and they win over the inputs.
	DiscardChanges bool
	// Edits returns the fields of freelancers that clients have changed since a time, by ID; an empty list stands for the
	// whole record. If it is nil, Load doesn't compare them with the inputs.
	Edits func(ctx context.Context, since time.Time) (map[string][]string, error)
	// KeepChanges lets these fields of a new index have the values that they have in the live one.
	KeepChanges bool
	// Confirm asks whether a change that loses much of the live index should go live anyway. It is called when a new
	// index is complete, or before a change in place. If nil, the change is refused with the *ShrinkError.
	Confirm func(ctx context.Context, e *ShrinkError) (bool, error)
	// KeepIndexes is the number of finished indexes, including the live and the previous one, that are kept when a new
	// index has gone live. Older ones are dropped. 0 keeps all.
	KeepIndexes int
	// Run is recorded in the index's provenance. The command, version, user, options and mapping must be set; files, times
	// and counts are filled in.
	Run engine.Run
	// Erased returns a function that reports whether a person was erased and must not be loaded or copied again. It is
	// called while the engine's lock is held, so that nobody is erased between the call and the change. If Erased or the
	// function is nil, nobody was erased.
	Erased func(context.Context) (func(*matching.Freelancer) bool, error)

	erased func(*matching.Freelancer) bool // what Erased returned; nil before the call
	// DeadLetters returns the path of the file for rejected rows and documents, or "" to write none. Its argument is the
	// name of the index, or INDEX.TIME for a change in place. The file is created only if there is something to write.
	DeadLetters func(index string) string
	Progress    func(Progress) // called every few hundred rows
	// Encode encodes the profiles of a new index before it goes live, and calls observe with the progress. If it is nil,
	// servers do that afterward.
	Encode func(ctx context.Context, index engine.Snapshot, observe func(done, total int)) error
	// Observe receives every freelancer that Check finds, with all their rows merged. If it is nil, Check reads only the
	// rows that it must.
	Observe func(*matching.Freelancer)
	// ObserveDeletion receives the IDs of rows that delete a freelancer, before Observe is called for the first time.
	ObserveDeletion func(id string)
	// Workers is the number of goroutines that prepare documents; 0 for one on each core.
	Workers int
}

func (o *Options) isErased(f *matching.Freelancer) bool { return o.erased != nil && o.erased(f) }

// isErasedRow reports whether the person of a row was erased, under this or another ID.
func (o *Options) isErasedRow(row *rows.Row) bool {
	if o.erased == nil {
		return false
	}
	return o.erased(&row.Freelancer) || slices.ContainsFunc(row.OtherIDs(), func(id string) bool {
		return o.erased(&matching.Freelancer{ID: id})
	})
}

// ErrNothing is returned by a load that finds no usable row.
var ErrNothing = errors.New("the input has no usable rows; see the reasons for rejection")

// workers returns the number of goroutines that prepare documents.
func (o *Options) workers() int { return cmp.Or(o.Workers, runtime.GOMAXPROCS(0)) }

// Check reads the inputs as Load does and reports what Load would find. It needs no engine. Of the options it uses
// MaxFailures, MaxMerged, Erased, Progress, Observe, ObserveDeletion, and DeadLetters, which it calls with an empty
// name.
func Check(ctx context.Context, inputs []Input, o Options) (_ *Report, err error) {
	report := &Report{}
	if o.Erased != nil {
		if o.erased, err = o.Erased(ctx); err != nil {
			return report, err
		}
	}

	r := newReading(inputs, o, "", report)
	err = r.countRows(ctx, Loading)
	if err == nil && o.ObserveDeletion != nil {
		for id := range r.deleted {
			o.ObserveDeletion(id)
		}
	}

	switch {
	case err != nil:
	case o.Observe != nil:
		err = r.secondPass(ctx, Merging, true, func(f matching.Freelancer) error {
			o.Observe(&f)
			return nil
		})
	case len(r.groups)+report.Merged > 0:
		err = r.secondPass(ctx, Merging, false, emitNobody) // reports conflicts and IDs that several people have
	}
	return report, r.end(err)
}

// Load builds a new index from the inputs and points the alias to it. If it fails or ctx is canceled, it drops the new
// index and leaves the alias unchanged. The report is never nil; after a failure it covers the rows read so far.
//
// Load keeps the index that was live before, so that it can be rolled back to.
func (l *Loader) Load(ctx context.Context, inputs []Input, o Options) (*Report, error) {
	c := newChange(l, inputs, o)
	return c.run(ctx, func(ctx context.Context) error { return c.build(ctx, readInputs) })
}

// readInputs produces the freelancers of the inputs alone.
func readInputs(ctx context.Context, r *reading, emit emitFunc) error {
	if err := r.firstPass(ctx, Loading, emit); err != nil {
		return err
	}
	return r.secondPass(ctx, Merging, false, emit)
}

package bulk

import (
	"context"
	"errors"
	"hash/maphash"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"freelancer-matching/indexer/rows"
	"freelancer-matching/internal/matching"
)

// reading goes through the rows of all inputs, in one or two passes.
//
// The rows of one person may be far apart, so a person is complete only after the last row of the last file. Holding a
// million freelancers until then would take gigabytes. Instead, the first pass emits every freelancer at their first
// row and remembers only IDs (about 70 bytes each). If some IDs occurred more than once, a second pass merges the rows
// of those freelancers and emits each one at their last row, to replace the first version. Most files have no such IDs
// and are read once. A file with one row per person and skill is read twice.
//
// Files that change an index are also read twice: the first pass must show that few enough rows are rejected, and who
// is replaced, before anything is changed.
type reading struct {
	inputs   []Input
	limit    Limit
	letters  deadLetters
	erased   func(*matching.Freelancer) bool
	progress func(Progress)
	report   *Report

	people map[string]person
	seed   maphash.Seed

	mu      sync.Mutex // guards refused and report.Refusals
	refused map[string]struct{}
}

// person is what the first pass remembers about an ID.
type person struct {
	rows    int32
	name    uint32 // hash of the first known name; 0 if no row has had a name
	inIndex bool   // the index being changed also has this ID
}

// newReading returns a reading whose dead letters are in the file that the options name for an index.
func newReading(inputs []Input, o Options, index string, report *Report) *reading {
	return &reading{
		inputs:   inputs,
		limit:    o.MaxFailures,
		letters:  deadLetters{path: o.DeadLetters(index)},
		erased:   o.isErased,
		progress: o.Progress,
		report:   report,
		people:   make(map[string]person),
		seed:     maphash.MakeSeed(),
		refused:  make(map[string]struct{}),
	}
}

// countRows runs the first pass without emitting anyone. It returns ErrNothing if there are no freelancers.
func (r *reading) countRows(ctx context.Context, stage Stage) error {
	if err := r.firstPass(ctx, stage, func(matching.Freelancer) error { return nil }); err != nil {
		return err
	}
	if r.report.Freelancers == 0 {
		return ErrNothing
	}
	return nil
}

// firstPass emits every freelancer at their first row and counts rows. It returns a *LimitError if too many are
// rejected.
func (r *reading) firstPass(ctx context.Context, stage Stage, emit emitFunc) error {
	err := r.eachRow(ctx, stage, func(input string, row rows.Row) error {
		r.report.Rows++
		if r.erased(&row.Freelancer) {
			r.report.Erased++
			return nil // not even a dead letter
		}
		for _, w := range row.Warnings {
			r.report.Warnings.add(input, w)
		}
		if len(row.Faults) > 0 {
			return r.reject(input, &row, row.Faults)
		}
		f := &row.Freelancer
		p, ok := r.people[f.ID]
		name := r.hash(f.Name)
		if !p.accepts(name) {
			return r.reject(input, &row, []rows.Fault{{
				Line:   row.Line,
				Value:  f.ID + " " + f.Name,
				Reason: "another freelancer with a different name has this ID; IDs must be unique across all files",
			}})
		}
		if p.name == 0 {
			p.name = name
		}
		p.rows++
		if ok {
			r.report.Merged++
			r.people[f.ID] = p
			return nil
		}
		r.report.Freelancers++
		r.people[strings.Clone(f.ID)] = p // the ID is a substring of its row, which must not stay in memory
		return emit(row.Freelancer)
	})
	if err != nil {
		return err
	}
	return r.checkLimit(r.report.Rejected, true)
}

// errChanged is returned if the second pass finds other rows than the first.
var errChanged = errors.New("the files changed while they were being read; load them again")

// secondPass emits the freelancers that have several rows, or everyone, in the order of their last rows.
func (r *reading) secondPass(ctx context.Context, stage Stage, everyone bool, emit emitFunc) error {
	if r.report.Merged == 0 && !everyone {
		return nil
	}
	emitted := 0
	partial := make(map[string]*matching.Freelancer) // merged so far, with more rows to come
	err := r.eachRow(ctx, stage, func(_ string, row rows.Row) error {
		f := &row.Freelancer
		p := r.people[f.ID]
		if r.erased(f) || len(row.Faults) > 0 || !p.accepts(r.hash(f.Name)) {
			return nil
		}
		merged, ok := partial[f.ID]
		switch {
		case p.rows == 0:
			return errChanged
		case ok:
			rows.Merge(merged, f)
		case p.rows > 1:
			merged = f
			partial[strings.Clone(f.ID)] = f
		case everyone:
			merged = f
		default:
			return nil // this person's only row, which the first pass emitted
		}
		p.rows--
		r.people[f.ID] = p
		if p.rows > 0 {
			return nil
		}
		delete(partial, f.ID)
		emitted++
		return emit(*merged)
	})
	if err != nil {
		return err
	}
	if len(partial) > 0 || everyone && emitted != r.report.Freelancers {
		return errChanged
	}
	return nil
}

// eachRow calls do with every row of every input, in order.
func (r *reading) eachRow(ctx context.Context, stage Stage, do func(input string, row rows.Row) error) error {
	progress := Progress{Stage: stage}
	files := make([]File, 0, len(r.inputs))
	defer func() {
		for _, f := range files {
			_ = f.Close() // the files were only read
		}
	}()
	for _, in := range r.inputs {
		f, err := in.Open()
		if err != nil {
			return err
		}
		files = append(files, f)
		progress.Size += f.Size()
	}
	for i, f := range files {
		before := progress.Bytes
		for row, err := range f.Rows(ctx) {
			if err != nil {
				return err
			}
			name := r.inputs[i].Name
			if row.File != "" {
				name = filepath.Join(name, row.File)
			}
			if err := do(name, row); err != nil {
				return err
			}
			progress.Rows++
			if progress.Rows%progressRows == 0 || row.File != "" { // a row that is a whole file takes long to read
				progress.Bytes = before + f.Offset()
				r.progress(progress)
			}
		}
		progress.Bytes = before + f.Size()
		r.progress(progress)
	}
	return nil
}

// reject counts a row as rejected and writes a dead letter with its faults and its cells.
func (r *reading) reject(input string, row *rows.Row, faults []rows.Fault) error {
	r.report.Rejected++
	letter := DeadLetter{File: input, Line: row.Line, ID: row.Freelancer.ID}
	for _, f := range faults {
		r.report.Faults.add(input, f)
		letter.Faults = append(letter.Faults, DeadFault{Column: f.Column, Value: f.Value, Reason: f.Reason})
	}
	if row.Raw != nil {
		letter.Record = row.Raw.Record()
	}
	if err := r.letters.write(letter); err != nil {
		return err
	}
	return r.checkLimit(r.report.Rejected, false)
}

// checkLimit returns a *LimitError if there are too many failures for the rows read so far.
func (r *reading) checkLimit(failures int, allRead bool) error {
	if r.limit.exceeded(failures, r.report.Rows, allRead) {
		return &LimitError{Rejected: failures, Rows: r.report.Rows, Limit: r.limit}
	}
	return nil
}

// refuse writes a dead letter for a document that the engine refused, once per ID.
func (r *reading) refuse(id string, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.refused[id]; ok {
		return
	}
	r.refused[id] = struct{}{}
	r.report.Refusals.add("", rows.Fault{Value: id, Reason: reason.Error()})
	faults := []DeadFault{{Reason: reason.Error()}}
	_ = r.letters.write(DeadLetter{ID: id, Faults: faults}) // end returns the error
}

// refusals returns the IDs of the documents that the engine refused, sorted.
func (r *reading) refusals() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.refused))
}

// lost returns the IDs of refused documents that the index being changed or copied has.
func (r *reading) lost() []string {
	return slices.DeleteFunc(r.refusals(), func(id string) bool {
		p, inFiles := r.people[id]
		return inFiles && !p.inIndex
	})
}

// replaces reports whether the files have a freelancer of the index being changed, and records that the index has them.
func (r *reading) replaces(id string) bool {
	p, ok := r.people[id]
	if ok {
		p.inIndex = true
		r.people[id] = p
		r.report.Replaced++
	}
	return ok
}

// accepts reports whether a row with this name can belong to the person.
func (p person) accepts(name uint32) bool { return p.name == 0 || name == 0 || p.name == name }

// hash hashes a name, ignoring case. It returns 0 for an empty name only.
func (r *reading) hash(name string) uint32 {
	if name == "" {
		return 0
	}
	return uint32(maphash.String(r.seed, strings.ToLower(name))) | 1
}

// end finishes the dead-letter file and adds any failure of it to err.
func (r *reading) end(err error) error {
	path, closeErr := r.letters.close()
	r.report.DeadLetters = path
	return errors.Join(err, closeErr)
}

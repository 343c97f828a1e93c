package bulk

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/matching"
)

// Input is a file to load.
type Input struct {
	Name string // as dead letters and reports call it
	// Open begins to read the file, from its start each time.
	Open func() (File, error)
}

// File is an open file; *source.File is one.
type File interface {
	Rows() iter.Seq2[source.Row, error]
	Size() int64
	Offset() int64
	Close() error
}

// Progress says how far a load is.
type Progress struct {
	Stage       Stage
	Rows        int // read in this stage
	Total       int // all rows of this stage, where that is known; else Size tells
	Bytes, Size int64
}

// Stage is a part of a load, in one word for the reader of a log.
type Stage string

// The stages, in their order. Reading goes through the files before anything is changed; Copying takes over the
// freelancers of another index; Merging comes only where an id has several rows; Finishing tells no rows and bytes.
const (
	Reading   Stage = "reading"
	Copying   Stage = "copying"
	Loading   Stage = "loading"
	Merging   Stage = "merging"
	Finishing Stage = "finishing"
)

// progressRows is how many rows lie between two reports of progress.
const progressRows = 256

// reading goes through the rows of all inputs.
//
// The rows of one person may be far apart, so nothing is known about a person before the last row was read. Holding a
// million freelancers until then would take gigabytes. Instead the first reading hands on every freelancer at its first
// row, and remembers only the ids (about 70 bytes each). Where ids came up again, a second reading merges the rows of
// just those freelancers, holds each until its last row, and hands it on to replace the first version. Most files have
// no such ids and are read once; a file with one row per person and skill costs a second reading.
//
// Files that change an index are read twice as well: only after the first reading is it known that few enough rows are
// rejected, and who is replaced.
type reading struct {
	inputs   []Input
	limit    Limit
	letters  deadLetters
	progress func(Progress)
	report   *Report

	people map[string]person
	seed   maphash.Seed

	mu      sync.Mutex // guards refused, and Refusals of the report
	refused map[string]struct{}
}

// person is what is remembered of one id.
type person struct {
	rows int32
	name uint32 // hash of the first known name, 0: none yet
	old  bool   // the index before has this freelancer too
}

// emit takes a freelancer.
type emit func(matching.Freelancer) error

func newReading(inputs []Input, limit Limit, letters string, progress func(Progress), report *Report) *reading {
	return &reading{
		inputs: inputs, limit: limit, letters: deadLetters{path: letters}, progress: progress, report: report,
		people: make(map[string]person), seed: maphash.MakeSeed(), refused: make(map[string]struct{}),
	}
}

// survey is a first reading that hands on nobody. ErrNothing when there is nobody.
func (r *reading) survey(ctx context.Context, stage Stage) error {
	if err := r.first(ctx, stage, func(matching.Freelancer) error { return nil }); err != nil {
		return err
	}
	if r.report.Freelancers == 0 {
		return ErrNothing
	}
	return nil
}

// first is the first reading.
func (r *reading) first(ctx context.Context, stage Stage, take emit) error {
	err := r.each(ctx, stage, func(input string, row source.Row) error {
		r.report.Rows++
		for _, w := range row.Warnings {
			r.report.Warnings.add(input, w)
		}
		if len(row.Faults) > 0 {
			return r.reject(input, row.Faults)
		}
		f := &row.Freelancer
		p, ok := r.people[f.ID]
		if !p.admits(r.hash(f.Name)) {
			return r.reject(input, []source.Fault{{
				Line: row.Line, Value: f.ID + " " + f.Name,
				Reason: "id belongs to a freelancer with another name; ids must be unique over all files of a load",
			}})
		}
		if p.name == 0 {
			p.name = r.hash(f.Name)
		}
		p.rows++
		if ok {
			r.report.Merged++
			r.people[f.ID] = p
			return nil
		}
		r.report.Freelancers++
		r.people[strings.Clone(f.ID)] = p // the id shares memory with its whole row
		return take(row.Freelancer)
	})
	if err != nil {
		return err
	}
	return r.judge(r.report.Rejected, true)
}

// errChanged is the failure of a second reading that finds other rows than the first.
var errChanged = errors.New("the files changed while they were read; load them again")

// second is the second reading. It hands on the freelancers with several rows, or everyone, in the order of their last
// rows.
func (r *reading) second(ctx context.Context, stage Stage, everyone bool, take emit) error {
	if r.report.Merged == 0 && !everyone {
		return nil
	}
	taken := 0
	open := make(map[string]*matching.Freelancer)
	err := r.each(ctx, stage, func(_ string, row source.Row) error {
		f := &row.Freelancer
		p := r.people[f.ID]
		if len(row.Faults) > 0 || !p.admits(r.hash(f.Name)) {
			return nil
		}
		merged, held := open[f.ID]
		switch {
		case p.rows == 0:
			return errChanged
		case held:
			source.Merge(merged, f)
		case p.rows > 1:
			merged = f
			open[strings.Clone(f.ID)] = f
		case everyone:
			merged = f
		default:
			return nil // the only row of this person
		}
		p.rows--
		r.people[f.ID] = p
		if p.rows > 0 {
			return nil
		}
		delete(open, f.ID)
		taken++
		return take(*merged)
	})
	if err != nil {
		return err
	}
	if len(open) > 0 || everyone && taken != r.report.Freelancers {
		return errChanged
	}
	return nil
}

// each calls do with every row of every input, in order.
func (r *reading) each(ctx context.Context, stage Stage, do func(input string, row source.Row) error) error {
	at := Progress{Stage: stage}
	files := make([]File, 0, len(r.inputs))
	defer func() {
		for _, f := range files {
			_ = f.Close() // read only: nothing can be lost
		}
	}()
	for _, in := range r.inputs {
		f, err := in.Open()
		if err != nil {
			return err
		}
		files = append(files, f)
		at.Size += f.Size()
	}
	for i, f := range files {
		before := at.Bytes
		for row, err := range f.Rows() {
			if err == nil {
				err = ctx.Err()
			}
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
			at.Rows++
			if at.Rows%progressRows == 0 || row.File != "" { // a whole file takes as long as many rows
				at.Bytes = before + f.Offset()
				r.progress(at)
			}
		}
		at.Bytes = before + f.Size()
		r.progress(at)
	}
	return nil
}

// reject counts a row as rejected and writes its faults down.
func (r *reading) reject(input string, faults []source.Fault) error {
	r.report.Rejected++
	for _, f := range faults {
		r.report.Faults.add(input, f)
		letter := DeadLetter{File: input, Line: f.Line, Column: f.Column, Value: f.Value, Reason: f.Reason}
		if err := r.letters.write(letter); err != nil {
			return err
		}
	}
	return r.judge(r.report.Rejected, false)
}

// judge fails when so many failures are too many for the rows that were read, which may be all.
func (r *reading) judge(failures int, all bool) error {
	if r.limit.exceeded(failures, r.report.Rows, all) {
		return &LimitError{Rejected: failures, Rows: r.report.Rows, Limit: r.limit}
	}
	return nil
}

// refuse writes down a document that the engine cannot store.
func (r *reading) refuse(id string, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, again := r.refused[id]; again {
		return
	}
	r.refused[id] = struct{}{}
	r.report.Refusals.add("", source.Fault{Value: id, Reason: reason.Error()})
	_ = r.letters.write(DeadLetter{ID: id, Reason: reason.Error()}) // end tells of a failure
}

// refusals is the ids of the documents that the engine refused, in their order.
func (r *reading) refusals() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.refused))
}

// lost is whom of the index before the engine refused.
func (r *reading) lost() []string {
	return slices.DeleteFunc(r.refusals(), func(id string) bool {
		p, read := r.people[id]
		return read && !p.old
	})
}

// replaces reports whether the files have a freelancer of the index before, and remembers that they do.
func (r *reading) replaces(id string) bool {
	p, ok := r.people[id]
	if ok {
		p.old = true
		r.people[id] = p
		r.report.Replaced++
	}
	return ok
}

// admits reports whether a row with this name can be one of the person.
func (p person) admits(name uint32) bool { return p.name == 0 || name == 0 || p.name == name }

// hash is a number for a name, whatever its case, and 0 for no name.
func (r *reading) hash(name string) uint32 {
	if name == "" {
		return 0
	}
	return uint32(maphash.String(r.seed, strings.ToLower(name))) | 1
}

// end completes the dead letters. err is what ended the reading; a failure of closing joins it.
func (r *reading) end(err error) error {
	path, closeErr := r.letters.close()
	r.report.DeadLetters = path
	return errors.Join(err, closeErr)
}

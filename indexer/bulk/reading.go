package bulk

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// reading goes through the rows of all inputs, in one to three passes.
//
// The rows of one person may be far apart, so a person is complete only after the last row of the last file. Holding a
// million freelancers until then would take gigabytes. Instead, the first pass remembers only IDs (about 45 bytes each)
// and emits every freelancer with an ID of the file at their first row. If some IDs have several rows, a second pass
// merges these rows and emits each person at their last row, to replace the first version. Most files with IDs have no
// such IDs and are read once. A file with one row per person and skill is read twice.
//
// An ID that was derived, such as from name and location, may stand for several people, who then get other IDs, and
// what was emitted can't be taken back. So people with derived IDs are emitted in the second pass.
//
// If rows with the same ID don't say the same about the person, another pass between these two decides which of them
// are about one person, considering all of them. So the outcome doesn't depend on the order of the rows.
//
// Files that change an index are also read twice: the first pass must show that few enough rows are rejected, and who
// is replaced, before anything is changed.
type reading struct {
	index     string // that the rows go to; a change in place appends its time
	inputs    []Input
	limit     Limit
	maxMerged *Limit
	letters   deadLetters
	erased    func(*rows.Row) bool
	// allowUnread accepts files of whose numbers none can be read.
	allowUnread bool
	progress    func(Progress)
	report      *Report
	dates       map[string]string // of exchange rates

	people people
	// deleted holds the IDs of rows that delete a freelancer. A deletion wins over other rows of the same person, so that
	// the order of the rows doesn't matter.
	deleted map[string]struct{}
	groups  map[string]*group // by ID: those whose rows contradict each other

	// missing holds the IDs of rows that are rejected because a patch finds nobody to change.
	missing map[string]struct{}

	incoming coverage.Counts // of the freelancers in the files, after the first pass
	copied   coverage.Counts // of those copied from another index

	mu      sync.Mutex // guards refused and report.Refusals
	refused map[string]struct{}
}

// newReading returns a reading whose dead letters are in the file that the options name for an index.
func newReading(inputs []Input, o Options, index string, report *Report) *reading {
	report.HoursPerDay = o.HoursPerDay
	report.Currency, report.CurrencyBy = o.Currency, o.CurrencyBy
	return &reading{
		index:     index,
		inputs:    inputs,
		limit:     o.MaxFailures,
		maxMerged: o.MaxMerged,
		letters:   deadLetters{path: o.DeadLetters(index)},
		erased:    o.isErasedRow,

		allowUnread: o.AllowShrink || o.AllowUnread,

		progress: o.Progress,
		report:   report,
		dates:    o.RatesDates,
		people:   newPeople(),
		deleted:  make(map[string]struct{}),
		groups:   make(map[string]*group),
		refused:  make(map[string]struct{}),
	}
}

// countRows runs the first pass without emitting anyone. It returns ErrNothing if there are no freelancers.
func (r *reading) countRows(ctx context.Context, stage Stage) error {
	if err := r.firstPass(ctx, stage, emitNobody); err != nil {
		return err
	}
	if r.report.Freelancers+len(r.deleted) == 0 {
		return ErrNothing
	}
	return nil
}

func emitNobody(matching.Freelancer) error { return nil }

// firstPass emits every freelancer with an ID of the file at their first row, decides which rows are about one person,
// and counts rows. It returns a *LimitError if too many are rejected, and a *MergeLimitError if too many are merged.
func (r *reading) firstPass(ctx context.Context, stage Stage, emit emitFunc) error {
	err := r.eachRow(ctx, stage, func(input string, row *rows.Row) error {
		r.report.Rows++
		if r.erased(row) {
			r.report.Erased++
			return nil // not even a dead letter
		}

		for _, w := range row.Warnings {
			r.report.Warnings.add(input, w)
		}

		if row.LeftOut {
			r.report.LeftOut++
			return nil
		}

		if row.Skipped {
			r.report.Skipped++
			return nil
		}

		if len(row.Faults) > 0 {
			return r.reject(input, row, row.Faults)
		}

		if row.Deleted {
			r.report.Deletions++
			r.deleted[strings.Clone(row.Freelancer.ID)] = struct{}{}
			return nil
		}

		r.describe(row)
		if isNew := r.count(row); isNew && row.Key == rows.ByID {
			return emit(row.Freelancer)
		}
		return nil
	})
	if err == nil && r.people.vary {
		err = r.examine(ctx)
	}

	if err != nil {
		return err
	}
	r.people.forgetRows()

	for p := range r.people.all() {
		if p.rows > 0 {
			r.incoming.Add(p.known)
		}
	}

	r.report.Coverage = r.incoming.ByField()
	err = r.checkLimit(r.report.Rejected, true)
	if err == nil {
		err = r.checkMerged()
	}
	if err == nil {
		err = r.checkUnread()
	}

	// Only the second pass has examples of conflicts and clashes, which the user needs most after a failure.
	if err != nil && len(r.groups)+r.report.Merged > 0 {
		return errors.Join(err, r.secondPass(ctx, Merging, false, emitNobody))
	}

	return err
}

// minUnread is the number of rows from which a field without values is lost. A single odd cell is not.
const minUnread = 2

// checkUnread returns an *UnreadError if no value of a field could be read, although rows have some.
func (r *reading) checkUnread() error {
	if r.allowUnread {
		return nil
	}
	e := &UnreadError{Rows: r.report.Unread}
	for _, name := range slices.Sorted(maps.Keys(r.report.Unread)) {
		if r.report.Coverage[name] == 0 && r.report.Unread[name] >= minUnread {
			e.Fields = append(e.Fields, name)
		}
	}
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

// describe counts the values of a usable row that it doesn't state as they are.
func (r *reading) describe(row *rows.Row) {
	if row.Derived != 0 {
		if r.report.Derived == nil {
			r.report.Derived = make(map[string]int)
		}
		for _, name := range row.Derived.Names() {
			r.report.Derived[name]++
		}
	}

	for _, name := range row.Unread {
		if r.report.Unread == nil {
			r.report.Unread = make(map[string]int)
		}
		r.report.Unread[name]++
	}

	if row.FromUnit != value.NoUnit {
		if r.report.Units == nil {
			r.report.Units = make(map[value.Unit]int)
		}
		r.report.Units[row.FromUnit]++
	}

	if row.From == "" {
		return
	}
	list := r.report.Converted
	i, ok := slices.BinarySearchFunc(list, row.From, func(c Converted, code string) int {
		return strings.Compare(c.Currency, code)
	})
	if !ok {
		list = slices.Insert(list, i, Converted{Currency: strings.Clone(row.From), RatesDate: r.dates[row.From]})
		r.report.Converted = list
	}

	list[i].Rows++
}

// errChanged is returned if the second pass finds other rows than the first.
var errChanged = errors.New("the files changed while they were being read; load them again")

// secondPass emits the freelancers whom the first pass could not complete, or everyone, in the order of their last
// rows. It reports conflicts between the rows of a person, and rejects the rows of other people with the same ID.
func (r *reading) secondPass(ctx context.Context, stage Stage, everyone bool, emit emitFunc) error {
	m := merging{reading: r, everyone: everyone, emit: emit, partial: make(map[string]*rows.Person)}
	for p := range r.people.all() {
		if p.rows > 0 && (everyone || !p.isEmitted()) {
			m.expected++
		}
	}

	if m.expected == 0 && len(r.groups) == 0 {
		return nil
	}
	if err := r.eachRow(ctx, stage, m.add); err != nil {
		return err
	}
	if len(m.partial) > 0 || m.expected != 0 {
		return errChanged
	}

	return nil
}

// A merging is a second pass. It merges the rows of each person.
type merging struct {
	*reading
	everyone bool
	emit     emitFunc
	expected int                     // people who are still to be emitted
	partial  map[string]*rows.Person // by ID: merged so far, with more rows to come
}

// add handles a row, and emits the person if it is their last one.
func (m *merging) add(input string, row *rows.Row) error {
	if !m.isUsable(row) {
		return nil
	}
	fault, err := m.identify(row)
	if err != nil {
		return err
	}
	if fault != nil {
		return m.letter(input, row, []rows.Fault{*fault})
	}

	id := row.Freelancer.ID
	p := m.people.find(id)
	if p == nil || p.rows == 0 {
		return errChanged
	}

	merged := m.partial[id]
	isOnlyRow := merged == nil && p.rows == 1
	switch {
	case merged != nil:
		merged.Add(input, row)
	case !isOnlyRow:
		merged = rows.NewPerson(input, row)
		m.partial[strings.Clone(id)] = merged
	case p.isEmitted() && !m.everyone:
		return nil // the first pass has emitted the row, with nothing to merge
	}

	// The first pass counted the rows of each person, so this one knows the last of them, and frees what was merged.
	p.rows--
	if p.rows > 0 {
		return nil
	}
	m.expected--

	if merged == nil {
		return m.emit(row.Freelancer)
	}
	delete(m.partial, id)
	if err := m.settle(p.key, merged); err != nil {
		return err
	}
	return m.emit(merged.Freelancer)
}

// identify gives a row the ID that the passes before have decided on. It returns a fault if the row belongs to somebody
// else than the owner of its ID, or if a patch finds nobody with it.
func (m *merging) identify(row *rows.Row) (*rows.Fault, error) {
	f := &row.Freelancer
	if g, isShared := m.groups[f.ID]; isShared {
		c, known := g.classes[row.Facts().Class(row.Key)]
		if !known {
			return nil, errChanged
		}
		if c.id == "" {
			fault := g.fault(row)
			return &fault, nil
		}
		f.ID = c.id
	}

	if _, isMissing := m.missing[f.ID]; isMissing {
		return &rows.Fault{Line: row.Line, Column: "id", Value: f.ID, Reason: reasonNoPatch}, nil
	}
	return nil, nil
}

// isUsable reports whether a row says something about a freelancer who is to be loaded.
func (r *reading) isUsable(row *rows.Row) bool {
	if row.Skipped || row.LeftOut || row.Deleted {
		return false
	}
	return len(row.Faults) == 0 && !r.erased(row)
}

// A rowFunc handles a row of an input.
type rowFunc func(input string, row *rows.Row) error

// eachRow calls do with every row of every input, in order.
func (r *reading) eachRow(ctx context.Context, stage Stage, do rowFunc) error {
	progress := Progress{Stage: stage}
	files := make([]File, 0, len(r.inputs))
	defer func() {
		for _, f := range files {
			_ = f.Close() // the files were only read
		}
	}()

	// All files are opened first: the progress needs their total size, and a missing one shall be noticed at once.
	for _, in := range r.inputs {
		f, err := in.Open()
		if err != nil {
			return err
		}
		files = append(files, f)
		progress.Size += f.Size()
	}

	isFirstPass := r.report.Files == nil
	for i, f := range files {
		in := &r.inputs[i]
		if !isFirstPass {
			if err := r.readFile(ctx, in, f, &progress, do); err != nil {
				return err
			}
			continue
		}

		// The checksum covers the rows that were read, so it is computed while they are.
		if err := startHash(f); err != nil {
			return err
		}
		rowsBefore := progress.Rows
		if err := r.readFile(ctx, in, f, &progress, do); err != nil {
			return err
		}
		file, err := sourceFile(in, f, progress.Rows-rowsBefore)
		if err != nil {
			return err
		}
		r.report.Files = append(r.report.Files, file)
	}

	return nil
}

// readFile calls do with every row of a file, and reports the progress.
func (r *reading) readFile(ctx context.Context, in *Input, f File, progress *Progress, do rowFunc) error {
	before := progress.Bytes
	for row, err := range f.Rows(ctx) {
		if err != nil {
			return err
		}

		name := in.Name
		isWholeFile := row.File != "" // such as a resume in a folder
		if isWholeFile {
			name = filepath.Join(name, row.File)
		}
		if err := do(name, &row); err != nil {
			return err
		}

		// A row that is a whole file takes long to read.
		progress.Rows++
		if isWholeFile || progress.Rows%progressRows == 0 {
			progress.Bytes = before + f.Offset()
			r.progress(*progress)
		}
	}

	progress.Bytes = before + f.Size()
	r.progress(*progress)
	return nil
}

// reject counts a row as rejected.
func (r *reading) reject(input string, row *rows.Row, faults []rows.Fault) error {
	r.report.Rejected++
	if err := r.letter(input, row, faults); err != nil {
		return err
	}
	return r.checkLimit(r.report.Rejected, false)
}

// letter reports the faults of a row and writes a dead letter with them and its cells.
func (r *reading) letter(input string, row *rows.Row, faults []rows.Fault) error {
	letter := DeadLetter{File: input, Line: row.Line, Position: row.Position, ID: row.Freelancer.ID}
	for _, f := range faults {
		r.report.Faults.add(input, f)
		letter.Faults = append(letter.Faults, DeadFault{Column: f.Column, Value: f.Value, Reason: f.Reason})
	}
	if len(r.report.FirstRejected) < maxRejected {
		r.report.FirstRejected = append(r.report.FirstRejected, letter)
	}
	if row.Raw != nil {
		letter.Record = row.Raw.Record()
	}
	return r.letters.write(letter)
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

// rejectMissing counts the rows of people who are not present as rejected. The second pass writes their dead letters.
func (r *reading) rejectMissing(ids, present []string) {
	has := make(map[string]bool, len(present))
	for _, id := range present {
		has[id] = true
	}
	for _, id := range ids {
		if has[id] {
			continue
		}
		if r.missing == nil {
			r.missing = make(map[string]struct{})
		}
		r.missing[id] = struct{}{}
		r.report.Rejected++
		r.report.Freelancers--
		r.people.find(id).rows = 0
	}
}

// lost returns the IDs of refused documents that the index being changed or copied has.
func (r *reading) lost() []string {
	return slices.DeleteFunc(r.refusals(), func(id string) bool {
		p := r.people.find(id)
		return p != nil && !p.inIndex
	})
}

// replaces reports whether the files have a freelancer of the index being changed, and records that the index has them.
func (r *reading) replaces(id string) bool {
	p := r.people.find(id)
	if p == nil || p.rows == 0 {
		return false
	}
	p.inIndex = true
	r.report.Replaced++
	return true
}

// has reports whether the files have a freelancer.
func (r *reading) has(id string) bool {
	p := r.people.find(id)
	return p != nil && p.rows > 0
}

// coverage returns the coverage of the freelancers in the files together with those copied from another index.
func (r *reading) coverage() *coverage.Counts {
	all := r.copied
	all.AddAll(&r.incoming)
	return &all
}

// end finishes the dead-letter file and adds any failure of it to err.
func (r *reading) end(err error) error {
	path, closeErr := r.letters.close()
	r.report.DeadLetters = path
	return errors.Join(err, closeErr)
}

package bulk

import (
	"cmp"
	"slices"
	"time"

	"freelancer-matching/indexer/source"
)

// Report says what became of the rows of a load, and of the freelancers of the index that it changed. Rows =
// Freelancers + Merged + Rejected.
type Report struct {
	Rows        int // read
	Freelancers int // distinct ids among the rows that are usable
	Merged      int // usable rows of a freelancer who had a row before
	Rejected    int
	Faults      Tally // why rows were rejected
	Warnings    Tally // values that were left unknown or cut

	Base     string   // the index that was changed, or whose freelancers were taken over; "" for none
	InPlace  bool     // Base itself was changed
	Reason   string   // otherwise, why a new index was made; "" where nothing else was asked for
	Kept     int      // freelancers of Base who stayed as they were
	Replaced int      // freelancers of Base whom the files have too
	Deleted  int      // freelancers who were to be deleted, and are
	Unknown  []string // ids that were to be deleted, and that nobody has
	Dropped  []string // indexes that were removed with the freelancers in them

	Indexed     int    // documents in the new index, or added to Base in place
	Refused     int    // documents that the engine did not take
	Refusals    Tally  // why, by id
	Index       string // the live one, where anything was changed; else ""
	Previous    string // the one to which a rollback goes, "" for none
	DeadLetters string // file with the faults, "" when nothing was rejected or no file was wanted
	Elapsed     time.Duration
}

// The bounds of a Tally, which keep a report short and its memory small whatever the input.
const (
	maxKinds    = 1000
	maxExamples = 3
)

// overflow takes the place of the reasons beyond maxKinds.
const overflow = "other reasons"

// Tally counts faults by column and reason. The zero Tally is empty and ready for use.
type Tally struct {
	kinds map[kind]*Count
}

type kind struct{ column, reason string }

// Count is how often one thing was wrong in one column, with the first examples.
type Count struct {
	Column   string // "" where the fault is one of the whole row
	Reason   string
	Faults   int
	Examples []Example
}

// Example is one place where a fault was found.
type Example struct {
	File  string
	Line  int
	Value string
}

// add counts one fault.
func (t *Tally) add(file string, f source.Fault) {
	if t.kinds == nil {
		t.kinds = make(map[kind]*Count)
	}
	k := kind{f.Column, f.Reason}
	c, ok := t.kinds[k]
	if !ok && len(t.kinds) >= maxKinds {
		k = kind{"", overflow}
		c, ok = t.kinds[k]
	}
	if !ok {
		c = &Count{Column: k.column, Reason: k.reason}
		t.kinds[k] = c
	}
	c.Faults++
	if len(c.Examples) < maxExamples {
		c.Examples = append(c.Examples, Example{File: file, Line: f.Line, Value: f.Value})
	}
}

// Counts is everything that was counted, the most frequent first.
func (t *Tally) Counts() []Count {
	counts := make([]Count, 0, len(t.kinds))
	for _, c := range t.kinds {
		counts = append(counts, *c)
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Faults, a.Faults), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Column, b.Column))
	})
	return counts
}

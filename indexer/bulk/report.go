package bulk

import (
	"cmp"
	"slices"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/value"
)

// CurrencySource says what chose the currency of a load. It is empty for a flag and for the default.
type CurrencySource string

// What chooses a currency.
const (
	FromLiveIndex   CurrencySource = "live_index"
	FromHourlyRates CurrencySource = "hourly_rates"
)

// Report says what happened to the rows of a load and to the freelancers of the index that it changed.
// Rows = Freelancers + Merged + Duplicates + Deletions + Rejected + Skipped + LeftOut + Erased rows.
type Report struct {
	Rows        int // read
	Freelancers int // distinct people in the usable rows
	Merged      int // usable rows that add to a freelancer who has another row
	Duplicates  int // usable rows that repeat another row of the same freelancer
	Deletions   int // rows that delete a freelancer
	Rejected    int
	Skipped     int   // rows that aren't about anybody, such as totals
	LeftOut     int   // rows that the options leave out
	Erased      int   // rows, and freelancers of Base, that were left out because the person was erased
	Faults      Tally // why rows were rejected
	Warnings    Tally // values that were left unknown or cut
	// Derived counts the usable rows with a value that they don't state, by what it is derived from.
	Derived    map[string]int
	Currency   string         // of the amounts
	CurrencyBy CurrencySource // what chose it
	Converted  []Converted    // hourly rates in other currencies, in the order of the currencies
	// Unread counts the usable rows with numbers that can't be read, by the field that has no value because of that.
	Unread map[string]int
	// Units counts the usable rows whose rate was converted from another unit than an hour.
	Units       map[value.Unit]int
	HoursPerDay float64 // of the conversions; 0 if nothing is converted
	Merges      Merges
	// FirstRejected holds the first rejected rows, without their records.
	FirstRejected []DeadLetter

	Base     string   // the index that was changed or copied; empty if none
	InPlace  bool     // Base itself was changed
	Reason   string   // why a new index was built instead; empty if the caller asked for just that
	Kept     int      // freelancers of Base that stayed as they were
	Replaced int      // freelancers of Base that the files also have
	Deleted  int      // freelancers that were deleted
	Edits    Edits    // earlier changes of clients that the files don't have
	Carried  int      // changes that others made to the live index meanwhile and that the new one has too
	Unknown  []string // IDs to delete that no index had
	Dropped  []string // indexes that were dropped to delete freelancers from them

	Files    []engine.SourceFile // that have been read to their ends
	Coverage map[string]int      // freelancers with a known value by field: after the change, or in the files
	expected int                 // freelancers after a change in place that hasn't ended, whom Coverage is about; or 0
	Before   *Figures            // of the index that was live; nil if there was none or nothing was compared
	Removed  []Removed           // old indexes that were dropped because there were more than Options.KeepIndexes

	Encoded  int           // profiles of the new index that were encoded before it went live
	Encoding time.Duration // time for that, part of Elapsed

	Indexed     int    // documents in the new index, or added to Base in place
	Refused     int    // documents that the engine refused
	Refusals    Tally  // why, with IDs as examples
	Index       string // the live index; empty if nothing was changed
	Previous    string // the index that a rollback would return to; empty if none
	DeadLetters string // path of the dead-letter file; empty if none was written
	Elapsed     time.Duration
}

// LiveFreelancers returns the number of freelancers that the report's coverage is about.
func (r *Report) LiveFreelancers() int {
	switch {
	case r.InPlace:
		return r.Kept + r.Indexed
	case r.expected > 0:
		return r.expected
	case r.Indexed > 0:
		return r.Indexed
	default:
		return r.Freelancers
	}
}

// Converted is the number of usable rows whose hourly rate was converted from a currency.
type Converted struct {
	Currency  string
	Rows      int
	RatesDate string // day of the exchange rate; "" if it has none
}

// The limits of a Tally keep a report short and its memory small for any input.
const (
	maxKinds    = 1000
	maxExamples = 3
	maxRejected = 100 // in Report.FirstRejected
)

// overflowReason stands for all reasons beyond maxKinds.
const overflowReason = "other reasons"

// Tally counts faults by column and reason. The zero Tally is empty and ready to use.
type Tally struct {
	kinds map[kind]*Count
}

type kind struct{ column, reason string }

// Count is the number of faults with one reason in one column.
type Count struct {
	Column   string // empty if the faults concern whole rows
	Reason   string
	Faults   int
	Examples []Example // the first few
}

// Example is one place where a fault was found.
type Example struct {
	File  string
	Line  int
	Value string
}

func (t *Tally) add(file string, f rows.Fault) {
	if t.kinds == nil {
		t.kinds = make(map[kind]*Count)
	}
	k := kind{f.Column, f.Reason}
	c, ok := t.kinds[k]
	if !ok && len(t.kinds) >= maxKinds {
		k = kind{"", overflowReason}
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

// Total returns the number of faults.
func (t *Tally) Total() (n int) {
	for _, c := range t.kinds {
		n += c.Faults
	}
	return n
}

// Counts returns all counts, the most frequent first.
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

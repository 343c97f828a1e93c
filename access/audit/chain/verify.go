package chain

import (
	"errors"
	"fmt"
	"time"
)

// lateBy is how much older than a record before it a record may be without being counted as late. The clocks of servers
// differ, and a record gets its place when the transaction ends.
const lateBy = time.Hour

// A BreakError says where a chain breaks first, and why.
type BreakError struct {
	Chain    Name
	Sequence int64 // of the first record that is wrong, or missing
	Reason   string
}

// Error implements error.
func (b *BreakError) Error() string {
	return fmt.Sprintf("chain %s breaks at record %d: %s", b.Chain, b.Sequence, b.Reason)
}

// A Verifier verifies the records of one chain in their order.
type Verifier struct {
	start  Position
	at     Position
	kept   []Position
	latest time.Time // of the records so far
	report Report
}

// A Report describes a verified chain.
type Report struct {
	Start, Head Position
	Records     int64
	Erased      int64 // records whose content was erased: only their time, account and action are proven
	Late        int64 // records that are over an hour older than one before them
	FirstLate   int64 // sequence number of the first of these
	Compared    int   // heads kept elsewhere that the chain has
	Expired     int   // heads kept elsewhere whose records have expired
}

// A State says what the last verification by a server found about a chain.
type State struct {
	Head       Position
	Verified   int64     // sequence number of the last record then; 0 if the chain didn't hold
	VerifiedAt time.Time // zero for never
	Fault      string    // where and why the chain broke; "" if it held
}

// NewVerifier returns a verifier of a chain whose records follow a position: its beginning, or the checkpoint up to
// which records have expired. The heads were kept elsewhere; those of other chains are ignored.
func NewVerifier(start Position, kept []Position) *Verifier {
	v := &Verifier{start: start, at: start, report: Report{Start: start}}
	for _, head := range kept {
		if head.Chain == start.Chain {
			v.kept = append(v.kept, head)
		}
	}
	return v
}

// broken returns the error of the first record that is wrong.
func (v *Verifier) broken(sequence int64, reason string, args ...any) error {
	return &BreakError{Chain: v.start.Chain, Sequence: sequence, Reason: fmt.Sprintf(reason, args...)}
}

// Begin checks the start of the chain. It must be called before Add.
func (v *Verifier) Begin() error {
	if v.start.Chain == Main && v.start.Sequence != 0 {
		return v.broken(1, "the records up to %d are missing, and no record of this chain ever expires", v.start.Sequence)
	}
	if v.start.Sequence == 0 && v.start.Hash != (Hash{}) {
		return v.broken(0, "the hash before the first record is not zero")
	}
	return v.compare()
}

// Add checks the next record. It returns a *BreakError if the record isn't the one that follows.
func (v *Verifier) Add(r *Record) error {
	next := v.at.Sequence + 1
	switch {
	case r.Chain != v.start.Chain:
		return v.broken(next, "the next record is one of chain %q", r.Chain)
	case r.Sequence > next:
		return v.broken(next, "the record is missing; the next one is %d", r.Sequence)
	case r.Sequence < next:
		return v.broken(r.Sequence, "the record was put in: one with this number comes before, or has expired")
	}

	// The order decides what an auditor learns: a wrong link says that the record is another one, a wrong commitment that
	// its content was changed.
	isErased := len(r.Salt) == 0
	switch {
	case r.link(v.at.Hash) != r.Hash:
		return v.broken(next, "its hash doesn't follow from the record before it, its time, account, action and commitment")
	case isErased && r.Erased.IsZero():
		return v.broken(next, "it has no salt, but isn't marked as erased")
	case !isErased && !r.Erased.IsZero():
		return v.broken(next, "it is marked as erased, but has a salt")
	case !isErased && r.commit() != r.Commitment:
		return v.broken(next, "its actor, subject, detail or network address was changed")
	}

	v.at.Sequence = r.Sequence
	v.at.Hash = r.Hash
	v.count(r)
	return v.compare()
}

// count adds a record to the report.
func (v *Verifier) count(r *Record) {
	v.report.Records++
	if !r.Erased.IsZero() {
		v.report.Erased++
	}

	if r.At.Add(lateBy).Before(v.latest) {
		v.report.Late++
		if v.report.Late == 1 {
			v.report.FirstLate = r.Sequence
		}
	}
	if r.At.After(v.latest) {
		v.latest = r.At
	}
}

// compare compares the position with the heads kept elsewhere.
func (v *Verifier) compare() error {
	for _, head := range v.kept {
		if head.Sequence != v.at.Sequence {
			continue
		}
		if head.Hash != v.at.Hash {
			return v.broken(head.Sequence, "it is not the record whose hash was kept elsewhere: this record or one before it "+
				"was replaced, with all that follow")
		}
		v.report.Compared++
	}
	return nil
}

// End checks that the chain ends at a head, and returns what was found.
func (v *Verifier) End(head Position) (Report, error) {
	if v.at.Sequence < head.Sequence {
		return v.report, v.broken(v.at.Sequence+1, "the record and all that follow are missing; the last one is %d",
			head.Sequence)
	}
	if v.at != head {
		return v.report, v.broken(v.at.Sequence, "the chain should end at record %d with the hash %s", head.Sequence,
			head.Hash)
	}

	for _, kept := range v.kept {
		if kept.Sequence > head.Sequence {
			return v.report, v.broken(head.Sequence+1, "the record is missing; a head kept elsewhere has record %d, so the end "+
				"of the chain was cut off", kept.Sequence)
		}
		if kept.Sequence < v.start.Sequence {
			v.report.Expired++
		}
	}

	v.report.Head = head
	return v.report, nil
}

// IsBroken reports whether an error means that a chain doesn't hold, rather than that it can't be read.
func IsBroken(err error) bool {
	_, broken := errors.AsType[*BreakError](err)
	return broken
}

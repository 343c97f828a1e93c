package engine

import (
	"errors"
	"fmt"
	"strings"
)

// Engines wrap these errors with the operation that failed.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
	// ErrDamaged means that stored data changed or disappeared without the program. Retrying doesn't help.
	ErrDamaged = errors.New("damaged")
)

// An AliasError reports an alias that can't be followed. It wraps ErrDamaged.
type AliasError struct {
	Alias  string
	Reason string
}

// Error names the alias and the reason.
func (e *AliasError) Error() string { return fmt.Sprintf("alias %q is damaged: %s", e.Alias, e.Reason) }

// Unwrap returns ErrDamaged.
func (e *AliasError) Unwrap() error { return ErrDamaged }

// A MovedError reports that another process has moved an alias. It wraps ErrConflict.
type MovedError struct {
	Alias    string
	Expected string // the index that it was expected to point to; "" if none
	Actual   string // the index that it points to; "" if none
}

// Error names both indexes.
func (e *MovedError) Error() string {
	name := func(index string) string {
		if index == "" {
			return "no index"
		}
		return "index " + index
	}
	return fmt.Sprintf("the alias %q was moved: it points to %s, not to %s", e.Alias, name(e.Actual), name(e.Expected))
}

// Unwrap returns ErrConflict.
func (e *MovedError) Unwrap() error { return ErrConflict }

// A FormatError reports an index in a format that this version of the program can't search.
type FormatError struct {
	Index string
	Has   int // version of the format
	Want  int // the version that this program writes
}

// Error says which version of the program wrote the index.
func (e *FormatError) Error() string {
	version := "an earlier"
	if e.Later() {
		version = "a later"
	}
	return fmt.Sprintf("index %q was written by %s version of this program (index format %d, this version reads %d)",
		e.Index, version, e.Has, e.Want)
}

// Later reports whether a later version of the program wrote the index. An earlier index can be converted.
func (e *FormatError) Later() bool { return e.Has > e.Want }

// ErrChangesDamaged is an ErrDamaged about the changes of an index since it was built.
var ErrChangesDamaged = fmt.Errorf("%w changes", ErrDamaged)

// A DamagedError lists freelancers of an index whose records are damaged. It wraps ErrDamaged.
type DamagedError struct {
	Index string
	IDs   []string
	Err   error // what is wrong with the first of them
}

// Error names the first few freelancers.
func (e *DamagedError) Error() string {
	const limit = 5
	names := strings.Join(e.IDs[:min(len(e.IDs), limit)], ", ")
	if len(e.IDs) > limit {
		names += ", …"
	}
	if len(e.IDs) == 1 {
		return fmt.Sprintf("index %q: the record of freelancer %s is damaged: %v", e.Index, names, e.Err)
	}
	return fmt.Sprintf("index %q: the records of %d freelancers are damaged: %s: %v", e.Index, len(e.IDs), names, e.Err)
}

// Unwrap returns ErrDamaged and the fault of the first record.
func (e *DamagedError) Unwrap() []error { return []error{ErrDamaged, e.Err} }

// Remedy returns which command an operator should run about an error, as a clause without a full stop, or "" if the
// error doesn't call for one.
func Remedy(err error) string {
	if _, ok := errors.AsType[*AliasError](err); ok {
		return "run indexer rollback to make the newest finished index live, or choose another one with -to"
	}
	if errors.Is(err, ErrChangesDamaged) {
		return "write everything else to a file with indexer export and load it, or run indexer rollback to return to " +
			"another index"
	}
	if _, ok := errors.AsType[*DamagedError](err); ok {
		return "replace these freelancers with indexer load -upsert FILE, or remove them with indexer delete"
	}
	if e, ok := errors.AsType[*FormatError](err); ok && e.Later() {
		return "install the later version, run indexer rollback to return to another index, or load the files again"
	} else if ok {
		return "convert it with indexer reindex -from " + e.Index
	}
	if errors.Is(err, ErrDamaged) {
		return "run indexer rollback to return to another index, or indexer reindex -from INDEX to rebuild this one " +
			"from its records"
	}
	return ""
}

// Unusable reports whether an error means that the live index can't be searched because of the stored data. Retrying
// doesn't help then.
func Unusable(err error) bool {
	_, isFormat := errors.AsType[*FormatError](err)
	return isFormat || errors.Is(err, ErrDamaged)
}

package bulk

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// LostError reports that a new index was abandoned because the engine refused freelancers that the old index has.
type LostError struct {
	Index string // the old index
	IDs   []string
}

// Error names the index and the first few freelancers.
func (e *LostError) Error() string {
	return fmt.Sprintf("the engine refused %s of index %q, who would be lost: %s",
		english.Plural(len(e.IDs), "freelancer", ""), e.Index, Some(e.IDs))
}

// UnreadError reports that the files have numbers for some fields, and that none of them could be read.
type UnreadError struct {
	Fields []string
	Rows   map[string]int // with such numbers, by field
}

// Error names the fields and the number of rows.
func (e *UnreadError) Error() string {
	lost := make([]string, len(e.Fields))
	for i, name := range e.Fields {
		lost[i] = fmt.Sprintf("%s of %s", name, english.Plural(e.Rows[name], "row", ""))
	}
	return "no value could be read for " + english.WordSeries(lost, "and")
}

// PartialError reports that a change that can't be rolled back was not completed.
type PartialError struct {
	Operation string
	Err       error
}

// Error says what failed, and that running the command again is safe.
func (e *PartialError) Error() string {
	return fmt.Sprintf("%s: %v\nThe change is incomplete. Run the same command again to complete it", e.Operation, e.Err)
}

// Unwrap returns the cause.
func (e *PartialError) Unwrap() error { return e.Err }

func inPlaceError(index string, err error) error {
	return &PartialError{Operation: fmt.Sprintf("change index %q in place", index), Err: err}
}

// CurrencyError reports an attempt to add amounts in one currency to an index in another.
type CurrencyError struct{ Index, Has, Given string }

// Error names both currencies.
func (e *CurrencyError) Error() string {
	return fmt.Sprintf("amounts in index %q are in %s, but the load is in %s", e.Index, e.Has, e.Given)
}

// VectorsError reports that a change would remove vectors from an index.
type VectorsError struct {
	Index string
	Has   []matching.VectorSpace
}

// Error names the models whose vectors the index has.
func (e *VectorsError) Error() string {
	return fmt.Sprintf("index %q has vectors from %s, and the current settings would not produce all of them",
		e.Index, engine.Models(e.Has))
}

// UnknownError reports that no index has any of the IDs to delete.
type UnknownError struct{ IDs []string }

// Error lists the first few IDs.
func (e *UnknownError) Error() string {
	if len(e.IDs) == 1 {
		return "no freelancer has the ID " + e.IDs[0]
	}
	return fmt.Sprintf("no freelancer has any of these %d IDs: %s", len(e.IDs), Some(e.IDs))
}

// MergeLimitError reports that a load was stopped because too many rows were merged into others or repeat them.
type MergeLimitError struct {
	Merged, Rows int
	Limit        Limit
}

// Error names the counts and the limit.
func (e *MergeLimitError) Error() string {
	return fmt.Sprintf("%d of %d rows were merged into other rows, which exceeds the limit of %s",
		e.Merged, e.Rows, e.Limit)
}

// Some returns the first five of a list of IDs, separated by commas, and an ellipsis if there are more.
func Some(ids []string) string {
	const limit = 5
	text := strings.Join(ids[:min(len(ids), limit)], ", ")
	if len(ids) > limit {
		text += ", …"
	}
	return text
}

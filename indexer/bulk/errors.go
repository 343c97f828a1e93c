package bulk

import (
	"fmt"
	"strings"

	"freelancer-matching/internal/matching"
)

// LostError says that a new index was given up because the engine refused freelancers whom the one before has.
type LostError struct {
	Index string // the one before
	IDs   []string
}

// Error tells the first of them.
func (e *LostError) Error() string {
	return fmt.Sprintf("%d freelancers of index %q would be lost, because the engine refuses them: %s",
		len(e.IDs), e.Index, Some(e.IDs))
}

// PartialError says that a change that cannot be taken back did not come to its end.
type PartialError struct {
	Doing string
	Err   error
}

// Error tells how things are left.
func (e *PartialError) Error() string {
	return fmt.Sprintf("%s: %v\nChanges made so far stay; the same command again completes them", e.Doing, e.Err)
}

// inPlace is the PartialError of a change in place.
func inPlace(index string, err error) error {
	return &PartialError{Doing: fmt.Sprintf("change index %q in place", index), Err: err}
}

// Unwrap is what went wrong.
func (e *PartialError) Unwrap() error { return e.Err }

// CurrencyError says that amounts in one currency were to go into an index of another.
type CurrencyError struct{ Index, Has, Given string }

// Error names both.
func (e *CurrencyError) Error() string {
	return fmt.Sprintf("the amounts of index %q are in %s, those to be loaded in %s", e.Index, e.Has, e.Given)
}

// VectorsError says that a change would take vectors from an index.
type VectorsError struct {
	Index string
	Has   []matching.VectorSpace
}

// Error names the models.
func (e *VectorsError) Error() string {
	return fmt.Sprintf("index %q has vectors of %s, and not all of them would be made again", e.Index, models(e.Has))
}

// UnknownError says that nobody has any of the ids that were to be deleted.
type UnknownError struct{ IDs []string }

// Error tells the first of them.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("nobody has one of these %d ids: %s", len(e.IDs), Some(e.IDs))
}

// Some is the first few of a list of ids.
func Some(ids []string) string {
	const most = 5
	text := strings.Join(ids[:min(len(ids), most)], ", ")
	if len(ids) > most {
		text += ", …"
	}
	return text
}

// models are the models of spaces.
func models(spaces []matching.VectorSpace) string {
	if len(spaces) == 0 {
		return "no model"
	}
	names := make([]string, len(spaces))
	for i, s := range spaces {
		names[i] = fmt.Sprintf("%s (%d dimensions)", s.Model, s.Dimensions)
	}
	return strings.Join(names, " and ")
}

// Package rows holds what reading files yields: rows with freelancers and faults. It is apart from package source, so
// that a program can build indexes without linking the readers of file formats.
package rows

import (
	"cmp"

	"freelancer-matching/indexer/source/value"
	"freelancer-matching/internal/matching"
)

// Row is one row of a file: a freelancer, or the reasons why it can't be one.
type Row struct {
	Freelancer matching.Freelancer
	Key        Key     // what Freelancer.ID was made from
	Location   string  // not stored; distinguishes people with the same name
	File       string  // path in a folder of files; otherwise empty
	Line       int     // where the row begins, from 1; in XLSX the row of the sheet; 0 if the row is a whole file
	Faults     []Fault // reasons to reject the row; empty if it is usable
	Warnings   []Fault // values that were left unknown or cut, and why
	Raw        Raw     // the cells; nil if the row has none, such as a resume
}

// Fault is one thing wrong with a row.
type Fault struct {
	Line   int    // of the row
	Column string // its header; empty if the fault concerns the whole row
	Value  string // as in the file, cut to 200 characters
	Reason string
}

// Merge adds to a freelancer what another row says about the same person: new skills, values of fields that are still
// unknown, and the description if it is longer.
func Merge(into, other *matching.Freelancer) {
	into.ID = cmp.Or(into.ID, other.ID)
	into.Name = cmp.Or(into.Name, other.Name)
	into.JobTitle = cmp.Or(into.JobTitle, other.JobTitle)
	into.ProfileURL = cmp.Or(into.ProfileURL, other.ProfileURL)
	into.Skills = value.AddSkills(into.Skills, other.Skills)
	if len(other.Description) > len(into.Description) {
		into.Description = other.Description
	}
	keepKnown(&into.Experience, other.Experience)
	keepKnown(&into.Rating, other.Rating)
	keepKnown(&into.HourlyRate, other.HourlyRate)
	keepKnown(&into.Availability, other.Availability)
	keepKnown(&into.TotalSales, other.TotalSales)
}

// keepKnown sets a value that is unknown so far.
func keepKnown[T any](into *matching.Optional[T], other matching.Optional[T]) {
	if !into.Known {
		*into = other
	}
}

// Package rows holds what reading files yields: rows with freelancers and faults, whom a row is about, and how the rows
// of one person are merged. It is apart from package source, so that a program can build indexes without linking the
// readers of file formats.
package rows

import (
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// Row is one row of a file: a freelancer, or the reasons why it can't be one.
type Row struct {
	Freelancer matching.Freelancer
	Key        Key    // what Freelancer.ID was made from
	FormerID   string // another ID of the row: without the options that choose IDs, or as the file writes it; often empty
	Rekeyed    bool   // options chose the columns of the ID

	IsWebsite bool // the profile URL may be the address of several people

	// What distinguishes people and is not stored. If the row has an ID and a name, location and date may be left out.
	Location string
	Email    string // in lower case
	Joined   string // the day on which the person joined a site, as the file writes it

	File     string     // path in a folder of files; otherwise empty
	Position int        // of the row in its file, from 1; 0 if it is unknown
	Line     int        // where the row begins, from 1; in XLSX the row of the sheet; 0 if the row is a whole file
	Faults   []Fault    // reasons to reject the row; empty if it is usable
	Warnings []Fault    // values that were left unknown or cut, and why
	Deleted  bool       // the freelancer is to be deleted; the row may have nothing but an ID
	Derived  Derived    // values that the row doesn't state
	RateIn   string     // the currency that the cell, the row or the header names for the hourly rate; "" if none does
	From     string     // the currency that the hourly rate was converted from; "" if it wasn't
	FromUnit value.Unit // the time that the hourly rate was converted from; value.NoUnit if it wasn't
	Unread   []string   // fields of which the row has numbers that can't be read, and so no value
	Skipped  bool       // the row isn't about anybody, as its warning says; it is neither used nor rejected
	LeftOut  bool       // the options leave the row out; it is neither used nor rejected
	Raw      Raw        // the cells; nil if the row has none, such as a resume
}

// Fault is one thing wrong with a row.
type Fault struct {
	Line   int    // of the row
	Column string // its header; empty if the fault concerns the whole row
	Value  string // as in the file, cut to 200 characters
	Reason string
}

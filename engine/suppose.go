package engine

import "github.com/freelancer-matching/service/internal/matching"

// A Supposer is a Snapshot that can show what a change of one document would do.
type Supposer interface {
	// Suppose returns a snapshot in which the document takes the place of the one with its ID, or is added. It answers as
	// the index would after Changer.Apply, and nothing is stored. The document must have been prepared like those in the
	// index.
	Suppose(d *Document) (Supposed, error)
}

// Supposed is a Snapshot with one document that the index doesn't have.
type Supposed interface {
	Snapshot
	// Record returns the record of that document. Don't change it.
	Record() *matching.Freelancer
}

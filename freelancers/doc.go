// Package freelancers reads, changes and erases single freelancers of the live index.
//
// A change is a record or a part of one, as JSON. Its values are parsed as those of files are, by package value. What
// the indexer leaves out with a warning is an error here, because there is somebody who can correct it.
package freelancers

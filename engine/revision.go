package engine

import (
	"context"

	"github.com/freelancer-matching/service/internal/matching"
)

// Revisions is implemented by snapshots that know the revision of each record: a number above 0 that changes with the
// record. It may also change when an index is rebuilt.
type Revisions interface {
	// Revisions returns the revisions of freelancers, in the same order; 0 for an unknown ID.
	Revisions(ctx context.Context, ids []string) ([]uint64, error)
	// EachRevision calls visit with the ID and the revision of every freelancer, those who were added last first.
	EachRevision(ctx context.Context, visit func(id string, revision uint64)) error
	// Records returns the records of freelancers with their revisions, in the same order. An unknown ID and a damaged
	// record have the revision 0.
	Records(ctx context.Context, ids []string) ([]Record, error)
}

// A Record is the record of a freelancer with its revision.
type Record struct {
	Freelancer matching.Freelancer
	Revision   uint64
}

package engine

import "context"

// Revisions is implemented by snapshots that know the revision of each record: a number above 0 that changes with the
// record. It may also change when an index is rebuilt.
type Revisions interface {
	// Revisions returns the revisions of freelancers, in the same order; 0 for an unknown ID.
	Revisions(ctx context.Context, ids []string) ([]uint64, error)
	// EachRevision calls visit with the ID and the revision of every freelancer, those who were added last first.
	EachRevision(ctx context.Context, visit func(id string, revision uint64)) error
}

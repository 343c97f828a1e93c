package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"freelancer-matching/people"
	"freelancer-matching/store"
)

// erasedSince is the first version of the schema with the list of erased people.
const erasedSince = 14

// ErasedPeople reads the list of erased people from a database file that it neither creates nor migrates, while a
// server may use it. ErrMissing means that there was a database, and fs.ErrNotExist that there was none.
func ErasedPeople(ctx context.Context, path string) (report people.ListReport, err error) {
	gone, err := lost(path)
	if err != nil {
		return report, err
	}

	if gone {
		used, err := everUsed(path)
		if used || err != nil {
			return report, errors.Join(ErrMissing, err)
		}
		return report, fmt.Errorf("database %s: %w", path, fs.ErrNotExist)
	}

	pool, err := connect(path, 1)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()

	return store.InspectErased(ctx, pool, erasedSince)
}

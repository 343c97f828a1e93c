package engine

import (
	"context"
	"errors"
	"fmt"
)

// Verify reads all of a complete index and checks everything that has a checksum or can be compared. It returns nil if
// the index is intact. If only records are damaged, the error is a *DamagedError that lists all of them. Otherwise it
// returns the error of OpenIndex or Scan; if the index as a whole is damaged, Unusable is true. Verify can run while
// the index is in service. It takes about as long as reading the files from disk.
func Verify(ctx context.Context, e Indexer, index string) error {
	want, err := documents(ctx, e, index)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}

	damaged := &DamagedError{Index: index}
	read := 0
	for _, err := range e.Scan(ctx, index) {
		// A damaged record doesn't end the scan, so that one run finds all of them.
		one, isRecord := errors.AsType[*DamagedError](err)
		switch {
		case isRecord:
			damaged.IDs = append(damaged.IDs, one.IDs...)
			if damaged.Err == nil {
				damaged.Err = one.Err
			}

		case err != nil:
			return fmt.Errorf("verify: %w", err)
		}

		read++
	}

	switch {
	case len(damaged.IDs) > 0:
		return fmt.Errorf("verify: %w", damaged)
	// A missing record leaves no damaged bytes behind; only the count shows it.
	case read != want:
		return fmt.Errorf("verify: index %q: %w: it has the records of %d freelancers, want %d",
			index, ErrDamaged, read, want)
	}

	return nil
}

// documents counts the documents of an index.
func documents(ctx context.Context, e Indexer, index string) (int, error) {
	snapshot, err := e.OpenIndex(ctx, index)
	if err != nil {
		return 0, err
	}
	return snapshot.Count(ctx, Filters{})
}

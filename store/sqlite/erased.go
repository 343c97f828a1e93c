package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/store"
)

// erasedSince is the first version of the schema with the list of erased people.
const erasedSince = 14

// ErasedPeople reads the list of erased people from a database file that it neither creates nor migrates, while a
// server may use it. ErrMissing means that there was a database, and fs.ErrNotExist that there was none.
func ErasedPeople(ctx context.Context, path string) (report people.ListReport, err error) {
	err = inspect(path, func(pool *sql.DB) error {
		report, err = store.InspectErased(ctx, pool, erasedSince)
		return err
	})
	return report, err
}

// Edits reads what store.Edits returns, with the errors of ErasedPeople.
func Edits(ctx context.Context, path string, since time.Time) (edits map[string][]string, err error) {
	err = inspect(path, func(pool *sql.DB) error {
		edits, err = store.Edits(ctx, pool, since)
		return err
	})
	return edits, err
}

// inspect calls read with a database file that it neither creates nor migrates.
func inspect(path string, read func(pool *sql.DB) error) (err error) {
	gone, err := lost(path)
	if err != nil {
		return err
	}

	if gone {
		used, err := everUsed(path)
		if used || err != nil {
			return errors.Join(ErrMissing, err)
		}
		return fmt.Errorf("database %s: %w", path, fs.ErrNotExist)
	}

	pool, err := connect(path, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()

	return read(pool)
}

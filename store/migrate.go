package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
)

// Migrate brings the tables up to date with the scripts at the top of files, which are numbered from 0001 without a gap; one
// that was released is never changed. Each runs in a transaction of its own, and once, whoever else does this at the same
// moment. Tables of a newer version of the service are refused.
func Migrate(ctx context.Context, d Dialect, pool *sql.DB, files fs.FS) error {
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return err
	}
	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", i+1)) {
			return fmt.Errorf("migration %d is missing: found %s in its place", i+1, name)
		}
	}
	if err := alone(ctx, d, pool, createVersion); err != nil {
		return fmt.Errorf("schema_version: %w", err)
	}
	for i, name := range names {
		script, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		step := func(ctx context.Context, tx *sql.Tx) error { return migrate(ctx, tx, string(script), i+1, len(names)) }
		if err := alone(ctx, d, pool, step); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// alone runs f in a transaction while no other process changes the tables.
func alone(ctx context.Context, d Dialect, pool *sql.DB, f func(context.Context, *sql.Tx) error) error {
	return write(ctx, pool, func(tx *sql.Tx) error {
		if err := lock(ctx, tx, d.LockSchema); err != nil {
			return err
		}
		return f(ctx, tx)
	})
}

// createVersion makes the table with the number of the last migration, its one row 0 at first.
func createVersion(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		CREATE TABLE IF NOT EXISTS schema_version (
			one     INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
			version INTEGER NOT NULL
		)`)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO schema_version VALUES (1, 0) ON CONFLICT DO NOTHING")
	return err
}

// migrate runs the script with number n of those known, when its turn has come.
func migrate(ctx context.Context, tx *sql.Tx, script string, n, known int) error {
	var version int
	if err := tx.QueryRowContext(ctx, "SELECT version FROM schema_version").Scan(&version); err != nil {
		return err
	}
	if version > known {
		return fmt.Errorf("the database has schema version %d, this program knows up to %d: use a newer one", version, known)
	}
	if version >= n {
		return nil
	}
	if _, err := tx.ExecContext(ctx, script); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE schema_version SET version = $1", n)
	return err
}

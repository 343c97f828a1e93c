package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// migrations are numbered from 0001 without a gap. One that was released is never changed.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables up to date, each step in a transaction of its own. Two processes may do so at once: the
// version is read inside the transaction, which is the only one that writes.
func migrate(ctx context.Context, writer *sql.DB) error {
	files, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	err = write(ctx, writer, func(tx *sql.Tx) error { return createVersion(ctx, tx) })
	if err != nil {
		return fmt.Errorf("schema_version: %w", err)
	}
	for i, file := range files {
		if !strings.HasPrefix(file, fmt.Sprintf("migrations/%04d_", i+1)) {
			return fmt.Errorf("migration %d is missing: found %s in its place", i+1, file)
		}
		err := write(ctx, writer, func(tx *sql.Tx) error { return step(ctx, tx, file, i+1, len(files)) })
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// createVersion makes the table with the number of the last migration, its one row 0 at first.
func createVersion(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		CREATE TABLE IF NOT EXISTS schema_version (
			one     INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
			version INTEGER NOT NULL
		) STRICT`)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO schema_version VALUES (1, 0) ON CONFLICT DO NOTHING")
	return err
}

// step runs migration number n of known ones, when its turn has come.
func step(ctx context.Context, tx *sql.Tx, file string, n, known int) error {
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
	script, err := migrations.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE schema_version SET version = ?", n)
	return err
}

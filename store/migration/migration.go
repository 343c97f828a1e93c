// Package migration brings the schema of a database up to date.
package migration

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strings"

	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Run brings the schema up to date with the *.sql scripts in files. They are numbered from 0001 without gaps, and never
// change after a release. Each script runs once, in a transaction of its own, even if several processes call Run at the
// same time: the statement lockSchema, which may be empty, keeps others from changing the schema until a transaction
// ends. Run fails if a newer version of the service has changed the schema.
func Run(ctx context.Context, pool *sql.DB, lockSchema string, files fs.FS) error {
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return err
	}

	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", i+1)) {
			return fmt.Errorf("migration %d is missing: found %s instead", i+1, name)
		}
	}

	// exclusively runs f in a transaction while no other process changes the schema.
	exclusively := func(f func(*sql.Tx) error) error {
		return fault.Mark(sqldb.Transact(ctx, pool, func(tx *sql.Tx) error {
			if err := sqldb.Lock(ctx, tx, lockSchema); err != nil {
				return err
			}
			return f(tx)
		}))
	}
	if err := exclusively(func(tx *sql.Tx) error { return createVersion(ctx, tx) }); err != nil {
		return fmt.Errorf("schema_version: %w", err)
	}

	for i, name := range names {
		script, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		err = exclusively(func(tx *sql.Tx) error { return runScript(ctx, tx, string(script), i+1, len(names)) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}

	return nil
}

// createVersion creates the table with the number of the last migration. Its only row starts at 0.
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

// runScript runs script n of latest, unless it has run before.
func runScript(ctx context.Context, tx *sql.Tx, script string, n, latest int) error {
	var version int
	if err := tx.QueryRowContext(ctx, "SELECT version FROM schema_version").Scan(&version); err != nil {
		return err
	}
	if version > latest {
		return fmt.Errorf("the database has schema version %d, but this program supports versions up to %d; "+
			"use a newer release", version, latest)
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

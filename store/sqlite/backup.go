package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup copies the database file at path as it is now into a new file that only its owner can read, while others go on working.
// It makes no database where there is none, and leaves the tables as they are: a backup before an update is one of the version
// before. A file that is there already is left alone: that is an error.
func Backup(ctx context.Context, path, into string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("back up the database: %w", err)
	}
	from, err := connect(path, 1)
	if err != nil {
		return fmt.Errorf("back up the database: %w", err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := backup(ctx, from, into); err != nil {
		return fmt.Errorf("back up the database: %w", err)
	}
	return nil
}

// backup copies a database by VACUUM INTO, which sees one moment of it and keeps nobody from writing. SQLite writes into
// an empty file, so the file is made here: it must be new, and only its owner may read it.
func backup(ctx context.Context, from *sql.DB, path string) (err error) {
	path, err = filepath.Abs(path) // SQLite takes a name that begins with file: for a URI
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if _, err := from.ExecContext(ctx, "VACUUM INTO $1", path); err != nil {
		return fmt.Errorf("copy into %s: %w", path, err)
	}
	return file.Sync()
}

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup copies the database file at path into a new file that only its owner can read. Other connections can go on
// working. Backup creates no database and does not migrate the schema: a backup made before an update has the old
// schema. It fails if the file into exists.
func Backup(ctx context.Context, path, into string) error {
	if err := backup(ctx, path, into); err != nil {
		return fmt.Errorf("back up database: %w", err)
	}
	return nil
}

func backup(ctx context.Context, path, into string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	from, err := connect(path, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	return vacuumInto(ctx, from, into)
}

// vacuumInto copies a consistent snapshot without blocking writers. SQLite accepts an empty file as the target, so
// vacuumInto creates one that is new and that only its owner can read.
func vacuumInto(ctx context.Context, from *sql.DB, path string) (err error) {
	path, err = filepath.Abs(path) // SQLite takes a name that begins with "file:" for a URI
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

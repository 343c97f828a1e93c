package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"freelancer-matching/internal/config"
	"freelancer-matching/store"
	"freelancer-matching/store/postgres"
	"freelancer-matching/store/sqlite"
)

// OpenDatabase opens the database that the configuration names, where there is one already.
func OpenDatabase(ctx context.Context, c config.Config) (*store.DB, error) {
	file := filepath.Join(c.Data, databaseFile)
	if _, err := os.Stat(file); !c.Database.On() && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database %s: name the data folder of the server, or its PostgreSQL", file)
	}
	return CreateDatabase(ctx, c)
}

// CreateDatabase opens the database that the configuration names: PostgreSQL, or SQLite in the data folder. It creates the
// folder, the database and its tables where they are missing.
func CreateDatabase(ctx context.Context, c config.Config) (*store.DB, error) {
	if c.Database.On() {
		return postgres.Open(ctx, c.Database.URL, c.Database.Password)
	}
	if err := os.MkdirAll(c.Data, 0o750); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	return sqlite.Open(ctx, filepath.Join(c.Data, databaseFile))
}

// Backup copies the SQLite database that the configuration names into a new file, whether or not a server is running: see
// sqlite.Backup.
func Backup(ctx context.Context, c config.Config, into string) error {
	if c.Database.On() {
		return errors.New("PostgreSQL has its own tools for this: use pg_dump, or the backups of its host")
	}
	return sqlite.Backup(ctx, filepath.Join(c.Data, databaseFile), into)
}

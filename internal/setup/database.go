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

// OpenDatabase opens the configured database. Unlike CreateDatabase, it fails if there is no SQLite file.
func OpenDatabase(ctx context.Context, c config.Config) (*store.DB, error) {
	file := filepath.Join(c.Data, databaseFile)
	if _, err := os.Stat(file); !c.Database.On() && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no database at %s; name the server's data folder with -data, "+
			"or its PostgreSQL database with -database-url", file)
	}
	return CreateDatabase(ctx, c)
}

// CreateDatabase opens the configured database: PostgreSQL, or SQLite in the data folder. It creates the folder, the
// database file and the tables if they are missing.
func CreateDatabase(ctx context.Context, c config.Config) (*store.DB, error) {
	if c.Database.On() {
		return postgres.Open(ctx, c.Database.URL, c.Database.Password.Get)
	}
	if err := os.MkdirAll(c.Data, 0o750); err != nil {
		return nil, fmt.Errorf("create the data folder: %w", err)
	}
	return sqlite.Open(ctx, filepath.Join(c.Data, databaseFile))
}

// Backup copies the configured SQLite database into a new file, whether or not a server is using it. See sqlite.Backup.
func Backup(ctx context.Context, c config.Config, file string) error {
	if c.Database.On() {
		return errors.New("server backup copies SQLite databases; back up PostgreSQL with pg_dump or its host's backups")
	}
	return sqlite.Backup(ctx, filepath.Join(c.Data, databaseFile), file)
}

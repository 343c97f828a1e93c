package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/postgres"
	"github.com/freelancer-matching/service/store/sealed"
	"github.com/freelancer-matching/service/store/sqlite"
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
// database file and the tables if they are missing, but fails if the folder had a database that is now missing or
// empty.
func CreateDatabase(ctx context.Context, c config.Config) (*store.DB, error) {
	keys, err := secretKeys(c)
	if err != nil {
		return nil, err
	}
	db, err := createDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	db.Secrets = keys
	db.NoticeChannels = noticeChannels(c)
	return db, nil
}

// HasDatabase reports whether the data folder has a SQLite database.
func HasDatabase(c config.Config) bool {
	_, err := os.Stat(filepath.Join(c.Data, databaseFile))
	return err == nil
}

// secretKeys returns the keys that encrypt secrets in the database; nil if none are configured.
func secretKeys(c config.Config) (*sealed.Keys, error) {
	text := c.Database.Secrets.Get()
	if text == "" {
		return nil, nil
	}
	keys, err := sealed.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("-secrets-key-file: %w", err)
	}
	return keys, nil
}

func createDatabase(ctx context.Context, c config.Config) (*store.DB, error) {
	if c.Database.On() {
		return postgres.Open(ctx, c.Database.URL, c.Database.Password.Get)
	}
	if err := os.MkdirAll(c.Data, 0o750); err != nil {
		return nil, fmt.Errorf("create the data folder: %w", err)
	}
	db, err := sqlite.Open(ctx, filepath.Join(c.Data, databaseFile))
	switch {
	case errors.Is(err, sqlite.ErrMissing):
		return nil, missingDatabase(c)
	case errors.Is(err, sqlite.ErrInUse):
		return nil, fmt.Errorf("the database in %s is being restored; start again when that is done", c.Data)
	}
	return db, err
}

// missingDatabase returns an error that says what to do about a lost SQLite database.
func missingDatabase(c config.Config) error {
	return fmt.Errorf("the database %s is missing or empty, but this data folder had one. Put it back, restore a "+
		"backup with \"server restore FILE -data %s\", or start over without accounts and keys with "+
		"\"server -new-database -data %s\"",
		filepath.Join(c.Data, databaseFile), c.Data, c.Data)
}

// ForgetDatabase lets CreateDatabase create a new SQLite database in a data folder whose database is missing. It fails
// if the database is there.
func ForgetDatabase(c config.Config, now time.Time) error {
	if c.Database.On() {
		return errors.New("-new-database starts a new SQLite database; -database-url names a PostgreSQL database")
	}
	path := filepath.Join(c.Data, databaseFile)
	err := sqlite.Forget(path, now)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("-new-database is for a data folder whose database is missing, but %s exists; "+
			"start without the flag, or move that file away", path)
	}
	if errors.Is(err, sqlite.ErrInUse) {
		return fmt.Errorf("a program is still using the lost database in %s; stop it first", c.Data)
	}
	return err
}

// Restore replaces the configured SQLite database with a backup and returns the name under which it keeps the replaced
// one; see sqlite.Restore. It creates the data folder if it is missing.
func Restore(ctx context.Context, c config.Config, backup string, now time.Time) (replaced string, err error) {
	if c.Database.On() {
		return "", errors.New("server restore replaces SQLite databases; restore PostgreSQL with pg_restore")
	}
	if err := os.MkdirAll(c.Data, 0o750); err != nil {
		return "", fmt.Errorf("create the data folder: %w", err)
	}
	replaced, err = sqlite.Restore(ctx, backup, filepath.Join(c.Data, databaseFile), now)
	if errors.Is(err, sqlite.ErrInUse) {
		return "", fmt.Errorf("a program is using the database in %s; stop the server before you restore a backup", c.Data)
	}
	return replaced, err
}

// DatabaseLost reports whether an error means that the data folder had a database that is now missing or empty.
func DatabaseLost(err error) bool { return errors.Is(err, sqlite.ErrMissing) }

// CheckDatabase describes the configured database without creating or migrating it. Only for SQLite does it look for
// damage.
func CheckDatabase(ctx context.Context, c config.Config) (store.Report, error) {
	if c.Database.On() {
		return postgres.Check(ctx, c.Database.URL, c.Database.Password.Get)
	}
	report, err := sqlite.Check(ctx, filepath.Join(c.Data, databaseFile))
	if err != nil {
		return store.Report{}, fmt.Errorf("%s: %w", filepath.Join(c.Data, databaseFile), err)
	}
	return report, nil
}

// Backup copies the configured SQLite database into a new file, whether or not a server is using it. See sqlite.Backup.
func Backup(ctx context.Context, c config.Config, file string) error {
	if c.Database.On() {
		return errors.New("server backup copies SQLite databases; back up PostgreSQL with pg_dump or its host's backups")
	}
	return sqlite.Backup(ctx, filepath.Join(c.Data, databaseFile), file)
}

// Package sqlite opens the store in a SQLite file. The driver is pure Go, so nothing needs to be installed.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"runtime"
	"time"

	"modernc.org/sqlite" // also registers the database/sql driver "sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/freelancer-matching/service/internal/retry"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/migration"
	"github.com/freelancer-matching/service/store/sqldb"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	// busyTimeout is how long a connection waits for the locks of others. It is less than the time limit of a request, so
	// that a client learns that the database is locked.
	busyTimeout = 5 * time.Second
	// migrateTimeout is how long Open waits for another process that migrates the schema.
	migrateTimeout = 30 * time.Second
)

// retryScrub is the time between two attempts to empty the write-ahead log.
const retryScrub = 50 * time.Millisecond

func dialect() sqldb.Dialect {
	return sqldb.Dialect{
		Type: "sqlite", QuickCheck: "PRAGMA quick_check(1)", ReleaseSpace: releaseSpace, Scrub: scrub,
		DataContains:   "instr(data, $1) > 0",
		DataHasAddress: "instr(lower(CAST(data AS TEXT)), lower($1)) > 0",
	}
}

// Open opens the database file at path and brings its schema up to date. If there is no file, it creates one that
// only its owner can read; the folder must exist. Open fails if a newer version of the service has changed the schema.
// It returns ErrMissing if there was a file, and ErrInUse during a call of Restore.
func Open(ctx context.Context, path string) (*store.DB, error) {
	db, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	return db, nil
}

func open(ctx context.Context, path string) (db *store.DB, err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}

	lock, err := claim(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Close())
		}
	}()

	writer, err := connect(path, 1) // SQLite has one writer at a time, and a pool of one connection queues fairly
	if err != nil {
		return nil, err
	}
	if err := retryBusy(ctx, func() error { return migration.Run(ctx, writer, dialect().LockSchema, files) }); err != nil {
		return nil, errors.Join(err, writer.Close())
	}

	mark(path)
	pools, err := openPools(path, writer)
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	pools.Lock = lock

	return store.New(ctx, dialect(), pools)
}

// openPools opens the connections beside the writer's to a database file whose schema is up to date.
func openPools(path string, writer *sql.DB) (sqldb.Pools, error) {
	readers, err := connect(path, max(4, runtime.GOMAXPROCS(0)))
	if err != nil {
		return sqldb.Pools{}, err
	}
	health, err := connect(path, 1)
	if err != nil {
		return sqldb.Pools{}, errors.Join(err, readers.Close())
	}
	return sqldb.Pools{Write: writer, Read: readers, Count: writer, Health: health}, nil
}

// create creates the file if it does not exist, because SQLite would let everyone read it. SQLite gives its
// additional files the same permissions. An existing file must not be opened: closing it would release the locks of
// other connections in this process.
func create(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// retryBusy retries f while the database is locked, for at most migrateTimeout. SQLite itself does not wait if several
// processes turn on the write-ahead log at once, as they do with a new file.
func retryBusy(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	for {
		err := f()
		if sqliteErr, ok := errors.AsType[*sqlite.Error](err); !ok || sqliteErr.Code() != codes.SQLITE_BUSY {
			return err
		}
		if retry.Sleep(ctx, 10*time.Millisecond) != nil {
			return err
		}
	}
}

// connect returns a pool of up to n connections. The driver silently ignores pragmas in any other form. busy_timeout
// comes first, so that the following pragmas wait for other processes, too.
func connect(path string, n int) (*sql.DB, error) {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	source.RawQuery = fmt.Sprintf("_pragma=busy_timeout(%d)", busyTimeout.Milliseconds()) +
		"&_pragma=journal_mode(WAL)" +
		"&_pragma=journal_size_limit(16777216)" + // otherwise the log keeps the size of the largest transaction
		"&_pragma=synchronous(NORMAL)" + // a power failure may lose the last commits, but a killed process loses nothing
		"&_pragma=foreign_keys(ON)" +
		"&_pragma=secure_delete(ON)" + // deleted personal data is overwritten with zeros
		"&_txlock=immediate"
	pool, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool, nil
}

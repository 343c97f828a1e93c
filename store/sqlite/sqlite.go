// Package sqlite keeps the store in one SQLite file. The driver is pure Go, so nothing needs to be installed.
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

	"modernc.org/sqlite" // also the database/sql driver "sqlite"
	codes "modernc.org/sqlite/lib"

	"freelancer-matching/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// busyTimeout is how long a connection waits for others.
const busyTimeout = 10 * time.Second

func dialect() store.Dialect { return store.Dialect{Type: "sqlite"} }

// Open opens the database file at path, makes it where it does not exist, for its owner alone to read, and brings its tables up
// to date. The folder must exist. A file that was written by a newer version of the service is refused.
func Open(ctx context.Context, path string) (*store.DB, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	db, err := open(ctx, path, files)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	return db, nil
}

// create makes the file where there is none. SQLite itself would let everyone read it who may enter the folder. The files that
// it puts beside it get the same permissions. A file that is there is not opened: closing it would end the locks of other
// connections in this process.
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

func open(ctx context.Context, path string, files fs.FS) (*store.DB, error) {
	writer, err := connect(path, 1) // SQLite has one writer at a time, and waiting for one connection is fair
	if err != nil {
		return nil, err
	}
	if err := whileBusy(ctx, func() error { return store.Migrate(ctx, dialect(), writer, files) }); err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	readers, err := connect(path, max(4, runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	return store.New(ctx, dialect(), store.Pools{Write: writer, Read: readers, Count: writer})
}

// whileBusy tries again for as long as a connection waits for others. SQLite itself does not wait where several processes turn
// the write-ahead log on at once, as they do with a new file.
func whileBusy(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	for {
		err := try()
		var fault *sqlite.Error
		if !errors.As(err, &fault) || fault.Code() != codes.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// connect makes a pool of up to n connections. The driver takes pragmas in this form only and passes over any other
// silently. busy_timeout comes first, so that the pragmas after it wait for other processes too.
func connect(path string, n int) (*sql.DB, error) {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	source.RawQuery = fmt.Sprintf("_pragma=busy_timeout(%d)", busyTimeout.Milliseconds()) +
		"&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(NORMAL)" + // with WAL a power cut may lose the last commits, never the file; kill -9 loses nothing
		"&_pragma=foreign_keys(ON)" +
		"&_txlock=immediate"
	pool, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool, nil
}

// Package sqlite keeps what the service must remember in one SQLite file: API keys. The driver is pure Go, so nothing
// needs to be installed.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

// DB is an open database. It is safe for concurrent use, also by several processes.
type DB struct {
	writer  *sql.DB // one connection: SQLite has one writer at a time, and waiting here is fair
	readers *sql.DB
}

// Open opens the database file at path, makes it where it does not exist, and brings its tables up to date. The folder
// must exist. A file that was written by a newer version of the service is refused.
func Open(ctx context.Context, path string) (*DB, error) {
	writer, err := connect(path, 1)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, writer); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), writer.Close())
	}
	readers, err := connect(path, max(4, runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	return &DB{writer: writer, readers: readers}, nil
}

// connect opens a pool of up to n connections. The driver takes pragmas in this form only and passes over any other
// silently. busy_timeout comes first, so that the pragmas after it wait for other processes too.
func connect(path string, n int) (*sql.DB, error) {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	source.RawQuery = "_pragma=busy_timeout(10000)" +
		"&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(NORMAL)" + // with WAL a power cut may lose the last commits, never the file
		"&_pragma=foreign_keys(ON)" +
		"&_txlock=immediate"
	pool, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool, nil
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.readers.QueryRowContext(ctx, "SELECT 1 FROM schema_version").Scan(&one); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// Close ends all connections.
func (db *DB) Close() error { return errors.Join(db.readers.Close(), db.writer.Close()) }

// write runs f in a transaction on the writing connection, and rolls back when f fails.
func write(ctx context.Context, writer *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/retry"
)

// pagesPerStep is how many pages one step releases: 4 MB. Other writers get their turn between two steps.
const pagesPerStep = 1000

// incremental is the value of the pragma auto_vacuum for databases that release pages on request.
const incremental = 2

// maxLogWait is how long releaseSpace waits for readers: longer than a check of a large database for damaged pages
// takes. The next call tries again.
const maxLogWait = 10 * time.Minute

// logInterval is the time between two attempts, each of which briefly takes the connection of the writers.
const logInterval = 250 * time.Millisecond

// releaseSpace returns the pages of deleted rows to the file system, and waits until the file has become shorter. That
// needs a moment in which no reader uses an older version of a page in the write-ahead log.
func releaseSpace(ctx context.Context, pool *sql.DB) error {
	if err := release(ctx, pool); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, maxLogWait)
	defer cancel()
	for {
		var busy, pages, copied int
		err := pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &copied)
		if err != nil {
			return fmt.Errorf("copy the write-ahead log: %w", err)
		}
		if copied == pages || retry.Sleep(waiting, logInterval) != nil {
			return ctx.Err()
		}
	}
}

// release moves the pages of deleted rows out of the database. A new database, and one of an earlier release, can't do
// so: the first call rewrites it, which takes about a second for 100 MB. Meanwhile, reads go on and writes wait. The
// mode isn't among the settings of a connection, because setting it takes the write lock.
func release(ctx context.Context, pool *sql.DB) error {
	mode, err := pragma(ctx, pool, "auto_vacuum")
	if err != nil {
		return err
	}

	if mode != incremental {
		if err := rewrite(ctx, pool); err != nil {
			return fmt.Errorf("rewrite the database: %w", err)
		}
		return nil
	}

	for {
		free, err := pragma(ctx, pool, "freelist_count")
		if err != nil || free == 0 {
			return err
		}
		if err := releasePages(ctx, pool); err != nil {
			return err
		}
		// Copying after each step keeps the write-ahead log short, unless a reader is in the way.
		if _, err := pragma(ctx, pool, "wal_checkpoint(PASSIVE)"); err != nil {
			return err
		}
	}
}

// rewrite rewrites the database without free pages, and with auto_vacuum. VACUUM applies the mode of its connection.
func rewrite(ctx context.Context, pool *sql.DB) (err error) {
	connection, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, connection.Close()) }()
	for _, statement := range []string{"PRAGMA auto_vacuum = INCREMENTAL", "VACUUM"} {
		if _, err := connection.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// releasePages releases up to pagesPerStep pages. SQLite releases one with each row of the result.
func releasePages(ctx context.Context, pool *sql.DB) (err error) {
	rows, err := pool.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesPerStep))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() { // the rows are empty
	}
	return rows.Err()
}

// pragma returns the number in the first column of a pragma's result.
func pragma(ctx context.Context, pool *sql.DB, name string) (value int64, err error) {
	rows, err := pool.QueryContext(ctx, "PRAGMA "+name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		return 0, errors.Join(err, rows.Err())
	}
	fields := make([]any, len(columns))
	for i := range fields {
		fields[i] = new(any)
	}
	fields[0] = &value
	return value, rows.Scan(fields...)
}

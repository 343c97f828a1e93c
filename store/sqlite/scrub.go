package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/freelancer-matching/service/internal/retry"
)

// errReaders is returned if the write-ahead log can't be emptied.
var errReaders = errors.New("the write-ahead log is still in use and keeps deleted rows; run the command again")

// scrub rewrites a database of an earlier release, whose free pages may have deleted rows. It then copies the
// write-ahead log into the database file and empties it. The log has earlier versions of pages that secure_delete has
// overwritten in the file. Emptying it needs a moment in which nobody reads, so scrub waits for one.
func scrub(ctx context.Context, pool *sql.DB) error {
	if err := release(ctx, pool); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	for {
		var busy, pages, copied int
		err := pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &copied)
		switch {
		case err != nil:
			return fmt.Errorf("empty the write-ahead log: %w", err)
		case busy == 0:
			return nil
		case retry.Sleep(ctx, retryScrub) != nil:
			return errReaders
		}
	}
}

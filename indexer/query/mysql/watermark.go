package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// precision is how much earlier than the begin of a transaction the times in its rows may be: the server tells ages
	// in whole seconds, and columns may have no fractions of a second.
	precision = 2 * time.Second
	// listTries and listWait are how often a fresh list of transactions is asked for. The server keeps a list until
	// nobody has asked for .1 seconds.
	listTries = 20
	listWait  = 120 * time.Millisecond
	// accessDenied is the number of the error about a missing privilege.
	accessDenied = 1227
)

// noteHidden is about a user who can't see the transactions of others.
const noteHidden = "this user can't see when the transactions of others began (GRANT PROCESS ON *.*), so rows that " +
	"are committed later than -margin after their time are found only by the comparison every -reconcile"

// watch sets the time before which all transactions have ended. MySQL doesn't tell which transactions a snapshot has,
// so those that are running are listed before it is taken: one that isn't listed has either ended, so that the snapshot
// has it, or begins later.
func (s *Session) watch(ctx context.Context) error {
	// Unlike a time of day, a number of seconds is never ambiguous.
	var now int64
	if err := s.conn.QueryRowContext(ctx, "SELECT UNIX_TIMESTAMP()").Scan(&now); err != nil {
		return err
	}

	// A statement has the time of its begin, but its transaction begins when it has its locks. So statements are
	// listed first: one that has become a transaction in between is listed twice, and not missed.
	var age sql.NullInt64
	err := s.conn.QueryRowContext(ctx, `SELECT MAX(time) FROM information_schema.processlist
		WHERE command IN ('Query', 'Execute') AND id <> CONNECTION_ID()`).Scan(&age)
	if err != nil {
		return err
	}

	oldest, isKnown, err := s.oldestTransaction(ctx)
	failure, isFailure := errors.AsType[*mysql.MySQLError](err)
	switch {
	case isFailure && failure.Number == accessDenied:
		s.notes = append(s.notes, noteHidden)
		isKnown = true
	case err != nil:
		return err
	}
	if !isKnown {
		return nil
	}

	began := now - max(0, age.Int64)
	if oldest.Valid {
		began = min(began, oldest.Int64)
	}
	s.began = time.Unix(began, 0).Add(-precision)

	return nil
}

// oldestTransaction returns the begin of the oldest transaction that is running, in seconds since 1970; null if there
// is none. It isn't known if a transaction belongs to no connection, as after a two-phase commit that a crash has
// interrupted.
func (s *Session) oldestTransaction(ctx context.Context) (oldest sql.NullInt64, isKnown bool, err error) {
	// The list has times of the machine's clock. When it is set back in autumn, an hour is there twice, and
	// the earlier one is meant then.
	const list = `SELECT
		MIN(IF(trx_mysql_thread_id = CONNECTION_ID(), NULL, UNIX_TIMESTAMP(trx_started)
			- IF(FROM_UNIXTIME(UNIX_TIMESTAMP(trx_started) - 3600) = trx_started, 3600, 0))),
		SUM(trx_mysql_thread_id = 0), SUM(trx_mysql_thread_id = CONNECTION_ID())
		FROM information_schema.innodb_trx`
	if err := s.exec(ctx, "SET time_zone = 'SYSTEM'"); err != nil {
		return oldest, false, err
	}
	defer func() { err = errors.Join(err, s.exec(ctx, "SET time_zone = '"+s.database.zone+"'")) }()

	// A list that has this transaction was made after it had begun.
	if err := s.exec(ctx, "START TRANSACTION WITH CONSISTENT SNAPSHOT"); err != nil {
		return oldest, false, err
	}
	defer func() { err = errors.Join(err, s.exec(ctx, "ROLLBACK")) }()

	for range listTries {
		var ownerless, own sql.NullInt64
		if err := s.conn.QueryRowContext(ctx, list).Scan(&oldest, &ownerless, &own); err != nil {
			return oldest, false, err
		}
		if own.Int64 > 0 {
			return oldest, ownerless.Int64 == 0, nil
		}

		select {
		case <-ctx.Done():
			return oldest, false, ctx.Err()
		case <-time.After(listWait):
		}
	}

	return oldest, false, nil
}

// ChangedSince returns the IDs of the rows whose value in a column of times is at or after a time. Each ID is returned
// once.
func (s *Session) ChangedSince(ctx context.Context, column string, since time.Time) ([]string, error) {
	isOffset := strings.HasPrefix(s.database.zone, "+") || strings.HasPrefix(s.database.zone, "-")
	isClear := s.database.isZoneGiven && isOffset
	switch kind, ok := s.kinds[column]; {
	case !ok:
		return nil, fmt.Errorf("the query has no column %q for -changed-at", column)
	case kind == "DATETIME" && !isClear:
		return nil, fmt.Errorf("the column %q for -changed-at is a DATETIME, which has no time zone; add the offset in "+
			"which it is written to the URL, such as ?time_zone=%%2B00:00, or use a TIMESTAMP", column)
	case kind != "DATETIME" && kind != "TIMESTAMP":
		return nil, fmt.Errorf("the column %q for -changed-at is neither a TIMESTAMP nor a DATETIME", column)
	}

	// FROM_UNIXTIME returns the time in the time zone of the session, as the column has it.
	condition := fmt.Sprintf(" AND result.%s >= FROM_UNIXTIME(%d)", quote(column), max(0, since.Unix()))
	var ids []string
	for row, err := range s.rows(ctx, "SELECT DISTINCT "+s.id+" AS id, NULL"+s.from(condition)) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, row.id)
	}

	return ids, nil
}

package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// oldestTransaction returns the begin of the oldest transaction that is running in the database, or the time if there
// is none. A transaction that commits later may have any time since then in its rows.
func oldestTransaction(ctx context.Context, conn *pgx.Conn) (oldest time.Time, err error) {
	// Two-phase commits have no begin that anybody could look up, so nothing is known while there are some.
	var hidden, prepared int
	err = conn.QueryRow(ctx, `SELECT
		least(clock_timestamp(), min(xact_start)),
		count(*) FILTER (WHERE state = 'disabled' OR query = '<insufficient privilege>'),
		(SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database())
		FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND backend_type IS DISTINCT FROM 'autovacuum worker' AND backend_type IS DISTINCT FROM 'walsender'`,
	).Scan(&oldest, &hidden, &prepared)
	switch {
	case err != nil:
		return oldest, err
	case hidden > 0:
		return oldest, errors.New("-changed-at needs to know when the transactions of others began, and this user can't " +
			"see that of all of them; GRANT pg_read_all_stats to the user, set track_activities = on, or leave -changed-at " +
			"out")
	case prepared > 0:
		return time.Time{}, nil
	}
	return oldest, nil
}

// ChangedSince returns the IDs of the rows whose value in a column of times is at or after a time. Each ID is returned
// once.
func (s *Session) ChangedSince(ctx context.Context, column string, since time.Time) ([]string, error) {
	kind := ""
	switch oid, ok := s.columns[column]; {
	case !ok:
		return nil, fmt.Errorf("the query has no column %q for -changed-at", column)
	case oid == pgtype.TimestamptzOID:
		kind = "timestamptz"
	case oid == pgtype.TimestampOID:
		kind = "timestamp" // in the time zone of the session, as the server's own conversions do
	default:
		return nil, fmt.Errorf("the column %q for -changed-at is neither a timestamp nor a timestamptz", column)
	}

	rows, err := s.tx.Query(ctx, fmt.Sprintf("SELECT DISTINCT result.%s::text FROM (\n%s\n) AS result "+
		"WHERE result.%s IS NOT NULL AND result.%s >= $1::timestamptz::%s",
		s.id, s.sql, s.id, quote(column), kind), since)
	if err != nil {
		return nil, s.database.explain(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, s.database.explain(err)
	}
	return ids, nil
}

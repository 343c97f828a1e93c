package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/store/column"
	"freelancer-matching/store/fault"
	"freelancer-matching/store/sqldb"
)

// addFailure counts one failure of a key. A count begins again if it has ended at $3, or if it ends after $4: then it
// was written while the clock was wrong.
const addFailure = `
	INSERT INTO sign_in_failures AS f (key, failures, ends) VALUES ($1, 1, $2)
	ON CONFLICT (key) DO UPDATE SET
		failures = CASE WHEN f.ends <= $3 OR f.ends > $4 THEN 1 ELSE f.failures + 1 END,
		event = CASE WHEN f.ends <= $3 OR f.ends > $4 THEN NULL ELSE f.event END,
		ends = CASE WHEN f.ends <= $3 OR f.ends > $4 THEN excluded.ends ELSE f.ends END
	RETURNING failures, event`

// AddSignInFailure implements account.Store.
func (db *DB) AddSignInFailure(ctx context.Context, c account.Counter, at time.Time) error {
	if _, _, err := addOneFailure(ctx, db.pools.Write, c, at); err != nil {
		return fmt.Errorf("count failed sign-in: %w", err)
	}
	return nil
}

// addOneFailure counts a failure, and returns the count and the number of its entry in the audit log, if it has one.
func addOneFailure(
	ctx context.Context, d sqldb.Database, c account.Counter, at time.Time,
) (failures int, event sql.NullInt64, err error) {
	ends := at.Add(c.Period)
	latest := at.Add(c.MaxPeriod())
	row := d.QueryRowContext(ctx, addFailure,
		column.Digest(&c.Key), column.Time(&ends), column.Time(&at), column.Time(&latest))
	err = row.Scan(&failures, &event)
	return failures, event, fault.Mark(err)
}

// SignInFailures implements account.Store.
func (db *DB) SignInFailures(
	ctx context.Context, counters []account.Counter, at time.Time,
) ([]account.Failures, error) {
	args := []any{}
	places := []string{}
	for i := range counters {
		args = append(args, column.Digest(&counters[i].Key))
		places = append(places, fmt.Sprintf("$%d", i+1))
	}

	type row struct {
		key [32]byte
		account.Failures
	}

	rows, err := sqldb.SelectAll(ctx, db.pools.Read,
		func(r *row) []any { return []any{column.Digest(&r.key), &r.N, column.Time(&r.Ends)} },
		"SELECT key, failures, ends FROM sign_in_failures WHERE key IN ("+strings.Join(places, ", ")+")", args...)
	if err != nil {
		return nil, fmt.Errorf("read failed sign-ins: %w", err)
	}

	failures := make([]account.Failures, len(counters))
	for i, c := range counters {
		for _, r := range rows {
			// A count that ends implausibly late is from a time when a clock was wrong.
			isCurrent := r.Ends.After(at) && !r.Ends.After(at.Add(c.MaxPeriod()))
			if r.key == c.Key && isCurrent {
				failures[i] = r.Failures
			}
		}
	}

	return failures, nil
}

// AddSignInFailureEvent implements account.Store.
func (db *DB) AddSignInFailureEvent(
	ctx context.Context, c account.Counter, e audit.Event, detail func(failures int) string,
) error {
	return db.transact(ctx, "record failed sign-in", func(tx *sql.Tx) error {
		failures, event, err := addOneFailure(ctx, tx, c, e.At)
		if err != nil {
			return err
		}

		// A series of failures has one entry, which is updated, so that an attack doesn't fill the audit log.
		if event.Valid {
			_, err := tx.ExecContext(ctx, "UPDATE audit_events SET detail = $1 WHERE number = $2", detail(failures), event.Int64)
			return err
		}

		e.Detail = detail(failures)
		var number int64
		row := tx.QueryRowContext(ctx, insertEvent+" RETURNING number", eventColumns(&e)...)
		if err := row.Scan(&number); err != nil {
			return err
		}

		_, err = tx.ExecContext(ctx, "UPDATE sign_in_failures SET event = $1 WHERE key = $2", number, column.Digest(&c.Key))
		return err
	})
}

// DeleteOldSignInFailures deletes counts of failed sign-ins that have ended at a time.
func (db *DB) DeleteOldSignInFailures(ctx context.Context, at time.Time) error {
	return db.exec(ctx, "delete old failed sign-ins", "DELETE FROM sign_in_failures WHERE ends <= $1", column.Time(&at))
}

// InsertBrowser implements account.Store.
func (db *DB) InsertBrowser(ctx context.Context, b account.Browser, keep int) error {
	return db.transact(ctx, "remember browser", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO browsers (token, user_id, created, expires) VALUES ($1, $2, $3, $4)",
			column.Digest((*[32]byte)(&b.Token)), b.User, column.Time(&b.Created), column.Time(&b.Expires))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM browsers WHERE user_id = $1 AND token NOT IN (
				SELECT token FROM browsers WHERE user_id = $1 ORDER BY created DESC, token LIMIT $2)`, b.User, keep)
		return err
	})
}

// BrowserUser implements account.Store.
func (db *DB) BrowserUser(ctx context.Context, t account.Token, at time.Time) (userID string, err error) {
	err = db.pools.Read.QueryRowContext(ctx, "SELECT user_id FROM browsers WHERE token = $1 AND expires > $2",
		column.Digest((*[32]byte)(&t)), column.Time(&at)).Scan(&userID)
	if errors.Is(err, sql.ErrNoRows) {
		return "", account.ErrNotFound
	}
	if err != nil {
		return "", fmt.Errorf("look up browser: %w", fault.Mark(err))
	}
	return userID, nil
}

// DeleteBrowser implements account.Store.
func (db *DB) DeleteBrowser(ctx context.Context, t account.Token) error {
	return db.exec(ctx, "forget browser", "DELETE FROM browsers WHERE token = $1", column.Digest((*[32]byte)(&t)))
}

// DeleteExpiredBrowsers deletes browsers that have not been used for a sign-in for too long at a time.
func (db *DB) DeleteExpiredBrowsers(ctx context.Context, at time.Time) error {
	return db.exec(ctx, "forget old browsers", "DELETE FROM browsers WHERE expires <= $1", column.Time(&at))
}

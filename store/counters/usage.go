package counters

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Usage stores what was requested with keys.
type Usage struct{ db *sqldb.DB }

var _ usage.Store = Usage{}

// NewUsage returns the usage of keys in a database.
func NewUsage(db *sqldb.DB) Usage { return Usage{db} }

// maxFailures is how many failures of each key are kept.
const maxFailures = 100

// AddUsage implements usage.Store. It keeps the latest 100 failures of each key.
func (s Usage) AddUsage(ctx context.Context, b usage.Batch) error {
	return s.db.Transact(ctx, "add usage", func(tx *sql.Tx) error {
		known, err := touchKeys(ctx, tx, b)
		if err != nil {
			return err
		}
		if err := addCounts(ctx, tx, addToHour, time.Hour, b.Counts, known); err != nil {
			return err
		}
		if err := addCounts(ctx, tx, addToDay, 24*time.Hour, b.Counts, known); err != nil {
			return err
		}
		return addFailures(ctx, tx, b.Failures, known)
	})
}

// touchKeys updates when and from where the keys of a batch were last used, and returns which of them exist. It locks
// them against other calls of AddUsage until the transaction ends. Like changes of keys, it updates them in the order
// of their ids to avoid deadlocks.
func touchKeys(ctx context.Context, tx *sql.Tx, b usage.Batch) (known map[string]bool, err error) {
	lastUsed := map[string]usage.Use{}
	for _, c := range b.Counts {
		lastUsed[c.Key] = usage.Use{} // locks the key and keeps the stored time
	}

	for _, f := range b.Failures {
		lastUsed[f.Key] = usage.Use{}
	}

	maps.Copy(lastUsed, b.LastUsed)
	known = make(map[string]bool, len(lastUsed))
	statement, err := tx.PrepareContext(ctx, `
		UPDATE api_keys SET
			last_used = CASE WHEN coalesce(last_used, $1) <= $1 THEN $1 ELSE last_used END,
			last_from = CASE WHEN coalesce(last_used, $1) <= $1 THEN $2 ELSE last_from END
		WHERE id = $3`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()

	for _, key := range slices.Sorted(maps.Keys(lastUsed)) {
		use := lastUsed[key]
		result, err := statement.ExecContext(ctx, column.Time(&use.At), use.Address, key)
		if err != nil {
			return nil, fmt.Errorf("touch key %s: %w", key, err)
		}

		n, err := result.RowsAffected()
		if err != nil {
			return nil, err
		}

		known[key] = n > 0
	}

	return known, nil
}

// The statements that add a count to those of its hour and of its day.
const (
	addToHour = `
		INSERT INTO usage_hours (hour, key_id, operation, status, code, latency, requests)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (key_id, hour, operation, status, code, latency)
		DO UPDATE SET requests = usage_hours.requests + excluded.requests`
	addToDay = `
		INSERT INTO usage_days (day, key_id, operation, status, code, latency, requests)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (key_id, day, operation, status, code, latency)
		DO UPDATE SET requests = usage_days.requests + excluded.requests`
)

// addCounts adds the counts of known keys with a statement whose first parameter is the start of an hour or a day.
func addCounts(
	ctx context.Context, tx *sql.Tx, query string, length time.Duration, counts []usage.Count, known map[string]bool,
) (err error) {
	statement, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	for _, c := range counts {
		if !known[c.Key] {
			continue
		}
		c.Start = c.Start.UTC().Truncate(length)
		if _, err := statement.ExecContext(ctx, countColumns(&c)...); err != nil {
			return fmt.Errorf("add count of key %s: %w", c.Key, err)
		}
	}
	return nil
}

func addFailures(ctx context.Context, tx *sql.Tx, failures []usage.Failure, known map[string]bool) error {
	keys := map[string]bool{}
	for _, f := range failures {
		if !known[f.Key] {
			continue
		}

		_, err := tx.ExecContext(ctx, `
			INSERT INTO failures (key_id, at, request_id, operation, status, code)
			VALUES ($1, $2, $3, $4, $5, $6)`, failureColumns(&f)...)
		if err != nil {
			return fmt.Errorf("add failure of key %s: %w", f.Key, err)
		}

		keys[f.Key] = true
	}

	for key := range keys {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM failures WHERE key_id = $1 AND (at, number) <=
				(SELECT at, number FROM failures WHERE key_id = $1 ORDER BY at DESC, number DESC LIMIT 1 OFFSET $2)`,
			key, maxFailures)
		if err != nil {
			return fmt.Errorf("delete old failures of key %s: %w", key, err)
		}
	}

	return nil
}

func countColumns(c *usage.Count) []any {
	return []any{column.Time(&c.Start), &c.Key, &c.Operation, &c.Status, &c.Code, &c.Latency, &c.Requests}
}

func failureColumns(f *usage.Failure) []any {
	return []any{&f.Key, column.Time(&f.At), &f.RequestID, &f.Operation, &f.Status, &f.Code}
}

// Usage implements usage.Store. For "", it returns the counts of keys without an account.
func (s Usage) Usage(ctx context.Context, account string, since time.Time) ([]usage.Count, error) {
	return s.counts(ctx, account, "usage_days", "day", since)
}

// HourlyUsage implements usage.Store. For "", it returns the counts of keys without an account.
func (s Usage) HourlyUsage(ctx context.Context, account string, since time.Time) ([]usage.Count, error) {
	return s.counts(ctx, account, "usage_hours", "hour", since)
}

// counts returns the counts of a table, whose times are in the given column.
func (s Usage) counts(ctx context.Context, account, table, start string, since time.Time) ([]usage.Count, error) {
	columns := "u." + start + ", u.key_id, u.operation, u.status, u.code, u.latency"
	counts, err := sqldb.SelectAll(ctx, s.db.Pools.Read, countColumns, "SELECT "+columns+", u.requests FROM "+table+` u
		JOIN api_keys k ON k.id = u.key_id
		WHERE coalesce(k.account, '') = $1 AND u.`+start+" >= $2 ORDER BY "+columns, account, column.Time(&since))
	if err != nil {
		return nil, fmt.Errorf("read usage of account %q: %w", account, err)
	}
	return counts, nil
}

// Failures implements usage.Store. For "", it returns the failures of keys without an account.
func (s Usage) Failures(ctx context.Context, account string, limit int) ([]usage.Failure, error) {
	failures, err := sqldb.SelectAll(ctx, s.db.Pools.Read, failureColumns, `
		SELECT f.key_id, f.at, f.request_id, f.operation, f.status, f.code
		FROM failures f JOIN api_keys k ON k.id = f.key_id
		WHERE coalesce(k.account, '') = $1 ORDER BY f.at DESC, f.number DESC LIMIT $2`, account, limit)
	if err != nil {
		return nil, fmt.Errorf("read failures of account %q: %w", account, err)
	}
	return failures, nil
}

// PruneUsage implements usage.Store.
func (s Usage) PruneUsage(ctx context.Context, before, hours time.Time) error {
	return s.db.Transact(ctx, "prune usage", func(tx *sql.Tx) error {
		for _, old := range []struct {
			statement string
			before    time.Time
		}{
			{"DELETE FROM usage_days WHERE day < $1", before},
			{"DELETE FROM usage_hours WHERE hour < $1", hours},
			{"DELETE FROM failures WHERE at < $1", before},
		} {
			if _, err := tx.ExecContext(ctx, old.statement, column.Time(&old.before)); err != nil {
				return err
			}
		}
		return nil
	})
}

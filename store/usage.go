package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"freelancer-matching/access/usage"
)

var _ usage.Store = (*DB)(nil)

// keptFailures is how many failures of each key are kept, the newest.
const keptFailures = 100

// AddUsage adds counts and failures, and records last uses. Keys go in the order of their ids, as with saveKeys, so that no
// two transactions wait for each other. Of each key the newest 100 failures are kept.
func (db *DB) AddUsage(ctx context.Context, b usage.Batch) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		known, err := touch(ctx, tx, b)
		if err != nil {
			return err
		}
		if err := addCounts(ctx, tx, b.Counts, known); err != nil {
			return err
		}
		return addFailures(ctx, tx, b.Failures, known)
	})
	if err != nil {
		return fmt.Errorf("add usage: %w", err)
	}
	return nil
}

// touch records the last uses, and finds out which of the batch's keys there are. These are changed by no other AddUsage
// until the transaction ends.
func touch(ctx context.Context, tx *sql.Tx, b usage.Batch) (known map[string]bool, err error) {
	used := maps.Clone(b.LastUsed)
	if used == nil {
		used = map[string]time.Time{}
	}
	mention := func(key string) {
		if _, ok := used[key]; !ok {
			used[key] = time.Time{} // is never later
		}
	}
	for _, c := range b.Counts {
		mention(c.Key)
	}
	for _, f := range b.Failures {
		mention(f.Key)
	}
	known = make(map[string]bool, len(used))
	statement, err := tx.PrepareContext(ctx, `
		UPDATE api_keys SET last_used = CASE WHEN coalesce(last_used, $1) <= $1 THEN $1 ELSE last_used END WHERE id = $2`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	for _, key := range slices.Sorted(maps.Keys(used)) {
		at := used[key]
		result, err := statement.ExecContext(ctx, moment{&at}, key)
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

func addCounts(ctx context.Context, tx *sql.Tx, counts []usage.Count, known map[string]bool) (err error) {
	statement, err := tx.PrepareContext(ctx, `
		INSERT INTO usage_days (key_id, day, operation, status, requests) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (key_id, day, operation, status) DO UPDATE SET requests = usage_days.requests + excluded.requests`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	for _, c := range counts {
		if !known[c.Key] {
			continue
		}
		if _, err := statement.ExecContext(ctx, countFields(&c)...); err != nil {
			return fmt.Errorf("count for key %s: %w", c.Key, err)
		}
	}
	return nil
}

func addFailures(ctx context.Context, tx *sql.Tx, failures []usage.Failure, known map[string]bool) (err error) {
	failed := map[string]bool{}
	for _, f := range failures {
		if !known[f.Key] {
			continue
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO failures (key_id, at, request_id, operation, status, code) VALUES ($1, $2, $3, $4, $5, $6)`,
			failureFields(&f)...)
		if err != nil {
			return fmt.Errorf("add a failure of key %s: %w", f.Key, err)
		}
		failed[f.Key] = true
	}
	for key := range failed {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM failures WHERE key_id = $1 AND (at, number) <=
				(SELECT at, number FROM failures WHERE key_id = $1 ORDER BY at DESC, number DESC LIMIT 1 OFFSET $2)`,
			key, keptFailures)
		if err != nil {
			return fmt.Errorf("forget old failures of key %s: %w", key, err)
		}
	}
	return nil
}

// countFields is the fields of a count in the order of their columns.
func countFields(c *usage.Count) []any {
	return []any{&c.Key, moment{&c.Day}, &c.Operation, &c.Status, &c.Requests}
}

func scanCount(r row) (c usage.Count, err error) { return c, r.Scan(countFields(&c)...) }

// failureFields is the fields of a failure in the order of their columns.
func failureFields(f *usage.Failure) []any {
	return []any{&f.Key, moment{&f.At}, &f.RequestID, &f.Operation, &f.Status, &f.Code}
}

func scanFailure(r row) (f usage.Failure, err error) { return f, r.Scan(failureFields(&f)...) }

// Usage is the counts of an account's keys since a day; of the keys of none with "".
func (db *DB) Usage(ctx context.Context, owner string, since time.Time) ([]usage.Count, error) {
	counts, err := list(ctx, db.pools.Read, scanCount, `
		SELECT u.key_id, u.day, u.operation, u.status, u.requests FROM usage_days u JOIN api_keys k ON k.id = u.key_id
		WHERE coalesce(k.account, '') = $1 AND u.day >= $2 ORDER BY u.day, u.key_id, u.operation, u.status`,
		owner, moment{&since})
	if err != nil {
		return nil, fmt.Errorf("read the usage of account %q: %w", owner, err)
	}
	return counts, nil
}

// Failures is the last failures of an account's keys, newest first; of the keys of none with "".
func (db *DB) Failures(ctx context.Context, owner string, limit int) ([]usage.Failure, error) {
	failures, err := list(ctx, db.pools.Read, scanFailure, `
		SELECT f.key_id, f.at, f.request_id, f.operation, f.status, f.code FROM failures f JOIN api_keys k ON k.id = f.key_id
		WHERE coalesce(k.account, '') = $1 ORDER BY f.at DESC, f.number DESC LIMIT $2`, owner, limit)
	if err != nil {
		return nil, fmt.Errorf("read the failures of account %q: %w", owner, err)
	}
	return failures, nil
}

// PruneUsage forgets the counts of days and the failures before a moment.
func (db *DB) PruneUsage(ctx context.Context, before time.Time) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		for _, statement := range []string{"DELETE FROM usage_days WHERE day < $1", "DELETE FROM failures WHERE at < $1"} {
			if _, err := tx.ExecContext(ctx, statement, moment{&before}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("prune usage: %w", err)
	}
	return nil
}

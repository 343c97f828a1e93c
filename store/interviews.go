package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"freelancer-matching/interview"
)

// Interviews keeps the sessions of interviews.
type Interviews struct{ db *DB }

var _ interview.Store = Interviews{}

// Interviews is the sessions of interviews.
func (db *DB) Interviews() Interviews { return Interviews{db} }

// recordFields is the fields of a session in the order of their columns.
func recordFields(r *interview.Record) []any {
	return []any{&r.ID, &r.Account, &r.Version, flag{&r.Open}, moment{&r.Expires}, &r.Data}
}

// claimFields is the fields of a claim in the order of their columns.
func claimFields(c *interview.Claim) []any {
	return []any{&c.Account, &c.Key, digest{&c.Fingerprint}, &c.Holder, reference{&c.Session}, &c.Result, moment{&c.Until}}
}

// flag is 1 or 0.
type flag struct{ set *bool }

// Value is what the column holds.
func (f flag) Value() (driver.Value, error) {
	if *f.set {
		return int64(1), nil
	}
	return int64(0), nil
}

// Scan reads the column.
func (f flag) Scan(from any) error {
	v, ok := from.(int64)
	if !ok {
		return fmt.Errorf("a flag is a whole number, got %T", from)
	}
	*f.set = v != 0
	return nil
}

// Find is a session that has not expired. interview.ErrNotFound.
func (i Interviews) Find(ctx context.Context, id string, at time.Time) (r interview.Record, err error) {
	err = i.db.pools.Read.QueryRowContext(ctx,
		"SELECT id, account, version, open, expires, data FROM interviews WHERE id = $1 AND expires > $2", id, moment{&at}).
		Scan(recordFields(&r)...)
	if errors.Is(err, sql.ErrNoRows) {
		return interview.Record{}, interview.ErrNotFound
	}
	if err != nil {
		return interview.Record{}, fmt.Errorf("find an interview: %w", answered(err))
	}
	return r, nil
}

// Insert adds a session and settles a claim. interview.ErrTooMany, interview.ErrChanged.
func (i Interviews) Insert(ctx context.Context, r interview.Record, limit int, at time.Time, settled *interview.Claim) error {
	err := write(ctx, i.db.pools.Write, func(tx *sql.Tx) error {
		if r.Open {
			var open int
			err := tx.QueryRowContext(ctx, "SELECT count(*) FROM interviews WHERE account = $1 AND open = 1 AND expires > $2",
				r.Account, moment{&at}).Scan(&open)
			if err != nil {
				return err
			}
			if open >= limit {
				return interview.ErrTooMany
			}
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO interviews (id, account, version, open, expires, data) VALUES ($1, $2, $3, $4, $5, $6)",
			recordFields(&r)...)
		if err != nil {
			return err
		}
		return settle(ctx, tx, settled)
	})
	if err != nil {
		return fmt.Errorf("insert interview %s: %w", r.ID, err)
	}
	return nil
}

// Update replaces the version before, and settles a claim. interview.ErrChanged.
func (i Interviews) Update(ctx context.Context, r interview.Record, settled *interview.Claim) error {
	err := write(ctx, i.db.pools.Write, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `
			UPDATE interviews SET version = $3, open = $4, expires = $5, data = $6
			WHERE id = $1 AND account = $2 AND version = $3 - 1`, recordFields(&r)...)
		if err := one(result, err, interview.ErrChanged); err != nil {
			return err
		}
		return settle(ctx, tx, settled)
	})
	if err != nil {
		return fmt.Errorf("update interview %s: %w", r.ID, err)
	}
	return nil
}

// Delete forgets a session, and what was answered about it. interview.ErrNotFound.
func (i Interviews) Delete(ctx context.Context, account, id string) error {
	result, err := i.db.pools.Write.ExecContext(ctx, "DELETE FROM interviews WHERE id = $1 AND account = $2", id, account)
	if err := one(result, err, interview.ErrNotFound); err != nil {
		return fmt.Errorf("delete interview %q: %w", id, answered(err))
	}
	return nil
}

// Claim takes a key that nobody has, or whose time has come, and is the claim that holds. A claim that is in the way is locked
// until it has been read.
func (i Interviews) Claim(ctx context.Context, c interview.Claim, at time.Time) (holds interview.Claim, err error) {
	err = write(ctx, i.db.pools.Write, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO interview_requests (account, idempotency_key, fingerprint, holder, session, result, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (account, idempotency_key) DO UPDATE SET
				fingerprint = excluded.fingerprint, holder = excluded.holder, session = excluded.session, result = excluded.result,
				expires = excluded.expires
			WHERE interview_requests.expires <= $8`, append(claimFields(&c), moment{&at})...)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `
			SELECT account, idempotency_key, fingerprint, holder, session, result, expires FROM interview_requests
			WHERE account = $1 AND idempotency_key = $2`, c.Account, c.Key).Scan(claimFields(&holds)...)
	})
	if err != nil {
		return interview.Claim{}, fmt.Errorf("claim an Idempotency-Key: %w", err)
	}
	return holds, nil
}

// Settle gives a claim its result. interview.ErrChanged.
func (i Interviews) Settle(ctx context.Context, c interview.Claim) error {
	err := write(ctx, i.db.pools.Write, func(tx *sql.Tx) error {
		// The session is locked before the claim, as by Update and Delete: so no two wait for each other.
		err := tx.QueryRowContext(ctx, "SELECT id FROM interviews WHERE id = $1"+i.db.dialect.LockRows, c.Session).Scan(&c.Session)
		if errors.Is(err, sql.ErrNoRows) {
			return interview.ErrChanged
		}
		if err != nil {
			return err
		}
		return settle(ctx, tx, &c)
	})
	if err != nil {
		return fmt.Errorf("settle the claim to an Idempotency-Key: %w", err)
	}
	return nil
}

// settle gives a claim its result, while its holder has it; nil: there is nothing to settle.
func settle(ctx context.Context, tx *sql.Tx, c *interview.Claim) error {
	if c == nil {
		return nil
	}
	result, err := tx.ExecContext(ctx, `
		UPDATE interview_requests SET session = $1, result = $2, expires = $3
		WHERE account = $4 AND idempotency_key = $5 AND holder = $6 AND result IS NULL`,
		c.Session, c.Result, moment{&c.Until}, c.Account, c.Key, c.Holder)
	return one(result, err, interview.ErrChanged)
}

// Release gives a claim back that was not settled.
func (i Interviews) Release(ctx context.Context, c interview.Claim) error {
	_, err := i.db.pools.Write.ExecContext(ctx, `
		DELETE FROM interview_requests WHERE account = $1 AND idempotency_key = $2 AND holder = $3 AND result IS NULL`,
		c.Account, c.Key, c.Holder)
	if err != nil {
		return fmt.Errorf("release an Idempotency-Key: %w", answered(err))
	}
	return nil
}

// DeleteExpired forgets the sessions and claims whose time has come at a moment.
func (i Interviews) DeleteExpired(ctx context.Context, at time.Time) error {
	err := write(ctx, i.db.pools.Write, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM interviews WHERE expires <= $1", moment{&at}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM interview_requests WHERE expires <= $1", moment{&at})
		return err
	})
	if err != nil {
		return fmt.Errorf("delete expired interviews: %w", err)
	}
	return nil
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Interviews stores the sessions of interviews, and the claims to Idempotency-Keys.
type Interviews struct {
	db       *sqldb.DB
	webhooks Webhooks
	auditLog auditlog.Log
}

var _ interview.Store = Interviews{}

// interviewColumns names the columns of recordColumns.
const interviewColumns = "id, account, version, open, expires, data, freelancer, begun"

func recordColumns(r *interview.Record) []any {
	return []any{
		&r.ID, &r.Account, &r.Version, column.Flag(&r.Open), column.Time(&r.Expires), &r.Data, &r.Freelancer,
		column.Sortable(&r.Begun),
	}
}

func claimColumns(c *interview.Claim) []any {
	return []any{
		&c.Account, &c.Key, column.Digest(&c.Fingerprint), &c.Holder, column.Reference(&c.Session), &c.Result,
		column.Time(&c.Until),
	}
}

// Find implements interview.Store.
func (i Interviews) Find(ctx context.Context, id string, at time.Time) (interview.Record, error) {
	row := i.db.Pools.Read.QueryRowContext(ctx,
		"SELECT "+interviewColumns+" FROM interviews WHERE id = $1 AND expires > $2", id, column.Time(&at))
	r, err := sqldb.ScanOne(row, recordColumns, interview.ErrNotFound)
	if err != nil {
		return interview.Record{}, fmt.Errorf("find interview: %w", i.db.Note(err))
	}
	return r, nil
}

// Insert implements interview.Store.
func (i Interviews) Insert(
	ctx context.Context, r interview.Record, l interview.Limits, at time.Time, settled *interview.Claim,
) error {
	return i.db.Transact(ctx, "insert interview "+r.ID, func(tx *sql.Tx) error {
		used, err := interviewUsage(ctx, tx, r.Account, at)
		if err != nil {
			return err
		}

		// The limits are checked where the session is written, so concurrent requests can't pass them together.
		size := int64(len(r.Data))
		if err := l.Allows(used, 0, size); err != nil {
			return err
		}

		_, err = tx.ExecContext(ctx, `
			INSERT INTO interviews (`+interviewColumns+`, bytes)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, append(recordColumns(&r), size)...)
		if err != nil {
			return err
		}
		if err := writeInvitation(ctx, tx, &r); err != nil {
			return err
		}

		// In the same transaction, so that no message gets lost, and none is about a session that wasn't stored.
		if err := i.webhooks.insert(ctx, tx, &r); err != nil {
			return err
		}

		return settle(ctx, tx, settled)
	})
}

// Usage implements interview.Store.
func (i Interviews) Usage(ctx context.Context, account string, at time.Time) (interview.Usage, error) {
	u, err := interviewUsage(ctx, i.db.Pools.Read, account, at)
	if err != nil {
		return interview.Usage{}, fmt.Errorf("sum up interviews of %q: %w", account, fault.Mark(err))
	}
	return u, nil
}

// interviewUsage returns what an account stores. The query needs only the index interviews_account.
func interviewUsage(
	ctx context.Context, d sqldb.Database, account string, at time.Time,
) (u interview.Usage, err error) {
	err = d.QueryRowContext(ctx,
		"SELECT count(*), coalesce(sum(bytes), 0) FROM interviews WHERE account = $1 AND expires > $2",
		account, column.Time(&at)).Scan(&u.Sessions, &u.Bytes)
	return u, err
}

// NextToExpire implements interview.Store.
func (i Interviews) NextToExpire(
	ctx context.Context, account string, at time.Time,
) (id string, expires time.Time, err error) {
	err = i.db.Pools.Read.QueryRowContext(ctx,
		"SELECT id, expires FROM interviews WHERE account = $1 AND expires > $2 ORDER BY expires, id LIMIT 1",
		account, column.Time(&at)).Scan(&id, column.Time(&expires))
	if errors.Is(err, sql.ErrNoRows) {
		return "", time.Time{}, interview.ErrNotFound
	}
	if err != nil {
		return "", time.Time{}, fmt.Errorf("find the next interview of %q to expire: %w", account, fault.Mark(err))
	}
	return id, expires, nil
}

// Update implements interview.Store.
func (i Interviews) Update(
	ctx context.Context, r interview.Record, l interview.Limits, at time.Time, settled *interview.Claim,
) error {
	return i.update(ctx, r, l, at, settled)
}

// update replaces a version of a session like Update, and adds entries to the audit log.
func (i Interviews) update(
	ctx context.Context, r interview.Record, l interview.Limits, at time.Time, settled *interview.Claim,
	entries ...audit.Event,
) error {
	return i.db.Transact(ctx, "update interview "+r.ID, func(tx *sql.Tx) error {
		var old int64
		err := tx.QueryRowContext(ctx,
			"SELECT bytes FROM interviews WHERE id = $1 AND account = $2 AND version = $3 - 1"+i.db.Dialect.LockRows,
			r.ID, r.Account, r.Version).Scan(&old)
		if errors.Is(err, sql.ErrNoRows) {
			return interview.ErrChanged
		}
		if err != nil {
			return err
		}

		size := int64(len(r.Data))

		// A session may stay as large as it is, even over the limit.
		if l != (interview.Limits{}) {
			used, err := interviewUsage(ctx, tx, r.Account, at)
			if err != nil {
				return err
			}
			// With an old size of 0, the session would count as another one.
			if err := l.Allows(used, max(1, old), size); err != nil {
				return err
			}
		}

		err = sqldb.ChangeOne(ctx, tx, interview.ErrChanged, `
			UPDATE interviews SET version = $3, open = $4, expires = $5, data = $6, freelancer = $7, begun = $8, bytes = $9
			WHERE id = $1 AND account = $2 AND version = $3 - 1`, append(recordColumns(&r), size)...)
		if err != nil {
			return err
		}
		if err := writeInvitation(ctx, tx, &r); err != nil {
			return err
		}
		if err := i.webhooks.insert(ctx, tx, &r); err != nil {
			return err
		}
		if err := settle(ctx, tx, settled); err != nil {
			return err
		}

		return i.auditLog.Insert(ctx, tx, entries)
	})
}

// Delete deletes a session like DeleteAudited, but without an entry in the audit log.
func (i Interviews) Delete(ctx context.Context, account, id string) error {
	return i.delete(ctx, account, id)
}

// DeleteAudited implements interview.Store.
func (i Interviews) DeleteAudited(ctx context.Context, account, id string, entry audit.Event) error {
	return i.delete(ctx, account, id, entry)
}

// delete deletes a session and adds entries to the audit log. A foreign key deletes the claims that the session has
// settled.
func (i Interviews) delete(ctx context.Context, account, id string, entries ...audit.Event) error {
	return i.db.Transact(ctx, fmt.Sprintf("delete interview %q", id), func(tx *sql.Tx) error {
		err := sqldb.ChangeOne(ctx, tx, interview.ErrNotFound,
			"DELETE FROM interviews WHERE id = $1 AND account = $2", id, account)
		if err != nil {
			return err
		}
		return i.auditLog.Insert(ctx, tx, entries)
	})
}

// AuditOnce implements interview.Store. It looks for the entry without a transaction, because most requests find it.
func (i Interviews) AuditOnce(ctx context.Context, entry audit.Event, since time.Time) error {
	var one int
	err := i.db.Pools.Read.QueryRowContext(ctx, `
		SELECT 1 FROM audit_events
		WHERE action = 'interview.read' AND action = $1 AND subject = $2 AND actor = $3 AND at >= $4 LIMIT 1`,
		string(entry.Action), entry.Subject, entry.Actor, column.Time(&since)).Scan(&one)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("read audit log: %w", i.db.Failed(err))
	}
	return i.auditLog.Record(ctx, entry)
}

// Claim implements interview.Store. The insertion locks an existing claim until it has been read.
func (i Interviews) Claim(
	ctx context.Context, c interview.Claim, at time.Time,
) (current interview.Claim, err error) {
	err = i.db.Transact(ctx, "claim Idempotency-Key", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO interview_requests (account, idempotency_key, fingerprint, holder, session, result, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (account, idempotency_key) DO UPDATE SET
				fingerprint = excluded.fingerprint, holder = excluded.holder, session = excluded.session,
				result = excluded.result, expires = excluded.expires
			WHERE interview_requests.expires <= $8`, append(claimColumns(&c), column.Time(&at))...)
		if err != nil {
			return err
		}

		// If another request holds the key, the insertion has changed nothing, and its claim is the current one.
		return tx.QueryRowContext(ctx, `
			SELECT account, idempotency_key, fingerprint, holder, session, result, expires FROM interview_requests
			WHERE account = $1 AND idempotency_key = $2`, c.Account, c.Key).Scan(claimColumns(&current)...)
	})
	if err != nil {
		return interview.Claim{}, err
	}

	return current, nil
}

// Settle implements interview.Store.
func (i Interviews) Settle(ctx context.Context, c interview.Claim) error {
	return i.db.Transact(ctx, "settle Idempotency-Key", func(tx *sql.Tx) error {
		// Like Update and Delete, lock the session before the claim to avoid deadlocks.
		err := tx.QueryRowContext(ctx, "SELECT id FROM interviews WHERE id = $1"+i.db.Dialect.LockRows, c.Session).
			Scan(&c.Session)
		if errors.Is(err, sql.ErrNoRows) {
			return interview.ErrChanged
		}
		if err != nil {
			return err
		}
		return settle(ctx, tx, &c)
	})
}

// settle stores the result of a claim if its holder still has it. It does nothing if c is nil.
func settle(ctx context.Context, tx *sql.Tx, c *interview.Claim) error {
	if c == nil {
		return nil
	}
	return sqldb.ChangeOne(ctx, tx, interview.ErrChanged, `
		UPDATE interview_requests SET session = $1, result = $2, expires = $3
		WHERE account = $4 AND idempotency_key = $5 AND holder = $6 AND result IS NULL`,
		c.Session, c.Result, column.Time(&c.Until), c.Account, c.Key, c.Holder)
}

// Release implements interview.Store.
func (i Interviews) Release(ctx context.Context, c interview.Claim) error {
	return i.db.Exec(ctx, "release Idempotency-Key", `
		DELETE FROM interview_requests WHERE account = $1 AND idempotency_key = $2 AND holder = $3 AND result IS NULL`,
		c.Account, c.Key, c.Holder)
}

// DeleteExpired implements interview.Store.
func (i Interviews) DeleteExpired(ctx context.Context, at, latest time.Time) error {
	return i.db.Transact(ctx, "delete expired interviews", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE interviews SET expires = $1 WHERE expires > $1", column.Time(&latest))
		if err != nil {
			return err
		}
		for _, statement := range []string{
			"DELETE FROM interviews WHERE expires <= $1", "DELETE FROM interview_requests WHERE expires <= $1",
		} {
			if _, err := tx.ExecContext(ctx, statement, column.Time(&at)); err != nil {
				return err
			}
		}
		return nil
	})
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

// SignInFailures counts failed sign-ins.
type SignInFailures struct{ db *sqldb.DB }

var _ account.FailureStore = SignInFailures{}

// addFailure counts one failure of a key. A count begins again if it has ended at $3, or if it ends after $4: then it
// was written while the clock was wrong.
const addFailure = `
	INSERT INTO sign_in_failures AS f (key, failures, ends) VALUES ($1, 1, $2)
	ON CONFLICT (key) DO UPDATE SET
		failures = CASE WHEN f.ends <= $3 OR f.ends > $4 THEN 1 ELSE f.failures + 1 END,
		ends = CASE WHEN f.ends <= $3 OR f.ends > $4 THEN excluded.ends ELSE f.ends END
	RETURNING failures`

// Add implements account.FailureStore.
func (s SignInFailures) Add(ctx context.Context, c account.Counter, at time.Time) error {
	if _, err := addOneFailure(ctx, s.db.Pools.Write, c, at); err != nil {
		return fmt.Errorf("count failed sign-in: %w", err)
	}
	return nil
}

// addOneFailure counts a failure, and returns the count.
func addOneFailure(ctx context.Context, d sqldb.Database, c account.Counter, at time.Time) (failures int, err error) {
	ends := at.Add(c.Period)
	latest := at.Add(c.MaxPeriod())
	row := d.QueryRowContext(ctx, addFailure,
		column.Digest(&c.Key), column.Time(&ends), column.Time(&at), column.Time(&latest))
	return failures, fault.Mark(row.Scan(&failures))
}

// Current implements account.FailureStore.
func (s SignInFailures) Current(
	ctx context.Context, counters []account.Counter, at time.Time,
) ([]account.Failures, error) {
	args := []any{}
	for i := range counters {
		args = append(args, column.Digest(&counters[i].Key))
	}

	type row struct {
		key [32]byte
		account.Failures
	}

	rows, err := sqldb.SelectAll(ctx, s.db.Pools.Read,
		func(r *row) []any { return []any{column.Digest(&r.key), &r.N, column.Time(&r.Ends)} },
		"SELECT key, failures, ends FROM sign_in_failures WHERE key IN ("+sqldb.Parameters(1, len(args))+")", args...)
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

// AddEvent implements account.FailureStore.
func (s SignInFailures) AddEvent(
	ctx context.Context, c account.Counter, e audit.Event, detail func(failures int) string,
) error {
	return s.db.Transact(ctx, "record failed sign-in", func(tx *sql.Tx) error {
		failures, err := addOneFailure(ctx, tx, c, e.At)
		if err != nil {
			return err
		}

		// An attack must not fill the audit log, whose entries never change.
		isPowerOfTwo := failures&(failures-1) == 0
		if !isPowerOfTwo {
			return nil
		}
		e.Detail = detail(failures)
		return auditlog.New(s.db).Insert(ctx, tx, []audit.Event{e})
	})
}

// DeleteOld deletes counts of failed sign-ins that have ended at a time.
func (s SignInFailures) DeleteOld(ctx context.Context, at time.Time) error {
	return s.db.Exec(ctx, "delete old failed sign-ins", "DELETE FROM sign_in_failures WHERE ends <= $1", column.Time(&at))
}

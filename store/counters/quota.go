package counters

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Quotas counts requests.
type Quotas struct {
	db         *sqldb.DB
	take, peek *sql.Stmt
}

var _ quota.Store = Quotas{}

// NewQuotas returns the counts of requests in a database, with the statements that run for every request prepared.
func NewQuotas(ctx context.Context, db *sqldb.DB) (q Quotas, err error) {
	q.db = db
	if q.take, err = sqldb.Prepare(ctx, db.Pools.Count, takeQuota); err != nil {
		return Quotas{}, err
	}
	q.peek, err = sqldb.Prepare(ctx, db.Pools.Read, peekQuota)
	return q, err
}

// A subject is one row with both windows, so one statement counts in both or in neither. A window that starts later
// than the stored one replaces it, and so does one that starts earlier if the stored one starts after $6, because the
// clock has been set back. Otherwise, a window that starts earlier counts in the stored one.
const (
	newMinute = `(excluded.minute_start > q.minute_start
		OR q.minute_start > excluded.minute_start AND q.minute_start > $6)`
	newMonth = `(excluded.month_start > q.month_start
		OR q.month_start > excluded.month_start AND q.month_start > $6)`
	takeQuota = `
		INSERT INTO quotas AS q (subject, minute_start, minute_used, month_start, month_used) VALUES ($1, $2, 1, $3, 1)
		ON CONFLICT (subject) DO UPDATE SET
			minute_used = CASE WHEN ` + newMinute + ` THEN 1 ELSE q.minute_used + 1 END,
			minute_start = CASE WHEN ` + newMinute + ` THEN excluded.minute_start ELSE q.minute_start END,
			month_used = CASE WHEN ` + newMonth + ` THEN 1 ELSE q.month_used + 1 END,
			month_start = CASE WHEN ` + newMonth + ` THEN excluded.month_start ELSE q.month_start END
		WHERE (` + newMinute + ` OR q.minute_used < $4) AND (` + newMonth + ` OR q.month_used < $5)
		RETURNING minute_start, minute_used, month_start, month_used`
	peekQuota = "SELECT minute_start, minute_used, month_start, month_used FROM quotas WHERE subject = $1"
)

// Take implements quota.Store. It always counts the first request of a subject, because limits are at least 1.
func (s Quotas) Take(ctx context.Context, subject string, w quota.Windows) (quota.Windows, bool, error) {
	latest := w.LatestStart()
	for {
		after, err := scanWindows(s.take.QueryRowContext(ctx, subject,
			column.Time(&w.Minute.Start), column.Time(&w.Month.Start), w.Minute.Limit, w.Month.Limit, column.Time(&latest)), w)
		if err == nil {
			return after, true, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return quota.Windows{}, false, fmt.Errorf("count request of %s: %w", subject, s.db.Failed(err))
		}

		after, err = s.Peek(ctx, subject, w)
		if err != nil {
			return quota.Windows{}, false, err
		}
		if after.Minute.Left() == 0 || after.Month.Left() == 0 {
			return after, false, nil
		}
		// After the refusal, a server whose clock is ahead began a new window, which has room.
	}
}

// Peek implements quota.Store.
func (s Quotas) Peek(ctx context.Context, subject string, w quota.Windows) (quota.Windows, error) {
	stored, err := scanWindows(s.peek.QueryRowContext(ctx, subject), w)
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // without a row, both windows are empty
		return quota.Windows{}, fmt.Errorf("read quota of %s: %w", subject, s.db.Failed(err))
	}
	return stored, nil
}

// DeleteOld deletes the counts of subjects with a prefix whose last minute began before a time.
func (s Quotas) DeleteOld(ctx context.Context, prefix string, before time.Time) error {
	return s.db.Exec(ctx, "delete old counts of requests",
		"DELETE FROM quotas WHERE substr(subject, 1, $1) = $2 AND minute_start < $3",
		len(prefix), prefix, column.Time(&before))
}

// scanWindows returns the state of w in a store with the windows in the row.
func scanWindows(row *sql.Row, w quota.Windows) (quota.Windows, error) {
	var minute, month quota.Window
	err := row.Scan(column.Time(&minute.Start), &minute.Used, column.Time(&month.Start), &month.Used)
	return w.Counted(minute, month), err
}

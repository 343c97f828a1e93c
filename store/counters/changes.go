package counters

import (
	"context"
	"database/sql"
	"time"

	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Changes counts changes of freelancers.
type Changes struct{ db *sqldb.DB }

var _ changes.Store = Changes{}

// NewChanges returns the counts of changes in a database.
func NewChanges(db *sqldb.DB) Changes { return Changes{db} }

// TakeChanges implements changes.Store.
func (s Changes) TakeChanges(
	ctx context.Context, a changes.Allowance, minute, day, latest time.Time, n int,
) (taken int, after changes.Windows, err error) {
	err = s.db.Transact(ctx, "count changes of "+a.Subject, func(tx *sql.Tx) error {
		// Only a row that exists can be locked; without the lock, concurrent requests would count from the same number.
		_, err := tx.ExecContext(ctx, `
			INSERT INTO change_counts (subject, minute_start, minute_used, day_start, day_used) VALUES ($1, $2, 0, $3, 0)
			ON CONFLICT DO NOTHING`, a.Subject, column.Time(&minute), column.Time(&day))
		if err != nil {
			return err
		}

		w := &after
		err = tx.QueryRowContext(ctx, `
			SELECT minute_start, minute_used, day_start, day_used FROM change_counts WHERE subject = $1`+s.db.Dialect.LockRows,
			a.Subject).Scan(column.Time(&w.Minute), &w.MinuteUsed, column.Time(&w.Day), &w.DayUsed)
		if err != nil {
			return err
		}

		// A server whose clock is behind must not reopen a window that another one has closed.
		if isOver(w.Minute, minute, latest) {
			w.Minute = minute
			w.MinuteUsed = 0
		}

		if isOver(w.Day, day, latest) {
			w.Day = day
			w.DayUsed = 0
		}

		taken = max(0, min(n, a.PerMinute-w.MinuteUsed, a.PerDay-w.DayUsed))
		w.MinuteUsed += taken
		w.DayUsed += taken
		_, err = tx.ExecContext(ctx, `
			UPDATE change_counts SET minute_start = $2, minute_used = $3, day_start = $4, day_used = $5 WHERE subject = $1`,
			a.Subject, column.Time(&w.Minute), w.MinuteUsed, column.Time(&w.Day), w.DayUsed)
		return err
	})

	return taken, after, err
}

// isOver reports whether a stored window ended before the requested one, or starts later than any clock can be.
func isOver(stored, requested, latest time.Time) bool {
	return stored.Before(requested) || stored.After(latest)
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"freelancer-matching/access/quota"
)

var _ quota.Store = (*DB)(nil)

// A subject is one row with both windows, so that one statement takes from both or from neither. A window that begins later
// than the stored one takes its place; one that begins earlier is counted in the stored one.
const (
	takeQuota = `
		INSERT INTO quotas AS q (subject, minute_start, minute_used, month_start, month_used) VALUES ($1, $2, 1, $3, 1)
		ON CONFLICT (subject) DO UPDATE SET
			minute_used = CASE WHEN excluded.minute_start > q.minute_start THEN 1 ELSE q.minute_used + 1 END,
			minute_start = CASE WHEN excluded.minute_start > q.minute_start THEN excluded.minute_start ELSE q.minute_start END,
			month_used = CASE WHEN excluded.month_start > q.month_start THEN 1 ELSE q.month_used + 1 END,
			month_start = CASE WHEN excluded.month_start > q.month_start THEN excluded.month_start ELSE q.month_start END
		WHERE (excluded.minute_start > q.minute_start OR q.minute_used < $4)
			AND (excluded.month_start > q.month_start OR q.month_used < $5)
		RETURNING minute_start, minute_used, month_start, month_used`
	peekQuota = "SELECT minute_start, minute_used, month_start, month_used FROM quotas WHERE subject = $1"
)

// Take uses one of both windows. Limits are at least 1: a subject's first request is always let through.
func (db *DB) Take(ctx context.Context, subject string, w quota.Windows) (quota.Windows, bool, error) {
	for {
		after, err := scanWindows(db.hot.take.QueryRowContext(ctx,
			subject, moment{&w.Minute.Start}, moment{&w.Month.Start}, w.Minute.Limit, w.Month.Limit), w)
		if err == nil {
			return after, true, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return quota.Windows{}, false, fmt.Errorf("take from the quota of %s: %w", subject, err)
		}
		after, err = db.Peek(ctx, subject, w)
		if err != nil {
			return quota.Windows{}, false, err
		}
		if full(after.Minute) || full(after.Month) {
			return after, false, nil
		}
		// Since it was refused, somebody whose clock is ahead began a new window: there is room again.
	}
}

func full(w quota.Window) bool { return w.Used >= w.Limit }

// Peek tells what is used, and takes nothing.
func (db *DB) Peek(ctx context.Context, subject string, w quota.Windows) (quota.Windows, error) {
	stored, err := scanWindows(db.hot.peek.QueryRowContext(ctx, subject), w)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		stored = quota.Windows{Minute: unused(w.Minute), Month: unused(w.Month)}
	case err != nil:
		return quota.Windows{}, fmt.Errorf("read the quota of %s: %w", subject, err)
	}
	return quota.Windows{Minute: later(stored.Minute, w.Minute), Month: later(stored.Month, w.Month)}, nil
}

func unused(w quota.Window) quota.Window {
	w.Used = 0
	return w
}

// later is the stored window, or the given one where it begins later, with nothing used.
func later(stored, given quota.Window) quota.Window {
	if given.Start.After(stored.Start) {
		return unused(given)
	}
	return stored
}

// scanWindows is a row's windows with the limits of w. What was used under a greater limit is no more than all.
func scanWindows(r row, w quota.Windows) (quota.Windows, error) {
	err := r.Scan(moment{&w.Minute.Start}, &w.Minute.Used, moment{&w.Month.Start}, &w.Month.Used)
	if err != nil {
		return quota.Windows{}, err
	}
	w.Minute.Used, w.Month.Used = min(w.Minute.Used, w.Minute.Limit), min(w.Month.Used, w.Month.Limit)
	return w, nil
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"freelancer-matching/access/audit"
)

// eventFields is the fields of an event in the order of their columns.
func eventFields(e *audit.Event) []any {
	return []any{moment{&e.At}, &e.Actor, &e.Account, (*string)(&e.Action), &e.Subject, &e.Detail, &e.Address}
}

func scanEvent(r row) (e audit.Event, err error) { return e, r.Scan(eventFields(&e)...) }

// Record writes events that no other change goes with. There is no way to change or remove one.
func (db *DB) Record(ctx context.Context, events ...audit.Event) error {
	return write(ctx, db.pools.Write, func(tx *sql.Tx) error { return record(ctx, tx, events) })
}

func record(ctx context.Context, tx *sql.Tx, events []audit.Event) error {
	for _, e := range events {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO audit_events (at, actor, account, action, subject, detail, address)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, eventFields(&e)...)
		if err != nil {
			return fmt.Errorf("record %s of %q: %w", e.Action, e.Subject, err)
		}
	}
	return nil
}

// Events is the audit log, newest first; of one moment, the one that was written last.
func (db *DB) Events(ctx context.Context, q audit.Query) ([]audit.Event, error) {
	before, condition := int64(math.MaxInt64), ""
	if !q.Before.IsZero() {
		before = q.Before.UnixMicro()
	}
	args := []any{before, q.Limit}
	if q.Account != "" {
		condition, args = " AND account = $3", append(args, q.Account)
	}
	events, err := list(ctx, db.pools.Read, scanEvent, `
		SELECT at, actor, account, action, subject, detail, address FROM audit_events
		WHERE at < $1`+condition+` ORDER BY at DESC, number DESC LIMIT $2`, args...)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return events, nil
}

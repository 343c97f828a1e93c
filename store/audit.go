package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/store/column"
	"freelancer-matching/store/sqldb"
)

// AuditLog stores the entries of the audit log.
type AuditLog struct{ db *sqldb.DB }

var _ account.AuditLog = AuditLog{}

func eventColumns(e *audit.Event) []any {
	return []any{column.Time(&e.At), &e.Actor, &e.Account, (*string)(&e.Action), &e.Subject, &e.Detail, &e.Address}
}

const insertEvent = `
	INSERT INTO audit_events (at, actor, account, action, subject, detail, address)
	VALUES ($1, $2, $3, $4, $5, $6, $7)`

// insertEvents adds entries to the audit log. Nothing deletes entries, and only SignInFailures.AddEvent changes
// details.
func insertEvents(ctx context.Context, tx *sql.Tx, events []audit.Event) error {
	for _, e := range events {
		if _, err := tx.ExecContext(ctx, insertEvent, eventColumns(&e)...); err != nil {
			return fmt.Errorf("record %s of %q: %w", e.Action, e.Subject, err)
		}
	}
	return nil
}

// Record adds entries to the audit log that belong to no other change.
func (s AuditLog) Record(ctx context.Context, events ...audit.Event) error {
	return s.db.Transact(ctx, "record event", func(tx *sql.Tx) error { return insertEvents(ctx, tx, events) })
}

// Events implements account.AuditLog. Entries of the same time are returned in reverse order of insertion.
func (s AuditLog) Events(ctx context.Context, q audit.Query) ([]audit.Event, error) {
	before := int64(math.MaxInt64)
	condition := ""

	if !q.Before.IsZero() {
		before = q.Before.UnixMicro()
	}

	// Conditions are added in the order of their placeholders.
	args := []any{before, q.Limit}
	where := func(comparison string, value any) {
		args = append(args, value)
		condition += fmt.Sprintf(" AND %s $%d", comparison, len(args))
	}

	if q.Account != "" {
		where("account =", q.Account)
	}

	if q.Actor != "" {
		where("actor =", q.Actor)
	}

	if q.Action != "" {
		where("action =", string(q.Action))
	}

	if !q.Since.IsZero() {
		where("at >=", q.Since.UnixMicro())
	}

	events, err := sqldb.SelectAll(ctx, s.db.Pools.Read, eventColumns, `
		SELECT at, actor, account, action, subject, detail, address FROM audit_events
		WHERE at < $1`+condition+` ORDER BY at DESC, number DESC LIMIT $2`, args...)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}

	return events, nil
}

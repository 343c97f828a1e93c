// Package auditlog stores the audit log, chained by hashes, and replaces what identifies people in it. Package chain
// says what the hashes cover.
package auditlog

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// A Log stores the entries of the audit log.
type Log struct{ db *sqldb.DB }

var _ account.AuditLog = Log{}

// New returns the audit log of a database.
func New(db *sqldb.DB) Log { return Log{db} }

// eventColumns lists the columns of what an entry says.
func eventColumns(e *audit.Event) []any {
	return []any{column.Time(&e.At), &e.Actor, &e.Account, (*string)(&e.Action), &e.Subject, &e.Detail, &e.Address}
}

// storedColumns lists the columns of an entry.
func storedColumns(e *audit.Event) []any { return append(eventColumns(e), column.Time(&e.Erased)) }

const selectEvents = "SELECT at, actor, account, action, subject, detail, address, erased FROM audit_events"

// Record adds entries to the audit log that belong to no other change.
func (s Log) Record(ctx context.Context, events ...audit.Event) error {
	return s.db.Transact(ctx, "record event", func(tx *sql.Tx) error { return s.Insert(ctx, tx, events) })
}

// Events implements account.AuditLog. Entries of the same time are returned in reverse order of insertion.
func (s Log) Events(ctx context.Context, q audit.Query) ([]audit.Event, error) {
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

	events, err := sqldb.SelectAll(ctx, s.db.Pools.Read, storedColumns,
		selectEvents+" WHERE at < $1"+condition+" ORDER BY at DESC, number DESC LIMIT $2", args...)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}

	return events, nil
}

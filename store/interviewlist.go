package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// conditions builds the WHERE clause of a query and its parameters.
type conditions struct {
	clauses []string
	args    []any
}

// add adds a clause. Each question mark in it stands for one of the arguments.
func (c *conditions) add(clause string, args ...any) {
	for _, arg := range args {
		c.args = append(c.args, arg)
		clause = strings.Replace(clause, "?", fmt.Sprintf("$%d", len(c.args)), 1)
	}
	c.clauses = append(c.clauses, clause)
}

func (c *conditions) String() string { return " WHERE " + strings.Join(c.clauses, " AND ") }

// interviewsOf returns the conditions of a selection.
func interviewsOf(s *interview.Selection) *conditions {
	c := &conditions{}
	c.add("account = ?", s.Account)
	if s.FreelancerID != "" {
		c.add("freelancer = ?", s.FreelancerID)
	}
	if s.State != "" {
		open := s.State == interview.Open
		c.add("open = ?", column.Flag(&open))
	}
	return c
}

// List implements interview.Store. Sessions whose beginning is unknown come last.
func (i Interviews) List(
	ctx context.Context, s interview.Selection, after interview.Place, limit int, at time.Time,
) ([]interview.Record, error) {
	c := interviewsOf(&s)
	c.add("expires > ?", column.Time(&at))
	if after.ID != "" {
		c.add("(begun, id) < (?, ?)", column.Sortable(&after.Begun), after.ID)
	}
	c.args = append(c.args, limit)
	records, err := sqldb.SelectAll(ctx, i.db.Pools.Read, recordColumns, fmt.Sprintf(
		"SELECT %s FROM interviews%s ORDER BY begun DESC, id DESC LIMIT $%d",
		interviewColumns, c, len(c.args)), c.args...)
	if err != nil {
		return nil, fmt.Errorf("list interviews of %q: %w", s.Account, i.db.Note(err))
	}
	return records, nil
}

// DeleteSome implements interview.Store.
func (i Interviews) DeleteSome(
	ctx context.Context, s interview.Selection, limit int, entry func(id string) audit.Event,
) (deleted int, err error) {
	c := interviewsOf(&s)
	c.args = append(c.args, limit)
	err = i.db.Transact(ctx, "delete interviews", func(tx *sql.Tx) error {
		// Locked rows can't be changed between their selection and the audit entries.
		ids, err := sqldb.SelectAll(ctx, tx, func(id *string) []any { return []any{id} }, fmt.Sprintf(
			"SELECT id FROM interviews%s ORDER BY id LIMIT $%d%s", c, len(c.args), i.db.Dialect.LockRows), c.args...)
		if err != nil {
			return err
		}

		entries := make([]audit.Event, len(ids))
		for n, id := range ids {
			if _, err := tx.ExecContext(ctx, "DELETE FROM interviews WHERE id = $1", id); err != nil {
				return err
			}
			entries[n] = entry(id)
		}

		deleted = len(ids)
		return i.auditLog.Insert(ctx, tx, entries)
	})
	if err != nil {
		return 0, err
	}

	return deleted, nil
}

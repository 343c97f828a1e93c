package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// RequestLog stores requests to the API with their responses.
type RequestLog struct{ db *sqldb.DB }

var _ requestlog.Store = RequestLog{}

// requestColumns names the columns of requestSummaryColumns.
const requestColumns = "id, account, key_id, request_id, operation, status, code, created, took, expires"

func requestSummaryColumns(s *requestlog.Summary) []any {
	return []any{
		&s.ID, &s.Account, &s.Key, &s.RequestID, &s.Operation, &s.Status, &s.Code, column.Time(&s.At), (*int64)(&s.Took),
		column.Time(&s.Expires),
	}
}

func storedRequestColumns(r *requestlog.Stored) []any {
	return append(requestSummaryColumns(&r.Summary), &r.Data)
}

// Insert implements requestlog.Store.
func (l RequestLog) Insert(ctx context.Context, entries []requestlog.Stored, keep int) error {
	return l.db.Transact(ctx, "insert requests", func(tx *sql.Tx) error {
		accounts := map[string]bool{}
		for i := range entries {
			_, err := tx.ExecContext(ctx, "INSERT INTO request_log ("+requestColumns+`, data)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, storedRequestColumns(&entries[i])...)
			if err != nil {
				return err
			}
			accounts[entries[i].Account] = true
		}

		for account := range accounts {
			_, err := tx.ExecContext(ctx, `
				DELETE FROM request_log WHERE account = $1 AND id NOT IN (
					SELECT id FROM request_log WHERE account = $1 ORDER BY created DESC, id DESC LIMIT $2)`, account, keep)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// List implements requestlog.Store.
func (l RequestLog) List(ctx context.Context, account string, at time.Time) ([]requestlog.Summary, error) {
	list, err := sqldb.SelectAll(ctx, l.db.Pools.Read, requestSummaryColumns, "SELECT "+requestColumns+`
		FROM request_log WHERE account = $1 AND expires > $2 ORDER BY created DESC, id DESC`, account, column.Time(&at))
	if err != nil {
		return nil, fmt.Errorf("list requests: %w", l.db.Note(err))
	}
	return list, nil
}

// Find implements requestlog.Store.
func (l RequestLog) Find(ctx context.Context, account, id string, at time.Time) (requestlog.Stored, error) {
	row := l.db.Pools.Read.QueryRowContext(ctx, "SELECT "+requestColumns+`, data FROM request_log
		WHERE id = $1 AND account = $2 AND expires > $3`, id, account, column.Time(&at))
	found, err := sqldb.ScanOne(row, storedRequestColumns, requestlog.ErrNotFound)
	if err != nil {
		return found, fmt.Errorf("read request %s: %w", id, l.db.Note(err))
	}
	return found, nil
}

// Each calls yield with every entry of an account, one at a time, including expired ones.
func (l RequestLog) Each(ctx context.Context, account string, yield func(requestlog.Stored) error) error {
	list, err := l.List(ctx, account, time.Unix(1, 0))
	if err != nil {
		return err
	}
	for _, s := range list {
		entry, err := l.Find(ctx, account, s.ID, time.Unix(1, 0))
		if errors.Is(err, requestlog.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err == nil {
			err = yield(entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// IDsWith returns the IDs of the entries whose data contains a text, including expired ones. The database reads the
// data of all entries for it.
func (l RequestLog) IDsWith(ctx context.Context, text []byte) ([]string, error) {
	return l.idsWith(ctx, l.db.Dialect.DataContains, text)
}

// IDsWithAddress returns the IDs of the entries whose data contains an email address in any case, like IDsWith.
func (l RequestLog) IDsWithAddress(ctx context.Context, address string) ([]string, error) {
	return l.idsWith(ctx, l.db.Dialect.DataHasAddress, address)
}

func (l RequestLog) idsWith(ctx context.Context, condition string, wanted any) ([]string, error) {
	ids, err := sqldb.SelectAll(ctx, l.db.Pools.Read, func(id *string) []any { return []any{id} },
		"SELECT id FROM request_log WHERE "+condition+" ORDER BY id", wanted)
	if err != nil {
		return nil, fmt.Errorf("search requests: %w", l.db.Note(err))
	}
	return ids, nil
}

// Delete deletes entries.
func (l RequestLog) Delete(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := l.db.Exec(ctx, "delete request", "DELETE FROM request_log WHERE id = $1", id); err != nil {
			return err
		}
	}
	return nil
}

// DeleteOf implements requestlog.Store.
func (l RequestLog) DeleteOf(ctx context.Context, account string) error {
	return l.db.Exec(ctx, "delete requests of an account", "DELETE FROM request_log WHERE account = $1", account)
}

// DeleteExpired deletes entries that expire at or before a time.
func (l RequestLog) DeleteExpired(ctx context.Context, at time.Time) error {
	return l.db.Exec(ctx, "delete expired requests", "DELETE FROM request_log WHERE expires <= $1", column.Time(&at))
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Results stores the results of the dashboard's playground.
type Results struct{ db *sqldb.DB }

var _ results.Store = Results{}

// resultColumns names the columns of summaryColumns.
const resultColumns = "id, account, user_id, kind, title, status, created, expires"

func summaryColumns(s *results.Summary) []any {
	return []any{
		&s.ID, &s.Account, &s.User, &s.Kind, &s.Title, &s.Status, column.Time(&s.CreatedAt), column.Time(&s.Expires),
	}
}

func storedResultColumns(r *results.Stored) []any { return append(summaryColumns(&r.Summary), &r.Data) }

// Insert implements results.Store.
func (r Results) Insert(ctx context.Context, s results.Summary, content []byte, keep int) error {
	return r.db.Transact(ctx, "insert result", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO results ("+resultColumns+`, data)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, append(summaryColumns(&s), content)...)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM results WHERE account = $1 AND id NOT IN (
				SELECT id FROM results WHERE account = $1 ORDER BY created DESC, id DESC LIMIT $2)`, s.Account, keep)
		return err
	})
}

// Find implements results.Store.
func (r Results) Find(ctx context.Context, account, id string, at time.Time) (results.Summary, []byte, error) {
	row := r.db.Pools.Read.QueryRowContext(ctx, "SELECT "+resultColumns+`, data FROM results
		WHERE id = $1 AND account = $2 AND expires > $3`, id, account, column.Time(&at))
	found, err := sqldb.ScanOne(row, storedResultColumns, results.ErrNotFound)
	if err != nil {
		return results.Summary{}, nil, fmt.Errorf("find result: %w", r.db.Note(err))
	}
	return found.Summary, found.Data, nil
}

// Recent implements results.Store.
func (r Results) Recent(
	ctx context.Context, account, user string, kind results.Kind, at time.Time, n int,
) ([]results.Summary, error) {
	list, err := sqldb.SelectAll(ctx, r.db.Pools.Read, summaryColumns, "SELECT "+resultColumns+` FROM results
		WHERE account = $1 AND user_id = $2 AND (kind = $3 OR $3 = '') AND expires > $4
		ORDER BY created DESC, id DESC LIMIT $5`, account, user, string(kind), column.Time(&at), n)
	if err != nil {
		return nil, fmt.Errorf("list results: %w", r.db.Note(err))
	}
	return list, nil
}

// Newest implements results.Store.
func (r Results) Newest(
	ctx context.Context, account string, kind results.Kind, at time.Time, n, maxSize int,
) ([]results.Stored, error) {
	list, err := sqldb.SelectAll(ctx, r.db.Pools.Read, storedResultColumns, "SELECT "+resultColumns+`, data FROM results
		WHERE account = $1 AND kind = $2 AND expires > $3 AND length(data) <= $4
		ORDER BY created DESC, id DESC LIMIT $5`, account, string(kind), column.Time(&at), maxSize, n)
	if err != nil {
		return nil, fmt.Errorf("read the newest results: %w", r.db.Note(err))
	}
	return list, nil
}

// IDsWith returns the IDs of the results whose data contains a text, including expired ones. The database reads the
// data of all results for it.
func (r Results) IDsWith(ctx context.Context, text []byte) ([]string, error) {
	return r.idsWith(ctx, r.db.Dialect.DataContains, text)
}

// IDsWithAddress returns the IDs of the results whose data contains an email address in any case, like IDsWith.
func (r Results) IDsWithAddress(ctx context.Context, address string) ([]string, error) {
	return r.idsWith(ctx, r.db.Dialect.DataHasAddress, address)
}

func (r Results) idsWith(ctx context.Context, condition string, wanted any) ([]string, error) {
	ids, err := sqldb.SelectAll(ctx, r.db.Pools.Read, func(id *string) []any { return []any{id} },
		"SELECT id FROM results WHERE "+condition+" ORDER BY id", wanted)
	if err != nil {
		return nil, fmt.Errorf("search results: %w", r.db.Note(err))
	}
	return ids, nil
}

// Delete deletes results.
func (r Results) Delete(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := r.db.Exec(ctx, "delete result", "DELETE FROM results WHERE id = $1", id); err != nil {
			return err
		}
	}
	return nil
}

// DeleteOf implements results.Store.
func (r Results) DeleteOf(ctx context.Context, account string) error {
	return r.db.Exec(ctx, "delete results of an account", "DELETE FROM results WHERE account = $1", account)
}

// DeleteExpired implements results.Store.
func (r Results) DeleteExpired(ctx context.Context, at time.Time) error {
	return r.db.Exec(ctx, "delete expired results", "DELETE FROM results WHERE expires <= $1", column.Time(&at))
}

// IDsOf returns the IDs of an account's results, including expired ones.
func (r Results) IDsOf(ctx context.Context, account string) ([]string, error) {
	ids, err := sqldb.SelectAll(ctx, r.db.Pools.Read, func(id *string) []any { return []any{id} },
		"SELECT id FROM results WHERE account = $1 ORDER BY id", account)
	if err != nil {
		return nil, fmt.Errorf("list results: %w", r.db.Note(err))
	}
	return ids, nil
}

// Read returns a result of any account, even if it has expired, with its encoded content. It returns
// results.ErrNotFound if there is none.
func (r Results) Read(ctx context.Context, id string) (results.Summary, []byte, error) {
	row := r.db.Pools.Read.QueryRowContext(ctx, "SELECT "+resultColumns+", data FROM results WHERE id = $1", id)
	found, err := sqldb.ScanOne(row, storedResultColumns, results.ErrNotFound)
	if err != nil {
		return results.Summary{}, nil, fmt.Errorf("read result %s: %w", id, r.db.Note(err))
	}
	return found.Summary, found.Data, nil
}

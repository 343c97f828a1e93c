package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/sqldb"
)

// IDs returns the IDs of all interviews, including those that have expired and are not deleted yet.
func (i Interviews) IDs(ctx context.Context) ([]string, error) {
	return i.ids(ctx, "SELECT id FROM interviews ORDER BY id")
}

// IDsWith returns the IDs of the interviews whose data contains a text, including expired ones. The database reads the
// data of all interviews for it.
func (i Interviews) IDsWith(ctx context.Context, text []byte) ([]string, error) {
	return i.ids(ctx, "SELECT id FROM interviews WHERE "+i.db.Dialect.DataContains+" ORDER BY id", text)
}

// IDsOf returns the IDs of an account's interviews, including expired ones.
func (i Interviews) IDsOf(ctx context.Context, account string) ([]string, error) {
	return i.ids(ctx, "SELECT id FROM interviews WHERE account = $1 ORDER BY id", account)
}

func (i Interviews) ids(ctx context.Context, query string, args ...any) ([]string, error) {
	ids, err := sqldb.SelectAll(ctx, i.db.Pools.Read, func(id *string) []any { return []any{id} }, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list interviews: %w", i.db.Note(err))
	}
	return ids, nil
}

// Read returns an interview, even if it has expired, with the stored results of requests about it. It returns
// interview.ErrNotFound if there is none.
func (i Interviews) Read(ctx context.Context, id string) (interview.Record, [][]byte, error) {
	row := i.db.Pools.Read.QueryRowContext(ctx,
		"SELECT "+interviewColumns+" FROM interviews WHERE id = $1", id)
	r, err := sqldb.ScanOne(row, recordColumns, interview.ErrNotFound)
	if err != nil {
		return interview.Record{}, nil, fmt.Errorf("read interview %s: %w", id, i.db.Note(err))
	}
	results, err := sqldb.SelectAll(ctx, i.db.Pools.Read, func(result *[]byte) []any { return []any{result} },
		"SELECT result FROM interview_requests WHERE session = $1 AND result IS NOT NULL ORDER BY idempotency_key", id)
	if err != nil {
		return interview.Record{}, nil, fmt.Errorf("read results of interview %s: %w", id, i.db.Note(err))
	}
	return r, results, nil
}

// Redact replaces the data of an interview and deletes the stored results of requests about it. It returns
// interview.ErrChanged if the interview has another version than r.
func (i Interviews) Redact(ctx context.Context, r interview.Record, data []byte) error {
	return i.db.Transact(ctx, "redact interview "+r.ID, func(tx *sql.Tx) error {
		err := sqldb.ChangeOne(ctx, tx, interview.ErrChanged,
			"UPDATE interviews SET version = version + 1, data = $1, bytes = $2 WHERE id = $3 AND version = $4",
			data, len(data), r.ID, r.Version)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM interview_requests WHERE session = $1", r.ID)
		return err
	})
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Sessions keeps the sessions of the dashboard. It is an scs.CtxStore: the functions without a context are for that
// interface, and wait as long as it takes. Tokens are stored as they are given: scs hashes them with HashTokenInStore.
//
// A session that was ended keeps its row, without data, until it would have expired. So a request that had read it before and
// writes it afterwards does not bring it back.
type Sessions struct{ db *DB }

// Sessions is the sessions of the dashboard.
func (db *DB) Sessions() Sessions { return Sessions{db} }

// FindCtx is the data of a session. It is not found when it is unknown, or expired.
func (s Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	now := time.Now()
	err = s.db.pools.Read.QueryRowContext(ctx,
		"SELECT data FROM sessions WHERE token = $1 AND expires > $2 AND length(data) > 0", token, moment{&now}).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find a session: %w", answered(err))
	}
	return data, true, nil
}

// CommitCtx adds a session, or replaces its data and its end, unless it was ended: then it stays so.
func (s Sessions) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	_, err := s.db.pools.Write.ExecContext(ctx, `
		INSERT INTO sessions (token, data, expires) VALUES ($1, $2, $3)
		ON CONFLICT (token) DO UPDATE SET data = excluded.data, expires = excluded.expires
		WHERE length(sessions.data) > 0`, token, data, moment{&expires})
	if err != nil {
		return fmt.Errorf("write a session: %w", answered(err))
	}
	return nil
}

// DeleteCtx ends a session for good. One that is not there is fine.
func (s Sessions) DeleteCtx(ctx context.Context, token string) error {
	if _, err := s.db.pools.Write.ExecContext(ctx, "UPDATE sessions SET data = $1 WHERE token = $2", []byte{}, token); err != nil {
		return fmt.Errorf("end a session: %w", answered(err))
	}
	return nil
}

// DeleteExpired forgets the sessions that have expired at a moment.
func (s Sessions) DeleteExpired(ctx context.Context, now time.Time) error {
	if _, err := s.db.pools.Write.ExecContext(ctx, "DELETE FROM sessions WHERE expires <= $1", moment{&now}); err != nil {
		return fmt.Errorf("delete expired sessions: %w", answered(err))
	}
	return nil
}

// Find is FindCtx.
func (s Sessions) Find(token string) (data []byte, found bool, err error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx.
func (s Sessions) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}

// Delete is DeleteCtx.
func (s Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Sessions stores the sessions of the dashboard. It implements scs.CtxStore, which includes methods without a context;
// these wait indefinitely. It stores tokens as given: configure scs with HashTokenInStore.
//
// An ended session keeps its row, without data, until it would have expired. So a concurrent request that has read the
// session before cannot bring it back when it writes the session.
type Sessions struct {
	db *sqldb.DB
	// Now is the clock by which sessions expire; nil for time.Now, by which scs computes their expiry.
	Now func() time.Time
}

// now returns the time.
func (s Sessions) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// FindCtx returns the data of a session, unless it is unknown, ended or expired.
func (s Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	now := s.now()
	err = s.db.Pools.Read.QueryRowContext(ctx,
		"SELECT data FROM sessions WHERE token = $1 AND expires > $2 AND length(data) > 0", token, column.Time(&now)).
		Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find session: %w", s.db.Failed(err))
	}
	return data, true, nil
}

// CommitCtx adds a session or replaces its data and its expiry. It does not change an ended session.
func (s Sessions) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	if s.Now != nil {
		expires = s.Now().Add(time.Until(expires))
	}
	return s.db.Exec(ctx, "write session", `
		INSERT INTO sessions (token, data, expires) VALUES ($1, $2, $3)
		ON CONFLICT (token) DO UPDATE SET data = excluded.data, expires = excluded.expires
		WHERE length(sessions.data) > 0`, token, data, column.Time(&expires))
}

// DeleteCtx ends a session, if it exists.
func (s Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.db.Exec(ctx, "end session", "UPDATE sessions SET data = $1 WHERE token = $2", []byte{}, token)
}

// NameCtx sets whose session it is.
func (s Sessions) NameCtx(ctx context.Context, token, user string) error {
	return s.db.Exec(ctx, "name session", "UPDATE sessions SET user_id = $1 WHERE token = $2", user, token)
}

// OfUserCtx returns the data of a user's sessions by their tokens. It leaves out ended and expired ones.
func (s Sessions) OfUserCtx(ctx context.Context, user string) (map[string][]byte, error) {
	type session struct {
		token string
		data  []byte
	}
	now := s.now()
	columns := func(row *session) []any { return []any{&row.token, &row.data} }
	list, err := sqldb.SelectAll(ctx, s.db.Pools.Read, columns, `
		SELECT token, data FROM sessions
		WHERE user_id = $1 AND user_id <> '' AND expires > $2 AND length(data) > 0`, user, column.Time(&now))
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", s.db.Note(err))
	}

	sessions := make(map[string][]byte, len(list))
	for _, found := range list {
		sessions[found.token] = found.data
	}
	return sessions, nil
}

// DeleteExpired deletes sessions that expire at or before a time.
func (s Sessions) DeleteExpired(ctx context.Context, at time.Time) error {
	return s.db.Exec(ctx, "delete expired sessions", "DELETE FROM sessions WHERE expires <= $1", column.Time(&at))
}

// Find calls FindCtx without a deadline.
func (s Sessions) Find(token string) (data []byte, found bool, err error) {
	return s.FindCtx(context.Background(), token)
}

// Commit calls CommitCtx without a deadline.
func (s Sessions) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}

// Delete calls DeleteCtx without a deadline.
func (s Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Browsers stores the browsers in which users have signed in.
type Browsers struct{ db *sqldb.DB }

var _ account.BrowserStore = Browsers{}

// Insert implements account.BrowserStore.
func (s Browsers) Insert(ctx context.Context, b account.Browser, keep int) error {
	return s.db.Transact(ctx, "remember browser", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO browsers (token, user_id, created, expires) VALUES ($1, $2, $3, $4)",
			column.Digest((*[32]byte)(&b.Token)), b.User, column.Time(&b.Created), column.Time(&b.Expires))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM browsers WHERE user_id = $1 AND token NOT IN (
				SELECT token FROM browsers WHERE user_id = $1 ORDER BY created DESC, token LIMIT $2)`, b.User, keep)
		return err
	})
}

// User implements account.BrowserStore.
func (s Browsers) User(ctx context.Context, t account.Token, at time.Time) (userID string, err error) {
	err = s.db.Pools.Read.QueryRowContext(ctx, "SELECT user_id FROM browsers WHERE token = $1 AND expires > $2",
		column.Digest((*[32]byte)(&t)), column.Time(&at)).Scan(&userID)
	if errors.Is(err, sql.ErrNoRows) {
		return "", account.ErrNotFound
	}
	if err != nil {
		return "", fmt.Errorf("look up browser: %w", fault.Mark(err))
	}
	return userID, nil
}

// Delete implements account.BrowserStore.
func (s Browsers) Delete(ctx context.Context, t account.Token) error {
	return s.db.Exec(ctx, "forget browser", "DELETE FROM browsers WHERE token = $1", column.Digest((*[32]byte)(&t)))
}

// DeleteExpired deletes browsers that have not been used for a sign-in for too long at a time.
func (s Browsers) DeleteExpired(ctx context.Context, at time.Time) error {
	return s.db.Exec(ctx, "forget old browsers", "DELETE FROM browsers WHERE expires <= $1", column.Time(&at))
}

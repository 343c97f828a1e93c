package store

import (
	"context"
	"fmt"

	"freelancer-matching/store/sqldb"
)

// Resealed counts secrets by what Reseal found.
type Resealed struct {
	Changed    int // encrypted with the first key now
	Unreadable int // encrypted with a key that there isn't
}

// A storedSecret is a secret as it is stored.
type storedSecret struct {
	id     string // of the user or the session
	secret []byte
}

// Reseal encrypts all secrets with the first key that aren't. It may run while other processes change them.
func (db *DB) Reseal(ctx context.Context) (r Resealed, err error) {
	for _, table := range []struct {
		read, write string
		purpose     func(id string) string
		value       func(text string) any
	}{
		{
			"SELECT id, totp_secret FROM users WHERE totp_secret <> ''",
			"UPDATE users SET totp_secret = $1 WHERE id = $2 AND totp_secret = $3",
			totpPurpose, func(text string) any { return text },
		},
		{
			"SELECT session, secret FROM webhooks",
			"UPDATE webhooks SET secret = $1 WHERE session = $2 AND secret = $3",
			webhookPurpose, func(text string) any { return []byte(text) },
		},
	} {
		columns := func(s *storedSecret) []any { return []any{&s.id, &s.secret} }
		list, err := sqldb.SelectAll(ctx, db.Pools.Read, columns, table.read)
		if err != nil {
			return r, fmt.Errorf("read secrets: %w", db.Note(err))
		}

		for _, s := range list {
			stored := string(s.secret)
			plain, ok := db.Secrets.Open(stored, table.purpose(s.id))
			switch {
			case !ok:
				r.Unreadable++
				continue
			case db.Secrets.IsCurrent(stored):
				continue
			}

			next := table.value(db.Secrets.Seal(plain, table.purpose(s.id)))
			if err := db.Exec(ctx, "encrypt a secret", table.write, next, s.id, table.value(stored)); err != nil {
				return r, err
			}
			r.Changed++
		}
	}
	return r, nil
}

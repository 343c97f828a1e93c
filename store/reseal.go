package store

import (
	"context"
	"fmt"

	"github.com/freelancer-matching/service/store/sqldb"
)

// Resealed counts secrets by what Reseal found.
type Resealed struct {
	Changed    int // encrypted with the first key now
	Unreadable int // encrypted with a key that there isn't
}

// A storedSecret is a secret as it is stored.
type storedSecret struct {
	id     string // of the user, the session or the endpoint
	secret []byte
}

// A secretColumn is a column with secrets.
type secretColumn struct {
	read    string                 // selects the owner's id and the secret
	write   string                 // replaces secret $3 of owner $2 by $1
	purpose func(id string) string // what a secret of an owner is encrypted for
	value   func(text string) any  // the secret in the type of the column
}

// secretColumns returns all columns with secrets.
func secretColumns() []secretColumn {
	return []secretColumn{
		{
			read:    "SELECT id, totp_secret FROM users WHERE totp_secret <> ''",
			write:   "UPDATE users SET totp_secret = $1 WHERE id = $2 AND totp_secret = $3",
			purpose: totpPurpose,
			value:   func(text string) any { return text },
		},
		{
			read:    "SELECT session, secret FROM webhooks",
			write:   "UPDATE webhooks SET secret = $1 WHERE session = $2 AND secret = $3",
			purpose: webhookPurpose,
			value:   func(text string) any { return []byte(text) },
		},
		{
			read:    "SELECT id, secret FROM endpoints",
			write:   "UPDATE endpoints SET secret = $1 WHERE id = $2 AND secret = $3",
			purpose: endpointPurpose,
			value:   func(text string) any { return []byte(text) },
		},
		{
			read:    "SELECT id, previous FROM endpoints WHERE previous IS NOT NULL",
			write:   "UPDATE endpoints SET previous = $1 WHERE id = $2 AND previous = $3",
			purpose: endpointPurpose,
			value:   func(text string) any { return []byte(text) },
		},
	}
}

// Reseal encrypts all secrets with the first key that aren't. It may run while other processes change them.
func (db *DB) Reseal(ctx context.Context) (r Resealed, err error) {
	for _, column := range secretColumns() {
		if err := db.resealColumn(ctx, column, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// resealColumn encrypts the secrets of one column, and adds them to r.
func (db *DB) resealColumn(ctx context.Context, column secretColumn, r *Resealed) error {
	fields := func(s *storedSecret) []any { return []any{&s.id, &s.secret} }
	secrets, err := sqldb.SelectAll(ctx, db.Pools.Read, fields, column.read)
	if err != nil {
		return fmt.Errorf("read secrets: %w", db.Note(err))
	}

	for _, s := range secrets {
		stored := string(s.secret)
		purpose := column.purpose(s.id)
		plain, ok := db.Secrets.Open(stored, purpose)
		if !ok {
			r.Unreadable++
			continue
		}
		if db.Secrets.IsCurrent(stored) {
			continue
		}

		// The statement compares the stored secret, so one that another process has changed meanwhile stays.
		sealed := column.value(db.Secrets.Seal(plain, purpose))
		if err := db.Exec(ctx, "encrypt a secret", column.write, sealed, s.id, column.value(stored)); err != nil {
			return err
		}
		r.Changed++
	}

	return nil
}

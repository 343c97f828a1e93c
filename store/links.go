package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
)

const selectLinks = "SELECT id, token, purpose, email, account, plan, role, user_id, made_by, created, expires FROM links"

// linkFields is the fields of a link in the order of their columns.
func linkFields(l *account.Link) []any {
	return []any{
		&l.ID,
		digest{(*[sha256.Size]byte)(&l.Token)},
		(*string)(&l.Purpose), &l.Email, &l.Account, &l.Plan,
		(*string)(&l.Role), &l.User, &l.CreatedBy,
		moment{&l.Created},
		moment{&l.Expires},
	}
}

func scanLink(r row) (l account.Link, err error) { return l, r.Scan(linkFields(&l)...) }

// InsertLink adds a link. One to set up, and one to reset a user's password, takes the place of that before it: of these
// there is one at a time, which an index of the table sees to.
func (db *DB) InsertLink(ctx context.Context, l account.Link, events ...audit.Event) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		if err := insertLink(ctx, tx, l); err != nil {
			return err
		}
		return record(ctx, tx, events)
	})
	if err != nil {
		return fmt.Errorf("make a link: %w", err)
	}
	return nil
}

func insertLink(ctx context.Context, tx *sql.Tx, l account.Link) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO links (id, token, purpose, email, account, plan, role, user_id, made_by, created, expires)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (purpose, user_id) WHERE purpose <> 'invitation' DO UPDATE SET
			id = excluded.id, token = excluded.token, email = excluded.email, account = excluded.account, plan = excluded.plan,
			role = excluded.role, made_by = excluded.made_by, created = excluded.created, expires = excluded.expires`,
		linkFields(&l)...)
	if err != nil {
		return fmt.Errorf("insert link %s: %w", l.ID, err)
	}
	return nil
}

// Link is the link with a token, when it can be used at a moment. account.ErrLinkSpent.
func (db *DB) Link(ctx context.Context, t account.Token, at time.Time) (account.Link, error) {
	l, err := scanLink(db.pools.Read.QueryRowContext(ctx, selectLinks+" WHERE token = $1 AND expires > $2", t[:], moment{&at}))
	if errors.Is(err, sql.ErrNoRows) {
		return account.Link{}, account.ErrLinkSpent
	}
	if err != nil {
		return account.Link{}, fmt.Errorf("read a link: %w", answered(err))
	}
	return l, nil
}

// Links is the links that can be used at a moment, newest first: those of an account, or all with "".
func (db *DB) Links(ctx context.Context, owner string, at time.Time) ([]account.Link, error) {
	links, err := list(ctx, db.pools.Read, scanLink,
		selectLinks+" WHERE expires > $1 AND $2 IN ('', account) ORDER BY created DESC, id DESC", moment{&at}, owner)
	if err != nil {
		return nil, fmt.Errorf("read the links of account %q: %w", owner, err)
	}
	return links, nil
}

// DeleteLink revokes a link. account.ErrNotFound.
func (db *DB) DeleteLink(ctx context.Context, id string, events ...audit.Event) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM links WHERE id = $1", id)
		if err := one(result, err, account.ErrNotFound); err != nil {
			return err
		}
		return record(ctx, tx, events)
	})
	if err != nil {
		return fmt.Errorf("delete link %q: %w", id, err)
	}
	return nil
}

// spend uses a link up. account.ErrLinkSpent where it cannot be used at a moment.
func spend(ctx context.Context, tx *sql.Tx, t account.Token, at time.Time) error {
	result, err := tx.ExecContext(ctx, "DELETE FROM links WHERE token = $1 AND expires > $2", t[:], moment{&at})
	return one(result, err, account.ErrLinkSpent)
}

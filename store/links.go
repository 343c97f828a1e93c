package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Links stores one-time links.
type Links struct{ db *sqldb.DB }

var _ account.LinkStore = Links{}

const selectLinks = `
	SELECT id, token, purpose, email, account, plan, role, user_id, made_by, created, expires FROM links`

func linkColumns(l *account.Link) []any {
	return []any{
		&l.ID,
		column.Digest((*[sha256.Size]byte)(&l.Token)),
		(*string)(&l.Purpose), &l.Email, &l.Account, &l.Plan,
		(*string)(&l.Role), &l.User, &l.CreatedBy,
		column.Time(&l.Created),
		column.Time(&l.Expires),
	}
}

// Insert implements account.LinkStore.
func (s Links) Insert(ctx context.Context, l account.Link, events ...audit.Event) error {
	return s.db.Transact(ctx, "insert link "+l.ID, func(tx *sql.Tx) error {
		if err := insertLink(ctx, tx, l); err != nil {
			return err
		}
		return auditlog.New(s.db).Insert(ctx, tx, events)
	})
}

// insertLink adds a link. A unique index makes it replace the previous link for set-up, or to reset the same user.
func insertLink(ctx context.Context, tx *sql.Tx, l account.Link) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO links (id, token, purpose, email, account, plan, role, user_id, made_by, created, expires)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (purpose, user_id) WHERE purpose <> 'invitation' DO UPDATE SET
			id = excluded.id, token = excluded.token, email = excluded.email, account = excluded.account,
			plan = excluded.plan, role = excluded.role, made_by = excluded.made_by, created = excluded.created,
			expires = excluded.expires`, linkColumns(&l)...)
	return err
}

// Find implements account.LinkStore.
func (s Links) Find(ctx context.Context, t account.Token, at time.Time) (account.Link, error) {
	row := s.db.Pools.Read.QueryRowContext(ctx, selectLinks+" WHERE token = $1 AND expires > $2", t[:], column.Time(&at))
	l, err := sqldb.ScanOne(row, linkColumns, account.ErrLinkSpent)
	if err != nil {
		return account.Link{}, fmt.Errorf("read link: %w", err)
	}
	return l, nil
}

// List implements account.LinkStore.
func (s Links) List(ctx context.Context, owner string, at time.Time) ([]account.Link, error) {
	links, err := sqldb.SelectAll(ctx, s.db.Pools.Read, linkColumns,
		selectLinks+" WHERE expires > $1 AND $2 IN ('', account) ORDER BY created DESC, id DESC", column.Time(&at), owner)
	if err != nil {
		return nil, fmt.Errorf("read links of account %q: %w", owner, err)
	}
	return links, nil
}

// Delete implements account.LinkStore.
func (s Links) Delete(ctx context.Context, id string, events ...audit.Event) error {
	return s.db.Transact(ctx, fmt.Sprintf("delete link %q", id), func(tx *sql.Tx) error {
		if err := sqldb.ChangeOne(ctx, tx, account.ErrNotFound, "DELETE FROM links WHERE id = $1", id); err != nil {
			return err
		}
		return auditlog.New(s.db).Insert(ctx, tx, events)
	})
}

// DeleteExpired deletes the links that have expired at a time.
func (s Links) DeleteExpired(ctx context.Context, at time.Time) error {
	return s.db.Exec(ctx, "delete expired links", "DELETE FROM links WHERE expires <= $1", column.Time(&at))
}

// spendLink deletes a link. It returns account.ErrLinkSpent if the link is missing or has expired at a time.
func spendLink(ctx context.Context, tx *sql.Tx, t account.Token, at time.Time) error {
	return sqldb.ChangeOne(ctx, tx, account.ErrLinkSpent,
		"DELETE FROM links WHERE token = $1 AND expires > $2", t[:], column.Time(&at))
}

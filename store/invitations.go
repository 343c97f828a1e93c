package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// UpdateAudited implements interview.Store.
func (i Interviews) UpdateAudited(ctx context.Context, r interview.Record, entry *audit.Event) error {
	var entries []audit.Event
	if entry != nil {
		entries = append(entries, *entry)
	}
	return i.update(ctx, r, interview.Limits{}, time.Time{}, nil, entries...)
}

// FindInvited implements interview.Store.
func (i Interviews) FindInvited(
	ctx context.Context, token [sha256.Size]byte, at time.Time,
) (interview.Record, error) {
	row := i.db.Pools.Read.QueryRowContext(ctx, "SELECT session FROM interview_invitations WHERE token = $1", token[:])
	id, err := sqldb.ScanOne(row, func(id *string) []any { return []any{id} }, interview.ErrNotFound)
	if err != nil {
		return interview.Record{}, fmt.Errorf("find invitation: %w", i.db.Note(err))
	}
	return i.Find(ctx, id, at)
}

// Due implements interview.Store.
func (i Interviews) Due(ctx context.Context, at time.Time, limit int) ([]string, error) {
	return i.ids(ctx, `
		SELECT session FROM interview_invitations JOIN interviews ON id = session
		WHERE due IS NOT NULL AND due <= $1 AND expires > $1 ORDER BY due, session LIMIT $2`,
		column.Time(&at), limit)
}

// writeInvitation stores the key of a session's invitation, if it has one.
func writeInvitation(ctx context.Context, tx *sql.Tx, r *interview.Record) error {
	if r.Invitation == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO interview_invitations (session, token, due) VALUES ($1, $2, $3)
		ON CONFLICT (session) DO UPDATE SET token = excluded.token, due = excluded.due`,
		r.ID, column.Digest(&r.Invitation.Token), column.Time(&r.Invitation.Due))
	return err
}

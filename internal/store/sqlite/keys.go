package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"freelancer-matching/server/apikey"
)

var _ apikey.Store = (*DB)(nil)

const keyColumns = "id, name, plan, prefix, last4, hash, created, expires, disabled, revoked, last_used"

// InsertKey adds a key.
func (db *DB) InsertKey(ctx context.Context, k apikey.Key) error {
	_, err := db.writer.ExecContext(ctx,
		"INSERT INTO api_keys ("+keyColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		k.ID, k.Name, k.Plan, k.Prefix, k.Last4, k.Hash[:],
		moment(k.Created), moment(k.Expires), moment(k.Disabled), moment(k.Revoked), moment(k.LastUsed))
	if err != nil {
		return fmt.Errorf("insert key: %w", err)
	}
	return nil
}

// KeyByHash is the key with a hash. apikey.ErrNotFound when there is none.
func (db *DB) KeyByHash(ctx context.Context, h apikey.Hash) (apikey.Key, error) {
	return scanKey(db.readers.QueryRowContext(ctx, "SELECT "+keyColumns+" FROM api_keys WHERE hash = ?", h[:]))
}

// Keys is every key, oldest first.
func (db *DB) Keys(ctx context.Context) (keys []apikey.Key, err error) {
	rows, err := db.readers.QueryContext(ctx, "SELECT "+keyColumns+" FROM api_keys ORDER BY created, rowid")
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		k, err := scanKey(rows)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// RevokeKey marks a key as revoked; one that was revoked before keeps its moment. apikey.ErrNotFound.
func (db *DB) RevokeKey(ctx context.Context, id string, at time.Time) (apikey.Key, error) {
	return scanKey(db.writer.QueryRowContext(ctx,
		"UPDATE api_keys SET revoked = coalesce(revoked, ?) WHERE id = ? RETURNING "+keyColumns, moment(at), id))
}

// TouchKeys records when keys were last used, by id. A moment never moves back.
func (db *DB) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	return write(ctx, db.writer, func(tx *sql.Tx) error {
		touch, err := tx.PrepareContext(ctx, "UPDATE api_keys SET last_used = max(coalesce(last_used, 0), ?) WHERE id = ?")
		if err != nil {
			return err
		}
		for id, at := range used {
			if _, err := touch.ExecContext(ctx, moment(at), id); err != nil {
				return errors.Join(fmt.Errorf("touch key %q: %w", id, err), touch.Close())
			}
		}
		return touch.Close()
	})
}

type scanner interface{ Scan(into ...any) error }

func scanKey(row scanner) (apikey.Key, error) {
	var (
		k                                             apikey.Key
		hash                                          []byte
		created, expires, disabled, revoked, lastUsed sql.NullInt64
	)
	err := row.Scan(&k.ID, &k.Name, &k.Plan, &k.Prefix, &k.Last4, &hash, &created, &expires, &disabled, &revoked, &lastUsed)
	if errors.Is(err, sql.ErrNoRows) {
		return apikey.Key{}, apikey.ErrNotFound
	}
	if err != nil {
		return apikey.Key{}, fmt.Errorf("read key: %w", err)
	}
	copy(k.Hash[:], hash) // 32 bytes by the table's own check
	k.Created, k.Expires, k.Disabled = timeOf(created), timeOf(expires), timeOf(disabled)
	k.Revoked, k.LastUsed = timeOf(revoked), timeOf(lastUsed)
	return k, nil
}

// moment is a time as the tables hold it: microseconds since 1970, NULL for the zero time.
func moment(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

func timeOf(m sql.NullInt64) time.Time {
	if !m.Valid {
		return time.Time{}
	}
	return time.UnixMicro(m.Int64).UTC()
}

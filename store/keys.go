package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Keys stores API keys.
type Keys struct {
	db     *sqldb.DB
	byHash *sql.Stmt
}

var _ apikey.Store = Keys{}

const (
	selectKeys = `
		SELECT k.id, k.account, k.name, k.plan, k.prefix, k.last4, k.hash, k.counter, k.plan_since, k.operations, k.networks,
			k.created, k.expires, k.grace_end, k.disabled, k.revoked, k.replaced_by, k.last_used, k.last_from,
			k.permissions, a.disabled, a.recording_until, a.ranking
		FROM api_keys k LEFT JOIN accounts a ON a.id = k.account`
	oldestFirst = " ORDER BY k.created, k.id"
)

// keyColumns lists the columns of a key's own row.
func keyColumns(k *apikey.Key) []any {
	return []any{
		&k.ID,
		column.Reference(&k.Account),
		&k.Name, &k.Plan, &k.Prefix, &k.Last4,
		column.Digest((*[sha256.Size]byte)(&k.Hash)),
		&k.Counter,
		column.Time(&k.PlanSince),
		column.Words(&k.Operations),
		column.Networks(&k.Networks),
		column.Time(&k.Created),
		column.Time(&k.Expires),
		column.Time(&k.GraceEnd),
		column.Time(&k.Disabled),
		column.Time(&k.Revoked),
		&k.ReplacedBy,
		column.Time(&k.LastUsed),
		&k.LastFrom,
		column.Words(&k.Permissions),
	}
}

// selectedKeyColumns lists the columns of selectKeys, which joins the account.
func selectedKeyColumns(k *apikey.Key) []any {
	return append(keyColumns(k), column.Time(&k.Suspended), column.Time(&k.RecordingUntil), column.JSON(&k.Ranking))
}

// FindByHash implements apikey.Store.
func (s Keys) FindByHash(ctx context.Context, h apikey.Hash) (apikey.Key, error) {
	k, err := scanKey(s.byHash.QueryRowContext(ctx, h[:]))
	return k, s.db.Note(err)
}

// Find implements apikey.Store.
func (s Keys) Find(ctx context.Context, id string) (apikey.Key, error) {
	return scanKey(s.db.Pools.Read.QueryRowContext(ctx, selectKeys+" WHERE k.id = $1", id))
}

func scanKey(row *sql.Row) (apikey.Key, error) {
	k, err := sqldb.ScanOne(row, selectedKeyColumns, apikey.ErrNotFound)
	if err != nil {
		return apikey.Key{}, fmt.Errorf("read key: %w", err)
	}
	return k, nil
}

// List implements apikey.Store.
func (s Keys) List(ctx context.Context) ([]apikey.Key, error) {
	keys, err := sqldb.SelectAll(ctx, s.db.Pools.Read, selectedKeyColumns, selectKeys+oldestFirst)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return keys, nil
}

// ListOf implements apikey.Store.
func (s Keys) ListOf(ctx context.Context, account string) ([]apikey.Key, error) {
	return keysOf(ctx, s.db.Pools.Read, account)
}

func keysOf(ctx context.Context, d sqldb.Database, account string) ([]apikey.Key, error) {
	keys, err := sqldb.SelectAll(ctx, d, selectedKeyColumns,
		selectKeys+" WHERE coalesce(k.account, '') = $1"+oldestFirst, account)
	if err != nil {
		return nil, fmt.Errorf("read keys of account %q: %w", account, err)
	}
	return keys, nil
}

// Update implements apikey.Store. It returns account.ErrNotFound if there is no such account.
func (s Keys) Update(
	ctx context.Context, account string, change func([]apikey.Key) (apikey.Changes, error),
) error {
	return s.db.Transact(ctx, fmt.Sprintf("update keys of account %q", account), func(tx *sql.Tx) error {
		if err := s.lockKeys(ctx, tx, account); err != nil {
			return err
		}
		keys, err := keysOf(ctx, tx, account)
		if err != nil {
			return err
		}
		changes, err := change(keys)
		if err != nil {
			return err
		}
		return saveKeys(ctx, s.db, tx, account, changes)
	})
}

// lockKeys prevents other transactions from changing the keys of an account.
func (s Keys) lockKeys(ctx context.Context, tx *sql.Tx, account string) error {
	if account == "" {
		return sqldb.Lock(ctx, tx, s.db.Dialect.LockKeysWithoutAccount)
	}
	_, err := lockAccount(ctx, s.db, tx, account)
	return err
}

var errIDTaken = errors.New("a key of another account has this id")

// saveKeys writes new and changed keys of an account, and events. It writes LastUsed and LastFrom of new keys only, so
// that concurrent updates by AddUsage remain. Like AddUsage, it writes keys in the order of their ids to avoid
// deadlocks.
func saveKeys(ctx context.Context, db *sqldb.DB, tx *sql.Tx, account string, changes apikey.Changes) error {
	byID := func(a, b apikey.Key) int { return cmp.Compare(a.ID, b.ID) }
	for _, k := range slices.SortedFunc(slices.Values(changes.Keys), byID) {
		if k.Account != account {
			return fmt.Errorf("key %s belongs to account %q, not to %q", k.ID, k.Account, account)
		}

		// The condition keeps a key from moving to another account: no row changes then, which is an error.
		err := sqldb.ChangeOne(ctx, tx, errIDTaken, `
			INSERT INTO api_keys (id, account, name, plan, prefix, last4, hash, counter, plan_since, operations, networks,
				created, expires, grace_end, disabled, revoked, replaced_by, last_used, last_from, permissions)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
			ON CONFLICT (id) DO UPDATE SET
				name = excluded.name, plan = excluded.plan, prefix = excluded.prefix, last4 = excluded.last4,
				hash = excluded.hash, counter = excluded.counter, plan_since = excluded.plan_since,
				operations = excluded.operations, networks = excluded.networks, created = excluded.created,
				expires = excluded.expires, grace_end = excluded.grace_end, disabled = excluded.disabled,
				revoked = excluded.revoked, replaced_by = excluded.replaced_by, permissions = excluded.permissions
			WHERE coalesce(api_keys.account, '') = coalesce(excluded.account, '')`, keyColumns(&k)...)
		if err != nil {
			return fmt.Errorf("write key %s: %w", k.ID, err)
		}
	}

	if err := (Notices{db}).insert(ctx, tx, changes.Events); err != nil {
		return err
	}

	return auditlog.New(db).Insert(ctx, tx, changes.Events)
}

package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"freelancer-matching/access/apikey"
)

var _ apikey.Store = (*DB)(nil)

const (
	selectKeys = `
		SELECT k.id, k.account, k.name, k.plan, k.prefix, k.last4, k.hash, k.counter, k.plan_since, k.operations, k.networks,
			k.created, k.expires, k.grace_end, k.disabled, k.revoked, k.replaced_by, k.last_used, a.disabled
		FROM api_keys k LEFT JOIN accounts a ON a.id = k.account`
	oldestKeys = " ORDER BY k.created, k.id"
)

// keyFields is the fields of a key in the order of their columns, without Suspended.
func keyFields(k *apikey.Key) []any {
	return []any{
		&k.ID,
		reference{&k.Account},
		&k.Name, &k.Plan, &k.Prefix, &k.Last4,
		digest{(*[sha256.Size]byte)(&k.Hash)},
		&k.Counter,
		moment{&k.PlanSince},
		words{&k.Operations},
		networks{&k.Networks},
		moment{&k.Created},
		moment{&k.Expires},
		moment{&k.GraceEnd},
		moment{&k.Disabled},
		moment{&k.Revoked},
		&k.ReplacedBy,
		moment{&k.LastUsed},
	}
}

func scanKey(r row) (k apikey.Key, err error) {
	return k, r.Scan(append(keyFields(&k), moment{&k.Suspended})...)
}

// KeyByHash is the key with a hash. apikey.ErrNotFound.
func (db *DB) KeyByHash(ctx context.Context, h apikey.Hash) (apikey.Key, error) {
	return foundKey(db.hot.keyByHash.QueryRowContext(ctx, h[:]))
}

// KeyByID is the key with an id. apikey.ErrNotFound.
func (db *DB) KeyByID(ctx context.Context, id string) (apikey.Key, error) {
	return foundKey(db.pools.Read.QueryRowContext(ctx, selectKeys+" WHERE k.id = $1", id))
}

func foundKey(r row) (apikey.Key, error) {
	k, err := scanKey(r)
	if errors.Is(err, sql.ErrNoRows) {
		return apikey.Key{}, apikey.ErrNotFound
	}
	if err != nil {
		return apikey.Key{}, fmt.Errorf("read a key: %w", answered(err))
	}
	return k, nil
}

// Keys is every key, oldest first.
func (db *DB) Keys(ctx context.Context) ([]apikey.Key, error) {
	keys, err := list(ctx, db.pools.Read, scanKey, selectKeys+oldestKeys)
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	return keys, nil
}

// KeysOf is the keys of an account, oldest first; those of none with "".
func (db *DB) KeysOf(ctx context.Context, owner string) ([]apikey.Key, error) {
	return keysOf(ctx, db.pools.Read, owner)
}

func keysOf(ctx context.Context, q querier, owner string) ([]apikey.Key, error) {
	keys, err := list(ctx, q, scanKey, selectKeys+" WHERE coalesce(k.account, '') = $1"+oldestKeys, owner)
	if err != nil {
		return nil, fmt.Errorf("read the keys of account %q: %w", owner, err)
	}
	return keys, nil
}

// UpdateKeys changes the keys of an account, those of none with "". account.ErrNotFound where there is no such account.
func (db *DB) UpdateKeys(ctx context.Context, owner string, change func([]apikey.Key) (apikey.Changes, error)) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		if err := db.lockKeys(ctx, tx, owner); err != nil {
			return err
		}
		keys, err := keysOf(ctx, tx, owner)
		if err != nil {
			return err
		}
		changes, err := change(keys)
		if err != nil {
			return err
		}
		return saveKeys(ctx, tx, owner, changes)
	})
	if err != nil {
		return fmt.Errorf("update the keys of account %q: %w", owner, err)
	}
	return nil
}

// lockKeys keeps others from changing the keys of an account until the transaction ends.
func (db *DB) lockKeys(ctx context.Context, tx *sql.Tx, owner string) error {
	if owner == "" {
		return lock(ctx, tx, db.dialect.LockKeysOfNone)
	}
	_, err := db.lockAccount(ctx, tx, owner)
	return err
}

// saveKeys writes new and changed keys of an account, and the events. LastUsed is written with a new key only: what is
// recorded meanwhile by AddUsage stays. Keys are written in the order of their ids, as AddUsage does, so that no two
// transactions wait for each other.
func saveKeys(ctx context.Context, tx *sql.Tx, owner string, changes apikey.Changes) error {
	byID := func(a, b apikey.Key) int { return cmp.Compare(a.ID, b.ID) }
	for _, k := range slices.SortedFunc(slices.Values(changes.Keys), byID) {
		if k.Account != owner {
			return fmt.Errorf("key %s is of account %q, not of %q", k.ID, k.Account, owner)
		}
		result, err := tx.ExecContext(ctx, `
			INSERT INTO api_keys (id, account, name, plan, prefix, last4, hash, counter, plan_since, operations, networks,
				created, expires, grace_end, disabled, revoked, replaced_by, last_used)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
			ON CONFLICT (id) DO UPDATE SET
				name = excluded.name, plan = excluded.plan, prefix = excluded.prefix, last4 = excluded.last4, hash = excluded.hash,
				counter = excluded.counter, plan_since = excluded.plan_since, operations = excluded.operations,
				networks = excluded.networks, created = excluded.created, expires = excluded.expires,
				grace_end = excluded.grace_end, disabled = excluded.disabled, revoked = excluded.revoked, replaced_by = excluded.replaced_by
			WHERE coalesce(api_keys.account, '') = coalesce(excluded.account, '')`,
			keyFields(&k)...)
		if err := one(result, err, errors.New("a key of another account has this id")); err != nil {
			return fmt.Errorf("write key %s: %w", k.ID, err)
		}
	}
	return record(ctx, tx, changes.Events)
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
)

var _ account.Store = (*DB)(nil)

const selectAccounts = "SELECT a.id, a.name, a.plan, a.plan_since, a.created, a.disabled FROM accounts a"

// accountFields is the fields of an account in the order of their columns.
func accountFields(a *account.Account) []any {
	return []any{&a.ID, &a.Name, &a.Plan, moment{&a.PlanSince}, moment{&a.Created}, moment{&a.Disabled}}
}

func scanAccount(r row) (a account.Account, err error) { return a, r.Scan(accountFields(&a)...) }

// Account is the account with an id. account.ErrNotFound.
func (db *DB) Account(ctx context.Context, id string) (account.Account, error) {
	return found(db.pools.Read.QueryRowContext(ctx, selectAccounts+" WHERE a.id = $1", id), scanAccount, "account "+id)
}

// found is what scan makes of the row of one thing. account.ErrNotFound.
func found[T any](r row, scan func(row) (T, error), thing string) (T, error) {
	t, err := scan(r)
	if errors.Is(err, sql.ErrNoRows) {
		err = account.ErrNotFound
	}
	if err != nil {
		return *new(T), fmt.Errorf("%s: %w", thing, answered(err))
	}
	return t, nil
}

// Accounts is the accounts with a part of their name or of a user's address, newest first. Case is folded here, because
// SQLite knows the letters of ASCII only: the tables hold a folded name.
func (db *DB) Accounts(ctx context.Context, part string, limit int) ([]account.Account, error) {
	pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(fold(part)) + "%"
	accounts, err := list(ctx, db.pools.Read, scanAccount, selectAccounts+`
		WHERE a.folded_name LIKE $1 ESCAPE '\'
			OR EXISTS (SELECT 1 FROM users u WHERE u.account = a.id AND u.email LIKE $1 ESCAPE '\')
		ORDER BY a.created DESC, a.id DESC LIMIT $2`, pattern, limit)
	if err != nil {
		return nil, fmt.Errorf("read the accounts: %w", err)
	}
	return accounts, nil
}

// fold is a text without the difference between capital and small letters.
func fold(s string) string { return strings.ToLower(s) }

// UpdateAccount changes an account and its keys together. account.ErrNotFound.
func (db *DB) UpdateAccount(
	ctx context.Context, id string, change func(*account.Account, []apikey.Key) (apikey.Changes, error),
) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		a, err := db.lockAccount(ctx, tx, id)
		if err != nil {
			return err
		}
		keys, err := keysOf(ctx, tx, id)
		if err != nil {
			return err
		}
		changes, err := change(&a, keys)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			"UPDATE accounts SET name = $1, folded_name = $2, plan = $3, plan_since = $4, disabled = $5 WHERE id = $6",
			a.Name, fold(a.Name), a.Plan, moment{&a.PlanSince}, moment{&a.Disabled}, id)
		if err != nil {
			return err
		}
		return saveKeys(ctx, tx, id, changes)
	})
	if err != nil {
		return fmt.Errorf("update account %q: %w", id, err)
	}
	return nil
}

// lockAccount is the account with an id, which nobody else changes until the transaction ends. account.ErrNotFound.
func (db *DB) lockAccount(ctx context.Context, tx *sql.Tx, id string) (account.Account, error) {
	r := tx.QueryRowContext(ctx, selectAccounts+" WHERE a.id = $1"+db.dialect.LockRows, id)
	return found(r, scanAccount, "account "+id)
}

func insertAccount(ctx context.Context, tx *sql.Tx, a account.Account) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO accounts (id, name, plan, plan_since, created, disabled, folded_name)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, append(accountFields(&a), fold(a.Name))...)
	if err != nil {
		return fmt.Errorf("insert account: %w", err)
	}
	return nil
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Accounts stores accounts.
type Accounts struct {
	db    *sqldb.DB
	users Users
}

var _ account.AccountStore = Accounts{}

const selectAccounts = `SELECT a.id, a.name, a.plan, a.plan_since, a.created, a.disabled, a.results_off,
	a.two_factor_required, a.recording_until FROM accounts a`

func accountColumns(a *account.Account) []any {
	return []any{
		&a.ID, &a.Name, &a.Plan, column.Time(&a.PlanSince), column.Time(&a.Created), column.Time(&a.Disabled),
		column.Time(&a.ResultsOff), column.Time(&a.TwoFactorRequired), column.Time(&a.RecordingUntil),
	}
}

// Find implements account.AccountStore.
func (s Accounts) Find(ctx context.Context, id string) (account.Account, error) {
	a, err := readAccount(ctx, s.db.Pools.Read, id, "")
	if err != nil {
		return account.Account{}, fmt.Errorf("read account %q: %w", id, err)
	}
	return a, nil
}

func readAccount(ctx context.Context, d sqldb.Database, id, lockRows string) (account.Account, error) {
	row := d.QueryRowContext(ctx, selectAccounts+" WHERE a.id = $1"+lockRows, id)
	return sqldb.ScanOne(row, accountColumns, account.ErrNotFound)
}

// lockAccount returns the account with an id and locks it until the transaction ends.
func lockAccount(ctx context.Context, db *sqldb.DB, tx *sql.Tx, id string) (account.Account, error) {
	return readAccount(ctx, tx, id, db.Dialect.LockRows)
}

// List implements account.AccountStore. It compares names in lower case that Go has computed, because SQLite's lower()
// knows ASCII letters only.
func (s Accounts) List(ctx context.Context, part string, limit int) ([]account.Account, error) {
	pattern := sqldb.LikeContains(strings.ToLower(part))
	accounts, err := sqldb.SelectAll(ctx, s.db.Pools.Read, accountColumns, selectAccounts+`
		WHERE a.folded_name LIKE $1 ESCAPE '\'
			OR EXISTS (SELECT 1 FROM users u WHERE u.account = a.id AND u.email LIKE $1 ESCAPE '\')
		ORDER BY a.created DESC, a.id DESC LIMIT $2`, pattern, limit)
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	return accounts, nil
}

// Update implements account.AccountStore.
func (s Accounts) Update(
	ctx context.Context, id string, change func(*account.Account, []apikey.Key) (apikey.Changes, error),
) error {
	return s.db.Transact(ctx, fmt.Sprintf("update account %q", id), func(tx *sql.Tx) error {
		a, err := lockAccount(ctx, s.db, tx, id)
		if err != nil {
			return err
		}

		// The lock on the account makes the keys read here the ones that the change is decided on.
		keys, err := keysOf(ctx, tx, id)
		if err != nil {
			return err
		}

		changes, err := change(&a, keys)
		if err != nil {
			return err
		}

		_, err = tx.ExecContext(ctx, `
			UPDATE accounts SET name = $1, folded_name = $2, plan = $3, plan_since = $4, disabled = $5, results_off = $6,
				two_factor_required = $7, recording_until = $8
			WHERE id = $9`,
			a.Name, strings.ToLower(a.Name), a.Plan, column.Time(&a.PlanSince), column.Time(&a.Disabled),
			column.Time(&a.ResultsOff), column.Time(&a.TwoFactorRequired), column.Time(&a.RecordingUntil), id)
		if err != nil {
			return err
		}

		return saveKeys(ctx, s.db, tx, id, changes)
	})
}

func insertAccount(ctx context.Context, tx *sql.Tx, a account.Account) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO accounts (id, name, plan, plan_since, created, disabled, results_off, two_factor_required,
			recording_until, folded_name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, append(accountColumns(&a), strings.ToLower(a.Name))...)
	if err != nil {
		return fmt.Errorf("insert account: %w", err)
	}
	return nil
}

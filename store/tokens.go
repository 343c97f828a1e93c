package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/store/sqldb"
)

// tokenDaysKept is how many days the token counts of past days are kept.
const tokenDaysKept = 90

// wholeService is the account in llm_days that counts the tokens of all accounts. No account has this ID.
const wholeService = "*"

// Tokens counts the language model tokens that accounts use per day, and limits them.
type Tokens struct {
	db                     *sqldb.DB
	perAccount, perService int
}

var _ llm.Budget = Tokens{}

// Tokens returns a budget of perAccount tokens for each account and day, and of perService tokens for all accounts
// together. 0 means no limit.
func (db *DB) Tokens(perAccount, perService int) Tokens { return Tokens{db.DB, perAccount, perService} }

// Reserve implements llm.Budget, in one atomic step. It changes the rows in the same order as Settle, to avoid
// deadlocks.
func (t Tokens) Reserve(ctx context.Context, account, day string, tokens int) error {
	return t.db.Transact(ctx, "reserve tokens of "+account, func(tx *sql.Tx) error {
		for _, r := range []struct {
			account string
			perDay  int
			kind    error
		}{
			{account, t.perAccount, llm.ErrBudget},
			{wholeService, t.perService, llm.ErrServiceBudget},
		} {
			exceeded := fmt.Errorf("%w: the call may use %d tokens, more than is left of %d per day", r.kind, tokens, r.perDay)

			// The condition of the statement below doesn't apply to the first row of a day.
			if r.perDay > 0 && tokens > r.perDay {
				return exceeded
			}

			err := sqldb.ChangeOne(ctx, tx, exceeded, `
				INSERT INTO llm_days (account, day, tokens, words) VALUES ($1, $2, $3, 0)
				ON CONFLICT (account, day) DO UPDATE SET tokens = llm_days.tokens + excluded.tokens
				WHERE llm_days.tokens + excluded.tokens <= $4 OR $4 = 0`, r.account, day, tokens, r.perDay)
			if err != nil {
				return err
			}
		}

		return nil
	})
}

// Settle implements llm.Budget.
func (t Tokens) Settle(ctx context.Context, account, day string, reserved int, used llm.Usage) error {
	return t.db.Transact(ctx, "settle tokens of "+account, func(tx *sql.Tx) error {
		for _, row := range []string{account, wholeService} {
			_, err := tx.ExecContext(ctx,
				"UPDATE llm_days SET tokens = tokens + $3 WHERE account = $1 AND day = $2", row, day, used.Tokens()-reserved)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Used returns how many tokens an account has used or reserved on a day.
func (t Tokens) Used(ctx context.Context, account, day string) (tokens int, err error) {
	err = t.db.Pools.Read.QueryRowContext(ctx,
		"SELECT coalesce(sum(tokens), 0) FROM llm_days WHERE account = $1 AND day = $2", account, day).Scan(&tokens)
	if err != nil {
		return 0, fmt.Errorf("read tokens of %s: %w", account, t.db.Failed(err))
	}
	return tokens, nil
}

// UsedByAll returns how many tokens all accounts together have used or reserved on a day.
func (t Tokens) UsedByAll(ctx context.Context, day string) (tokens int, err error) {
	return t.Used(ctx, wholeService, day)
}

// DeleteOld deletes the counts of days that ended more than 90 days before a time.
func (t Tokens) DeleteOld(ctx context.Context, at time.Time) error {
	oldest := at.UTC().AddDate(0, 0, -tokenDaysKept).Format(time.DateOnly)
	return t.db.Exec(ctx, "delete old token counts", "DELETE FROM llm_days WHERE day < $1", oldest)
}

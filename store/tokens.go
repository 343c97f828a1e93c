package store

import (
	"context"
	"fmt"
	"time"

	"freelancer-matching/llm"
)

// tokenDaysKept is how many days the token counts of past days are kept.
const tokenDaysKept = 90

// Tokens counts the language model tokens that accounts use per day, and limits them.
type Tokens struct {
	db     *DB
	perDay int
}

var _ llm.Budget = Tokens{}

// Tokens returns a budget of perDay tokens for each account and day. If perDay is 0, it counts tokens without a limit.
func (db *DB) Tokens(perDay int) Tokens { return Tokens{db, perDay} }

// Reserve implements llm.Budget, in one atomic step.
func (t Tokens) Reserve(ctx context.Context, account, day string, tokens int) error {
	exceeded := fmt.Errorf("%w: the call may use %d tokens, more than the account has left of its %d per day",
		llm.ErrBudget, tokens, t.perDay)
	if t.perDay > 0 && tokens > t.perDay {
		return exceeded
	}
	return t.db.execOne(ctx, "reserve tokens of "+account, exceeded, `
		INSERT INTO llm_days (account, day, tokens, words) VALUES ($1, $2, $3, 0)
		ON CONFLICT (account, day) DO UPDATE SET tokens = llm_days.tokens + excluded.tokens
		WHERE llm_days.tokens + excluded.tokens <= $4 OR $4 = 0`, account, day, tokens, t.perDay)
}

// Settle implements llm.Budget.
func (t Tokens) Settle(ctx context.Context, account, day string, reserved int, used llm.Usage) error {
	return t.db.exec(ctx, "settle tokens of "+account,
		"UPDATE llm_days SET tokens = tokens + $3 WHERE account = $1 AND day = $2", account, day, used.Tokens()-reserved)
}

// Used returns how many tokens an account has used or reserved on a day.
func (t Tokens) Used(ctx context.Context, account, day string) (tokens int, err error) {
	err = t.db.pools.Read.QueryRowContext(ctx,
		"SELECT coalesce(sum(tokens), 0) FROM llm_days WHERE account = $1 AND day = $2", account, day).Scan(&tokens)
	if err != nil {
		return 0, fmt.Errorf("read tokens of %s: %w", account, markUnavailable(err))
	}
	return tokens, nil
}

// DeleteOld deletes the counts of days that ended more than 90 days before a time.
func (t Tokens) DeleteOld(ctx context.Context, at time.Time) error {
	oldest := at.UTC().AddDate(0, 0, -tokenDaysKept).Format(time.DateOnly)
	return t.db.exec(ctx, "delete old token counts", "DELETE FROM llm_days WHERE day < $1", oldest)
}

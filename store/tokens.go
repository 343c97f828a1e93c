package store

import (
	"context"
	"fmt"
	"time"

	"freelancer-matching/llm"
)

// daysKept is how long it is known what an account used of the language model.
const daysKept = 90

// Tokens counts what accounts use of a language model in a day, and bounds it.
type Tokens struct {
	db     *DB
	perDay int
}

var _ llm.Budget = Tokens{}

// Tokens is a budget of so many tokens for each account and day; 0: they are counted, without a bound.
func (db *DB) Tokens(perDay int) Tokens { return Tokens{db, perDay} }

// Reserve sets tokens aside, in one step. llm.ErrBudget.
func (t Tokens) Reserve(ctx context.Context, account, day string, tokens int) error {
	used := fmt.Errorf("%w: the call may take %d tokens, and the account has not as many left of %d a day",
		llm.ErrBudget, tokens, t.perDay)
	if t.perDay > 0 && tokens > t.perDay {
		return used
	}
	result, err := t.db.pools.Write.ExecContext(ctx, `
		INSERT INTO llm_days (account, day, tokens, words) VALUES ($1, $2, $3, 0)
		ON CONFLICT (account, day) DO UPDATE SET tokens = llm_days.tokens + excluded.tokens
		WHERE llm_days.tokens + excluded.tokens <= $4 OR $4 = 0`, account, day, tokens, t.perDay)
	if err := one(result, err, used); err != nil {
		return fmt.Errorf("reserve tokens of %s: %w", account, answered(err))
	}
	return nil
}

// Settle puts what was used in the place of what was reserved.
func (t Tokens) Settle(ctx context.Context, account, day string, reserved int, used llm.Usage) error {
	_, err := t.db.pools.Write.ExecContext(ctx, "UPDATE llm_days SET tokens = tokens + $3 WHERE account = $1 AND day = $2",
		account, day, used.Tokens()-reserved)
	if err != nil {
		return fmt.Errorf("settle the tokens of %s: %w", account, answered(err))
	}
	return nil
}

// Used is how many tokens an account has used, or has reserved for calls under way, of a day.
func (t Tokens) Used(ctx context.Context, account, day string) (tokens int, err error) {
	err = t.db.pools.Read.QueryRowContext(ctx,
		"SELECT coalesce(sum(tokens), 0) FROM llm_days WHERE account = $1 AND day = $2", account, day).Scan(&tokens)
	if err != nil {
		return 0, fmt.Errorf("read the tokens of %s: %w", account, answered(err))
	}
	return tokens, nil
}

// DeleteOld forgets the days that are over for longer than 90 days at a moment.
func (t Tokens) DeleteOld(ctx context.Context, at time.Time) error {
	first := at.UTC().AddDate(0, 0, -daysKept).Format(time.DateOnly)
	if _, err := t.db.pools.Write.ExecContext(ctx, "DELETE FROM llm_days WHERE day < $1", first); err != nil {
		return fmt.Errorf("delete old days of the language model: %w", answered(err))
	}
	return nil
}

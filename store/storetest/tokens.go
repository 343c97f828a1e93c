package storetest

import (
	"context"
	"testing"
	"time"

	"freelancer-matching/llm"
)

// TokenStore is an llm.Budget that can tell what it counted.
type TokenStore interface {
	llm.Budget
	Used(ctx context.Context, account, day string) (tokens int, err error)
	DeleteOld(ctx context.Context, at time.Time) error
}

const (
	today    = "2031-05-17" // the day of start
	tomorrow = "2031-05-18"
)

// Tokens runs the contract of llm.Budget. open makes a budget of so many tokens a day, 0 for any number.
func Tokens(t *testing.T, open func(t *testing.T, perDay int) TokenStore) {
	t.Run("an account has so many tokens a day", func(t *testing.T) { limitsTokens(t, open(t, 100)) })
	t.Run("what was reserved is settled", func(t *testing.T) { settlesTokens(t, open(t, 100)) })
	t.Run("of many calls at once the limit is kept", func(t *testing.T) { concurrentTokens(t, open(t, 70)) })
	t.Run("tokens are counted without a limit too", func(t *testing.T) { countsTokens(t, open(t, 0)) })
	t.Run("old days are forgotten", func(t *testing.T) { forgetsDays(t, open(t, 100)) })
}

func wantUsed(t *testing.T, s TokenStore, account, day string, want int) {
	t.Helper()
	got, err := s.Used(t.Context(), account, day)
	if get(t, got, err) != want {
		t.Errorf("%s has used %d tokens on %s, want %d", account, got, day, want)
	}
}

func limitsTokens(t *testing.T, s TokenStore) {
	wantUsed(t, s, "acc_1", today, 0)
	wantError(t, s.Reserve(t.Context(), "acc_1", today, 101), llm.ErrBudget)
	must(t, s.Reserve(t.Context(), "acc_1", today, 60))
	wantError(t, s.Reserve(t.Context(), "acc_1", today, 41), llm.ErrBudget)
	must(t, s.Reserve(t.Context(), "acc_1", today, 40))
	must(t, s.Reserve(t.Context(), "acc_2", today, 100))
	must(t, s.Reserve(t.Context(), "acc_1", tomorrow, 1))
	wantUsed(t, s, "acc_1", today, 100)
	wantUsed(t, s, "acc_1", tomorrow, 1)
}

func settlesTokens(t *testing.T, s TokenStore) {
	must(t, s.Reserve(t.Context(), "acc_1", today, 90))
	must(t, s.Settle(t.Context(), "acc_1", today, 90, llm.Usage{Prompt: 20, Completion: 10}))
	wantUsed(t, s, "acc_1", today, 30)
	must(t, s.Reserve(t.Context(), "acc_1", today, 70))
	must(t, s.Settle(t.Context(), "acc_1", today, 70, llm.Usage{Prompt: 75})) // more than reserved
	wantUsed(t, s, "acc_1", today, 105)
	wantError(t, s.Reserve(t.Context(), "acc_1", today, 1), llm.ErrBudget)
	must(t, s.Settle(t.Context(), "nobody", today, 0, llm.Usage{}))
	wantUsed(t, s, "nobody", today, 0)
}

func concurrentTokens(t *testing.T, s TokenStore) {
	reserve := func(int) error { return s.Reserve(t.Context(), "acc_1", today, 10) }
	if n := atOnce(t, reserve, llm.ErrBudget); n[nil] != 7 || n[llm.ErrBudget] != many-7 {
		t.Errorf("of %d reservations: %v", many, n)
	}
	wantUsed(t, s, "acc_1", today, 70)
}

func countsTokens(t *testing.T, s TokenStore) {
	for range 3 {
		must(t, s.Reserve(t.Context(), "acc_1", today, 1_000_000_000))
	}
	wantUsed(t, s, "acc_1", today, 3_000_000_000)
}

func forgetsDays(t *testing.T, s TokenStore) {
	must(t, s.Reserve(t.Context(), "acc_1", today, 10))
	must(t, s.DeleteOld(t.Context(), start().AddDate(0, 0, 90)))
	wantUsed(t, s, "acc_1", today, 10)
	must(t, s.DeleteOld(t.Context(), start().AddDate(0, 0, 91)))
	wantUsed(t, s, "acc_1", today, 0)
}

package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freelancer-matching/service/llm"
)

// A TokenStore is an llm.Budget whose counts can be read.
type TokenStore interface {
	llm.Budget
	Used(ctx context.Context, account, day string) (tokens int, err error)
	UsedByAll(ctx context.Context, day string) (tokens int, err error)
	DeleteOld(ctx context.Context, at time.Time) error
}

const (
	today    = "2031-05-17" // the day of start
	tomorrow = "2031-05-18"
)

// Tokens tests an llm.Budget. The function open returns a budget of perAccount tokens for each account and perService
// for all; 0 means unlimited.
func Tokens(t *testing.T, open func(t *testing.T, perAccount, perService int) TokenStore) {
	t.Run("the tokens of an account and day are limited", func(t *testing.T) { limitsTokens(t, open(t, 100, 0)) })
	t.Run("a reservation is settled", func(t *testing.T) { settlesTokens(t, open(t, 100, 0)) })
	t.Run("concurrent reservations respect the limit", func(t *testing.T) { concurrentTokens(t, open(t, 70, 0)) })
	t.Run("tokens are counted without a limit", func(t *testing.T) { unlimitedTokens(t, open(t, 0, 0)) })
	t.Run("the tokens of all accounts are limited", func(t *testing.T) { limitsServiceTokens(t, open(t, 100, 150)) })
	t.Run("concurrent accounts respect the limit of all", func(t *testing.T) { concurrentAccounts(t, open(t, 0, 70)) })
	t.Run("old days are deleted", func(t *testing.T) { deletesOldDays(t, open(t, 100, 0)) })
}

func wantUsed(t *testing.T, s TokenStore, account, day string, want int) {
	t.Helper()
	if got := must(s.Used(t.Context(), account, day)); got != want {
		t.Errorf("%s used %d tokens on %s, want %d", account, got, day, want)
	}
}

func limitsTokens(t *testing.T, s TokenStore) {
	wantUsed(t, s, "acc_1", today, 0)
	wantError(t, s.Reserve(t.Context(), "acc_1", today, 101), llm.ErrBudget)
	noError(t, s.Reserve(t.Context(), "acc_1", today, 60))
	wantError(t, s.Reserve(t.Context(), "acc_1", today, 41), llm.ErrBudget)
	noError(t, s.Reserve(t.Context(), "acc_1", today, 40))
	noError(t, s.Reserve(t.Context(), "acc_2", today, 100))
	noError(t, s.Reserve(t.Context(), "acc_1", tomorrow, 1))
	wantUsed(t, s, "acc_1", today, 100)
	wantUsed(t, s, "acc_1", tomorrow, 1)
}

func settlesTokens(t *testing.T, s TokenStore) {
	noError(t, s.Reserve(t.Context(), "acc_1", today, 90))
	noError(t, s.Settle(t.Context(), "acc_1", today, 90, llm.Usage{Prompt: 20, Completion: 10}))
	wantUsed(t, s, "acc_1", today, 30)
	noError(t, s.Reserve(t.Context(), "acc_1", today, 70))
	noError(t, s.Settle(t.Context(), "acc_1", today, 70, llm.Usage{Prompt: 75})) // more than reserved
	wantUsed(t, s, "acc_1", today, 105)
	wantError(t, s.Reserve(t.Context(), "acc_1", today, 1), llm.ErrBudget)
	noError(t, s.Settle(t.Context(), "nobody", today, 0, llm.Usage{}))
	wantUsed(t, s, "nobody", today, 0)
}

func limitsServiceTokens(t *testing.T, s TokenStore) {
	noError(t, s.Reserve(t.Context(), "acc_1", today, 100))
	wantError(t, s.Reserve(t.Context(), "acc_2", today, 51), llm.ErrServiceBudget)
	wantUsed(t, s, "acc_2", today, 0) // nothing is reserved
	noError(t, s.Reserve(t.Context(), "acc_2", today, 50))
	err := s.Reserve(t.Context(), "acc_3", today, 1)
	wantError(t, err, llm.ErrServiceBudget)
	wantError(t, err, llm.ErrBudget)
	if err := s.Reserve(t.Context(), "acc_1", today, 1); errors.Is(err, llm.ErrServiceBudget) {
		t.Errorf("an account over its own limit gets %v", err)
	}
	noError(t, s.Settle(t.Context(), "acc_1", today, 100, llm.Usage{Prompt: 30}))
	if got := must(s.UsedByAll(t.Context(), today)); got != 80 {
		t.Errorf("all accounts used %d tokens, want 80", got)
	}
	noError(t, s.Reserve(t.Context(), "acc_3", today, 70))
	noError(t, s.Reserve(t.Context(), "acc_3", tomorrow, 100))
}

func concurrentAccounts(t *testing.T, s TokenStore) {
	reserve := func(i int) error { return s.Reserve(t.Context(), fmt.Sprint("acc_", i), today, 10) }
	if n := concurrently(t, reserve, llm.ErrServiceBudget); n[nil] != 7 || n[llm.ErrServiceBudget] != callers-7 {
		t.Errorf("results %v, want 7 reservations of %d", n, callers)
	}
}

func concurrentTokens(t *testing.T, s TokenStore) {
	reserve := func(int) error { return s.Reserve(t.Context(), "acc_1", today, 10) }
	if n := concurrently(t, reserve, llm.ErrBudget); n[nil] != 7 || n[llm.ErrBudget] != callers-7 {
		t.Errorf("results %v, want 7 reservations of %d", n, callers)
	}
	wantUsed(t, s, "acc_1", today, 70)
}

func unlimitedTokens(t *testing.T, s TokenStore) {
	for range 3 {
		noError(t, s.Reserve(t.Context(), "acc_1", today, 1_000_000_000))
	}
	wantUsed(t, s, "acc_1", today, 3_000_000_000)
}

func deletesOldDays(t *testing.T, s TokenStore) {
	noError(t, s.Reserve(t.Context(), "acc_1", today, 10))
	noError(t, s.DeleteOld(t.Context(), start().AddDate(0, 0, 90)))
	wantUsed(t, s, "acc_1", today, 10)
	noError(t, s.DeleteOld(t.Context(), start().AddDate(0, 0, 91)))
	wantUsed(t, s, "acc_1", today, 0)
}

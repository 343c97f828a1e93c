package llmtest

import (
	"context"
	"fmt"
	"sync"

	"github.com/freelancer-matching/service/llm"
)

// A MemoryBudget is an llm.Budget in memory, with the same number of tokens for each account.
type MemoryBudget struct {
	perDay int

	mu   sync.Mutex
	days map[string]map[string]int // day, account: tokens used or reserved
}

var _ llm.Budget = (*MemoryBudget)(nil)

// NewMemoryBudget returns a budget with perDay tokens for each account and day.
func NewMemoryBudget(perDay int) *MemoryBudget {
	return &MemoryBudget{perDay: perDay, days: make(map[string]map[string]int)}
}

// Reserve implements llm.Budget.
func (b *MemoryBudget) Reserve(_ context.Context, account, day string, tokens int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.days[day][account]
	if tokens > b.perDay-used {
		return fmt.Errorf("%w: the call may use %d tokens; %d of %d tokens for the day are used",
			llm.ErrBudget, tokens, used, b.perDay)
	}
	if b.days[day] == nil {
		b.days[day] = make(map[string]int)
		b.prune()
	}
	b.days[day][account] = used + tokens
	return nil
}

// prune keeps the latest two days: a call may end on the day after it began.
func (b *MemoryBudget) prune() {
	for len(b.days) > 2 {
		oldest := ""
		for day := range b.days {
			if oldest == "" || day < oldest {
				oldest = day
			}
		}
		delete(b.days, oldest)
	}
}

// Settle implements llm.Budget.
func (b *MemoryBudget) Settle(_ context.Context, account, day string, reserved int, used llm.Usage) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if accounts, ok := b.days[day]; ok {
		accounts[account] += used.Tokens() - reserved
	}
	return nil
}

// Used returns what an account has used or reserved on one of the latest two days.
func (b *MemoryBudget) Used(account, day string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.days[day][account]
}

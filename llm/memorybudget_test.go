package llm

import (
	"context"
	"fmt"
	"sync"
)

// MemoryBudget is a Budget of a single process, which forgets it when it ends: the same number of tokens for each account.
type MemoryBudget struct {
	perDay int

	mu   sync.Mutex
	days map[string]map[string]int // day, account: tokens used or reserved
}

var _ Budget = (*MemoryBudget)(nil)

// NewMemoryBudget is a budget of so many tokens for each account and day.
func NewMemoryBudget(perDay int) *MemoryBudget {
	return &MemoryBudget{perDay: perDay, days: make(map[string]map[string]int)}
}

// Reserve is Budget's.
func (b *MemoryBudget) Reserve(_ context.Context, account, day string, tokens int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.days[day][account]
	if tokens > b.perDay-used {
		text := fmt.Sprintf("the call may take %d tokens, of %d a day %d are used", tokens, b.perDay, used)
		return &failure{kind: ErrBudget, text: text}
	}
	if b.days[day] == nil {
		b.days[day] = make(map[string]int)
		b.forget()
	}
	b.days[day][account] = used + tokens
	return nil
}

// forget keeps the two latest days: a call may end on the day after it began.
func (b *MemoryBudget) forget() {
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

// Settle is Budget's.
func (b *MemoryBudget) Settle(_ context.Context, account, day string, reserved int, used Usage) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if accounts, ok := b.days[day]; ok {
		accounts[account] += used.Tokens() - reserved
	}
	return nil
}

// Used is what an account has used or reserved of a day that is not over for long.
func (b *MemoryBudget) Used(account, day string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.days[day][account]
}

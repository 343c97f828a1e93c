package llm

import "context"

// Usage is a number of tokens.
type Usage struct {
	Prompt, Completion int
	Estimated          bool // at least partly estimated from text lengths, because the server reported no usage
}

// Tokens returns the sum that budgets count.
func (u Usage) Tokens() int { return u.Prompt + u.Completion }

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Completion + v.Completion, u.Estimated || v.Estimated}
}

// estimate returns about how many tokens a text has: one per three bytes. That is more than the actual number:
// common tokenizers need one token for four English letters, and one or two for a character of three bytes.
func estimate(text string) int { return (len(text) + 2) / 3 }

// A Budget limits how many tokens an account, and all accounts together, use per day. It must be safe for concurrent
// use.
type Budget interface {
	// Reserve sets tokens aside before a call. It returns an error wrapping ErrBudget if the account has fewer tokens left
	// for the day, which is a date in UTC such as 2026-01-31, and ErrServiceBudget if all accounts together have. Any
	// error ends the task.
	Reserve(ctx context.Context, account, day string, tokens int) error
	// Settle replaces a reservation of that day by the usage of the call, which may be 0 or exceed the reservation.
	Settle(ctx context.Context, account, day string, reserved int, used Usage) error
}

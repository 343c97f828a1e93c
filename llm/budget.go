package llm

import "context"

// Usage is a number of tokens.
type Usage struct {
	Prompt, Completion int
	Estimated          bool // at least in part counted here, by the length of texts, since the server did not say
}

// Tokens is the sum that budgets count.
func (u Usage) Tokens() int { return u.Prompt + u.Completion }

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Completion + v.Completion, u.Estimated || v.Estimated}
}

// estimate is about how many tokens a text has, rather too many: one for three bytes. Common tokenizers make one of four
// letters of English, and one or two of a character of three bytes.
func estimate(text string) int { return (len(text) + 2) / 3 }

// Budget bounds the tokens that an account uses in a day. It is asked from many goroutines.
type Budget interface {
	// Reserve sets tokens aside before a call. It fails with ErrBudget where they are more than the account has left of
	// that day, a date in UTC such as 2026-01-31. Any other error ends the task, too.
	Reserve(ctx context.Context, account, day string, tokens int) error
	// Settle ends a reservation of that day with the usage of the call, which may be more than was reserved, or none.
	Settle(ctx context.Context, account, day string, reserved int, used Usage) error
}

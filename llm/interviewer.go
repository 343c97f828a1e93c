package llm

import (
	"cmp"
	"context"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
)

// InstructionFilter finds what speaks to a language model in a text that somebody else wrote.
type InstructionFilter interface {
	// WithoutInstructions is a text with [...] for each run of sentences that speak to a model, and whether there were any.
	// All else stays as it is.
	WithoutInstructions(text string) (rest string, found bool)
}

// InterviewerOptions is what an Interviewer is made of. All but Samples must be set.
type InterviewerOptions struct {
	Chat     *Chat
	Filter   InstructionFilter
	Analyzer *analysis.Analyzer // tells languages
	Samples  int                // judgements of each answer, of whose levels the median counts; 0: 1
}

// Interviewer asks the questions of interviews, and judges their answers, by a model. It is safe for concurrent use.
//
// The model is told of the freelancer what the profile says of skills and work: no name, address, telephone number or link,
// and no sentence that speaks to a model. Who judges an answer sees neither the profile nor other answers. Whatever the
// model says is held against what it was asked for, and gives levels for single criteria only.
//
// Failures are those of Chat.Ask. All that one question or judgement takes, has the time of one task.
type Interviewer struct {
	chat     *Chat
	filter   InstructionFilter
	analyzer *analysis.Analyzer
	samples  int
}

var (
	_ interview.Asker = (*Interviewer)(nil)
	_ interview.Judge = (*Interviewer)(nil)
)

// NewInterviewer is an Interviewer.
func NewInterviewer(o InterviewerOptions) *Interviewer {
	return &Interviewer{chat: o.Chat, filter: o.Filter, analyzer: o.Analyzer, samples: cmp.Or(o.Samples, 1)}
}

// Name is llm:<model>.
func (i *Interviewer) Name() string { return "llm:" + i.chat.Model() }

// IsVerdict is true.
func (i *Interviewer) IsVerdict() bool { return true }

// timeout is for all that one call of an interviewer takes.
func (c *Chat) timeout() time.Duration { return c.options.Timeout }

type accountKey struct{}

// WithAccount is a context in which the tasks of an Interviewer are paid from the Budget of an account.
func WithAccount(ctx context.Context, account string) context.Context {
	return context.WithValue(ctx, accountKey{}, account)
}

// accountOf is the account of a context; "": none.
func accountOf(ctx context.Context) string {
	account, _ := ctx.Value(accountKey{}).(string)
	return account
}

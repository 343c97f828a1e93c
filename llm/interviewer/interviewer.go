// Package interviewer has a language model write the questions of interviews and mark their answers.
package interviewer

import (
	"errors"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/prompts"
)

// An Interviewer writes the questions of interviews and marks their answers with a model. It is safe for concurrent
// use.
//
// The model sees texts without telephone numbers, links, addresses and the names of people, as far as they are
// recognizable: the freelancer's name everywhere, and others where the text introduces them. When it marks an answer,
// it sees neither the profile nor other answers. Every reply is checked against the request, and can set
// nothing but the levels of single criteria. So a text that persuades the model changes the marks of one answer at
// most.
//
// Its errors are the same as Chat.Ask's. One call of Ask or Judge has the time of one task.
type Interviewer struct {
	chat     *llm.Chat
	analyzer *analysis.Analyzer
}

var (
	questionsPrompt = prompts.MustRead("interview-questions")
	answerPrompt    = prompts.MustRead("interview-answer")
)

var (
	_ interview.Asker = (*Interviewer)(nil)
	_ interview.Judge = (*Interviewer)(nil)

	_ interview.SecondJudge = (*Interviewer)(nil)
)

// New returns an Interviewer that gives its tasks to chat. The analyzer recognizes the languages of
// questions.
func New(chat *llm.Chat, analyzer *analysis.Analyzer) *Interviewer {
	return &Interviewer{chat: chat, analyzer: analyzer}
}

// withReason returns the error of a task with the reason that people read in an interview.
func withReason(err error) error {
	for _, known := range []struct {
		err    error
		reason interview.Reason
	}{
		{llm.ErrContext, interview.ReasonContext},
		{llm.ErrCutOff, interview.ReasonCutOff},
		{llm.ErrServiceBudget, interview.ReasonServiceBudget}, // also an llm.ErrBudget
		{llm.ErrBudget, interview.ReasonBudget},
		{llm.ErrTimeout, interview.ReasonTimeout},
		{llm.ErrConfiguration, interview.ReasonSettings},
		{llm.ErrUnavailable, interview.ReasonUnavailable},
	} {
		if errors.Is(err, known.err) {
			return interview.WithReason(err, known.reason)
		}
	}
	return interview.WithReason(err, interview.ReasonReply)
}

// Name returns llm:<model>.
func (i *Interviewer) Name() string { return "llm:" + i.chat.Model() }

// IsVerdict returns true.
func (i *Interviewer) IsVerdict() bool { return true }

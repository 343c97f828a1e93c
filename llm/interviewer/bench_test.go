package interviewer_test

import (
	"testing"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// BenchmarkInterviewer measures an interviewer with a model that replies at once. It includes the server in memory.
func BenchmarkInterviewer(b *testing.B) {
	s := llmtest.StartInMemory(b, dimensions)
	s.Play(questionsTask, func(r llmtest.ChatRequest) llmtest.ChatReply { return itemsReply(written(planOf(r), 0)) })
	s.Play(answerTask, llmtest.SayJSON(marked(5, 3, "closed the channel in the sender")))
	i := newInterviewer(b, s)
	b.Run("judge", func(b *testing.B) {
		for b.Loop() {
			if _, err := i.Judge(b.Context(), "", subject(), question(), honest); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ask/questions=3", func(b *testing.B) {
		for b.Loop() {
			if got, err := ask(b, i, subject(), nil, 3, interview.Aim{}); err != nil || len(got) != 3 {
				b.Fatal(len(got), err)
			}
		}
	})
}

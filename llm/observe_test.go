package llm_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

func TestChat_ObservesOutcomes(t *testing.T) {
	server := llmtest.Start(t, 8)
	var outcomes []llm.Outcome
	chat := newChat(t, server, func(o *llm.ChatOptions) {
		o.Tries = 1
		o.Observe = func(e llm.Outcome) { outcomes = append(outcomes, e) }
	})

	usage := &llmtest.Usage{PromptTokens: 70, CompletionTokens: 9}
	server.Play("mark", llmtest.Reply(llmtest.ChatReply{Text: goodMark, Usage: usage}))
	if _, err := chat.Ask(t.Context(), markTask()); err != nil {
		t.Fatal(err)
	}

	server.Always(llmtest.Status(http.StatusServiceUnavailable, "busy", ""))
	if _, err := chat.Ask(t.Context(), markTask()); err == nil {
		t.Fatal("got no error")
	}

	if len(outcomes) != 2 {
		t.Fatalf("got %d outcomes, want 2", len(outcomes))
	}
	e := outcomes[0]
	if e.Task != "mark@1" || e.Err != nil || e.Usage != (llm.Usage{Prompt: 70, Completion: 9}) || e.Took <= 0 {
		t.Errorf("got first outcome %+v", e)
	}

	if e := outcomes[1]; !errors.Is(e.Err, llm.ErrUnavailable) || e.Usage.Tokens() != 0 {
		t.Errorf("got second outcome %+v", e)
	}
}

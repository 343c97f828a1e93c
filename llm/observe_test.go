package llm_test

import (
	"errors"
	"net/http"
	"testing"

	"freelancer-matching/llm"
	"freelancer-matching/llm/llmtest"
)

func TestChat_TellsOfTasksThatEnded(t *testing.T) {
	server := llmtest.Start(t, 8)
	var ended []llm.Ended
	chat := newChat(t, server, func(o *llm.ChatOptions) {
		o.Tries = 1
		o.Observe = func(e llm.Ended) { ended = append(ended, e) }
	})
	server.Play("mark", llmtest.Reply(llmtest.ChatReply{Text: goodMark, Usage: &llmtest.Usage{PromptTokens: 70, CompletionTokens: 9}}))
	if _, err := chat.Ask(t.Context(), markTask()); err != nil {
		t.Fatal(err)
	}
	server.Always(llmtest.Status(http.StatusServiceUnavailable, "busy", ""))
	if _, err := chat.Ask(t.Context(), markTask()); err == nil {
		t.Fatal("no failure")
	}
	if len(ended) != 2 {
		t.Fatalf("it told of %d tasks, want 2", len(ended))
	}
	if e := ended[0]; e.Task != "mark@1" || e.Err != nil || e.Usage.Prompt != 70 || e.Usage.Completion != 9 || e.Took <= 0 {
		t.Errorf("of the first one it told %+v", e)
	}
	if e := ended[1]; !errors.Is(e.Err, llm.ErrUnavailable) || e.Usage.Tokens() != 0 {
		t.Errorf("of the second one it told %+v", e)
	}
}

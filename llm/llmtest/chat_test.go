package llmtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/llm/llmtest"
)

// post sends a body to /chat/completions. It marks a truncated response with BROKEN.
func post(t testing.TB, s *llmtest.Server, body string) (status int, answer string) {
	t.Helper()
	client := &http.Client{Transport: s.Transport}
	response, err := client.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		text = append(text, "BROKEN"...)
	}
	return response.StatusCode, string(text)
}

// ask returns the body of a request for a task.
func ask(task string, more map[string]any) string {
	body := map[string]any{"model": "m", "messages": []llmtest.Message{
		{Role: "system", Content: "Task " + task + ".\n\nBe good."}, {Role: "user", Content: "Go."},
	}}
	for name, value := range more {
		body[name] = value
	}
	text, _ := json.Marshal(body)
	return string(text)
}

func TestServer_PlaysTheModelOfATask(t *testing.T) {
	s := llmtest.StartInMemory(t, 1)
	status, answer := post(t, s, ask("mark@2", nil))
	if status != http.StatusNotImplemented || !strings.Contains(answer, `"mark@2"`) {
		t.Errorf("got %d %s without a model, want 501", status, answer)
	}

	s.Play("", llmtest.Say("anything"))
	s.Play("mark", llmtest.Say("a mark"))
	s.Play("mark@2", llmtest.InTurn(llmtest.Say("second version"), llmtest.SayJSON([]int{1})))

	for _, test := range []struct{ task, want string }{
		{"mark@2", "second version"},
		{"mark@2", "[1]"},
		{"mark@2", "[1]"},
		{"mark@1", "a mark"},
		{"mark", "a mark"},
		{"x@2", "anything"},
	} {
		if _, answer := post(t, s, ask(test.task, nil)); !strings.Contains(answer, `"content":"`+test.want) {
			t.Errorf("%s: got %s, want %q", test.task, answer, test.want)
		}
	}

	if n := len(s.ChatRequests()); n != 7 || s.ChatRequests()[0].Task() != "mark@2" {
		t.Errorf("got %d requests, want 7", n)
	}
}

func TestServer_RespondsInOpenAIsForm(t *testing.T) {
	s := llmtest.StartInMemory(t, 1)
	usage := &llmtest.Usage{PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3}
	s.Play("", llmtest.Reply(llmtest.ChatReply{Text: "sí, señor", Usage: usage}))
	const reported = `"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`
	want := `{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"sí, señor","role":"assistant"}}],` +
		`"id":"chatcmpl-1","model":"m","object":"chat.completion",` + reported + "}\n"
	if _, got := post(t, s, ask("a", nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	chunk := func(choices, more string) string {
		return `data: {"choices":[` + choices + `],"id":"chatcmpl-1","model":"m","object":"chat.completion.chunk"` +
			more + "}\n\n"
	}

	want = chunk(`{"delta":{"content":"","role":"assistant"},"finish_reason":null,"index":0}`, "") +
		chunk(`{"delta":{"content":"sí, s"},"finish_reason":null,"index":0}`, "") +
		chunk(`{"delta":{"content":"eñor"},"finish_reason":null,"index":0}`, "") +
		chunk(`{"delta":{},"finish_reason":"stop","index":0}`, "") + chunk("", ","+reported) + "data: [DONE]\n\n"

	_, got := post(t, s, ask("a", map[string]any{"stream": true, "stream_options": map[string]any{"include_usage": true}}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if _, got := post(t, s, ask("a", map[string]any{"stream": true})); strings.Contains(got, "usage") {
		t.Errorf("got unrequested usage: %s", got)
	}
}

func TestServer_Faults(t *testing.T) {
	stream := map[string]any{"stream": true}
	tests := []struct {
		name   string
		fault  llmtest.Fault
		more   map[string]any
		status int
		has    string
		lacks  string
	}{
		{"cut", llmtest.CutStream(2), stream, 200, "BROKEN", "finish_reason\":\"stop"},
		{"ended", llmtest.EndStream(2), stream, 200, `"content":"hello"`, "[DONE]"},
		{"no [DONE]", llmtest.NoDone(), stream, 200, `"finish_reason":"stop"`, "[DONE]"},
		{"no finish_reason", llmtest.NoFinish(), stream, 200, "[DONE]", `"stop"`},
		{"comments", llmtest.Comments(2), stream, 200, ": keep-alive\n\n: keep-alive\n\ndata: [DONE]", "BROKEN"},
		{"instead", llmtest.Instead(1, "{}"), stream, 200, "data: {}\n\n", `"hello"`},
		{"unstreamed", llmtest.Unstreamed(), stream, 200, `"object":"chat.completion"`, "data:"},
		{"a field", llmtest.RefuseField("seed", "no seeds"), map[string]any{"seed": 1}, 400, "no seeds", "choices"},
		{"a missing field", llmtest.RefuseField("seed", "no seeds"), nil, 200, "choices", "no seeds"},
		{
			"a value", llmtest.RefuseField("response_format.type=json_object", "text only"),
			map[string]any{"response_format": map[string]any{"type": "json_object"}},
			400, "text only", "choices",
		},
		{
			"another value", llmtest.RefuseField("response_format.type=json_object", "text only"),
			map[string]any{"response_format": map[string]any{"type": "text"}},
			200, "choices", "text only",
		},
		{"true", llmtest.RefuseField("stream=true", "no streams"), stream, 400, "no streams", "choices"},
		{
			"two", llmtest.Together(llmtest.RefuseField("seed", "no seeds"), llmtest.RefuseField("stream=true", "no streams")),
			stream, 400, "no streams", "no seeds",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := llmtest.Start(t, 1)
			s.Play("", llmtest.Say("hello world"))
			s.Always(test.fault)
			status, got := post(t, s, ask("a", test.more))
			if status != test.status || !strings.Contains(got, test.has) || strings.Contains(got, test.lacks) {
				t.Errorf("got %d %s\nwant %d with %q, without %q", status, got, test.status, test.has, test.lacks)
			}
		})
	}
}

func TestServer_Slow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, 1)
		s.Play("", llmtest.Say("hello")) // 4 events: the role, the text, the finish_reason, [DONE]
		for fault, want := range map[*llmtest.Fault]time.Duration{
			new(llmtest.Slow(time.Minute)): time.Minute, new(llmtest.SlowStream(time.Minute)): 4 * time.Minute,
		} {
			s.Always(*fault)
			start := time.Now()
			post(t, s, ask("a", map[string]any{"stream": true}))
			if took := time.Since(start); took != want {
				t.Errorf("took %v, want %v", took, want)
			}
		}
	})
}

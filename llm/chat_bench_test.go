package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// BenchmarkChat measures a task without the server and the network, with a prompt and a reply of an interview's size.
func BenchmarkChat(b *testing.B) {
	element := `{"text":"` + strings.Repeat("How would you do it? ", 20) + `","points":["one","two","three","four"]}`
	list := `{"items":[` + strings.Repeat(element+",", 9) + element + `]}`
	task := markTask(func(task *llm.Task) {
		task.Schema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["items"],` +
			`"properties":{"items":{"type":"array","items":{"type":"object","additionalProperties":false,` +
			`"required":["text","points"],"properties":{"text":{"type":"string"},` +
			`"points":{"type":"array","maxItems":6,"items":{"type":"string"}}}}}}}`)

		task.Data = nil
		for range 4 {
			task.Data = append(task.Data, llm.Datum{Label: "answer", Text: strings.Repeat(secret+" ", 40)})
		}
		task.Account = "a"
	})

	whole, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{
		"message": map[string]any{"content": list}, "finish_reason": "stop",
	}}})
	var stream strings.Builder

	for rest := list; rest != ""; { // about 4 characters per token
		n := min(4, len(rest))
		delta := map[string]any{"content": rest[:n]}
		chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": delta}}})
		stream.WriteString("data: " + string(chunk) + "\n\n")
		rest = rest[n:]
	}

	stream.WriteString(`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")

	newChat := func(kind, body string) *llm.Chat {
		c, err := llm.NewChat(llm.ChatOptions{
			BaseURL: "http://server.test/v1", Model: "words", Budget: llmtest.NewMemoryBudget(1 << 60),
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				header := http.Header{"Content-Type": {kind}}
				return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
			}),
		})
		if err != nil {
			b.Fatal(err)
		}

		return c
	}

	b.Run("ask", func(b *testing.B) {
		c := newChat("application/json", string(whole))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Ask(b.Context(), task); err != nil {
				b.Fatal(err)
			}
		}
	})

	b.Run("stream", func(b *testing.B) {
		c := newChat("text/event-stream", stream.String())
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range c.Stream(b.Context(), task) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

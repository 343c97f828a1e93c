package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A ChatRequest is the body of a request to /v1/chat/completions.
type ChatRequest struct {
	Model               string          `json:"model"`
	Messages            []Message       `json:"messages"`
	Stream              bool            `json:"stream"`
	StreamOptions       *StreamOptions  `json:"stream_options"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"` // nil: not sent
	Seed                *int            `json:"seed"`        // nil: not sent
	ResponseFormat      *ResponseFormat `json:"response_format"`
}

// A Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
}

// StreamOptions requests the usage at the end of a stream.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// A ResponseFormat is the requested form of the reply.
type ResponseFormat struct {
	Type       string `json:"type"` // json_schema, json_object or text
	JSONSchema *struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// Task returns the name of the task with its version, which llm writes into the first line of the system message, or
// "".
func (r ChatRequest) Task() string {
	if len(r.Messages) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(r.Messages[0].Content, "\n")
	name, ok := strings.CutPrefix(line, "Task ")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(name, ".")
}

// Data returns the texts of the task's data with a label, in order.
func (r ChatRequest) Data(label string) []string {
	var texts []string
	begin := regexp.MustCompile(`(?m)^\[data ([A-Z2-7]+): ` + regexp.QuoteMeta(label) + `(?: \(.*\))?\]\n`)
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}

		for rest := m.Content; ; {
			at := begin.FindStringSubmatchIndex(rest)
			if at == nil {
				break
			}

			// The mark is random, so that data can't contain the end of its own block.
			mark := rest[at[2]:at[3]]
			text, after, ok := strings.Cut(rest[at[1]:], "\n[end "+mark+"]")
			if !ok {
				break
			}

			texts = append(texts, text)
			rest = after
		}
	}

	return texts
}

// IsRepair reports whether the request shows the model its own invalid reply.
func (r ChatRequest) IsRepair() bool {
	return slices.ContainsFunc(r.Messages, func(m Message) bool { return m.Role == "assistant" })
}

// A ChatReply is what a model says.
type ChatReply struct {
	Text      string
	Reasoning string // the reasoning_content
	Refusal   string
	Finish    string // the finish_reason; "": stop
	NoChoice  bool   // the response has no choices
	Usage     *Usage // nil: one token per four bytes, or the maximum if Finish is length
	NoUsage   bool   // the server reports no usage
}

// Usage is a number of tokens.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// A Model replies to a request. It must be safe for concurrent use.
type Model func(ChatRequest) ChatReply

// Say returns a Model that always says the same.
func Say(text string) Model { return func(ChatRequest) ChatReply { return ChatReply{Text: text} } }

// SayJSON returns a Model that always says the same value as JSON. It panics if the value can't be encoded.
func SayJSON(value any) Model {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return Say(string(text))
}

// Reply returns a Model that always gives the same reply.
func Reply(reply ChatReply) Model { return func(ChatRequest) ChatReply { return reply } }

// InTurn returns a Model that asks the models one after the other, and repeats the last one.
func InTurn(models ...Model) Model {
	var mu sync.Mutex
	return func(r ChatRequest) ChatReply {
		mu.Lock()
		model := models[0]
		if len(models) > 1 {
			models = models[1:]
		}
		mu.Unlock()
		return model(r)
	}
}

// Play sets the model for a task. The name may include the version ("interview-questions@2") or not
// ("interview-questions"); "" is the default for all tasks. The server responds with 501 to a task without a model.
func (s *Server) Play(task string, m Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models[task] = m
}

func (s *Server) model(task string) Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, _, _ := strings.Cut(task, "@")
	for _, key := range []string{task, name, ""} {
		if m := s.models[key]; m != nil {
			return m
		}
	}
	return nil
}

// ChatRequests returns the valid requests to /v1/chat/completions so far, oldest first.
func (s *Server) ChatRequests() []ChatRequest {
	var requests []ChatRequest
	for _, r := range s.Requests() {
		var body ChatRequest
		if strings.HasSuffix(r.Path, "/chat/completions") && json.Unmarshal(r.Body, &body) == nil {
			requests = append(requests, body)
		}
	}
	return requests
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var request ChatRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	model := s.model(request.Task())
	if model == nil {
		http.Error(w, fmt.Sprintf("no model plays the task %q", request.Task()), http.StatusNotImplemented)
		return
	}

	reply := model(request)
	if reply.Finish == "" {
		reply.Finish = "stop"
	}

	// Servers report usage unless a test asks for none.
	if reply.Usage == nil && !reply.NoUsage {
		reply.Usage = count(request, reply)
	}

	if request.Stream {
		writeStream(w, request, reply)
		return
	}

	answer := map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "model": request.Model, "usage": reply.Usage}
	answer["choices"] = []any{}

	if !reply.NoChoice {
		message := map[string]any{"role": "assistant", "content": reply.Text}
		if reply.Reasoning != "" {
			message["reasoning_content"] = reply.Reasoning
		}

		if reply.Refusal != "" {
			message["content"] = nil
			message["refusal"] = reply.Refusal
		}
		answer["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": reply.Finish}}
	}

	writeJSON(w, http.StatusOK, answer)
}

// count returns the usage at one token per four bytes.
func count(request ChatRequest, reply ChatReply) *Usage {
	bytes := 0
	for _, m := range request.Messages {
		bytes += len(m.Content)
	}
	u := &Usage{PromptTokens: bytes/4 + 1, CompletionTokens: len(reply.Text)/4 + 1}
	if reply.Finish == "length" {
		u.CompletionTokens = max(request.MaxTokens, request.MaxCompletionTokens)
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}

// pieceLength is the number of characters in one chunk of a stream.
const pieceLength = 5

// writeStream writes a reply as server-sent events, and flushes each of them.
func writeStream(w http.ResponseWriter, request ChatRequest, reply ChatReply) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(data string) {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
		_ = http.NewResponseController(w).Flush() // fails if the client is gone
	}

	chunk := func(choices []any, usage *Usage) {
		body := map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": request.Model, "choices": choices,
		}

		if usage != nil {
			body["usage"] = usage
		}
		data, _ := json.Marshal(body) // strings and numbers
		event(string(data))
	}

	choice := func(delta map[string]any, finish any) []any {
		return []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
	}

	if !reply.NoChoice {
		chunk(choice(map[string]any{"role": "assistant", "content": ""}, nil), nil)
		if reply.Refusal != "" {
			chunk(choice(map[string]any{"refusal": reply.Refusal}, nil), nil)
		}

		for piece := range slices.Chunk([]rune(reply.Reasoning), pieceLength) {
			chunk(choice(map[string]any{"reasoning_content": string(piece)}, nil), nil)
		}

		for piece := range slices.Chunk([]rune(reply.Text), pieceLength) {
			chunk(choice(map[string]any{"content": string(piece)}, nil), nil)
		}
		chunk(choice(map[string]any{}, reply.Finish), nil)
	}

	if request.StreamOptions != nil && request.StreamOptions.IncludeUsage {
		chunk([]any{}, reply.Usage)
	}

	event("[DONE]")
}

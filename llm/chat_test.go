package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

const (
	markSchema = `{"type":"object","additionalProperties":false,"required":["level","evidence"],"properties":{` +
		`"level":{"type":"integer","minimum":0,"maximum":5},"evidence":{"type":"string","maxLength":200}}}`
	goodMark = `{"level":4,"evidence":"I wrote it in Go"}`
	secret   = "I moved our payment service to Go, and nobody noticed but the accountants."
)

// newChat returns a Chat with s, and mostly default options.
func newChat(t testing.TB, s *llmtest.Server, change ...func(*llm.ChatOptions)) *llm.Chat {
	t.Helper()
	o := llm.ChatOptions{BaseURL: s.URL, Key: always(key), Model: "words", Transport: s.Transport}
	for _, f := range change {
		f(&o)
	}
	c, err := llm.NewChat(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// markTask returns a task whose data is a secret.
func markTask(change ...func(*llm.Task)) llm.Task {
	task := llm.Task{
		Name: "mark@1", Instructions: "You mark answers.", Request: "Mark the answer.", Schema: json.RawMessage(markSchema),
		Data: []llm.Datum{{Label: "answer", Text: secret}}, MaxTokens: 300,
	}
	for _, f := range change {
		f(&task)
	}
	return task
}

// ways are the ways to reach a server.
var ways = map[string]func(testing.TB, int) *llmtest.Server{"socket": llmtest.Start, "memory": llmtest.StartInMemory}

func TestAsk_SendsATask(t *testing.T) {
	for way, start := range ways {
		t.Run(way, func(t *testing.T) {
			s := start(t, dimensions)
			s.Play("mark", llmtest.Reply(llmtest.ChatReply{
				Text: goodMark, Usage: &llmtest.Usage{PromptTokens: 120, CompletionTokens: 30},
			}))
			c := newChat(t, s, func(o *llm.ChatOptions) { o.Seed = 7 })
			reply, err := c.Ask(t.Context(), markTask())
			want := llm.Reply{JSON: json.RawMessage(goodMark), Usage: llm.Usage{Prompt: 120, Completion: 30}}
			if diff := cmp.Diff(want, reply); err != nil || diff != "" {
				t.Fatalf("%v (-want +got):\n%s", err, diff)
			}

			r := s.ChatRequests()[0]
			if r.Temperature == nil || *r.Temperature != 0 || r.Seed == nil || *r.Seed != 7 {
				t.Errorf("got temperature %v, seed %v, want 0 and 7", r.Temperature, r.Seed)
			}

			if r.Model != "words" || r.MaxTokens != 300 || r.MaxCompletionTokens != 0 || r.Stream {
				t.Errorf("got request %+v", r)
			}
			f := r.ResponseFormat
			if f == nil || f.Type != "json_schema" || f.JSONSchema.Name != "mark_1" || !f.JSONSchema.Strict ||
				string(f.JSONSchema.Schema) != markSchema {
				t.Errorf("got response format %+v", f)
			}

			if got := s.Requests()[0].Header.Get("Authorization"); got != "Bearer "+key {
				t.Errorf("got Authorization %q", got)
			}

			if r.Task() != "mark@1" || len(r.Messages) != 2 || strings.Contains(r.Messages[0].Content, secret) {
				t.Errorf("got messages %+v", r.Messages)
			}

			if diff := cmp.Diff([]string{secret}, r.Data("answer")); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}

			if strings.Contains(r.Messages[1].Content, "additionalProperties") {
				t.Error("the schema is in the messages, too")
			}
		})
	}
}

func TestAsk_ReportsEveryFault(t *testing.T) {
	reply := llmtest.Reply
	status := llmtest.Status
	body := llmtest.Body
	tests := []struct {
		name  string
		model llmtest.Model // nil: a good one
		fault llmtest.Fault
		kind  error
		text  string
		calls int
	}{
		{"refusal", reply(llmtest.ChatReply{Refusal: "I cannot help."}), nil, llm.ErrReply, "the model refuses the task", 1},
		{
			"content filter", reply(llmtest.ChatReply{Text: goodMark[:9], Finish: "content_filter"}), nil,
			llm.ErrReply, "a content filter stopped the reply", 1,
		},
		{
			"prompt filter", nil, body(400, "application/json", `{"error":{"code":"content_filter","message":"jailbreak"}}`),
			llm.ErrReply, "a content filter of the server rejected the task", 1,
		},
		{
			"length", reply(llmtest.ChatReply{Text: goodMark[:9], Finish: "length"}), nil,
			llm.ErrReply, "longer than 300 tokens", 1,
		},
		{
			"context full", reply(llmtest.ChatReply{
				Text: goodMark[:9], Finish: "length", Usage: &llmtest.Usage{PromptTokens: 500, CompletionTokens: 12},
			}), nil, llm.ErrReply, "the model's context is full after 500 tokens of the prompt and 12 of the reply", 1,
		},
		{"a tool", reply(llmtest.ChatReply{Finish: "tool_calls"}), nil, llm.ErrReply, "called a tool", 1},
		{"no choice", reply(llmtest.ChatReply{NoChoice: true}), nil, llm.ErrReply, "contains no choice", 2},
		{"no text", reply(llmtest.ChatReply{}), nil, llm.ErrReply, "no complete JSON object", 2},
		{"huge", nil, llmtest.Oversize(5 << 20), llm.ErrReply, "the response is longer than 4194304 bytes", 1},
		{"rate limit", nil, status(429, "slow down", "7"), llm.ErrUnavailable, "retry after 7s: slow down", 3},
		{"server error", nil, status(500, "boom", ""), llm.ErrUnavailable, "500 Internal Server Error: boom", 3},
		{"hung up", nil, llmtest.HangUp(), llm.ErrUnavailable, "the response broke off", 3},
		{"truncated", nil, llmtest.Truncate(), llm.ErrUnavailable, "the response broke off", 3},
		{"too slow", nil, llmtest.Hang(), llm.ErrTimeout, "no reply within 25s", 1},
		{"wait past the end", nil, status(429, "slow down", "26"), llm.ErrUnavailable, "slow down", 1},
		{"wrong key", nil, status(401, "no such key", ""), llm.ErrConfiguration, "check the key", 1},
		{"unknown model", nil, status(404, "model not found", ""), llm.ErrConfiguration, "check the model", 1},
		{
			"prompt too long", nil, status(400, "This model's maximum context length is 4096 tokens", ""),
			llm.ErrConfiguration, "serve the model with a larger context: This model's maximum context", 1,
		},
		{ // this one and the next three: llama.cpp
			"context exceeded", nil, body(400, "application/json", `{"error":{"code":400,"message":"request (1214 tokens) `+
				`exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error",`+
				`"n_prompt_tokens":1214,"n_ctx":512}}`),
			llm.ErrConfiguration, "serve the model with a larger context: request (1214 tokens)", 1,
		},
		{
			"a reply that the server cannot parse", nil, body(500, "application/json", `{"error":{"code":500,"message":`+
				`"The model produced output that does not match the expected peg-native format","type":"server_error"}}`),
			llm.ErrReply, "the server could not parse the reply", 1,
		},
		{
			"loading", nil, body(503, "application/json",
				`{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`),
			llm.ErrUnavailable, "Loading model", 3,
		},
		{
			"another endpoint", nil, body(501, "application/json",
				`{"error":{"code":501,"message":"This server does not support chat","type":"not_supported_error"}}`),
			llm.ErrConfiguration, "use a server and a model that offer /chat/completions", 1,
		},
		{"a page", nil, body(200, "text/html", "<html>"), llm.ErrConfiguration, "not one of /chat/completions", 1},
		{
			"redirect", nil, llmtest.Redirect("https://elsewhere.test/v1"),
			llm.ErrConfiguration, "redirects to https://elsewhere.test/v1", 1,
		},
	}

	kinds := []error{llm.ErrReply, llm.ErrTimeout, llm.ErrUnavailable, llm.ErrConfiguration, llm.ErrBudget}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Play("", test.model)
				if test.model == nil {
					s.Play("", llmtest.Say(goodMark))
				}

				s.Always(test.fault)
				c := newChat(t, s)
				_, err := c.Ask(t.Context(), markTask())
				if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
					t.Fatalf("got %v, want %v with %q", err, test.kind, test.text)
				}

				for _, kind := range kinds {
					if !errors.Is(test.kind, kind) && errors.Is(err, kind) {
						t.Errorf("got %v, an error of two kinds", err)
					}
				}

				if n := len(s.Requests()); n != test.calls {
					t.Errorf("got %d calls, want %d", n, test.calls)
				}
				s.Always(nil) // faults have no lasting effect
				s.Play("", llmtest.Say(goodMark))

				if _, err := c.Ask(t.Context(), markTask()); err != nil {
					t.Errorf("after the fault: got %v, want no error", err)
				}
			})
		})
	}
}

// A task ends within its timeout, or its context's deadline, including retries and the repair.
func TestAsk_EndsInTime(t *testing.T) {
	tests := []struct {
		name     string
		fault    llmtest.Fault
		reply    string
		deadline time.Duration // of the context; 0: none
		want     time.Duration
	}{
		{"hangs", llmtest.Hang(), goodMark, 0, 25 * time.Second},
		{"hangs, with an earlier deadline", llmtest.Hang(), goodMark, 3 * time.Second, 3 * time.Second},
		{"slow, also in the repair", llmtest.Slow(15 * time.Second), "four", 0, 25 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Play("", llmtest.Say(test.reply))
				s.Always(test.fault)
				ctx := t.Context()

				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}

				start := time.Now()
				_, err := newChat(t, s).Ask(ctx, markTask())
				if took := time.Since(start); took != test.want || !errors.Is(err, llm.ErrTimeout) {
					t.Errorf("got %v after %v, want ErrTimeout after %v", err, took, test.want)
				}
			})
		})
	}
}

func TestAsk_RetriesUntilTheServerIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Play("", llmtest.Say(goodMark))
		s.Script(llmtest.Status(429, "slow down", "4"), llmtest.Status(500, "oh", ""))
		start := time.Now()
		reply, err := newChat(t, s).Ask(t.Context(), markTask())
		if err != nil || reply.Repaired {
			t.Fatalf("got %+v, %v", reply, err)
		}
		if took := time.Since(start); took <= 4*time.Second || took > 5*time.Second {
			t.Errorf("took %v, want the 4s that the server asked for and a backoff", took)
		}
	})
}

func TestAsk_PausesCallsToADeadServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Play("", llmtest.Say(goodMark))
		s.Always(llmtest.Status(500, "oh", ""))
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Tries = 1 })
		for range 8 {
			if _, err := c.Ask(t.Context(), markTask()); !errors.Is(err, llm.ErrUnavailable) {
				t.Fatal(err)
			}
		}

		if n := len(s.Requests()); n != 5 {
			t.Errorf("got %d calls, want 5", n)
		}
		s.Always(nil)
		<-time.After(11 * time.Second)

		if _, err := c.Ask(t.Context(), markTask()); err != nil {
			t.Error(err)
		}
	})
}

// A server that sends invalid replies is alive.
func TestAsk_KeepsCallingAServerWithAPoorModel(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Reply(llmtest.ChatReply{Refusal: "no"}))
	c := newChat(t, s)
	for range 12 {
		if _, err := c.Ask(t.Context(), markTask()); !errors.Is(err, llm.ErrReply) {
			t.Fatal(err)
		}
	}
}

func TestAsk_CanceledByItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Hang())
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := newChat(t, s).Ask(ctx, markTask())
		if !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrTimeout) || errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("got %v, want context.Canceled and nothing else", err)
		}
	})
}

func TestAsk_ServesConcurrentCallers(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	s.Play("", func(r llmtest.ChatRequest) llmtest.ChatReply {
		text, _ := json.Marshal(map[string]any{"level": 1, "evidence": r.Data("answer")[0]})
		return llmtest.ChatReply{Text: string(text)}
	})

	s.Always(llmtest.RefuseField("response_format", "response_format is unknown"))
	c := newChat(t, s, func(o *llm.ChatOptions) { o.Budget = llmtest.NewMemoryBudget(1 << 20) })
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			text := fmt.Sprintf("answer %d", caller)
			for range 5 {
				reply, err := c.Ask(t.Context(), markTask(func(task *llm.Task) {
					task.Data[0].Text = text
					task.Account = "a"
				}))
				if want := fmt.Sprintf(`{"evidence":%q,"level":1}`, text); err != nil || string(reply.JSON) != want {
					t.Errorf("got %s, %v, want %s", reply.JSON, err, want)
				}
			}
		})
	}

	callers.Wait()
}

func TestAsk_RejectsInvalidTasks(t *testing.T) {
	tests := []struct {
		name   string
		change func(*llm.Task)
		want   string
	}{
		{"no name", func(task *llm.Task) { task.Name = "" }, "the name must be"},
		{"a line in the name", func(task *llm.Task) { task.Name = "a\nb" }, "the name must be"},
		{"no request", func(task *llm.Task) { task.Request = "" }, "a request"},
		{"no instructions", func(task *llm.Task) { task.Instructions = "" }, "instructions"},
		{"negative", func(task *llm.Task) { task.MaxTokens = -1 }, "MaxTokens is -1"},
		{"label", func(task *llm.Task) { task.Data[0].Label = "a]\n[b" }, "label"},
		{"no schema", func(task *llm.Task) { task.Schema = nil }, "read the schema"},
		{"not a schema", func(task *llm.Task) {
			task.Schema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":7}`)
		}, "compile the schema"},
		{"an array", func(task *llm.Task) { task.Schema = json.RawMessage(`{"type":"array"}`) }, `"type": "object"`},
		{"open", func(task *llm.Task) { task.Schema = json.RawMessage(`{"type":"object"}`) }, "at # must be closed"},
		{"optional property", func(task *llm.Task) {
			task.Schema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"null"}}}`)
		}, `must require its property "a"`},
		{"another document", func(task *llm.Task) {
			task.Schema = json.RawMessage(`{"type":"object","additionalProperties":false,"$ref":"https://other.test/s.json"}`)
		}, "must not refer to another document"},
	}

	s := llmtest.StartInMemory(t, dimensions)
	c := newChat(t, s)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := c.Ask(t.Context(), markTask(test.change)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}

	if n := len(s.Requests()); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

func TestNewChat_RejectsInvalidOptions(t *testing.T) {
	tests := []struct {
		name   string
		change func(*llm.ChatOptions)
		want   string
	}{
		{"no URL", func(o *llm.ChatOptions) { o.BaseURL = "" }, "must begin with http:// or https://"},
		{"full URL", func(o *llm.ChatOptions) { o.BaseURL += "/chat/completions" }, "remove it"},
		{"key", func(o *llm.ChatOptions) { o.Key = always(key + "\n") }, "line break"},
		{"no model", func(o *llm.ChatOptions) { o.Model = "" }, "the model is empty"},
		{"negative", func(o *llm.ChatOptions) { o.MaxBytes = -1 }, "must not be negative"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := llm.ChatOptions{BaseURL: "http://127.0.0.1:11434/v1", Key: always(key), Model: "words"}
			if _, err := llm.NewChat(o); err != nil {
				t.Fatalf("without the fault: got %v", err)
			}
			test.change(&o)
			_, err := llm.NewChat(o)
			if !errors.Is(err, llm.ErrConfiguration) || !strings.Contains(err.Error(), test.want) ||
				strings.Contains(err.Error(), key) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// Errors and logs contain neither the texts nor the key, whatever the server says.
func TestAsk_LogsNoSecrets(t *testing.T) {
	quoted, _ := json.Marshal(secret)
	faults := map[string]llmtest.Fault{
		"all of it":      llmtest.Status(400, "cannot do: "+secret, ""),
		"a part":         llmtest.Status(400, "cannot do: "+secret[8:40], ""),
		"as JSON":        llmtest.Body(422, "application/json", `{"detail":[{"input":`+string(quoted)+`}]}`),
		"busy with it":   llmtest.Status(503, "busy with "+secret, ""),
		"the key":        llmtest.Status(401, "incorrect API key provided: "+key, ""),
		"instead of one": llmtest.Body(200, "application/json", `{"choices":"`+secret+`"}`),
		"a refusal":      llmtest.Body(200, "application/json", `{"choices":[{"message":{"refusal":"No: `+secret+`"}}]}`),
		"a reply":        llmtest.Body(200, "application/json", `{"choices":[{"message":{"content":"`+secret+`"}}]}`),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Always(fault)
				var log bytes.Buffer
				c := newChat(t, s, func(o *llm.ChatOptions) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
				_, err := c.Ask(t.Context(), markTask())
				if err == nil {
					t.Fatal("got no error")
				}

				logged := err.Error() + log.String()
				if !strings.Contains(logged, "mark@1") {
					t.Error("the log does not name the task")
				}

				for _, part := range []string{"payment", "accountants", key[:5]} {
					if strings.Contains(logged, part) {
						t.Errorf("the log contains %q:\n%s", part, logged)
					}
				}
			})
		})
	}
}

// always returns a function that returns a secret.
func always(secret string) func() string { return func() string { return secret } }

// A request carries the key of its moment.
func TestAsk_ChangedKey(t *testing.T) {
	current := "sk-first"
	s := llmtest.Start(t, dimensions)
	s.Play("mark", llmtest.Reply(llmtest.ChatReply{Text: goodMark}))
	c := newChat(t, s, func(o *llm.ChatOptions) { o.Key = func() string { return current } })
	for i, next := range []string{"sk-first", "sk-second"} {
		current = next
		if _, err := c.Ask(t.Context(), markTask()); err != nil {
			t.Fatal(err)
		}
		if got := s.Requests()[i].Header.Get("Authorization"); got != "Bearer "+current {
			t.Errorf("request %d: Authorization is %q, want the key %s", i, got, current)
		}
	}
}

// An account that sends many tasks leaves a quarter of the calls to the others.
func TestAsk_SharesCallsAmongAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Hang())
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Concurrency = 4 })
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()

		ask := func(account string) {
			task := markTask()
			task.Account = account
			_, _ = c.Ask(ctx, task)
		}
		for range 20 {
			go ask("acc_1")
		}

		synctest.Wait()
		if n := len(s.Requests()); n != 3 {
			t.Errorf("one account makes %d of 4 calls, want 3", n)
		}
		go ask("acc_2")
		synctest.Wait()

		if n := len(s.Requests()); n != 4 {
			t.Errorf("%d calls with another account, want 4", n)
		}
	})
}

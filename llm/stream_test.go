package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

const listSchema = `{"type":"object","additionalProperties":false,"required":["items"],"properties":{"items":{` +
	`"type":"array","minItems":2,"items":{"type":"object","additionalProperties":false,"required":["n"],` +
	`"properties":{"n":{"type":"integer"}}}}}}`

const goodList = `{"items": [{"n":1}, {"n":2},{"n": 3}]}`

func listTask(change ...func(*llm.Task)) llm.Task {
	return markTask(append([]func(*llm.Task){func(task *llm.Task) {
		task.Name, task.Schema = "list@1", json.RawMessage(listSchema)
	}}, change...)...)
}

// collect returns the elements of a stream and its error.
func collect(ctx context.Context, c *llm.Chat, task llm.Task) (elements []string, err error) {
	for element, e := range c.Stream(ctx, task) {
		if e != nil {
			return elements, e
		}
		elements = append(elements, string(element))
	}
	return elements, nil
}

func TestStream_YieldsElements(t *testing.T) {
	for way, start := range ways {
		t.Run(way, func(t *testing.T) {
			s := start(t, dimensions)
			s.Play("list", llmtest.Say("Of course:\n```json\n"+goodList+"\n```"))
			c := newChat(t, s)
			got, err := collect(t.Context(), c, listTask())
			if diff := cmp.Diff([]string{`{"n":1}`, `{"n":2}`, `{"n": 3}`}, got); err != nil || diff != "" {
				t.Fatalf("got %v (-want +got):\n%s", err, diff)
			}
			r := s.ChatRequests()[0]
			if !r.Stream || r.StreamOptions == nil || !r.StreamOptions.IncludeUsage || len(s.Requests()) != 1 {
				t.Errorf("got %d requests, the first %+v", len(s.Requests()), r)
			}
		})
	}
}

// An element is yielded as soon as its last character arrives.
func TestStream_YieldsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		// One chunk per second, with five characters each; the first one is empty.
		s.Play("", llmtest.Say(`{"items":[{"n":1},{"n":22}]}`))
		s.Always(llmtest.SlowStream(time.Second))
		start := time.Now()
		var at []time.Duration
		for _, err := range newChat(t, s).Stream(t.Context(), listTask()) {
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Since(start))
		}
		// {"ite ms":[ {"n": 1},{" n":22 }]}
		if diff := cmp.Diff([]time.Duration{5 * time.Second, 7 * time.Second}, at); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// The elements after reasoning are yielded at once, too, but not the drafts in it.
func TestStream_YieldsAtOnceAfterReasoning(t *testing.T) {
	for name, reasoning := range map[string]string{
		"marked":                `<think>{"items":[{"n":9}]}</think>`,
		"without its beginning": "Three will do.</think>",
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play("", llmtest.Say(reasoning+`{"items":[{"n":1},{"n":22}]}`))
			s.Always(llmtest.CutStream((len(reasoning)+len(`{"items":[{"n":1}`)-1)/5 + 2))
			got, err := collect(t.Context(), newChat(t, s), listTask())
			if diff := cmp.Diff([]string{`{"n":1}`}, got); diff != "" || !errors.Is(err, llm.ErrUnavailable) {
				t.Errorf("got %v, want the element before the connection broke (-want +got):\n%s", err, diff)
			}
		})
	}
}

// If a stream ends too soon, the elements before the end stay valid, and an error comes last.
func TestStream_ReportsAnEarlyEnd(t *testing.T) {
	play := llmtest.Say
	const all = 12 // events of goodList: the role, 8 pieces, finish_reason, usage, [DONE]
	tests := []struct {
		name  string
		model llmtest.Model // nil: goodList
		fault llmtest.Fault
		want  int // elements
		kind  error
		text  string
		calls int
	}{
		{"cut", nil, llmtest.CutStream(6), 1, llm.ErrUnavailable, "the response broke off", 1},
		{"ended", nil, llmtest.EndStream(6), 1, llm.ErrUnavailable, "the response broke off", 1},
		{"ended before [DONE]", nil, llmtest.EndStream(all - 1), 3, llm.ErrUnavailable, "the response broke off", 1},
		{"no [DONE]", nil, llmtest.NoDone(), 3, llm.ErrUnavailable, "the response broke off", 1},
		{"no finish_reason", nil, llmtest.NoFinish(), 3, llm.ErrUnavailable, "without a finish_reason", 1},
		{"cut before the first", nil, llmtest.CutStream(2), 0, llm.ErrUnavailable, "after attempt 3 of 3", 3},
		{
			"error halfway", nil, llmtest.Instead(6, `{"error":{"message":"out of memory"}}`),
			1, llm.ErrUnavailable, "out of memory", 1,
		},
		{
			"a reply that llama.cpp cannot parse", nil, llmtest.Instead(6, `{"error":{"code":500,"message":`+
				`"The model produced output that does not match the expected peg-native format","type":"server_error"}}`),
			1, llm.ErrReply, "could not parse the reply", 1,
		},
		{
			"invalid JSON halfway", nil, llmtest.Instead(6, `{`),
			1, llm.ErrConfiguration, "not one of /chat/completions", 1,
		},
		{"hangs halfway", nil, llmtest.SlowStream(4 * time.Second), 1, llm.ErrTimeout, "no reply within 25s", 1},
		{
			"length", llmtest.Reply(llmtest.ChatReply{Text: goodList[:30], Finish: "length"}), nil,
			2, llm.ErrReply, "longer than 300 tokens", 1,
		},
		{
			"content filter", llmtest.Reply(llmtest.ChatReply{Text: goodList[:30], Finish: "content_filter"}), nil,
			2, llm.ErrReply, "content filter", 1,
		},
		{"refusal", llmtest.Reply(llmtest.ChatReply{Refusal: "no"}), nil, 0, llm.ErrReply, "refuses", 1},
		{
			"no choice", llmtest.Reply(llmtest.ChatReply{NoChoice: true}), nil,
			0, llm.ErrUnavailable, "without a finish_reason", 3,
		},
		{"truncated list", play(goodList[:30]), nil, 2, llm.ErrReply, "ends before it is complete", 1},
		{"a bad element", play(`{"items":[{"n":1},{"n":"2"},{"n":3}]}`), nil, 1, llm.ErrReply, "at /n: type", 1},
		{"too few", play(`{"items":[{"n":1}]}`), nil, 1, llm.ErrReply, "at /items: minItems", 1},
		{"more than a list", play(`{"items":[{"n":1}],"total":9}`), nil, 1, llm.ErrReply, "not of the form", 1},
		{"two lists", play(goodList + goodList), nil, 3, llm.ErrReply, "more than one JSON object", 1},
		{
			"huge", play(goodList[:20] + strings.Repeat(" ", 1<<14)), nil,
			1, llm.ErrReply, "longer than 102400 bytes", 1,
		},
		{"rate limit", nil, llmtest.Status(429, "slow down", "30"), 0, llm.ErrUnavailable, "retry after 30s", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Play("", llmtest.Say(goodList))
				if test.model != nil {
					s.Play("", test.model)
				}

				s.Always(test.fault)
				c := newChat(t, s, func(o *llm.ChatOptions) { o.MaxBytes = 100 << 10 })
				got, err := collect(t.Context(), c, listTask())
				if len(got) != test.want || !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
					t.Fatalf("got %q, %v, want %d elements and %v with %q", got, err, test.want, test.kind, test.text)
				}

				if n := len(s.Requests()); n != test.calls {
					t.Errorf("got %d calls, want %d", n, test.calls)
				}
				s.Always(nil)
				s.Play("", llmtest.Say(goodList))

				if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
					t.Errorf("after the fault: got %q, %v, want 3 elements", got, err)
				}
			})
		})
	}
}

func TestStream_SkipsComments(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodList))
	s.Always(llmtest.Comments(400))
	if got, err := collect(t.Context(), newChat(t, s), listTask()); err != nil || len(got) != 3 {
		t.Errorf("got %q, %v, want 3 elements", got, err)
	}
}

func TestStream_RetriesBeforeTheFirstElement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Play("", llmtest.Say(goodList))
		s.Script(llmtest.CutStream(4), llmtest.Status(503, "loading", ""))
		if got, err := collect(t.Context(), newChat(t, s), listTask()); err != nil || len(got) != 3 {
			t.Errorf("got %q, %v, want 3 elements", got, err)
		}
	})
}

// As long as nothing has been yielded, a reply can be repaired.
func TestStream_RepairsBeforeTheFirstElement(t *testing.T) {
	for name, reply := range map[string]string{
		"prose":              "Here they are: one, two, three.",
		"another key":        `{"list":[{"n":1}]}`,
		"invalid first item": `{"items":[{"m":1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play("", llmtest.InTurn(llmtest.Say(reply), llmtest.Say(goodList)))
			got, err := collect(t.Context(), newChat(t, s), listTask())
			if err != nil || len(got) != 3 {
				t.Fatalf("got %q, %v, want 3 elements", got, err)
			}
			r := s.ChatRequests()
			if len(r) != 2 || r[1].Stream || !r[1].IsRepair() {
				t.Errorf("got %d requests, want 2, the last one a repair: %+v", len(r), r[len(r)-1])
			}
		})
	}
}

func TestStream_ChecksEachElement(t *testing.T) {
	odd := errors.New("n is odd")
	check := func(element json.RawMessage) error {
		if strings.Contains(string(element), "3") {
			return odd
		}
		return nil
	}

	tests := []struct {
		name  string
		fault llmtest.Fault
		want  int
		calls int
	}{
		{"streamed", nil, 2, 1},
		{"not streamed", llmtest.Unstreamed(), 0, 3}, // the stream, the plain call, the repair
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play("", llmtest.Say(goodList))
			s.Always(test.fault)
			got, err := collect(t.Context(), newChat(t, s), listTask(func(task *llm.Task) { task.Check = check }))
			if len(got) != test.want || !errors.Is(err, llm.ErrReply) || !errors.Is(err, odd) {
				t.Errorf("got %q, %v, want 3 elements", got, err)
			}

			if n := len(s.Requests()); n != test.calls {
				t.Errorf("got %d requests, want %d", n, test.calls)
			}
		})
	}
}

func TestStream_ServersThatCannotStream(t *testing.T) {
	for name, fault := range map[string]llmtest.Fault{
		"responds without a stream": llmtest.Unstreamed(),
		"rejects":                   llmtest.RefuseField("stream=true", "streaming is not supported"),
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play("", llmtest.Say(goodList))
			s.Always(fault)
			c := newChat(t, s)
			for range 3 {
				if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
					t.Fatalf("got %q, %v, want 3 elements", got, err)
				}
			}

			if n := len(s.Requests()); n != 4 {
				t.Errorf("got %d requests, want 4: one without success", n)
			}
		})
	}
}

func TestStream_NeedsAList(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	_, err := collect(t.Context(), newChat(t, s), markTask())
	if err == nil || !strings.Contains(err.Error(), `{"items": […]}`) {
		t.Errorf("got %v, want an error that names the form", err)
	}
}

// A stream that is abandoned, canceled or too slow leaves nothing behind: synctest fails a test with a leaked
// goroutine, and the only slot is free again.
func TestStream_LeavesNothingBehind(t *testing.T) {
	tests := map[string]func(t *testing.T, c *llm.Chat){
		"abandoned": func(_ *testing.T, c *llm.Chat) {
			for range c.Stream(context.Background(), listTask()) {
				break
			}
		},
		"canceled": func(t *testing.T, c *llm.Chat) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()

			var last error
			for _, err := range c.Stream(ctx, listTask()) {
				cancel()
				last = err
			}

			if !errors.Is(last, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", last)
			}
		},
		"too slow": func(t *testing.T, c *llm.Chat) {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
			defer cancel()
			if _, err := collect(ctx, c, listTask()); !errors.Is(err, llm.ErrTimeout) {
				t.Errorf("got %v, want ErrTimeout", err)
			}
		},
	}
	for name, leave := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Play("", llmtest.Say(goodList))
				c := newChat(t, s, func(o *llm.ChatOptions) { o.Concurrency = 1 })
				for range 10 {
					s.Always(llmtest.SlowStream(time.Second))
					leave(t, c)
				}

				s.Always(nil)
				if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
					t.Errorf("afterwards: got %q, %v, want 3 elements", got, err)
				}
			})
		})
	}
}

// The server notices at once that its client hung up, in memory and over a socket.
func TestStream_HangsUpOnTheServer(t *testing.T) {
	for way, start := range ways {
		t.Run(way, func(t *testing.T) {
			s := start(t, dimensions)
			s.Play("", llmtest.Say(goodList))
			gone := make(chan bool)
			s.Always(func(healthy http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					llmtest.Stall(6)(healthy).ServeHTTP(w, r)
					gone <- r.Context().Err() != nil
				})
			})

			c := newChat(t, s, func(o *llm.ChatOptions) { o.Concurrency, o.Timeout = 1, time.Hour })
			for range 3 {
				for range c.Stream(t.Context(), listTask()) {
					break
				}
				if !<-gone {
					t.Error("the server did not notice that the client hung up")
				}
			}
		})
	}
}

func TestStream_RunsConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50
		s := llmtest.StartInMemory(t, dimensions)
		s.Play("", llmtest.Say(goodList))
		s.Always(llmtest.SlowStream(time.Second))
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Concurrency, o.PerAccount = n, n })
		done := make(chan error)
		start := time.Now()

		for range n {
			go func() {
				got, err := collect(t.Context(), c, listTask())
				if err == nil && len(got) != 3 {
					err = fmt.Errorf("%q", got)
				}
				done <- err
			}()
		}

		for range n {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}

		if took := time.Since(start); took != 12*time.Second {
			t.Errorf("took %v, want 12s: streams must run concurrently", took)
		}
	})
}

// A server that accepts requests and never responds is down.
func TestStream_PausesCallsToAServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Hang())
		c := newChat(t, s, func(o *llm.ChatOptions) { o.Tries, o.Timeout = 1, time.Second })
		for i := range 8 {
			want := llm.ErrTimeout
			if i >= 5 {
				want = llm.ErrUnavailable
			}
			if _, err := collect(t.Context(), c, listTask()); !errors.Is(err, want) {
				t.Errorf("call %d: got %v, want %v", i, err, want)
			}
		}
		if n := len(s.Requests()); n != 5 {
			t.Errorf("got %d calls, want 5", n)
		}
	})
}

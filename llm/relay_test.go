package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// Relays send their status before they reach a model, so they report its failure in a response with status 200.
func TestChat_ReportsErrorsInsideASuccess(t *testing.T) {
	tests := []struct {
		name, body string
		kind       error
		text       string
		calls      int
		wait       time.Duration // at least, for all calls
	}{
		{
			"a rate limit", `{"error":{"message":"Provider is busy. Try again in 9s.","code":429}}`,
			llm.ErrUnavailable, "429 Too Many Requests, retry after 9s: Provider is busy", 3, 18 * time.Second,
		},
		{
			"a rate limit with a field for the wait", `{"error":{"message":"slow down","code":"rate_limit_exceeded",` +
				`"metadata":{"retry_after":8}},"choices":null}`,
			llm.ErrUnavailable, "429 Too Many Requests, retry after 8s: slow down", 3, 16 * time.Second,
		},
		{
			"a longer wait than the task has", `{"error":{"message":"Retry after 90 seconds","code":"429"}}`,
			llm.ErrUnavailable, "retry after 1m30s", 1, 0,
		},
		{
			"in a choice", `{"choices":[{"finish_reason":"error","message":{"content":""},` +
				`"error":{"message":"upstream went away","code":502}}]}`,
			llm.ErrUnavailable, "502 Bad Gateway: upstream went away", 3, 0,
		},
		{
			"without a status", `{"error":{"message":"upstream went away","type":"oops"}}`,
			llm.ErrUnavailable, "the response has status 200 and an error: upstream went away", 3, 0,
		},
		{
			"as a text", `{"error":"upstream went away"}`,
			llm.ErrUnavailable, "the response has status 200 and an error: upstream went away", 3, 0,
		},
		{
			"no choices", `{"choices":null,"message":"upstream went away"}`,
			llm.ErrUnavailable, "the response has status 200 and an error: upstream went away", 3, 0,
		},
		{
			"a wrong key", `{"error":{"message":"no such key","code":401}}`,
			llm.ErrConfiguration, "401 Unauthorized; check the key: no such key", 1, 0,
		},
		{
			"a stream that broke upstream", `{"error":{"message":"stream error: upstream closed the stream","code":400}}`,
			llm.ErrConfiguration, "400 Bad Request; check the model and its limits: stream error", 1, 0,
		},
		{
			"a content filter", `{"error":{"message":"no","code":"content_filter"}}`,
			llm.ErrReply, "a content filter of the server rejected the task", 1, 0,
		},
	}

	ask := func(ctx context.Context, c *llm.Chat) error {
		_, err := c.Ask(ctx, markTask())
		return err
	}
	stream := func(ctx context.Context, c *llm.Chat) error {
		_, err := collect(ctx, c, listTask())
		return err
	}

	for _, test := range tests {
		ways := map[string]struct {
			fault llmtest.Fault
			call  func(context.Context, *llm.Chat) error
		}{
			"ask":                         {llmtest.Body(200, "application/json", test.body), ask},
			"stream":                      {llmtest.Body(200, "application/json", test.body), stream},
			"first event of a stream":     {llmtest.Instead(0, test.body), stream},
			"third event of a stream":     {llmtest.Instead(2, test.body), stream},
			"stream without a type":       {llmtest.Body(200, "", test.body), stream},
			"stream with a wrong charset": {llmtest.Body(200, "text/plain; charset=x", test.body), stream},
		}
		for name, way := range ways {
			t.Run(test.name+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := llmtest.StartInMemory(t, dimensions)
					s.Play("mark", llmtest.Say(goodMark))
					s.Play("list", llmtest.Say(goodList))
					s.Always(way.fault)
					c := newChat(t, s)

					start := time.Now()
					err := way.call(t.Context(), c)
					if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
						t.Fatalf("got %v, want %v with %q", err, test.kind, test.text)
					}
					if n := len(s.Requests()); n != test.calls || time.Since(start) < test.wait {
						t.Errorf("got %d calls in %v, want %d in %v at least", n, time.Since(start), test.calls, test.wait)
					}

					// Afterwards, nothing is left of the failure: the next task is streamed.
					s.Always(nil)
					if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
						t.Errorf("after the failure: got %q, %v, want 3 elements", got, err)
					}
					requests := s.ChatRequests()
					if !requests[len(requests)-1].Stream || len(requests) != test.calls+1 {
						t.Errorf("after the failure: got %d requests, the last one streamed: %t, want %d and a stream",
							len(requests), requests[len(requests)-1].Stream, test.calls+1)
					}
				})
			})
		}
	}
}

// A page of a proxy says nothing about what the server behind it supports.
func TestStream_KeepsStreamingAfterAPage(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("list", llmtest.Say(goodList))
	s.Script(llmtest.Body(200, "text/html", "<html>Back in a minute.</html>"))
	c := newChat(t, s)
	if _, err := collect(t.Context(), c, listTask()); !errors.Is(err, llm.ErrConfiguration) {
		t.Errorf("got %v, want %v", err, llm.ErrConfiguration)
	}

	if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
		t.Errorf("got %q, %v, want 3 elements", got, err)
	}
	if r := s.ChatRequests(); len(r) != 2 || !r[1].Stream {
		t.Errorf("got %d requests, want 2, the second one for a stream", len(r))
	}
}

// Servers repeat what they were sent, in errors inside a success, too.
func TestChat_RedactsErrorsInsideASuccess(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodMark))
	s.Always(llmtest.Body(200, "application/json", `{"error":{"code":400,"message":"`+key+` sent: `+secret+`"}}`))
	_, err := newChat(t, s).Ask(t.Context(), markTask())
	if err == nil || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), secret[5:30]) {
		t.Errorf("got %v, want an error without the key and the text", err)
	}
}

package llm_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// These tests run in synctest bubbles, where waiting takes no time and durations are exact.

func TestEmbed_RetriesUntilTheServerIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Script(llmtest.Status(503, "starting", ""), llmtest.HangUp(), llmtest.Truncate(), llmtest.Status(500, "oh", ""))
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries = 5 })
		start := time.Now()
		if _, err := e.Embed(t.Context(), []string{"go"}); err != nil {
			t.Fatal(err)
		}
		// 0.5 + 1 + 2 + 4 s, each shortened by up to a half.
		if took := time.Since(start); took <= 3750*time.Millisecond || took > 7500*time.Millisecond {
			t.Errorf("took %v, want 3.75s to 7.5s", took)
		}
	})
}

func TestEmbed_WaitsAsLongAsTheServerAsks(t *testing.T) {
	tests := []struct {
		name, header string
		want         time.Duration
	}{
		{"seconds", "17", 17 * time.Second},
		// The clock of a bubble starts at midnight UTC 2000-01-01.
		{"date", "Sat, 01 Jan 2000 00:00:40 GMT", 40 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Script(llmtest.Status(429, "slow down", test.header))
				e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries = 2 })
				start := time.Now()

				if _, err := e.Embed(t.Context(), []string{"go"}); err != nil {
					t.Fatal(err)
				}

				if took := time.Since(start); took != test.want {
					t.Errorf("took %v, want %v", took, test.want)
				}
			})
		})
	}
}

// If the next attempt would come too late, waiting for it is useless.
func TestEmbed_DoesNotWaitForALateRetry(t *testing.T) {
	tests := []struct {
		name, header string
		deadline     time.Duration // 0: none
	}{
		{"Retry-After past the deadline", "5", 4 * time.Second},
		{"backoff past the deadline", "", 200 * time.Millisecond},
		{"Retry-After too long", "3600", 0},
		{"Retry-After overflows", "9223372036854775807", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Always(llmtest.Status(429, "slow down", test.header))
				e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries = 8 })
				ctx := t.Context()

				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}

				start := time.Now()
				_, err := e.Embed(ctx, []string{"go"})
				if !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "slow down") {
					t.Errorf("got %v, want ErrUnavailable with the server's message", err)
				}

				if took := time.Since(start); took != 0 || len(s.Requests()) != 1 {
					t.Errorf("got %d attempts in %v, want 1 at once", len(s.Requests()), took)
				}
			})
		})
	}
}

func TestEmbed_EndsWithItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Hang())
		e := newEmbedder(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := e.Embed(ctx, []string{"go"})
		if !errors.Is(err, llm.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want ErrUnavailable and context.DeadlineExceeded", err)
		}
		if took := time.Since(start); took != 300*time.Millisecond {
			t.Errorf("took %v, want 300ms", took)
		}
	})
}

func TestEmbed_RetriesAfterATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Script(llmtest.Hang())
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries, c.Timeout = 2, 10*time.Second })
		start := time.Now()
		if _, err := e.Embed(t.Context(), []string{"go"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took <= 10*time.Second || took > 10500*time.Millisecond {
			t.Errorf("took %v, want 10s and a backoff", took)
		}
	})
}

// slow waits before each response, even if the client hangs up.
func slow(wait time.Duration) llmtest.Fault {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-time.After(wait)
			healthy.ServeHTTP(w, r)
		})
	}
}

func TestEmbed_LimitsConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(slow(time.Second))
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Batch, c.Concurrency = 1, 3 })
		start := time.Now()
		done := make(chan error)
		for range 2 { // the limit covers all callers
			go func() {
				_, err := e.Embed(t.Context(), []string{"a", "b", "c", "d", "e", "f"})
				done <- err
			}()
		}

		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}

		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("12 calls of 1s, 3 of them at once, took %v, want 4s", took)
		}
	})
}

// A call that ran out of time in the queue must not make the server look dead.
func TestEmbed_QueueingSaysNothingAboutTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Script(slow(time.Minute))
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Concurrency, c.Timeout = 1, time.Hour })
		first := make(chan error)
		go func() {
			_, err := e.Embed(t.Context(), []string{"first"})
			first <- err
		}()

		synctest.Wait()
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := e.Embed(ctx, []string{"go"})
			cancel()
			if !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "time ran out while waiting") {
				t.Fatalf("got %v, want ErrUnavailable for lack of time", err)
			}
		}

		if err := <-first; err != nil {
			t.Fatal(err)
		}

		if _, err := e.Embed(t.Context(), []string{"go"}); err != nil {
			t.Errorf("got %v, want no error from a healthy server", err)
		}

		if n := len(s.Requests()); n != 2 {
			t.Errorf("got %d requests, want 2", n)
		}
	})
}

func TestEmbed_PausesCallsToADeadServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Hang())
		var log bytes.Buffer
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		ask := func() (time.Duration, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := e.Embed(ctx, []string{"go"})
			return time.Since(start), err
		}

		check := func(step string, want time.Duration, healthy bool, requests int) {
			t.Helper()
			took, err := ask()
			if healthy && err != nil || !healthy && !errors.Is(err, llm.ErrUnavailable) {
				t.Fatalf("%s: got %v, want healthy %t", step, err, healthy)
			}

			if n := len(s.Requests()); took != want || n != requests {
				t.Fatalf("%s: got %v and %d requests so far, want %v and %d", step, took, n, want, requests)
			}
		}
		for i := range 5 {
			check("dead", 300*time.Millisecond, false, i+1)
		}

		check("paused", 0, false, 5)
		<-time.After(9 * time.Second)
		check("still paused", 0, false, 5)
		<-time.After(2 * time.Second)
		check("one call fails", 300*time.Millisecond, false, 6)
		check("paused again", 0, false, 6)
		<-time.After(11 * time.Second)

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := e.Embed(ctx, []string{"go"}); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want context.Canceled", err)
		}

		check("after a canceled call, one call fails", 300*time.Millisecond, false, 8)
		check("paused once more", 0, false, 8)
		<-time.After(11 * time.Second)
		s.Always(nil)
		check("one call succeeds", 0, true, 9)
		check("back", 0, true, 10)

		want := []string{"keeps failing", "keeps failing", "keeps failing", "is back"}
		if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != len(want) {
			t.Errorf("got log\n%s\nwant %q", log.String(), want)
		} else {
			for i, line := range lines {
				if !strings.Contains(line, want[i]) {
					t.Errorf("got log line %q, want %q", line, want[i])
				}
			}
		}
	})
}

// Rate limits and wrong settings come from a server that is alive, and a success resets the count of failures.
func TestEmbed_KeepsCallingALivingServer(t *testing.T) {
	tests := []struct {
		name  string
		fault func(call int) llmtest.Fault
	}{
		{"rate limit", func(int) llmtest.Fault { return llmtest.Status(429, "slow down", "") }},
		{"wrong key", func(int) llmtest.Fault { return llmtest.Status(401, "no", "") }},
		{"occasional failures", func(call int) llmtest.Fault {
			if call%5 == 4 {
				return nil
			}
			return llmtest.Status(500, "oh", "")
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				e := newEmbedder(t, s)
				for call := range 20 {
					s.Script(test.fault(call))
					_, _ = e.Embed(t.Context(), []string{"go"})
				}

				if n := len(s.Requests()); n != 20 {
					t.Errorf("got %d calls, want 20", n)
				}
			})
		})
	}
}

// A load survives the pause after an outage.
func TestEmbed_LoadSurvivesAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Status(503, "restarting", ""))
		time.AfterFunc(20*time.Second, func() { s.Always(nil) })
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Batch, c.Tries, c.Concurrency = 2, 8, 4 })
		vectors, err := e.Embed(t.Context(), strings.Fields("a b c d e f g h i j k l m n o p q r s t"))
		if err != nil || len(vectors) != 20 {
			t.Errorf("got %d vectors, %v, want 20", len(vectors), err)
		}
	})
}

func TestEmbed_NeverLogsTheKey(t *testing.T) {
	faults := map[string]llmtest.Fault{
		"rejection with it": llmtest.Status(401, "incorrect API key provided: "+key, ""),
		"error with it":     llmtest.Status(500, "request was: Authorization: Bearer "+key, ""),
		"page with it":      llmtest.Body(502, "text/html", "<pre>Bearer "+key+"</pre>"),
		"redirect with it":  llmtest.Redirect("https://elsewhere.test/?key=" + key),
		"response with it":  llmtest.Body(200, "application/json", `{"data":"`+key+`"}`),
		"at the very end":   llmtest.Status(500, strings.Repeat("x", 195)+key, ""),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Always(fault)
				var log bytes.Buffer
				e := newEmbedder(t, s, func(c *llm.EmbedderConfig) {
					c.Tries, c.Log = 8, slog.New(slog.NewTextHandler(&log, nil))
				})
				_, err := e.Embed(t.Context(), []string{"go"})
				if err == nil {
					t.Fatal("got no error")
				}

				if secret := key[:5]; strings.Contains(err.Error(), secret) || strings.Contains(log.String(), secret) {
					t.Errorf("the key is in the error or the log:\n%v\n%s", err, log.String())
				}
			})
		})
	}
}

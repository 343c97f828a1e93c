package elastic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// answering returns an engine whose node answers every request with a handler.
func answering(t *testing.T, answer http.HandlerFunc, set ...func(*Options)) *Engine {
	t.Helper()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		answer(w, r)
	}))
	t.Cleanup(node.Close)
	o := DefaultOptions()
	o.URLs = []string{node.URL}
	for _, set := range set {
		set(&o)
	}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// says returns a handler with a fixed answer.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// fails returns a handler that answers with an error.
func fails(status int, kind, reason string) http.HandlerFunc {
	return says(status, fmt.Sprintf(`{"error":{"type":%q,"reason":%q},"status":%d}`, kind, reason, status))
}

// failsOnShard returns a handler that answers with the error of a shard.
func failsOnShard(status int, kind, reason string) http.HandlerFunc {
	return says(status, fmt.Sprintf(`{"error":{"root_cause":[],"type":"search_phase_execution_exception",
		"reason":"all shards failed","failed_shards":[{"shard":0,"reason":{"type":%q,"reason":%q}}]},"status":%d}`,
		kind, reason, status))
}

// Errors say what happened and, if known, what to do, and never contain a secret. Only errors that say something about
// the cluster are transient, so that only they count for the breaker.
func TestAsk_Errors(t *testing.T) {
	const password, apiKey = "pass-word-secret", "c2VjcmV0OmtleQ=="
	for _, c := range []struct {
		name      string
		answer    http.HandlerFunc
		want      []string
		wantIs    error
		transient bool
	}{
		{
			name: "dropped index",
			answer: says(404, `{"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [x]"}],
				"type":"index_not_found_exception","reason":"no such index [x]"},"status":404}`),
			want:   []string{"dropped"},
			wantIs: engine.ErrNotFound,
		},
		{
			name:   "bad request",
			answer: fails(400, "parsing_exception", "unknown query [nope]"),
			want:   []string{"parsing_exception", "unknown query [nope]"},
		},
		{
			name:      "full queue",
			answer:    failsOnShard(429, "es_rejected_execution_exception", "rejected execution of task"),
			want:      []string{"es_rejected_execution_exception", "rejected execution of task", "429"},
			transient: true,
		},
		{
			name:      "out of memory",
			answer:    fails(429, "circuit_breaking_exception", "[parent] Data too large"),
			want:      []string{"circuit_breaking_exception", "Data too large"},
			transient: true,
		},
		{
			name:      "no shard available",
			answer:    says(503, `{"error":{"type":"no_shard_available_action_exception","reason":null},"status":503}`),
			want:      []string{"no_shard_available_action_exception"},
			transient: true,
		},
		{
			name:   "unauthenticated",
			answer: fails(401, "security_exception", "unable to authenticate user [u]"),
			want: []string{
				"security_exception", "elasticsearch-user", "elasticsearch-password-file", "elasticsearch-api-key-file",
			},
		},
		{
			name:   "unauthorized",
			answer: fails(403, "security_exception", "action [indices:data/read/search] is unauthorized"),
			want:   []string{"indices:data/read/search", "privilege"},
		},
		{
			name:   "error is a string",
			answer: says(404, `{"error":"alias [x] missing","status":404}`),
			want:   []string{"alias [x] missing"},
		},
		{
			name:      "JSON without an error",
			answer:    says(500, `{"status":500}`),
			want:      []string{"500", "Internal Server Error"},
			transient: true,
		},
		{
			name:      "proxy error",
			answer:    says(502, "<html><h1>Bad Gateway</h1></html>"),
			want:      []string{"502", "a proxy before it", "<h1>Bad Gateway</h1>"},
			transient: true,
		},
		{
			name: "login page",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Del("X-Elastic-Product")
				io.WriteString(w, "<html>log in</html>")
			},
			want:      []string{"not Elasticsearch", "X-Elastic-Product"},
			transient: true,
		},
		{name: "truncated JSON", answer: says(200, `{"timed_out":fal`), want: []string{"decode the answer"}},
		{name: "HTML from Elasticsearch", answer: says(200, `<html>`), want: []string{"decode the answer"}},
		{
			name: "truncated answer",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				io.WriteString(w, `{"timed_out":false`)
			},
			want:      []string{"is unreachable"},
			wantIs:    io.ErrUnexpectedEOF,
			transient: true,
		},
		{
			name:      "broken connection",
			answer:    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			want:      []string{"is unreachable"},
			wantIs:    io.EOF,
			transient: true,
		},
		{
			name: "endless answer",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, `{"x":"`+strings.Repeat("x", 30_000)+`"}`)
			},
			want:   []string{"larger than expected"},
			wantIs: rest.ErrTooLarge,
		},
		{
			name: "partial result",
			answer: says(200, `{"timed_out":false,"_shards":{"failed":1,
				"failures":[{"shard":0,"reason":{"type":"boom","reason":"out of luck"}}]}}`),
			want: []string{"1 shards failed", "boom", "out of luck"},
		},
		{
			name:      "search timeout of a shard",
			answer:    failsOnShard(504, "search_timeout_exception", "Time exceeded"),
			want:      []string{"search_timeout_exception"},
			wantIs:    context.DeadlineExceeded,
			transient: true,
		},
		{
			name:      "search timeout",
			answer:    says(200, `{"timed_out":true,"_shards":{"failed":0}}`),
			want:      []string{"timed out in Elasticsearch"},
			wantIs:    context.DeadlineExceeded,
			transient: true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			e := answering(t, c.answer, func(o *Options) {
				o.Username, o.Password = "u", always(password)
				o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				if c.name == "unauthorized" {
					o.Username, o.Password, o.APIKey = "", nil, always(apiKey)
				}
			})

			e.client.MaxResponse = 20_000
			s := e.indexes.Snapshot(&catalog.Description{Name: "x", Meta: &catalog.Meta{}, Shards: 1})
			_, err := s.Count(t.Context(), engine.Filters{})
			if err == nil {
				t.Fatal("no error")
			}

			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not contain %q", err, want)
				}
			}

			if c.wantIs != nil && !errors.Is(err, c.wantIs) {
				t.Errorf("error %q does not wrap %q", err, c.wantIs)
			}

			if c.wantIs == nil && errors.Is(err, engine.ErrNotFound) {
				t.Errorf("error %q must not wrap ErrNotFound", err)
			}

			if rest.IsTransient(err) != c.transient {
				t.Errorf("transient(%q) = %v, want %v", err, !c.transient, c.transient)
			}

			for _, secret := range []string{password, apiKey} {
				if strings.Contains(err.Error()+log.String(), secret) {
					t.Errorf("error or log contain a secret: %q, %s", err, &log)
				}
			}
		})
	}
}

func TestPing_ConnectionRefused(t *testing.T) {
	node := httptest.NewServer(nil)
	node.Close()
	o := DefaultOptions()
	o.URLs = []string{node.URL}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Ping(t.Context()); err == nil || !rest.IsTransient(err) ||
		!strings.Contains(err.Error(), "is unreachable") {
		t.Errorf("ping: got error %v, want a transient one", err)
	}
}

// The end of a context is distinguished from a failure of the cluster in every phase of a call.
func TestAsk_ContextEnds(t *testing.T) {
	cause := errors.New("the client has disconnected")
	for _, c := range []struct {
		name       string
		newContext func(t *testing.T) (context.Context, context.CancelFunc)
		want       []error
	}{
		{"canceled", func(t *testing.T) (context.Context, context.CancelFunc) {
			return context.WithCancel(t.Context())
		}, []error{context.Canceled}},
		{"canceled with a cause", func(t *testing.T) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, func() { cancel(cause) }
		}, []error{context.Canceled, cause}},
		{"deadline", func(t *testing.T) (context.Context, context.CancelFunc) {
			ctx := manualDeadline{t.Context(), make(chan struct{})}
			return ctx, sync.OnceFunc(func() { close(ctx.passed) })
		}, []error{context.DeadlineExceeded}},
	} {
		for _, phase := range []string{"before", "while waiting", "while reading"} {
			t.Run(c.name+" "+phase, func(t *testing.T) {
				ctx, cancel := c.newContext(t)
				defer cancel()

				disconnected := make(chan struct{})
				e := answering(t, func(w http.ResponseWriter, r *http.Request) {
					defer close(disconnected)

					io.Copy(io.Discard, r.Body) // otherwise the server does not notice the disconnect
					if phase == "while reading" {
						io.WriteString(w, `{"timed_out":`)
						http.NewResponseController(w).Flush()
					}

					cancel()
					<-r.Context().Done() // the node notices and can stop searching
				})

				if phase == "before" {
					cancel()
					close(disconnected)
				}

				s := e.indexes.Snapshot(&catalog.Description{Name: "x", Meta: &catalog.Meta{}, Shards: 1})
				_, err := s.Count(ctx, engine.Filters{})
				for _, want := range c.want {
					if !errors.Is(err, want) {
						t.Errorf("got error %v, want %v", err, want)
					}
				}

				<-disconnected
			})
		}
	}
}

// A manualDeadline is a context whose deadline passes when a test says so.
type manualDeadline struct {
	context.Context
	passed chan struct{}
}

func (c manualDeadline) Done() <-chan struct{} { return c.passed }

func (c manualDeadline) Err() error {
	select {
	case <-c.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestPing_Versions(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"8", `{"version":{"number":"8.19.13"}}`, ""},
		{"9", `{"version":{"number":"9.1.0"}}`, ""},
		{"7", `{"version":{"number":"7.17.29"}}`, "7.17.29"},
		{"none", `{}`, "want 8 or 9"},
	} {
		err := answering(t, says(200, c.answer)).Ping(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("version %s: got error %v, want %q", c.name, err, c.want)
		}
	}
	openSearch := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Del("X-Elastic-Product")
		io.WriteString(w, `{"version":{"distribution":"opensearch","number":"2.19.1"}}`)
	}
	if err := answering(t, openSearch).Ping(t.Context()); !errors.Is(err, rest.ErrNotElasticsearch) {
		t.Errorf("OpenSearch: got error %v, want %v", err, rest.ErrNotElasticsearch)
	}
}

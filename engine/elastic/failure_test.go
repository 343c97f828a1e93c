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
	"testing"
	"time"

	"freelancer-matching/engine"
)

// answering is an engine whose node answers every request the same way, as Elasticsearch unless answer says otherwise.
func answering(t *testing.T, answer http.HandlerFunc, with ...func(*Options)) *Engine {
	t.Helper()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		answer(w, r)
	}))
	t.Cleanup(node.Close)
	o := DefaultOptions()
	o.URLs = []string{node.URL}
	for _, set := range with {
		set(&o)
	}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// says is an answer.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// Whatever answers, or does not, the caller is told what it is, what to do about it where that is known, and no secret;
// and the breaker counts what tells of the cluster, and only that.
func TestAsk_Failures(t *testing.T) {
	const password, apiKey = "pass-word-secret", "c2VjcmV0OmtleQ=="
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		says   []string
		is     error
		weak   bool
	}{
		{
			"the index is gone", says(404, `{"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [x]"}],
			"type":"index_not_found_exception","reason":"no such index [x]"},"status":404}`),
			[]string{"dropped"},
			engine.ErrNotFound, false,
		},
		{
			"a request that is not understood", says(400, `{"error":{"type":"parsing_exception","reason":"unknown query [nope]"},"status":400}`),
			[]string{"parsing_exception", "unknown query [nope]"},
			nil, false,
		},
		{
			"the queue is full", says(429, `{"error":{"root_cause":[],"type":"search_phase_execution_exception","reason":"all shards failed",
			"failed_shards":[{"shard":0,"reason":{"type":"es_rejected_execution_exception","reason":"rejected execution of task"}}]},"status":429}`),
			[]string{"es_rejected_execution_exception", "rejected execution of task", "429"},
			nil, true,
		},
		{
			"no memory", says(429, `{"error":{"type":"circuit_breaking_exception","reason":"[parent] Data too large"},"status":429}`),
			[]string{"circuit_breaking_exception", "Data too large"},
			nil, true,
		},
		{
			"no shard", says(503, `{"error":{"type":"no_shard_available_action_exception","reason":null},"status":503}`),
			[]string{"no_shard_available_action_exception"},
			nil, true,
		},
		{
			"who are you", says(401, `{"error":{"type":"security_exception","reason":"unable to authenticate user [u]"},"status":401}`),
			[]string{"security_exception", "elasticsearch-user", "elasticsearch-password-file", "elasticsearch-api-key-file"},
			nil, false,
		},
		{
			"not allowed", says(403, `{"error":{"type":"security_exception","reason":"action [indices:data/read/search] is unauthorized"},"status":403}`),
			[]string{"indices:data/read/search", "privilege"},
			nil, false,
		},
		{"an error that is a text", says(404, `{"error":"alias [x] missing","status":404}`), []string{"alias [x] missing"}, nil, false},
		{"JSON without an error", says(500, `{"status":500}`), []string{"500", "Internal Server Error"}, nil, true},
		{"a proxy", says(502, "<html><h1>Bad Gateway</h1></html>"), []string{"502", "what stands before it", "<h1>Bad Gateway</h1>"}, nil, true},
		{"a login page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Del("X-Elastic-Product")
			io.WriteString(w, "<html>log in</html>")
		}, []string{"not Elasticsearch", "X-Elastic-Product"}, nil, true},
		{"JSON that ends early", says(200, `{"timed_out":fal`), []string{"not as expected"}, nil, false},
		{"HTML from Elasticsearch", says(200, `<html>`), []string{"not as expected"}, nil, false},
		{"an answer that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"timed_out":false`)
		}, []string{"does not answer"}, io.ErrUnexpectedEOF, true},
		{
			"a connection that breaks", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			[]string{"does not answer"},
			io.EOF, true,
		},
		{"an endless answer", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"x":"`)
			for range 3000 {
				io.WriteString(w, "xxxxxxxxxx")
			}
			io.WriteString(w, `"}`)
		}, []string{"larger than any"}, errTooLarge, false},
		{
			"a part of the shards", says(200, `{"timed_out":false,"_shards":{"failed":1,"failures":[{"shard":0,"reason":{"type":"boom","reason":"out of luck"}}]}}`),
			[]string{"1 shards failed", "boom", "out of luck"},
			nil, false,
		},
		{
			"out of time", says(504, `{"error":{"root_cause":[],"type":"search_phase_execution_exception","reason":"all shards failed",
			"failed_shards":[{"shard":0,"reason":{"type":"search_timeout_exception","reason":"Time exceeded"}}]},"status":504}`),
			[]string{"search_timeout_exception"},
			context.DeadlineExceeded, true,
		},
		{"too late", says(200, `{"timed_out":true,"_shards":{"failed":0}}`), []string{"gave up searching"}, context.DeadlineExceeded, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			e := answering(t, c.answer, func(o *Options) {
				o.Username, o.Password, o.Log = "u", password, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				if c.name == "not allowed" {
					o.Username, o.Password, o.APIKey = "", "", apiKey
				}
			})
			e.client.most = 20_000
			s := e.snapshot(&description{name: "x", meta: &meta{}, shards: 1})
			_, err := s.Count(t.Context(), engine.Filters{})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want it to say %q", err, want)
				}
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %q, want it to be %q", err, c.is)
			}
			if c.is == nil && errors.Is(err, engine.ErrNotFound) {
				t.Errorf("error %q is taken for a missing index", err)
			}
			if weak(err) != c.weak {
				t.Errorf("error %q tells of the cluster: %v, want %v", err, !c.weak, c.weak)
			}
			for _, secret := range []string{password, apiKey} {
				if strings.Contains(err.Error()+log.String(), secret) {
					t.Errorf("a secret is told: %q, %s", err, &log)
				}
			}
		})
	}
}

func TestAsk_NobodyListens(t *testing.T) {
	node := httptest.NewServer(nil)
	node.Close()
	o := DefaultOptions()
	o.URLs = []string{node.URL}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Ping(t.Context()); err == nil || !weak(err) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("ping: %v", err)
	}
}

// The end of a context is told from a failure of the cluster, in whatever phase of a call it comes.
func TestAsk_ContextEnds(t *testing.T) {
	why := errors.New("the client went away")
	for _, c := range []struct {
		name  string
		begin func(t *testing.T) (context.Context, context.CancelFunc)
		is    []error
	}{
		{"cancelled", func(t *testing.T) (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) }, []error{context.Canceled}},
		{"cancelled for a reason", func(t *testing.T) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, func() { cancel(why) }
		}, []error{context.Canceled, why}},
		{"deadline", func(t *testing.T) (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 20*time.Millisecond)
		}, []error{context.DeadlineExceeded}},
	} {
		for _, phase := range []string{"before", "while it waits", "while it reads"} {
			t.Run(c.name+" "+phase, func(t *testing.T) {
				ctx, cancel := c.begin(t)
				defer cancel()
				end := func() {
					if c.name != "deadline" {
						cancel()
					}
					<-ctx.Done()
				}
				left := make(chan struct{})
				e := answering(t, func(w http.ResponseWriter, r *http.Request) {
					defer close(left)
					io.Copy(io.Discard, r.Body) // only then does the server notice that the client is gone
					if phase == "while it reads" {
						io.WriteString(w, `{"timed_out":`)
						http.NewResponseController(w).Flush()
					}
					end()
					<-r.Context().Done() // the node hears of it, and can stop searching
				})
				if phase == "before" {
					end()
					close(left)
				}
				s := e.snapshot(&description{name: "x", meta: &meta{}, shards: 1})
				_, err := s.Count(ctx, engine.Filters{})
				for _, want := range c.is {
					if !errors.Is(err, want) {
						t.Errorf("error %v, want %v", err, want)
					}
				}
				<-left
			})
		}
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
			t.Errorf("version %s: %v, want %q", c.name, err, c.want)
		}
	}
	openSearch := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Del("X-Elastic-Product")
		io.WriteString(w, `{"version":{"distribution":"opensearch","number":"2.19.1"}}`)
	}
	if err := answering(t, openSearch).Ping(t.Context()); !errors.Is(err, errNotElasticsearch) {
		t.Errorf("OpenSearch: %v, want %v", err, errNotElasticsearch)
	}
}

// A failure within one of two searches is the failure of the request.
func TestSearches_OneOfTwoFails(t *testing.T) {
	const good = `{"timed_out":false,"_shards":{"failed":0},"hits":{"hits":[]},"status":200}`
	for name, c := range map[string]struct {
		second string
		want   string
		gone   bool
	}{
		"gone":     {`{"error":{"type":"index_not_found_exception","reason":"no such index"},"status":404}`, "dropped", true},
		"rejected": {`{"error":{"type":"es_rejected_execution_exception","reason":"queue"},"status":429}`, "es_rejected", false},
		"partial":  {`{"timed_out":false,"_shards":{"failed":1},"status":200}`, "1 shards failed", false},
		"missing":  {"", "1 answers of Elasticsearch to 2 searches", false},
	} {
		e := answering(t, says(200, fmt.Sprintf(`{"responses":[%s]}`, strings.TrimRight(good+","+c.second, ","))))
		s := e.snapshot(&description{name: "x", meta: &meta{}, shards: 1})
		_, err := s.searches(t.Context(), []object{{}, {}})
		if err = s.wrap("search", err); !strings.Contains(err.Error(), c.want) || errors.Is(err, engine.ErrNotFound) != c.gone {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

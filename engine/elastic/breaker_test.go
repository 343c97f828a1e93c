package elastic

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// scripted is a transport whose answers come from a function.
type scripted func(*http.Request) (*http.Response, error)

func (s scripted) Perform(r *http.Request) (*http.Response, error) { return s(r) }

// simulated is an engine without a network, for tests in which time is simulated.
func simulated(t *testing.T, answer scripted) *Engine {
	t.Helper()
	o := DefaultOptions()
	o.URLs = []string{"http://127.0.0.1:1"}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	e.client.transport = answer
	return e
}

// answer is one of Elasticsearch.
func answer(status int, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Header: http.Header{"X-Elastic-Product": {"Elasticsearch"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

var errReset = errors.New("connection reset by peer")

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent, next := 0, func() (*http.Response, error) { return answer(200, `{}`) }
		e := simulated(t, func(*http.Request) (*http.Response, error) { sent++; return next() })
		call := func(ctx context.Context) error { return e.ask(ctx, esapi.InfoRequest{}, nil) }
		fails := func(n int) {
			t.Helper()
			for range n {
				if err := call(t.Context()); errors.Is(err, ErrUnavailable) || err == nil {
					t.Fatalf("%v, want the failure itself", err)
				}
			}
		}
		away := func() (*http.Response, error) { return nil, errReset }
		busy := func() (*http.Response, error) { return answer(429, `{}`) }
		refused := func() (*http.Response, error) { return answer(400, `{}`) }

		// One success, or an answer that blames the request, and the failures before it are forgotten.
		for _, between := range []func() (*http.Response, error){func() (*http.Response, error) { return answer(200, `{}`) }, refused} {
			next = away
			fails(tripAfter - 1)
			next = between
			call(t.Context())
		}
		next = refused
		fails(3 * tripAfter)

		// A client that went away changes nothing: the failures around it are in a row.
		next = busy
		fails(tripAfter - 1)
		ctx, cancel := context.WithCancel(t.Context())
		next = func() (*http.Response, error) { cancel(); return away() }
		if err := call(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		next = away
		fails(1)

		// Now nothing is sent …
		before := sent
		for range 10 {
			if err := call(t.Context()); !errors.Is(err, ErrUnavailable) {
				t.Fatalf("%v, want ErrUnavailable", err)
			}
		}
		if sent != before {
			t.Errorf("%d requests were sent all the same", sent-before)
		}
		// … until it is time for one call, while which the others still are not sent …
		time.Sleep(restFor + time.Millisecond)
		next = func() (*http.Response, error) {
			if err := call(t.Context()); !errors.Is(err, ErrUnavailable) {
				t.Errorf("beside the first call: %v, want ErrUnavailable", err)
			}
			return away()
		}
		fails(1)
		if err := call(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("after it failed too: %v, want ErrUnavailable", err)
		}
		// … and a ping, which says how things are, always is.
		next = func() (*http.Response, error) { return answer(200, `{"version":{"number":"8.19.13"}}`) }
		if err := e.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(restFor + time.Millisecond)
		for range 3 {
			if err := call(t.Context()); err != nil {
				t.Errorf("when the node is back: %v", err)
			}
		}
	})
}

// described answers what an alias points to.
const described = `{"x-1":{"aliases":{"x":{}},"mappings":{"_meta":{"matching":{"format":2,"state":"complete","documents":3}}},
	"settings":{"index":{"number_of_shards":"1","similarity":{"words":{"k1":3,"b":0.7}}}}}}`

// While the node is slow, one question is under way however many ask, each of whom waits no longer than it can; and when
// the node is back, the same one question serves all.
func TestOpen_OneQuestionForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var questions atomic.Int64
		release := make(chan struct{})
		e := simulated(t, func(r *http.Request) (*http.Response, error) {
			questions.Add(1)
			select {
			case <-release:
				return answer(200, described)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		var impatient, patient sync.WaitGroup
		start := time.Now()
		for range 20 {
			impatient.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				if _, err := e.Open(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v, want the deadline", err)
				}
				if waited := time.Since(start); waited > 100*time.Millisecond {
					t.Errorf("waited %v", waited)
				}
			})
			patient.Go(func() {
				if s, err := e.Open(t.Context(), "x"); err != nil || s.Info().Documents != 3 {
					t.Errorf("%v, %v", s, err)
				}
			})
		}
		impatient.Wait()
		time.Sleep(time.Second)
		close(release)
		patient.Wait()
		if n := questions.Load(); n != 1 {
			t.Errorf("%d questions, want 1", n)
		}
		first, _ := e.Open(t.Context(), "x")
		time.Sleep(freshFor + time.Millisecond)
		second, err := e.Open(t.Context(), "x")
		if err != nil || first != second || questions.Load() < 2 {
			t.Errorf("%v after %d questions: another snapshot of the same index, or not asked again", err, questions.Load())
		}
	})
}

// A node that never answers is given up on, for those too who could wait for ever.
func TestOpen_GivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := simulated(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		for range tripAfter {
			if _, err := e.Open(t.Context(), "x"); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		if _, err := e.Open(t.Context(), "x"); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%v, want ErrUnavailable", err)
		}
	})
}

func TestOpen_Aliases(t *testing.T) {
	foreign := `{"y":{"aliases":{"x":{}},"mappings":{},"settings":{"index":{"number_of_shards":"1"}}}}`
	two := strings.TrimSuffix(described, "}") + `,"x-2":{"aliases":{"x":{}},"settings":{"index":{"number_of_shards":"1"}}}}`
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"nothing":    {404, `{"error":{"type":"index_not_found_exception","reason":"no such index [x]"},"status":404}`, "not found"},
		"two":        {200, two, "2 indexes"},
		"foreign":    {200, foreign, "not made by this program"},
		"an index":   {200, strings.ReplaceAll(described, `"x-1"`, `"x"`), "is an index, want an alias"},
		"old format": {200, strings.ReplaceAll(described, `"format":2`, `"format":0`), "format 0, want 2"},
	} {
		e := simulated(t, func(*http.Request) (*http.Response, error) { return answer(c.status, c.body) })
		if _, err := e.Open(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// What changes is in the log, once.
func TestBreaker_Log(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		o := DefaultOptions()
		o.URLs, o.Log = []string{"http://127.0.0.1:1"}, slog.New(slog.NewTextHandler(&log, nil))
		e, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		e.client.transport = scripted(func(*http.Request) (*http.Response, error) { return nil, errReset })
		for range 3 * tripAfter {
			e.ask(t.Context(), esapi.InfoRequest{}, nil)
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "now=open") {
			t.Errorf("log: %s", &log)
		}
	})
}

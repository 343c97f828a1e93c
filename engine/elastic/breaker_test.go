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

	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/engine/elastic/search"
)

// A fakeTransport answers requests by calling a function.
type fakeTransport func(*http.Request) (*http.Response, error)

func (f fakeTransport) Perform(r *http.Request) (*http.Response, error) { return f(r) }

// withoutNetwork returns an engine whose requests are answered by a function, for tests in a synctest bubble.
func withoutNetwork(t *testing.T, answer fakeTransport, set ...func(*Options)) *Engine {
	t.Helper()
	o := DefaultOptions()
	o.URLs = []string{"http://127.0.0.1:1"}
	for _, set := range set {
		set(&o)
	}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	e.client.Transport = answer
	return e
}

// answer returns an answer of Elasticsearch.
func answer(status int, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Header: http.Header{"X-Elastic-Product": {"Elasticsearch"}},
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

var errReset = errors.New("connection reset by peer")

func TestBreaker_OpensAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ok := func() (*http.Response, error) { return answer(200, `{}`) }
		sent := 0
		next := ok
		e := withoutNetwork(t, func(*http.Request) (*http.Response, error) { sent++; return next() })
		call := func(ctx context.Context) error { return e.client.Ask(ctx, rest.Request{Method: http.MethodGet}, nil) }
		fail := func(n int) {
			t.Helper()
			for range n {
				if err := call(t.Context()); errors.Is(err, rest.ErrUnavailable) || err == nil {
					t.Fatalf("got error %v, want that of the request", err)
				}
			}
		}

		down := func() (*http.Response, error) { return nil, errReset }
		busy := func() (*http.Response, error) { return answer(429, `{}`) }
		badRequest := func() (*http.Response, error) { return answer(400, `{}`) }

		// A success, or an error caused by the request, resets the count of failures.
		for _, between := range []func() (*http.Response, error){ok, badRequest} {
			next = down
			fail(rest.TripAfter - 1)
			next = between
			call(t.Context())
		}

		next = badRequest
		fail(3 * rest.TripAfter)

		// A canceled request does not: the failures before and after it are consecutive.
		next = busy
		fail(rest.TripAfter - 1)
		ctx, cancel := context.WithCancel(t.Context())
		next = func() (*http.Response, error) { cancel(); return down() }

		if err := call(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		next = down
		fail(1)

		// The breaker is open and nothing is sent.
		before := sent

		for range 10 {
			if err := call(t.Context()); !errors.Is(err, rest.ErrUnavailable) {
				t.Fatalf("got error %v, want ErrUnavailable", err)
			}
		}

		if sent != before {
			t.Errorf("%d requests sent while the breaker is open", sent-before)
		}
		// After a while it lets one request through, and no other until that one is answered.
		time.Sleep(rest.OpenFor + time.Millisecond)
		next = func() (*http.Response, error) {
			if err := call(t.Context()); !errors.Is(err, rest.ErrUnavailable) {
				t.Errorf("during the probe: got error %v, want ErrUnavailable", err)
			}
			return down()
		}

		fail(1)
		if err := call(t.Context()); !errors.Is(err, rest.ErrUnavailable) {
			t.Errorf("after a failed probe: got error %v, want ErrUnavailable", err)
		}
		// A ping bypasses the breaker.
		next = func() (*http.Response, error) { return answer(200, `{"version":{"number":"8.19.13"}}`) }

		if err := e.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(rest.OpenFor + time.Millisecond)

		for range 3 {
			if err := call(t.Context()); err != nil {
				t.Errorf("after the cluster recovered: %v", err)
			}
		}
	})
}

// aliasAnswer is the answer to a lookup of the alias x, which points to the index x-1.
const aliasAnswer = `{"x-1":{"aliases":{"x":{}},
	"mappings":{"_meta":{"matching":{"format":3,"state":"complete","documents":3}}},
	"settings":{"index":{"number_of_shards":"1","similarity":{"words":{"k1":3,"b":0.7}}}}}}`

// Concurrent calls of Open share one lookup, and each returns when its own context ends.
func TestOpen_SharesLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lookups atomic.Int64
		release := make(chan struct{})
		e := withoutNetwork(t, func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, "_stats") {
				return answer(200, `{}`)
			}
			lookups.Add(1)

			select {
			case <-release:
				return answer(200, aliasAnswer)
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
					t.Errorf("got error %v, want DeadlineExceeded", err)
				}

				if waited := time.Since(start); waited > 100*time.Millisecond {
					t.Errorf("waited %v, want 100ms", waited)
				}
			})

			patient.Go(func() {
				if s, err := e.Open(t.Context(), "x"); err != nil || s.Info().Documents != 3 {
					t.Errorf("got snapshot %v, error %v", s, err)
				}
			})
		}

		impatient.Wait()
		time.Sleep(time.Second)
		close(release)
		patient.Wait()

		if n := lookups.Load(); n != 1 {
			t.Errorf("got %d lookups, want 1", n)
		}
		first, _ := e.Open(t.Context(), "x")
		time.Sleep(search.AliasTTL + time.Millisecond)
		second, err := e.Open(t.Context(), "x")
		if err != nil || first != second || lookups.Load() < 2 {
			t.Errorf("error %v after %d lookups; want the same snapshot, after another lookup", err, lookups.Load())
		}
	})
}

// Open does not wait forever for a node that never answers, even if its context has no deadline.
func TestOpen_TimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := withoutNetwork(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		for range rest.TripAfter {
			if _, err := e.Open(t.Context(), "x"); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		if _, err := e.Open(t.Context(), "x"); !errors.Is(err, rest.ErrUnavailable) {
			t.Errorf("%v, want ErrUnavailable", err)
		}
	})
}

func TestOpen_InvalidAlias(t *testing.T) {
	foreign := `{"y":{"aliases":{"x":{}},"mappings":{},"settings":{"index":{"number_of_shards":"1"}}}}`
	two := strings.TrimSuffix(aliasAnswer, "}") +
		`,"x-2":{"aliases":{"x":{}},"mappings":{"_meta":{"matching":{"format":3,"state":"complete"}}},` +
		`"settings":{"index":{"number_of_shards":"1"}}}}`
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"no alias":   {404, `{"error":{"type":"index_not_found_exception","reason":"no such index [x]"}}`, "not found"},
		"two":        {200, two, "2 indexes"},
		"foreign":    {200, foreign, "not created by this program"},
		"an index":   {200, strings.ReplaceAll(aliasAnswer, `"x-1"`, `"x"`), "is an index, want an alias"},
		"old format": {200, strings.ReplaceAll(aliasAnswer, `"format":3`, `"format":0`), "format 0, this version reads 3"},
	} {
		e := withoutNetwork(t, func(*http.Request) (*http.Response, error) { return answer(c.status, c.body) })
		if _, err := e.Open(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
}

func TestBreaker_LogsStateChangesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		e := withoutNetwork(t, func(*http.Request) (*http.Response, error) { return nil, errReset },
			func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		for range 3 * rest.TripAfter {
			e.client.Ask(t.Context(), rest.Request{Method: http.MethodGet}, nil)
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "to=open") {
			t.Errorf("log: %s", &log)
		}
	})
}

//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/server/app"
)

// shortTimeout is the request timeout of tests whose requests must time out. They wait for it several times. In all
// other tests a request may take as long as patience, so that a slow machine fails none.
const shortTimeout = time.Second

// serve starts a service inside the test, with some freelancers. It reaches the node only through the rig.
func (r *rig) serve(t *testing.T, requestTimeout time.Duration) *server {
	t.Helper()
	c := deploy(t, r.engine()).config(t)
	c.RequestTimeout = requestTimeout
	s, err := app.Open(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { s.Close() })
	if err := s.Index.Fill(t.Context(), s.Generator.Freelancers(300, 1), "generated", "USD"); err != nil {
		t.Fatal(err)
	}

	request := apikey.Request{Name: "test", Plan: "enterprise"}
	token, _, err := s.Keys.Create(t.Context(), audit.By{Actor: audit.System}, request)
	if err != nil {
		t.Fatal(err)
	}

	listening := httptest.NewServer(s.Handler())
	t.Cleanup(listening.Close)
	return &server{Server: &programs.Server{URL: listening.URL, Key: token}}
}

// A reply is the part of a response that the fault tests compare.
type reply struct {
	Status     int
	Code       string // of the error
	RetryAfter string
	IDs        []string // of the matches
	Source     string   // status of the data source, in a response of /health
}

// reply sends a request and returns the response.
func (s *server) reply(t *testing.T, method, path, body string) reply {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	req.Header.Set("X-API-Key", s.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()

	var response struct {
		Error      struct{ Code string }
		Matches    []struct{ Freelancer struct{ ID string } }
		Components struct {
			DataSource struct{ Status string } `json:"data_source"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&response); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}

	got := reply{
		Status: resp.StatusCode, Code: response.Error.Code, RetryAfter: resp.Header.Get("Retry-After"),
		Source: response.Components.DataSource.Status,
	}
	for _, m := range response.Matches {
		got.IDs = append(got.IDs, m.Freelancer.ID)
	}

	return got
}

func (s *server) match(t *testing.T) reply {
	t.Helper()
	return s.reply(t, http.MethodPost, "/api/v1/match", programs.Brief)
}

func (s *server) health(t *testing.T) reply {
	t.Helper()
	return s.reply(t, http.MethodGet, "/api/v1/health", "")
}

// firstMatch returns a successful match. It retries because a slow machine may exceed a short request timeout.
func (s *server) firstMatch(t *testing.T) (got reply) {
	t.Helper()
	programs.Eventually(t, "a match before the fault", func() bool {
		got = s.match(t)
		return got.Status == http.StatusOK
	})
	if len(got.IDs) != 10 {
		t.Fatalf("%+v before the fault, want 10 matches", got)
	}
	return got
}

// The responses that clients get while the engine fails, and afterward.
var (
	unavailable = reply{Status: http.StatusServiceUnavailable, Code: "engine_unavailable", RetryAfter: "1"}
	timedOut    = reply{Status: http.StatusGatewayTimeout, Code: "engine_timeout"}
	unhealthy   = reply{Status: http.StatusServiceUnavailable, Source: "error"}
	healthy     = reply{Status: http.StatusOK, Source: "healthy"}
)

// Whatever fails between the service and its node, clients get the documented error and /health reports the failure.
// Afterward clients get the same matches as before, without a restart.
func TestFault_BetweenServiceAndNode(t *testing.T) {
	intercept := func(handler http.HandlerFunc) func(*testing.T, *rig) func() {
		return func(_ *testing.T, r *rig) func() {
			r.gateway.intercept(handler)
			return func() { r.gateway.intercept(nil) }
		}
	}

	poison := func(kind, attributes string) func(*testing.T, *rig) func() {
		return func(t *testing.T, r *rig) func() { return r.poison(t, kind, attributes) }
	}
	for _, fault := range []struct {
		name  string
		begin func(*testing.T, *rig) (end func())
		want  reply
	}{
		{"node refuses connections", func(t *testing.T, r *rig) func() {
			r.cut()
			return func() { r.mend(t) }
		}, unavailable},
		{"connections are reset", poison("reset_peer", `{"timeout":0}`), unavailable},
		{"responses exceed the request timeout", poison("latency", `{"latency":4000}`), timedOut},
		{"responses never arrive", poison("timeout", `{"timeout":0}`), timedOut},
		{"responses are truncated", poison("limit_data", `{"bytes":40}`), unavailable},
		{"node dies during every request", intercept(dropConnection), unavailable},
		{"queues of the node are full", intercept(rejectRequest), unavailable},
		{"proxy responds instead of the node", intercept(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<html>no backend</html>", http.StatusBadGateway)
		}), unavailable},
		{"another program responds", intercept(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<html>welcome</html>")
		}), unavailable},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			timeout := programs.Patience
			if fault.want.Status == http.StatusGatewayTimeout {
				timeout = shortTimeout
			}

			r := newRig(t)
			s := r.serve(t, timeout)
			before := s.firstMatch(t)
			end := fault.begin(t, r)

			if diff := cmp.Diff(fault.want, s.match(t)); diff != "" {
				t.Errorf("the first match (-want +got):\n%s", diff)
			}

			for range 6 { // enough failures to open the circuit breaker
				if got := s.match(t); !cmp.Equal(got, unavailable) && !cmp.Equal(got, fault.want) {
					t.Errorf("during the fault: %+v, want %+v", got, fault.want)
				}
			}

			if diff := cmp.Diff(unhealthy, s.health(t)); diff != "" {
				t.Errorf("/health (-want +got):\n%s", diff)
			}

			if got := s.reply(t, http.MethodGet, "/livez", ""); got.Status != http.StatusOK {
				t.Errorf("/livez: %+v, want 200, because a restart would not help", got)
			}

			end()
			s.wantRecovery(t, before)
		})
	}
}

// wantRecovery waits until matching and /health succeed, and fails the test unless the matches are the same as before.
func (s *server) wantRecovery(t *testing.T, before reply) {
	t.Helper()
	start := time.Now()
	var after reply
	programs.Eventually(t, "the recovery", func() bool {
		after = s.match(t)
		return after.Status == http.StatusOK
	})
	t.Logf("recovered within %s", time.Since(start).Round(time.Millisecond))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the matches changed (-before +after):\n%s", diff)
	}
	s.wantHealthy(t)
}

func (s *server) wantHealthy(t *testing.T) {
	t.Helper()
	programs.Eventually(t, "a healthy node in /health", func() bool { return cmp.Equal(healthy, s.health(t)) })
}

// A node that fails during a search causes the documented error, and the service recovers when the node returns.
func TestFault_NodeLostDuringSearch(t *testing.T) {
	r := newRig(t)
	s := r.serve(t, programs.Patience)
	before := s.firstMatch(t)
	var cut sync.Once
	r.gateway.intercept(func(w http.ResponseWriter, request *http.Request) {
		if !isSearch(request) {
			r.gateway.pass.ServeHTTP(w, request)
			return
		}

		// The HTTP server notices a closed connection only after the request body has been read.
		io.Copy(io.Discard, request.Body)
		cut.Do(r.cut)
		<-request.Context().Done()
		panic(http.ErrAbortHandler)
	})

	if diff := cmp.Diff(unavailable, s.match(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	r.gateway.intercept(nil)
	r.mend(t)
	s.wantRecovery(t, before)
}

// A server starts without its node, logs that the node is unreachable, and serves as soon as the node responds.
func TestFault_NodeDownAtStart(t *testing.T) {
	r := newRig(t)
	d := deploy(t, r.engine())
	d.index(t, "load", generate(t, 500, 1))
	r.cut()
	s := d.serve(t)
	s.wantLog(t, "matching fails until it responds")
	if diff := cmp.Diff(unavailable, s.match(t)); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(unhealthy, s.health(t)); diff != "" {
		t.Errorf("/health (-want +got):\n%s", diff)
	}
	r.mend(t)
	programs.Eventually(t, "the first successful match", func() bool { return len(s.match(t).IDs) == 10 })
	s.wantHealthy(t)
}

// While the node is down, it gets only a few probes however many clients retry. When it returns, they don't overwhelm
// it. The limits are counts of requests, and each request may take as long as patience, so the speed of the machine
// does not matter.
func TestFault_NoThunderingHerd(t *testing.T) {
	const (
		clients         = 64
		probes          = 3  // of the circuit breaker, which sends one per second
		matches         = 16 // processed concurrently, the default of -max-matches
		requestsPerCall = 5  // requests that one match sends to the node, at most
	)

	r := newRig(t)
	s := r.serve(t, programs.Patience)
	s.firstMatch(t)

	var failed, succeeded atomic.Int64
	var group sync.WaitGroup
	stop := make(chan struct{})
	r.gateway.intercept(dropConnection)
	r.gateway.requests.Store(0)
	began := time.Now()

	for range clients {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}

				switch status, response, err := s.Try(http.MethodPost, "/api/v1/match", programs.Brief); {
				case err != nil:
					t.Error(err)
					return
				case status == http.StatusOK:
					succeeded.Add(1)
				case status == http.StatusServiceUnavailable:
					failed.Add(1)
				case status == http.StatusTooManyRequests: // all clients use one key, whose account has a share
				default:
					t.Errorf("%d %v", status, response)
				}
			}
		})
	}

	received := r.gateway.requests.Load
	programs.Eventually(t, "the first failures", func() bool { return failed.Load() > 1000 })
	first := received()
	programs.Eventually(t, "some probes", func() bool { return received() >= first+probes })
	down := received()
	seconds := int64(time.Since(began).Seconds()) + 1
	t.Logf("down for %d s: %d matches failed, the node received %d requests", seconds, failed.Load(), down)

	// Counted are the requests that were in progress when the breaker opened, and one probe per second. net/http sends
	// each of them twice if it reuses a connection that has been closed.
	if limit := 2 * (matches + 5 + 2*seconds); down > limit {
		t.Errorf("the node received %d requests while it was down, want at most %d", down, limit)
	}

	if succeeded.Load() > 0 {
		t.Errorf("%d matches succeeded without a node", succeeded.Load())
	}

	r.gateway.peak()
	r.gateway.intercept(nil)
	down = received()
	programs.Eventually(t, "the recovery", func() bool { return succeeded.Load() >= 200 })
	up := received() - down
	peak := r.gateway.peak()
	close(stop)
	group.Wait()
	t.Logf("up again: %d requests for %d matches, at most %d at once", up, succeeded.Load(), peak)

	if limit := requestsPerCall*(succeeded.Load()+matches) + probes; up > limit {
		t.Errorf("%d requests for %d matches, want at most %d", up, succeeded.Load(), limit)
	}

	if peak > matches+1 { // and one request that resolves the alias
		t.Errorf("%d requests at once, want at most %d", peak, matches+1)
	}
}

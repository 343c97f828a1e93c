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

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/server/app"
)

// impatient is the longest that a request may take in the tests of faults.
const impatient = time.Second

// serveBehind is a service whose only way to the node is the rig, with some freelancers. It runs inside the test.
func (r *rig) serveBehind(t *testing.T) *server {
	t.Helper()
	c := deploy(t, r.engine()).config(t)
	c.RequestTimeout = impatient
	s, err := app.Open(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Index.Fill(t.Context(), s.Generator.Freelancers(300, 1), "generated", "USD"); err != nil {
		t.Fatal(err)
	}
	token, _, err := s.Keys.Create(t.Context(), audit.By{Actor: audit.System}, apikey.Request{Name: "test", Plan: "enterprise"})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(s.Handler())
	t.Cleanup(listening.Close)
	return &server{url: listening.URL, key: token}
}

// reply is what a client sees of an answer.
type reply struct {
	Status     int
	Code       string // of the error
	RetryAfter string
	IDs        []string // of the matches
	Source     string   // the state of the data source, of /health
}

// reply sends a request.
func (s *server) reply(t *testing.T, method, path, body string) reply {
	t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Error      struct{ Code string }
		Matches    []struct{ Freelancer struct{ ID string } }
		Components struct {
			DataSource struct{ Status string } `json:"data_source"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	got := reply{
		Status: resp.StatusCode, Code: answer.Error.Code, RetryAfter: resp.Header.Get("Retry-After"),
		Source: answer.Components.DataSource.Status,
	}
	for _, m := range answer.Matches {
		got.IDs = append(got.IDs, m.Freelancer.ID)
	}
	return got
}

func (s *server) match(t *testing.T) reply {
	t.Helper()
	return s.reply(t, http.MethodPost, "/api/v1/match", brief)
}

func (s *server) health(t *testing.T) reply {
	t.Helper()
	return s.reply(t, http.MethodGet, "/api/v1/health", "")
}

// What a client sees of the faults of the engine.
var (
	unavailable = reply{Status: http.StatusServiceUnavailable, Code: "engine_unavailable", RetryAfter: "1"}
	timedOut    = reply{Status: http.StatusGatewayTimeout, Code: "engine_timeout"}
	unhealthy   = reply{Status: http.StatusServiceUnavailable, Source: "error"}
	healthy     = reply{Status: http.StatusOK, Source: "healthy"}
)

// Whatever happens between service and node, a client gets the documented error while it lasts, /health tells of it,
// and afterwards the same answer as before, without anybody's help.
func TestFault_BetweenServiceAndNode(t *testing.T) {
	between := func(step http.HandlerFunc) func(*testing.T, *rig) func() {
		return func(_ *testing.T, r *rig) func() {
			r.gateway.between(step)
			return func() { r.gateway.between(nil) }
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
		{"nobody listens", func(t *testing.T, r *rig) func() {
			r.cut()
			return func() { r.mend(t) }
		}, unavailable},
		{"connections are reset", poison("reset_peer", `{"timeout":0}`), unavailable},
		{"answers take longer than a request may", poison("latency", `{"latency":4000}`), timedOut},
		{"answers never come", poison("timeout", `{"timeout":0}`), timedOut},
		{"answers break off", poison("limit_data", `{"bytes":40}`), unavailable},
		{"the node dies over every request", between(breakOff), unavailable},
		{"the queues of the node are full", between(refuse), unavailable},
		{"a proxy answers for the node", between(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<html>no backend</html>", http.StatusBadGateway)
		}), unavailable},
		{"something else answers", between(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<html>welcome</html>")
		}), unavailable},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := r.serveBehind(t)
			before := s.match(t)
			if before.Status != http.StatusOK || len(before.IDs) != 10 {
				t.Fatalf("%+v before the fault", before)
			}
			end := fault.begin(t, r)
			if diff := cmp.Diff(fault.want, s.match(t)); diff != "" {
				t.Errorf("the first match (-want +got):\n%s", diff)
			}
			for range 6 { // more than open the circuit breaker
				if got := s.match(t); !cmp.Equal(got, unavailable) && !cmp.Equal(got, fault.want) {
					t.Errorf("while it lasts: %+v, want %+v", got, fault.want)
				}
			}
			if diff := cmp.Diff(unhealthy, s.health(t)); diff != "" {
				t.Errorf("/health (-want +got):\n%s", diff)
			}
			if got := s.reply(t, http.MethodGet, "/livez", ""); got.Status != http.StatusOK {
				t.Errorf("/livez: %+v; a restart would mend nothing", got)
			}
			end()
			s.recovers(t, before)
		})
	}
}

// recovers waits until the service answers as before, and says how long that took.
func (s *server) recovers(t *testing.T, before reply) {
	t.Helper()
	start := time.Now()
	var after reply
	eventually(t, "the recovery", func() bool {
		after = s.match(t)
		return after.Status == http.StatusOK
	})
	t.Logf("recovered within %s", time.Since(start).Round(time.Millisecond))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the answer is not the one before (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(healthy, s.health(t)); diff != "" {
		t.Errorf("/health after the recovery (-want +got):\n%s", diff)
	}
}

// The node is lost while it searches.
func TestFault_NodeLostWhileItSearches(t *testing.T) {
	r := newRig(t)
	s := r.serveBehind(t)
	before := s.match(t)
	var cut sync.Once
	r.gateway.between(func(w http.ResponseWriter, request *http.Request) {
		if !isSearch(request) {
			r.gateway.pass.ServeHTTP(w, request)
			return
		}
		io.Copy(io.Discard, request.Body) // only then does the server see that the client goes
		cut.Do(r.cut)
		<-request.Context().Done()
		panic(http.ErrAbortHandler)
	})
	if diff := cmp.Diff(unavailable, s.match(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r.gateway.between(nil)
	r.mend(t)
	s.recovers(t, before)
}

// A server starts without its node, says what it lacks, and serves as soon as the node is there.
func TestFault_NodeDownAtStart(t *testing.T) {
	r := newRig(t)
	d := deploy(t, r.engine())
	d.index(t, "load", generate(t, 500, 1))
	r.cut()
	s := d.serve(t)
	s.tells(t, "matching fails until it responds")
	if diff := cmp.Diff(unavailable, s.match(t)); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(unhealthy, s.health(t)); diff != "" {
		t.Errorf("/health (-want +got):\n%s", diff)
	}
	r.mend(t)
	eventually(t, "the first answer", func() bool { return len(s.match(t).IDs) == 10 })
	if diff := cmp.Diff(healthy, s.health(t)); diff != "" {
		t.Errorf("/health with the node (-want +got):\n%s", diff)
	}
}

// A node that is away hears next to nothing of thousands who ask, and when it is back they do not come all at once.
func TestFault_NoThunderingHerd(t *testing.T) {
	const (
		clients = 64
		probes  = 3  // tries of the circuit breaker, one a second
		matches = 16 // answered at once, the default of -max-matches
		calls   = 5  // of the node for one match, at most
	)
	r := newRig(t)
	s := r.serveBehind(t)
	s.match(t)

	var failed, answered atomic.Int64
	var group sync.WaitGroup
	stop := make(chan struct{})
	r.gateway.between(breakOff)
	r.gateway.requests.Store(0)
	r.gateway.peak()
	for range clients {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				switch status, answer, err := s.try(http.MethodPost, "/api/v1/match", brief); {
				case err != nil:
					t.Error(err)
					return
				case status == http.StatusOK:
					answered.Add(1)
				case status == http.StatusServiceUnavailable:
					failed.Add(1)
				default:
					t.Errorf("%d %v", status, answer)
				}
			}
		})
	}
	began := time.Now()
	trips := r.gateway.requests.Load
	eventually(t, "the first failures", func() bool { return failed.Load() > 1000 })
	first := trips()
	eventually(t, "some probes", func() bool { return trips() >= first+probes })
	down, seconds := trips(), int64(time.Since(began).Seconds())+1
	t.Logf("away for %d s: %d matches refused, %d requests reached the node", seconds, failed.Load(), down)
	// Those under way when the breaker opens, and what it lets through afterwards. A connection that was used before is
	// tried anew once by net/http.
	if most := 2 * (matches + 5 + 2*seconds); down > most {
		t.Errorf("%d requests reached the node while it was away, want at most %d", down, most)
	}
	if answered.Load() > 0 {
		t.Errorf("%d matches answered without a node", answered.Load())
	}

	r.gateway.peak()
	r.gateway.between(nil)
	eventually(t, "the recovery", func() bool { return answered.Load() >= 200 })
	up, peak := trips()-down, r.gateway.peak()
	close(stop)
	group.Wait()
	t.Logf("back: %d requests for %d matches, %d at once", up, answered.Load(), peak)
	if most := calls*(answered.Load()+matches) + probes; up > most {
		t.Errorf("%d requests for %d matches, want at most %d", up, answered.Load(), most)
	}
	if peak > matches+1 { // and one that asks where the alias points to
		t.Errorf("%d requests at once, want at most %d", peak, matches+1)
	}
}

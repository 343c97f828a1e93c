package load

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

const answer = `{"status":"success","matches":[{"score":0.5}]}`

// A service is a fake of the real one that records the requests.
type service struct {
	url         string
	mu          sync.Mutex
	bodies      []string
	connections atomic.Int64
}

func newService(t *testing.T, respond http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies = append(s.bodies, string(body))
		s.mu.Unlock()

		if r.Method != http.MethodPost || r.URL.Path != "/api/v1/match" || r.Header.Get("X-API-Key") != "svc_test" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}

		respond(w, r)
	}))

	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}

	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL

	return s
}

func succeed(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }

// A result is the JSON report.
type result struct {
	Requests  int                `json:"requests"`
	Clients   int                `json:"clients"`
	Failed    int                `json:"failed"`
	Failures  map[string]int     `json:"failures"`
	NoMatches int                `json:"no_matches"`
	Rate      float64            `json:"requests_per_second"`
	LatencyMS map[string]float64 `json:"latency_ms"`
	Bytes     int64              `json:"answer_bytes"`
}

func runJSON(t *testing.T, s *service, args ...string) (int, result) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), append([]string{"-url", s.url, "-key", "svc_test", "-json"}, args...), &stdout, &stderr)
	var r result
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("report %q, log %q: %v", stdout.String(), stderr.String(), err)
	}
	return code, r
}

func TestRun(t *testing.T) {
	s := newService(t, succeed)
	code, r := runJSON(t, s, "-requests", "300", "-clients", "4", "-warm-up", "20")
	if code != 0 || r.Requests != 300 || r.Clients != 4 || r.Failed != 0 || r.NoMatches != 0 {
		t.Errorf("exit code %d, report %+v", code, r)
	}

	if r.Bytes != int64(300*len(answer)) || r.Rate <= 0 {
		t.Errorf("%d bytes, %v requests/s", r.Bytes, r.Rate)
	}

	previous := 0.0
	for _, q := range []string{"p50", "p90", "p95", "p99", "max"} {
		if r.LatencyMS[q] <= 0 || r.LatencyMS[q] < previous {
			t.Errorf("latency %v", r.LatencyMS)
		}
		previous = r.LatencyMS[q]
	}

	if got := s.connections.Load(); got > 4 {
		t.Errorf("%d connections for 4 clients", got)
	}

	different := map[string]bool{}
	for _, body := range s.bodies {
		different[body] = true
	}

	if len(s.bodies) != 320 || len(different) != 320 {
		t.Errorf("%d requests with %d different bodies", len(s.bodies), len(different))
	}
}

func TestRun_SameSeedSameBriefs(t *testing.T) {
	bodies := func(seed string) []string {
		s := newService(t, succeed)
		if code, _ := runJSON(t, s, "-requests", "50", "-clients", "1", "-seed", seed); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		return s.bodies
	}
	first := bodies("3")
	if diff := cmp.Diff(first, bodies("3")); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	if cmp.Equal(first, bodies("4")) {
		t.Error("seeds 3 and 4 send the same briefs")
	}
}

func TestRun_EndsAfterTheDuration(t *testing.T) {
	code, r := runJSON(t, newService(t, succeed), "-duration", "1s", "-warm-up", "0", "-clients", "2")
	if code != 0 || r.Requests == 0 {
		t.Errorf("exit code %d, report %+v", code, r)
	}
}

func TestRun_CountsFailures(t *testing.T) {
	var requests atomic.Int64
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		switch requests.Add(1) % 10 {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"status":"error","error":{"code":"overloaded"}}`)
		case 1:
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, `<html>`)
		case 2:
			_, _ = io.WriteString(w, `{"status":"success","matches":[],"reason":"no_data"}`)
		case 3:
			panic(http.ErrAbortHandler)
		case 4:
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, answer)
		default:
			succeed(w, r)
		}
	})

	code, r := runJSON(t, s, "-requests", "100", "-clients", "1", "-warm-up", "0")
	want := map[string]int{"503 overloaded": 10, "502 (no code in the answer)": 10, "EOF": 10, "unexpected EOF": 10}
	if diff := cmp.Diff(want, r.Failures); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}

	if code != 1 || r.Requests != 100 || r.Failed != 40 || r.NoMatches != 10 {
		t.Errorf("exit code %d, report %+v", code, r)
	}
}

func TestRun_StopsWhenEverythingFails(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	code, r := runJSON(t, s, "-requests", "1000000", "-clients", "2", "-warm-up", "0", "-duration", "1h")
	if code != 1 || r.Failed < maxFailures || r.Failed > maxFailures+2 {
		t.Errorf("exit code %d after %d failures, want 1 after %d", code, r.Failed, maxFailures)
	}
}

func TestRun_Timeout(t *testing.T) {
	s := newService(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	code, r := runJSON(t, s, "-requests", "2", "-clients", "1", "-warm-up", "0", "-timeout", "20ms")
	if diff := cmp.Diff(map[string]int{"timeout": 2}, r.Failures); diff != "" || code != 1 {
		t.Errorf("exit code %d, failures (-want +got):\n%s", code, diff)
	}
}

func TestRun_NothingToMeasure(t *testing.T) {
	refusing := newService(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"code":"invalid_api_key"}}`)
	})

	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		args []string
		want string
	}{
		{
			"invalid key", t.Context(),
			[]string{"-url", refusing.url, "-warm-up", "5"},
			"5 of 5 warm-up requests failed: 401 invalid_api_key (5)",
		},
		{"no service", t.Context(), []string{"-url", gone.URL, "-warm-up", "1"}, "connection refused"},
		{
			"interrupted", canceled,
			[]string{"-url", refusing.url, "-warm-up", "0"},
			"stopped before the first request was answered",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(test.ctx, append(test.args, "-key", "svc_test"), &stdout, &stderr)
			if code != 1 || stdout.Len() > 0 || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("exit code %d, report %q, log %q, want %q", code, stdout.String(), stderr.String(), test.want)
			}
		})
	}
}

func TestRun_CommandLine(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"help", []string{"--help"}, 0, "Usage: load -key KEY"},
		{"no key", nil, 2, "-key must be"},
		{"unknown flag", []string{"-fast"}, 2, "-fast"},
		{"argument", []string{"-key", "k", "now"}, 2, `unexpected argument "now"`},
		{"all at once", []string{"-clients", "0", "-duration", "0s"}, 2, "-duration must be above 0"},
		{"too long", []string{"-key", "k", "-duration", "2h"}, 2, "up to 1h, got 2h0m0s"},
		{"too many", []string{"-key", "k", "-requests", "10000001"}, 2, "-requests must be 0 to 10000000, got 10000001"},
		{"warm-up", []string{"-key", "k", "-warm-up", "-1"}, 2, "-warm-up must be"},
		{"timeout", []string{"-key", "k", "-timeout", "0"}, 2, "-timeout must be above 0"},
		{"no scheme", []string{"-key", "k", "-url", "127.0.0.1:8080"}, 2, "-url must be like"},
		{"a path", []string{"-key", "k", "-url", "http://localhost/api/v1"}, 2, "-url must be like"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(t.Context(), test.args, &stdout, &stderr)
			if code != test.code || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("exit code %d, want %d, log %q, want %q", code, test.code, stderr.String(), test.want)
			}
		})
	}
}

func TestReport_Text(t *testing.T) {
	latencies := make([]time.Duration, 0, 100)
	for i := 100; i > 0; i-- {
		latencies = append(latencies, time.Duration(i)*time.Millisecond)
	}

	r := newReport([]tally{
		{latencies: latencies[:40], failures: map[string]int{"EOF": 1}, bytes: 1_000_000},
		{latencies: latencies[40:], failures: map[string]int{"503 overloaded": 2, "EOF": 2}, empty: 4, bytes: 500_000},
	}, 2*time.Second)

	const want = `requests    105 in 2.0 s from 2 clients
failed      5: EOF (3), 503 overloaded (2)
no matches  4
rate        50.0 requests/s
latency     p50 50.00 ms p90 90.00 ms p95 95.00 ms p99 99.00 ms max 100.00 ms
answers     1.5 MB
`

	var got strings.Builder
	if err := r.writeText(&got); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReport_Percentile(t *testing.T) {
	for _, test := range []struct {
		n    int
		q    float64
		want time.Duration
	}{{0, 0.5, 0}, {1, 0.5, 1}, {1, 1, 1}, {2, 0.5, 1}, {3, 0.5, 2}, {10, 0.9, 9}, {10, 0.99, 10}, {1000, 0.99, 990}} {
		var latencies []time.Duration
		for i := range test.n {
			latencies = append(latencies, time.Duration(i+1))
		}
		r := newReport([]tally{{latencies: latencies}}, time.Second)
		if got := r.percentile(test.q); got != test.want {
			t.Errorf("percentile(%v) of 1 to %d = %d, want %d", test.q, test.n, got, test.want)
		}
	}
}

func TestProgress(t *testing.T) {
	now := time.Now()
	w := &work{expires: now.Add(15 * time.Second)}
	w.taken.Store(4000)
	w.failed.Store(2)
	if got, want := progress(w, 20*time.Second, now), "5s of 20s, 4000 requests, 800/s, 2 failed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	w.limit = 3990
	if got, want := progress(w, 20*time.Second, now), "5s of 20s, 3990 requests of 3990, 798/s, 2 failed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWire(t *testing.T) {
	tests := []struct {
		name  string
		brief matching.Brief
		want  string
	}{
		{"little", matching.Brief{Description: "Logo", Limit: 10}, `{"description":"Logo","limit":10}`},
		{"much", matching.Brief{
			Description: "Shop", JobTitle: "Shopify Developer",
			RequiredSkills: []string{"k8s"}, NiceToHaveSkills: []string{"Go"},
			Budget:     matching.Some(matching.Budget{Low: 0, High: 40, Kind: matching.BudgetHourly}),
			Complexity: matching.ComplexityHigh, TimelineDays: matching.Some(9), EffortHours: matching.Some(5.5),
			Filters: matching.Filters{
				Available: matching.Some(true), MinRating: matching.Some(4.5), MinExperience: matching.Some(2.0),
				MaxHourlyRate: matching.Some(60.0), MustHaveSkills: []string{"React"},
			},
			Limit: 25,
		}, `{"description":"Shop","job_title":"Shopify Developer","required_skills":["k8s"],"nice_to_have_skills":["Go"],` +
			`"budget_range":[0,40],"budget_type":"hourly","complexity":"high","timeline":9,"effort_hours":5.5,` +
			`"filters":{"available":true,"min_rating":4.5,"min_experience":2,"max_hourly_rate":60,` +
			`"must_have_skills":["React"]},"limit":25}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(wire(test.brief))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// BenchmarkSend measures the cost of a request, including that of a fake service that does nothing.
func BenchmarkSend(b *testing.B) {
	page := []byte(`{"status":"success","matches":[` + strings.Repeat(`{"score":0.5},`, 500) + `{}]}`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", strconv.Itoa(len(page)))
		_, _ = w.Write(page)
	}))
	defer server.Close()
	c := newClient(options{endpoint: server.URL, key: "svc_test", timeout: time.Second})
	body := []byte(`{"description":"` + strings.Repeat("word ", 100) + `"}`)
	b.ReportAllocs()
	for b.Loop() {
		if failure, err := c.send(b.Context(), body); failure != "" || err != nil {
			b.Fatal(failure, err)
		}
	}
}

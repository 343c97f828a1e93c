package app_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/redis"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/api"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/server/metrics"
)

// An access is a way to store keys and count requests.
type access struct {
	name  string
	keys  api.Keys
	quota limits.Quota
	token string
}

// known accepts every token as the same key on an unlimited plan, to measure requests without keys and limits.
type known struct{ key apikey.Key }

func (k known) Authenticate(context.Context, string) (apikey.Key, error) { return k.key, nil }

func (k known) Find(context.Context, string) (apikey.Key, error) { return k.key, nil }

// generous counts requests like its Quota but never rejects one, so that the benchmark measures accepted requests.
type generous struct{ *quota.Quota }

func (g generous) Take(ctx context.Context, a quota.Allowance) (quota.Decision, error) {
	a.PerMinute = 1 << 40
	a.PerMonth = 1 << 40
	return g.Quota.Take(ctx, a)
}

func (g generous) Check(ctx context.Context, a quota.Allowance, n int) (quota.Decision, error) {
	a.PerMinute = 1 << 40
	a.PerMonth = 1 << 40
	return g.Quota.Check(ctx, a, n)
}

// accesses returns no keys at all, SQLite and, if the environment names both, PostgreSQL with Redis.
func accesses(b *testing.B) []access {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	open := func(c config.Config) *app.Access {
		a, err := app.OpenAccess(b.Context(), c, log)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = a.Close() })
		return a
	}

	count := func(s quota.Store) limits.Quota {
		return generous{quota.New(quota.Config{Store: s, Now: time.Now, Log: log})}
	}
	create := func(a *app.Access, plan string) string {
		token, _, err := a.Keys.Create(b.Context(), audit.By{Actor: audit.CommandLine},
			apikey.Request{Name: plan, Plan: plan})
		if err != nil {
			b.Fatal(err)
		}
		return token
	}

	c := config.Default()
	c.Data = b.TempDir()
	c.Encoder = config.EncoderOff
	one := open(c)
	all := []access{
		{"none", known{apikey.Key{ID: "key_1", Plan: "enterprise"}}, count(one.DB.Quotas), "svc_en_x"},
		{"sqlite/enterprise", one.Keys, count(one.DB.Quotas), create(one, "enterprise")},
		{"sqlite/limited", one.Keys, count(one.DB.Quotas), create(one, "professional")},
	}

	postgres := os.Getenv("MATCHING_TEST_POSTGRES_URL")
	counters := os.Getenv("MATCHING_TEST_REDIS_URL")
	if postgres == "" || counters == "" {
		return all
	}

	c.Database.URL = postgres
	many := open(c)
	r, err := redis.Open(redis.Options{URL: counters})
	if err != nil {
		b.Fatal(err)
	}

	b.Cleanup(func() { _ = r.Close() })
	return append(all,
		access{"redis/enterprise", many.Keys, count(r), create(many, "enterprise")},
		access{"redis/limited", many.Keys, count(r), create(many, "professional")})
}

// serve returns the REST API with a's keys and limits, and the freelancers of the demo.
func serve(b *testing.B, a access) http.Handler {
	b.Helper()
	c := config.Default()
	c.Data = b.TempDir()
	c.Encoder = config.EncoderOff
	s, err := app.Open(b.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}

	recorder := usage.NewRecorder(s.DB.Usage, slog.New(slog.DiscardHandler))
	observer := metrics.New("test")
	matches := events.New(events.Config{
		Store: s.DB.MatchEvents, Now: time.Now, Log: slog.New(slog.DiscardHandler), Observer: observer,
	})
	b.Cleanup(func() { _, _, _ = matches.Close(), recorder.Close(), s.Close() })

	if err := s.FillDemo(b.Context()); err != nil {
		b.Fatal(err)
	}
	matcher, err := s.Index.Service(nil)
	if err != nil {
		b.Fatal(err)
	}

	return api.New(api.Dependencies{
		Matcher: matcher, Health: s, Keys: a.keys, Generator: s.Generator, Log: slog.New(slog.DiscardHandler),
		Quota: a.quota, Guard: quota.NewGuard(30, time.Minute), Usage: recorder, Metrics: observer, Events: matches,
		Views: views.New(s.DB.Views, time.Now), RequestTimeout: time.Minute, MaxMatches: 4, AdmissionWait: time.Minute,
	}).Handler()
}

const (
	measuredPath  = "/api/v1/generate-test-data?num_freelancers=1"
	measuredBrief = `{"description":"A shop with React and Go on Kubernetes","limit":10}`
)

// BenchmarkRequest measures one request at a time, without a network. The cost of keys and limits is the difference
// from the case none.
func BenchmarkRequest(b *testing.B) {
	benchmarkRequest(b, func() *http.Request {
		return httptest.NewRequestWithContext(b.Context(), http.MethodGet, measuredPath, http.NoBody)
	})
}

// BenchmarkRequest_Match measures one match at a time, without a network. Unlike BenchmarkRequest, it includes
// receiving a body.
func BenchmarkRequest_Match(b *testing.B) {
	benchmarkRequest(b, func() *http.Request {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/api/v1/match", strings.NewReader(measuredBrief))
		r.Header.Set("Content-Type", "application/json")
		return r
	})
}

func benchmarkRequest(b *testing.B, request func() *http.Request) {
	for _, a := range accesses(b) {
		b.Run(a.name, func(b *testing.B) {
			handler := serve(b, a)
			times := []time.Duration{}

			for b.Loop() {
				r := request()
				r.Host = "localhost"
				r.Header.Set("X-API-Key", a.token)
				w := httptest.NewRecorder()
				start := time.Now()
				handler.ServeHTTP(w, r)

				if times = append(times, time.Since(start)); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}

			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "µs-p50")
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "µs-p99")
		})
	}
}

// BenchmarkHTTP measures the same requests over loopback with eight concurrent clients on the server's machine.
func BenchmarkHTTP(b *testing.B) {
	for _, a := range accesses(b) {
		b.Run(a.name, func(b *testing.B) {
			server := httptest.NewServer(serve(b, a))
			b.Cleanup(server.Close)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			b.Cleanup(client.CloseIdleConnections)
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := get(b.Context(), client, server.URL+measuredPath, a.token); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

func get(ctx context.Context, client *http.Client, url, token string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("X-API-Key", token)
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return nil
}

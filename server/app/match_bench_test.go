//go:build unix

package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/server/api"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/server/metrics"
	"github.com/freelancer-matching/service/setup"
)

var matchData = flag.String("match-data", "",
	"data `folder` whose freelancers BenchmarkMatch searches; the generated ones of the demo if empty")

// BenchmarkMatch measures POST /match with an API key of the database in SQLite, without a network: whole requests, and
// requests without their searches, whose pages were recorded before.
func BenchmarkMatch(b *testing.B) {
	handler, searches, key := serveMatches(b)
	bodies := matchBodies(b, 512)
	request := func(i int) {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/api/v1/match",
			bytes.NewReader(bodies[i%len(bodies)]))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", key)
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}

	run := func(b *testing.B) {
		b.ReportAllocs()
		before := processorTime(b)

		for i := 0; b.Loop(); i++ {
			searches.begin(i % len(bodies))
			request(i)
		}

		b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/op")
	}

	b.Run("whole", run)
	searches.pages = make([][]*engine.Page, len(bodies))
	for i := range bodies {
		searches.begin(i)
		request(i)
	}

	b.Run("without-search", run)
}

// processorTime returns the processor time that this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// serveMatches returns the REST API on the engine and the database of a server, and an API key without limits.
func serveMatches(b *testing.B) (http.Handler, *searches, string) {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	c := config.Default()
	c.Data = b.TempDir()
	c.Encoder = config.EncoderOff
	s, err := app.Open(b.Context(), c, log)
	if err != nil {
		b.Fatal(err)
	}

	b.Cleanup(func() { _ = s.Close() })
	index := s.Index

	if *matchData == "" {
		err = s.FillDemo(b.Context())
	} else {
		c.Data = *matchData
		if index, err = setup.OpenIndex(c, log); err == nil {
			b.Cleanup(func() { _ = index.Close() })
		}
	}

	if err != nil {
		b.Fatal(err)
	}
	searches := &searches{Engine: index.Engine}
	index.Engine = searches
	matcher, err := index.Service(nil)
	if err != nil {
		b.Fatal(err)
	}

	m := metrics.New("test")
	recorder := usage.NewRecorder(s.DB.Usage, log)
	matches := events.New(events.Config{Store: s.DB.MatchEvents, Now: time.Now, Log: log, Observer: m})
	b.Cleanup(func() { _, _ = matches.Close(), recorder.Close() })
	key, _, err := s.Keys.Create(b.Context(), audit.By{Actor: audit.CommandLine},
		apikey.Request{Name: "benchmark", Plan: "enterprise"})
	if err != nil {
		b.Fatal(err)
	}

	return api.New(api.Dependencies{
		Matcher: matcher, Health: s, Keys: s.Keys, Generator: s.Generator, Log: log, Events: matches,
		Quota: quota.New(quota.Config{Store: s.DB.Quotas, Now: time.Now, Log: log}), Guard: quota.NewGuard(30, time.Minute),
		Usage: recorder, Metrics: m, Views: views.New(s.DB.Views, time.Now), RequestTimeout: time.Minute, MaxMatches: 4,
		AdmissionWait: time.Minute,
	}).Handler(), searches, key
}

// matchBodies returns the bodies of n generated briefs.
func matchBodies(b *testing.B, n int) [][]byte {
	b.Helper()
	generator, err := synthetic.New()
	if err != nil {
		b.Fatal(err)
	}
	var bodies [][]byte
	for brief := range generator.Briefs(1) {
		if len(bodies) == n {
			break
		}
		body, err := json.Marshal(matchRequest(&brief))
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

func matchRequest(b *matching.Brief) wire.MatchRequest {
	r := wire.MatchRequest{
		Description: b.Description, JobTitle: b.JobTitle, RequiredSkills: b.RequiredSkills,
		NiceToHaveSkills: b.NiceToHaveSkills, Timeline: pointer(b.TimelineDays), EffortHours: pointer(b.EffortHours),
		Filters: wire.MatchFilters{
			Available: pointer(b.Filters.Available), MinRating: pointer(b.Filters.MinRating),
			MinExperience: pointer(b.Filters.MinExperience), MaxHourlyRate: pointer(b.Filters.MaxHourlyRate),
			MustHaveSkills: b.Filters.MustHaveSkills,
		},
	}

	if budget := b.Budget.Value; b.Budget.Known {
		kind := "fixed"
		if budget.Kind == matching.BudgetHourly {
			kind = "hourly"
		}
		r.BudgetRange = []float64{budget.Low, budget.High}
		r.BudgetType = &kind
	}

	if complexity := string(b.Complexity); complexity != "" {
		r.Complexity = &complexity
	}

	return r
}

// pointer returns a pointer to a known value, or nil.
func pointer[T any](o matching.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return &o.Value
}

// searches is an engine whose searches can be recorded and replayed. It serves one request at a time.
type searches struct {
	setup.Engine
	// pages holds those of each request, in the order of its searches. If it is nil, nothing is recorded or replayed.
	pages   [][]*engine.Page
	request int
	next    int // number of searches of the request so far
}

// begin starts a request. Its searches return the pages that they returned before, if those were recorded.
func (s *searches) begin(request int) { s.request, s.next = request, 0 }

func (s *searches) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	snapshot, err := s.Engine.Open(ctx, alias)
	if err != nil {
		return nil, err
	}
	return searched{snapshot, s}, nil
}

type searched struct {
	engine.Snapshot
	*searches
}

func (s searched) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	if s.pages == nil {
		return s.Snapshot.Search(ctx, q)
	}
	pages := &s.pages[s.request]
	if s.next == len(*pages) {
		page, err := s.Snapshot.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		*pages = append(*pages, page)
	}
	s.next++
	return (*pages)[s.next-1], nil
}

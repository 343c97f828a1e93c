// Package app assembles the server: it opens every part that the configuration names and puts the HTTP interface and the
// dashboard in front of them.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/quota"
	"freelancer-matching/access/usage"
	"freelancer-matching/engine"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/setup"
	"freelancer-matching/internal/synthetic"
	"freelancer-matching/interview"
	"freelancer-matching/match"
	"freelancer-matching/server/api"
	"freelancer-matching/server/dashboard"
	"freelancer-matching/server/metrics"
	"freelancer-matching/skills"
)

const (
	// maxInterviews bounds interview requests in progress, open streams included. Each costs little but memory, so
	// that only abuse comes near it.
	maxInterviews = 256
	// admissionWait is how long a brief waits for its turn when too many are answered: longer than a match takes, so
	// that a short burst is absorbed, and short enough that a client's own timeout does not come first.
	admissionWait = 500 * time.Millisecond
	// healthTimeout bounds the look at all parts: what answers later is of no use to those who ask.
	healthTimeout = 2 * time.Second
	// failedKeys is how many keys that are none may come from one address in a minute: more than someone mistypes.
	failedKeys = 30
	// sweepEvery is how often expired sessions, of the dashboard and of interviews, are removed. They are refused from their end on.
	sweepEvery = time.Hour
)

// Server is everything that answers requests.
type Server struct {
	*Access
	Index      *setup.Index
	Generator  *synthetic.Generator
	Metrics    *metrics.Metrics
	parser     *setup.Parser
	model      *model // nil: none is named
	interviews *interview.Service
	verdicts   *skills.Verdicts // nil: there is no model
	usage      *usage.Recorder
	counter    *counter
	api        *api.Server
	config     config.Config
	log        *slog.Logger
	closers    []func() error // in the order in which the parts were opened
}

// Open opens what the configuration names, and puts the HTTP interface and the dashboard before it.
func Open(ctx context.Context, c config.Config, log *slog.Logger) (*Server, error) {
	s := &Server{config: c, log: log, Metrics: metrics.New(c.Version)}
	if err := s.open(ctx, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open(ctx context.Context, c config.Config) (err error) {
	if s.Generator, err = synthetic.New(); err != nil {
		return err
	}
	if s.Access, err = OpenAccess(ctx, c, s.log); err != nil {
		return err
	}
	s.closeWith(s.Access.Close)
	if s.counter, err = openCounter(c, s.DB); err != nil {
		return err
	}
	s.closeWith(s.counter.Close)
	if s.Index, err = setup.OpenIndex(c, s.log); err != nil {
		return err
	}
	s.closeWith(s.Index.Close)
	if s.parser, err = setup.OpenParser(ctx, s.Index.ParserConfig()); err != nil {
		return err
	}
	s.closeWith(s.parser.Close)
	if err := s.openInterviews(c); err != nil {
		return err
	}
	s.usage = usage.NewRecorder(s.DB, s.log)
	s.closeWith(s.usage.Close)
	matcher, err := s.Index.Service()
	if err != nil {
		return err
	}
	if err := s.checkVectors(ctx); err != nil {
		return err
	}
	verifier := s.Index.Verifier(s.verdicts)
	s.closeWith(inBackground(ctx, s.sweep, func(ctx context.Context) { s.prepare(ctx, verifier) }))
	s.serve(c, matcher, verifier)
	return nil
}

// closeWith closes one part more, before those that it may use.
func (s *Server) closeWith(part func() error) { s.closers = append(s.closers, part) }

// inBackground starts every task in its own goroutine, which outlives ctx. The function it returns cancels the tasks'
// context and waits until all of them have returned, so that none uses a part that is already closed.
func inBackground(ctx context.Context, tasks ...func(context.Context)) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task(ctx) })
	}
	return func() error {
		cancel()
		running.Wait()
		return nil
	}
}

// serve puts the HTTP interface and the dashboard before the parts.
func (s *Server) serve(c config.Config, matcher *match.Service, verifier *skills.Service) {
	limits := quota.New(quota.Config{Store: s.counter, Now: time.Now, Log: s.log, Observer: s.Metrics})
	s.api = api.New(api.Dependencies{
		Matcher: matcher, Verifier: verifier, Interviewer: s.interviews, Health: s, Keys: s.Keys, Generator: s.Generator, Parser: s.parser,
		Log:   s.log,
		Quota: limits, Guard: quota.NewGuard(failedKeys, time.Minute), Usage: s.usage, Metrics: s.Metrics, RequestTimeout: c.RequestTimeout,
		MaxMatches: c.MaxMatches, MaxParses: c.MaxParses, MaxInterviews: maxInterviews, AdmissionWait: admissionWait, TrustedProxies: c.Proxies(),
	})
	s.api.Mount(dashboard.New(dashboard.Config{
		Accounts: s.Accounts, Keys: s.Keys, Usage: usagePages{s.usage, s.DB}, Quota: limits, Health: s, API: s.api, Sessions: s.DB.Sessions(),
		PublicURL: c.Public(), Version: c.Version, SignUp: account.SignUpPolicy(c.SignUp), Log: s.log, Now: time.Now, Address: api.Address,
	}))
}

// usagePages is what the dashboard shows of usage.
type usagePages struct {
	*usage.Recorder
	usage.Store
}

// prepare makes ready what would otherwise cost the first who asks. Before the first load, or while the engine is away, the words
// are left to those who ask.
func (s *Server) prepare(ctx context.Context, v *skills.Service) {
	if err := v.Warm(ctx); err != nil && ctx.Err() == nil {
		s.log.InfoContext(ctx, "the words of the index are not counted yet", "error", err)
	}
	if err := s.parser.Ready(ctx); err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "PDF files cannot be read", "error", err)
	}
}

// sweep forgets sessions that have expired, until ctx ends.
func (s *Server) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		now := time.Now()
		if err := errors.Join(s.DB.Sessions().DeleteExpired(ctx, now), s.DB.Interviews().DeleteExpired(ctx, now)); err != nil && ctx.Err() == nil {
			s.log.Warn("expired sessions not removed, trying again later", "error", err)
		}
		if err := errors.Join(s.DB.Verdicts().DeleteExpired(ctx, now), s.DB.Tokens(0).DeleteOld(ctx, now)); err != nil && ctx.Err() == nil {
			s.log.Warn("expired verdicts on words not removed, trying again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// checkVectors refuses to serve an index without the vectors that the configuration asks for: every answer would be of
// another kind than the operator believes. An index that is not there yet, or cannot be read, is no reason to refuse: the
// server takes over the next good one.
func (s *Server) checkVectors(ctx context.Context) error {
	info, err := s.Live(ctx)
	if err != nil {
		return nil //nolint:nilerr // whoever starts the server tells of it
	}
	wanted := s.config.Embeddings
	var others []string
	for _, space := range info.Vectors {
		switch {
		case wanted.On() && space.Model == wanted.Model && space.Dimensions == wanted.Dimensions:
			return nil
		case space.Model != s.Index.Vectors.Space().Model:
			others = append(others, fmt.Sprintf("%s (%d dimensions)", space.Model, space.Dimensions))
		}
	}
	has, start := "only the built-in vectors", "start the server without any"
	if len(others) > 0 {
		has, start = "vectors of "+strings.Join(others, ", "), "start the server with those of the index"
	}
	if wanted.On() {
		return fmt.Errorf("the index %s has %s, none of model %s (%d dimensions): load the data again with these embeddings "+
			"settings, or %s", info.Name, has, wanted.Model, wanted.Dimensions, start)
	}
	if len(others) > 0 {
		s.log.WarnContext(ctx, "the index has vectors of an embeddings server, which the settings do not name; "+
			"the built-in ones are used", "index", info.Name, "vectors", strings.Join(others, ", "))
	}
	return nil
}

// Handler serves every route.
func (s *Server) Handler() http.Handler { return s.api.Handler() }

// Drain tells those who ask that no new requests should be sent here.
func (s *Server) Drain() { s.api.Drain() }

// Close ends the background work, writes what was gathered of usage, and closes the databases.
func (s *Server) Close() error {
	var faults []error
	for _, part := range slices.Backward(s.closers) {
		faults = append(faults, part())
	}
	return errors.Join(faults...)
}

// The freelancers of the demo: always the same, so that what the documentation shows can be tried.
const (
	DemoSize = 2000
	demoSeed = 1
)

// FillDemo loads the freelancers of the demo.
func (s *Server) FillDemo(ctx context.Context) error {
	return s.Index.Fill(ctx, s.Generator.Freelancers(DemoSize, demoSeed), "generated", "USD")
}

// Live is the index that serves. engine.ErrNotFound before the first load.
func (s *Server) Live(ctx context.Context) (engine.Info, error) {
	snapshot, err := s.Index.Engine.Open(ctx, match.Alias)
	if err != nil {
		return engine.Info{}, err
	}
	return snapshot.Info(), nil
}

// Check implements api.Health.
func (s *Server) Check(ctx context.Context) api.Components {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	c := api.Components{
		DataSource:     api.DataSource{Status: api.StatusHealthy, Type: "none", Engine: s.Index.EngineName()},
		SkillExtractor: api.SkillExtractor{Status: api.StatusReady, Skills: s.Index.Taxonomy.Len()},
		Database:       api.Database{Status: api.StatusConnected, Type: s.DB.Type()},
		LLM:            s.model.health(),
	}
	info, err := s.Live(ctx)
	switch {
	case err == nil:
		c.DataSource.Type, c.DataSource.FreelancerCount = info.Source, info.Documents
		c.DataSource.Index, c.DataSource.IndexedAt = info.Name, info.Created
	case !errors.Is(err, engine.ErrNotFound):
		s.log.Error("the search engine cannot be read", "error", err)
		c.DataSource.Status, c.DataSource.Error = api.StatusError, "the index cannot be read"
	}
	// What is known of the index may be half a second old: whether the cluster answers is asked now.
	if p, ok := s.Index.Engine.(interface{ Ping(context.Context) error }); ok {
		if err := p.Ping(ctx); err != nil {
			s.log.Error("the search engine does not answer", "error", err)
			c.DataSource.Status, c.DataSource.Error = api.StatusError, "the search engine does not answer"
		}
	}
	if err := s.DB.Ping(ctx); err != nil {
		s.log.Error("the database does not answer", "error", err)
		c.Database.Status, c.Database.Error = api.StatusError, "the database does not answer"
	}
	return c
}

// Package app assembles the server: it opens all components that the configuration names, and serves them through the
// REST API and the dashboard.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/changes"
	"freelancer-matching/access/quota"
	"freelancer-matching/access/results"
	"freelancer-matching/access/usage"
	"freelancer-matching/access/views"
	"freelancer-matching/engine"
	"freelancer-matching/events"
	"freelancer-matching/freelancers"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/lastload"
	"freelancer-matching/internal/synthetic"
	"freelancer-matching/internal/tracing"
	"freelancer-matching/internal/tracing/otlp"
	"freelancer-matching/interview/sessions"
	"freelancer-matching/match"
	"freelancer-matching/match/encoding"
	"freelancer-matching/server/api"
	"freelancer-matching/server/candidate"
	"freelancer-matching/server/dashboard"
	"freelancer-matching/server/metrics"
	"freelancer-matching/server/uploads"
	"freelancer-matching/setup"
	"freelancer-matching/skills"
	"freelancer-matching/webhook"
)

const (
	// maxInterviews limits concurrent interview requests, including open streams. Each needs little but memory, so that
	// only abuse reaches the limit.
	maxInterviews = 256
	// admissionWait is how long a request waits while too many are running: longer than a match takes, to absorb short
	// bursts, and shorter than the timeout of any client.
	admissionWait = 500 * time.Millisecond
	// failedKeys is the number of invalid API keys that one address may send per minute: more than a person mistypes.
	failedKeys = 30
	// sweepEvery is the interval at which expired rows are deleted from the database. They are ignored as soon as they
	// expire.
	sweepEvery = time.Hour
)

// A Server is the complete service: the index, the database, the REST API and the dashboard.
type Server struct {
	*Access
	Index      *setup.Index
	engine     setup.Engine // of Index, without the check for erased people, which health checks don't wait for
	Generator  *synthetic.Generator
	Metrics    *metrics.Metrics
	parser     *setup.Parser
	model      *model // nil if no language model is configured
	interviews *sessions.Service
	candidates *sessions.Candidates
	webhooks   *webhook.Sender
	notices    []*webhook.Sender // of notices of changed credentials, one for each configured channel
	allowed    webhook.Allowed   // endpoints of webhooks without a public address
	verdicts   *skills.Verdicts  // nil if no language model is configured
	usage      *usage.Recorder
	uploads    *uploads.Service
	events     *events.Service
	servers    *servers // nil if no other server can share the database
	counter    *counter
	tracer     *tracing.Tracer   // nil without a collector
	encoding   *encoding.Service // nil without the sentence encoder
	requests   encoding.Gate     // matches that run
	api        *api.Server
	config     config.Config
	log        *slog.Logger
	closers    []func() error // in the order in which the components were opened
}

// Open opens all components that the configuration names. The caller must close the server.
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

	if c.OTLPEndpoint != "" {
		provider, err := otlp.Open(ctx, c.OTLPEndpoint, c.Version, s.log)
		if err != nil {
			return err
		}
		s.closeWith(provider.Close)
		s.tracer = tracing.New(provider)
	}

	if s.Access, err = OpenAccess(ctx, c, s.log); err != nil {
		return err
	}
	s.closeWith(s.Access.Close)
	if err := s.resealSecrets(ctx); err != nil {
		return err
	}
	s.syncErased(ctx)

	if settings := c.Unencrypted(); len(settings) > 0 {
		s.log.WarnContext(ctx, "connections to other hosts are not encrypted; use https:// or rediss:// unless you trust "+
			"the network between", "settings", strings.Join(settings, ", "))
	}

	if s.counter, err = openCounter(c, s.DB, s.Metrics); err != nil {
		return err
	}
	s.closeWith(s.counter.Close)

	if s.Index, err = setup.OpenIndex(c, s.log); err != nil {
		return err
	}
	s.closeWith(s.Index.Close)

	// Everything below must use the engine without erased people, which leaveOutErased may put in place of the index's.
	// The eraser deletes from the original.
	eraser := s.newEraser(c)
	s.leaveOutErased(c, eraser)
	if err := s.joinServers(ctx); err != nil {
		return err
	}

	parser := s.Index.ParserConfig()
	if parser.DraftKey, err = s.DraftKey(ctx); err != nil {
		return err
	}
	if s.parser, err = setup.OpenParser(ctx, parser); err != nil {
		return err
	}

	s.closeWith(s.parser.Close)
	s.openWebhooks(c)
	if err := s.openNotices(c); err != nil {
		return err
	}
	if err := s.openInterviews(c); err != nil {
		return err
	}

	s.usage = usage.NewRecorder(s.DB.Usage, s.log)
	s.closeWith(s.usage.Close)
	s.events = events.New(events.Config{
		Store: s.DB.MatchEvents, Now: time.Now, Log: s.log, Observer: s.Metrics, Program: c.Version,
	})
	s.closeWith(s.events.Close)
	s.openEncoding(ctx)
	matcher, err := s.Index.Service(s.encoding)
	if err != nil {
		return err
	}
	if err := s.checkVectors(ctx); err != nil {
		return err
	}

	if err := s.openUploads(); err != nil {
		return err
	}
	verifier := s.Index.Verifier(s.verdicts)

	// Registered last, so that Close ends the tasks before it closes what they use.
	s.closeWith(inBackground(ctx, s.sweep, s.watchErased, s.watchServers, s.watchStorage, s.candidates.Run,
		s.webhooks.Run, s.sendNotices, s.encode, s.uploads.Run,
		func(ctx context.Context) { s.prepare(ctx, verifier) }))
	s.watch()
	records, err := s.openFreelancers(matcher, eraser)
	if err != nil {
		return err
	}

	s.serve(c, matcher, verifier, records)
	return nil
}

// closeWith registers the function that closes a component. Close calls it before those of components opened earlier,
// which the component may use.
func (s *Server) closeWith(closer func() error) { s.closers = append(s.closers, closer) }

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

// serve creates the REST API and mounts the dashboard on it.
func (s *Server) serve(
	c config.Config, matcher *match.Service, verifier *skills.Service, records *freelancers.Service,
) {
	limits := quota.New(quota.Config{Store: s.counter, Now: time.Now, Log: s.log, Observer: s.Metrics})
	seen := views.New(s.DB.Views, time.Now)
	s.api = api.New(api.Dependencies{
		Matcher:        yielding{matcher, &s.requests},
		Explainer:      yielding{matcher, &s.requests},
		Verifier:       verifier,
		Interviewer:    s.interviews,
		Interviews:     s.interviews,
		Health:         s,
		Keys:           s.Keys,
		Generator:      s.Generator,
		Freelancers:    records,
		Changes:        changes.New(s.DB.Changes, time.Now),
		Loads:          s.uploads,
		Parser:         s.parser,
		Documents:      s.parser,
		Events:         s.events,
		Quota:          limits,
		Views:          seen,
		Guard:          quota.NewGuard(failedKeys, time.Minute),
		Usage:          s.usage,
		Metrics:        s.Metrics,
		Log:            s.log,
		Tracer:         s.tracer,
		PublicURL:      c.Public(),
		RequestTimeout: c.RequestTimeout,
		MaxMatches:     c.MaxMatches,
		MaxParses:      c.MaxParses,
		ScanTime:       s.parser.ScanTime(),
		MaxInterviews:  maxInterviews,
		AdmissionWait:  admissionWait,
		TrustedProxies: c.Proxies(),
		ServesHost:     c.ServesHost,
		HTTPSOnly:      func(host string) bool { return c.Public().Scheme == "https" && c.NamedHost(host) },
	})

	s.api.Mount(dashboard.New(dashboard.Config{
		Accounts: s.Services,
		Chains:   s.DB.AuditLog,
		Keys:     s.Keys,
		Usage:    usagePages{s.usage, s.DB.Usage},
		Quota:    limits,
		Views:    seen,
		Health:   s,
		API:      s.api,
		Skills:   s.Index.Taxonomy,

		Currencies: s.currencies,
		Uploads:    s.uploads,
		Loads:      func() (lastload.History, error) { return lastload.ReadHistory(c.Data) },
		Sessions:   s.DB.Sessions,
		Exports:    s.Access,
		Changes:    s.DB.Notices,

		Freelancers: records,
		Interviews:  s.interviews,
		Results:     results.New(s.DB.Results, time.Now),

		PublicURL: c.Public(),
		Version:   c.Version,
		SignUp:    account.SignUpPolicy(c.SignUp),
		// The demo's data is generated, and deleted when it ends.
		RequireTwoFactor: !c.Demo,
		Log:              s.log,
		Now:              time.Now,
		Address:          api.Address,
	}))

	s.api.MountCandidate(s.candidatePages(c.Public()))
}

// currencies implements dashboard.Config.
func (s *Server) currencies(ctx context.Context) (data string, others []string) {
	info, err := s.Live(ctx)
	if err != nil || s.Index.Rates == nil {
		return info.Currency, nil
	}
	table := s.Index.Rates.Table()
	if table.In(info.Currency) == nil {
		return info.Currency, nil
	}
	return info.Currency, table.Currencies()
}

// candidatePages returns the handler of the pages for candidates.
func (s *Server) candidatePages(public *url.URL) http.Handler {
	owner := func(ctx context.Context, id string) (candidate.Owner, error) {
		a, err := s.Accounts.Find(ctx, id)
		if errors.Is(err, account.ErrNotFound) { // of a key without an account
			return candidate.Owner{}, nil
		}
		return candidate.Owner{Name: a.Name, Suspended: !a.Disabled.IsZero()}, err
	}
	return candidate.New(candidate.Config{
		Interviews: s.candidates, Owner: owner, PublicURL: public, Log: s.log, Address: api.Address,
	})
}

// usagePages provides the dashboard's usage figures: those still in memory, and those in the database.
type usagePages struct {
	*usage.Recorder
	usage.Store
}

// prepare warms up caches that would delay the first requests. It may fail before the first load or while the search
// engine is unreachable; the first request then does the work.
func (s *Server) prepare(ctx context.Context, v *skills.Service) {
	if err := v.Warm(ctx); err != nil && ctx.Err() == nil {
		s.log.InfoContext(ctx, "vocabulary of the index not counted yet", "error", err)
	}
	if err := s.parser.Ready(ctx); err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "PDF parser not started", "error", err)
	}
}

// sweep verifies the audit log and deletes expired rows from the database until ctx ends.
func (s *Server) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		s.checkAuditLog(ctx, time.Now()) // before entries expire
		if err := s.expire(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "expired rows not deleted", "retry_in", sweepEvery, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// expire deletes what has expired at a time, and pseudonymizes old entries of the audit log.
func (s *Server) expire(ctx context.Context, now time.Time) error {
	keep := s.config.Retention
	return errors.Join(
		s.DB.Sessions.DeleteExpired(ctx, now),
		s.DB.SignInFailures.DeleteOld(ctx, now),
		s.DB.Browsers.DeleteExpired(ctx, now),
		s.DB.Notices.DeleteOld(ctx, now),
		s.DB.Links.DeleteExpired(ctx, now),
		s.DB.Interviews.DeleteExpired(ctx, now, now.Add(keep.Interviews)),
		s.DB.Verdicts.DeleteExpired(ctx, now),
		s.DB.Tokens(0, 0).DeleteOld(ctx, now),
		s.DB.Views.DeleteOld(ctx, now),
		s.DB.Results.DeleteExpired(ctx, now),
		s.DB.MatchEvents.DeleteExpired(ctx, now.Add(-keep.Events), now.Add(-events.Window), events.MaxMatches),
		s.DB.Usage.PruneUsage(ctx, now.Add(-keep.Usage), now.Add(-min(keep.Usage, usage.HoursKept))),
		s.DB.AuditLog.Pseudonymize(ctx, now.Add(-keep.Audit)),
		s.expireDeadLetters(now),
		s.DB.ReleaseSpace(ctx), // last: the others have just deleted rows
	)
}

// expireDeadLetters removes dead letters whose retention has ended. The indexer does, too, but may not run for long.
func (s *Server) expireDeadLetters(now time.Time) error {
	removed, err := s.Index.ExpireDeadLetters(now)
	if len(removed) > 0 {
		s.log.Info("old dead letters removed", "files", removed)
	}
	return err
}

// checkVectors returns an error if the live index lacks the vectors of the configured embedding model, because every
// match would then silently use other vectors. A missing or unreadable index is not an error: the server switches to
// the next live index without a restart.
func (s *Server) checkVectors(ctx context.Context) error {
	info, err := s.Live(ctx)
	if err != nil {
		return nil //nolint:nilerr // the greeting of the server reports it
	}
	wanted := s.config.Embeddings
	var others []string
	for _, space := range info.Vectors {
		switch {
		case wanted.On() && space.Model == wanted.SpaceModel() && space.Dimensions == wanted.Dimensions:
			return nil
		case space.Model != s.Index.Vectors.Space().Model:
			others = append(others, fmt.Sprintf("%s (%d dimensions)", space.Model, space.Dimensions))
		}
	}

	has := "only the built-in vectors"
	start := "start the server without any"

	if len(others) > 0 {
		has = "vectors of " + strings.Join(others, ", ")
		start = "start the server with those of the index"
	}

	if wanted.On() {
		return fmt.Errorf("index %s has %s, but not of the model %s (%d dimensions): load the data again with these "+
			"embeddings settings, or %s", info.Name, has, wanted.SpaceModel(), wanted.Dimensions, start)
	}

	if len(others) > 0 {
		s.log.WarnContext(ctx, "embeddings not configured, using the built-in vectors", "index", info.Name,
			"vectors_in_index", strings.Join(others, ", "))
	}

	return nil
}

// Handler returns the handler of the REST API and the dashboard.
func (s *Server) Handler() http.Handler { return s.api.Handler() }

// Drain makes /readyz fail, so that load balancers send no new requests.
func (s *Server) Drain() { s.api.Drain() }

// Close stops the background tasks, writes the recorded usage, and closes all components.
func (s *Server) Close() error {
	var errs []error
	for _, closer := range slices.Backward(s.closers) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}

// The demo always has the same freelancers, so that the examples in the documentation work.
const (
	DemoSize = 2000
	demoSeed = 1
)

// FillDemo loads the freelancers of the demo.
func (s *Server) FillDemo(ctx context.Context) error {
	return s.Index.Fill(ctx, s.Generator.DetailedFreelancers(DemoSize, demoSeed), "generated", "USD")
}

// Live returns information about the live index, or engine.ErrNotFound before the first load.
func (s *Server) Live(ctx context.Context) (engine.Info, error) {
	snapshot, err := s.engine.Open(ctx, match.Alias)
	if err != nil {
		return engine.Info{}, err
	}
	return snapshot.Info(), nil
}

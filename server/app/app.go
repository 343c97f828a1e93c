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
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/internal/tracing/otlp"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/match/encoding"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/candidate"
	"github.com/freelancer-matching/service/server/dashboard"
	"github.com/freelancer-matching/service/server/metrics"
	"github.com/freelancer-matching/service/server/sharing"
	"github.com/freelancer-matching/service/server/uploads"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/teams"
	"github.com/freelancer-matching/service/webhook"
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
	sandbox    *sandbox
	candidates *sessions.Candidates
	webhooks   *webhook.Sender
	notices    []*webhook.Sender // of notices of changed credentials, one for each configured channel
	allowed    webhook.Allowed   // endpoints of webhooks without a public address
	feed       *feed.Service
	endpoints  *feed.Endpoints
	announcer  *webhook.Sender // of messages to endpoints of accounts
	briefs     *briefs.Service
	watcher    *briefs.Watcher  // nil if the engine can't watch briefs
	verdicts   *skills.Verdicts // nil if no language model is configured
	usage      *usage.Recorder
	recorder   *requestlog.Recorder
	uploads    *uploads.Service
	events     *events.Service
	learner    *learning.Service
	servers    *servers // nil if no other server can share the database
	counter    *counter
	tracer     *tracing.Tracer   // nil without a collector
	encoding   *encoding.Service // nil without the sentence encoder
	requests   encoding.Gate     // matches that run
	api        *api.Server
	config     config.Config
	options    Options
	now        func() time.Time // of options
	log        *slog.Logger
	closers    []func() error // in the order in which the components were opened
}

// Open opens all components that the configuration names. The caller must close the server.
func Open(ctx context.Context, c config.Config, log *slog.Logger) (*Server, error) {
	return OpenWith(ctx, c, log, Options{})
}

// OpenWith opens the server with other parts than those of production; see Options.
func OpenWith(ctx context.Context, c config.Config, log *slog.Logger, o Options) (*Server, error) {
	o.setDefaults()
	s := &Server{config: c, log: log, Metrics: metrics.New(c.Version), options: o, now: o.Now}
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

	if s.Access, err = openAccess(ctx, c, s.log, s.now); err != nil {
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
	s.Index.Now = s.now

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
	filled := s.fillMeanwhile(ctx)
	s.closeWith(filled) // if the rest fails, before the index is closed
	if s.parser, err = setup.OpenParser(ctx, parser); err != nil {
		return err
	}

	s.closeWith(s.parser.Close)
	s.openWebhooks(c)
	s.openFeed()
	if err := s.openNotices(c); err != nil {
		return err
	}

	s.usage = usage.NewRecorder(s.DB.Usage, s.log)
	s.closeWith(s.usage.Close)
	s.recorder = requestlog.NewRecorder(s.DB.RequestLog, s.log)
	s.closeWith(s.recorder.Close)
	s.events = events.New(events.Config{
		Store: s.DB.MatchEvents, Now: s.now, Log: s.log, Observer: s.Metrics, Program: c.Version,
	})
	s.closeWith(s.events.Close)
	s.learner = s.Learner(c.LearningGroups, s.now, s.log)
	s.openEncoding(ctx)
	matcher, err := s.Index.Service(s.encoding)
	if err != nil {
		return err
	}
	if err := s.checkVectors(ctx); err != nil {
		return err
	}
	s.openBriefs(matcher)

	if err := s.openUploads(); err != nil {
		return err
	}
	if err := s.openInterviews(c); err != nil {
		return err
	}
	verifier := s.Index.Verifier(s.verdicts)

	// Registered last, so that Close ends the tasks before it closes what they use.
	s.closeWith(inBackground(ctx, s.sweep, s.watchErased, s.watchServers, s.watchStorage, s.candidates.Run,
		s.webhooks.Run, s.announcer.Run, s.feed.Run, s.watchIndex, s.watchKeys, s.sendNotices, s.encode, s.uploads.Run,
		s.watchBriefs, s.learn,
		func(ctx context.Context) {
			if !c.Test { // whose start takes less time than the caches
				s.prepare(ctx, verifier)
			}
		}))
	s.watch()
	records, err := s.openFreelancers(matcher, eraser)
	if err != nil {
		return err
	}

	tokens, err := s.browserTokens(ctx)
	if err != nil {
		return err
	}
	finder, err := teams.New(yielding{matcher, &s.requests}, s.Index.Taxonomy, s.now)
	if err != nil {
		return err
	}
	s.serve(c, matcher, finder, verifier, records, tokens)
	return filled()
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
	c config.Config, matcher *match.Service, finder *teams.Service, verifier *skills.Service,
	records *freelancers.Service, tokens *browsertoken.Sealer,
) {
	limits := quota.New(quota.Config{Store: s.counter, Now: s.now, Log: s.log, Observer: s.Metrics})
	seen := views.New(s.DB.Views, s.now)
	s.api = api.New(api.Dependencies{
		Matcher:       yielding{matcher, &s.requests},
		Explainer:     yielding{matcher, &s.requests},
		Teams:         finder,
		Verifier:      verifier,
		Interviewer:   s.interviews,
		Interviews:    s.interviews,
		Health:        s,
		Keys:          s.Keys,
		Generator:     s.Generator,
		Freelancers:   records,
		Mappings:      &mappingFiles{filepath.Join(c.Data, mappingsDir), s.Index.Rates, s.now},
		Changes:       s.options.Changes(changes.New(s.DB.Changes, s.now)),
		Loads:         s.uploads,
		Parser:        s.parser,
		Documents:     s.parser,
		Events:        s.events,
		Feed:          s.feed,
		Webhooks:      s.endpoints,
		Briefs:        s.briefs,
		BriefRanker:   &briefs.Ranker{Explainer: yielding{matcher, &s.requests}, Read: wire.SavedMatch},
		QuotaUsed:     s.quotaUsed,
		Quota:         s.options.Quota(limits),
		BrowserTokens: tokens,
		Visitors: s.options.Quota(
			quota.New(quota.Config{Store: s.counter, Now: s.now, Log: s.log})),
		Sandbox:        func(ctx context.Context) (*api.Dependencies, error) { return s.sandbox.open(ctx, tokens) },
		Views:          s.options.Views(seen),
		Guard:          quota.NewGuard(failedKeys, time.Minute),
		Usage:          s.usage,
		Recorder:       s.recorder,
		Metrics:        s.Metrics,
		Log:            s.log,
		Tracer:         s.tracer,
		Now:            s.now,
		PublicURL:      c.Public(),
		Version:        c.Version,
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

	shared := projects.New(s.DB.Projects, s.now)
	s.api.Mount(dashboard.New(dashboard.Config{
		Accounts:  s.Services,
		Chains:    s.DB.AuditLog,
		Keys:      s.Keys,
		Usage:     usagePages{s.usage, s.DB.Usage},
		Quota:     limits,
		Views:     seen,
		Health:    s,
		API:       s.api,
		Skills:    s.Index.Taxonomy,
		Matcher:   yielding{matcher, &s.requests},
		Documents: s.parser,
		Outcomes:  outcomes{s.events, s.DB.MatchEvents},
		Evidence:  documents.NewPreparer(s.Index.Taxonomy, s.Index.Analyzer, s.Index.Vectors),

		Currencies: s.currencies,
		Uploads:    s.uploads,
		Rollback: func(ctx context.Context) (live, previous string, err error) {
			return s.Index.Engine.Alias(ctx, match.Alias)
		},
		Loads:    func() (lastload.History, error) { return lastload.ReadHistory(c.Data) },
		Sessions: s.DB.Sessions,
		Exports:  s.Access,
		Changes:  s.DB.Notices,

		Freelancers: records,
		Interviews:  s.interviews,
		Webhooks:    s.endpoints,
		Results:     results.New(s.DB.Results, s.now),
		Requests:    requestlog.New(s.DB.RequestLog, s.now),
		Projects:    shared,
		Rankings:    rankings.New(s.DB.Rankings, s.now),
		Briefs:      s.briefs,
		BriefRanker: &briefs.Ranker{Explainer: yielding{matcher, &s.requests}, Read: wire.SavedMatch},
		Learning:    s.learner,
		ProjectLink: func(token string) string { return sharing.URL(c.Public(), token) },

		PublicURL: c.Public(),
		Version:   c.Version,
		Banner:    s.options.Banner,
		SignUp:    account.SignUpPolicy(c.SignUp),
		// The data of the demo and of test mode is generated, and deleted when they end.
		RequireTwoFactor: !c.Demo && !c.Test,
		Log:              s.log,
		Now:              s.now,
		Address:          api.Address,
	}))

	s.api.MountCandidate(s.candidatePages(c.Public()))
	s.api.MountShared(sharing.New(sharing.Config{
		Projects: shared, Records: records, Owner: s.projectOwner,
		Currency: func(ctx context.Context) string {
			data, _ := s.currencies(ctx)
			return data
		},
		Log: s.log, Address: api.Address,
	}))
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

// projectOwner implements sharing.Config.
func (s *Server) projectOwner(ctx context.Context, id string) (name string, active bool, err error) {
	a, err := s.Accounts.Find(ctx, id)
	if errors.Is(err, account.ErrNotFound) { // deleted meanwhile
		return "", false, nil
	}
	return a.Name, a.Disabled.IsZero(), err
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

// outcomes provides the dashboard's events: those of one service, and those in the database.
type outcomes struct {
	*events.Service
	store.MatchEvents
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
	every(ctx, sweepEvery, func() {
		s.checkAuditLog(ctx, s.now()) // before entries expire
		if err := s.expire(ctx, s.now()); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "expired rows not deleted", "retry_in", sweepEvery, "error", err)
		}
	})
}

// expire deletes what has expired at a time, and pseudonymizes old entries of the audit log.
func (s *Server) expire(ctx context.Context, now time.Time) error {
	keep := s.config.Retention
	return errors.Join(
		s.DB.Sessions.DeleteExpired(ctx, now),
		s.DB.SignInFailures.DeleteOld(ctx, now),
		s.DB.Browsers.DeleteExpired(ctx, now),
		s.DB.Notices.DeleteOld(ctx, now),
		s.DB.Feed.DeleteOld(ctx, now),
		s.DB.Links.DeleteExpired(ctx, now),
		s.DB.Interviews.DeleteExpired(ctx, now, now.Add(keep.Interviews)),
		s.DB.Verdicts.DeleteExpired(ctx, now),
		s.DB.Tokens(0, 0).DeleteOld(ctx, now),
		s.DB.Views.DeleteOld(ctx, now),
		s.DB.Quotas.DeleteOld(ctx, api.VisitorPrefix, now.Add(-time.Hour)),
		s.DB.Results.DeleteExpired(ctx, now),
		s.DB.RequestLog.DeleteExpired(ctx, now),
		s.DB.Projects.DeleteExpiredLinks(ctx, now),
		s.DB.MatchEvents.DeleteExpired(ctx, now.Add(-keep.Events), now.Add(-events.Window), events.MaxMatches),
		s.DB.Usage.PruneUsage(ctx, now.Add(-keep.Usage), now.Add(-min(keep.Usage, usage.HoursKept))),
		s.DB.AuditLog.Pseudonymize(ctx, now.Add(-keep.Audit)),
		s.expireDeadLetters(now),
		s.sandbox.expire(ctx, now),
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
func (s *Server) FillDemo(ctx context.Context) error { return s.Fill(ctx, DemoSize, demoSeed) }

// Fill loads n generated freelancers. With the same seed, they are the same.
func (s *Server) Fill(ctx context.Context, n int, seed uint64) error {
	return s.Index.Fill(ctx, s.Generator.DetailedFreelancers(n, seed), "generated", "USD")
}

// Live returns information about the live index, or engine.ErrNotFound before the first load.
func (s *Server) Live(ctx context.Context) (engine.Info, error) {
	snapshot, err := s.engine.Open(ctx, match.Alias)
	if err != nil {
		return engine.Info{}, err
	}
	return snapshot.Info(), nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/server/api"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/teams"
)

const (
	// sandboxSize and sandboxSeed say which freelancers test keys see. They are the same on every server.
	sandboxSize = 500
	sandboxSeed = 1
	// sandboxKept is how long interviews and events of test keys are kept, if the server runs for that long.
	sandboxKept = 24 * time.Hour
)

// A sandbox is what requests with test keys see: generated freelancers, and interviews and events in a database of its
// own. Both are in a folder for temporary files that is deleted when the server ends. It is opened for the first
// request, so servers without test keys pay nothing.
type sandbox struct {
	server *Server // for parts without data: parser, generator, clock, log
	askers []interview.Asker
	judges []interview.Judge

	mu     sync.Mutex // guards the fields below
	parts  *api.Dependencies
	folder string
	index  *setup.Index
	db     *store.DB
	events *events.Service
}

// open returns the dependencies of the operations of test keys. The first call takes about a second. After a failure,
// the next call tries again.
func (b *sandbox) open(ctx context.Context, tokens *browsertoken.Sealer) (*api.Dependencies, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.parts != nil {
		return b.parts, nil
	}

	parts, err := b.build(context.WithoutCancel(ctx), tokens)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the sandbox of test keys: %w", err), b.close())
	}
	b.parts = parts
	return parts, nil
}

func (b *sandbox) build(ctx context.Context, tokens *browsertoken.Sealer) (d *api.Dependencies, err error) {
	s := b.server
	if b.folder, err = os.MkdirTemp("", "matching-sandbox-"); err != nil {
		return nil, err
	}
	c := config.Default()
	c.Data = b.folder
	if b.db, err = setup.CreateDatabase(ctx, c); err != nil {
		return nil, err
	}
	if b.index, err = s.Index.Generated(b.folder); err != nil {
		return nil, err
	}
	people := s.Generator.DetailedFreelancers(sandboxSize, sandboxSeed)
	if err := b.index.Fill(ctx, people, "generated", "USD"); err != nil {
		return nil, err
	}
	matcher, err := b.index.Service(nil)
	if err != nil {
		return nil, err
	}

	finder, err := teams.New(matcher, b.index.Taxonomy, s.now)
	if err != nil {
		return nil, err
	}

	b.events = events.New(events.Config{
		Store: b.db.MatchEvents, Now: s.now, Log: s.log, Observer: uncounted{}, Program: s.config.Version,
	})
	conducted := offline{sessions.NewService(sessions.Config{
		Store: b.db.Interviews, Freelancers: profiles{b.index.Engine}, Skills: b.index.Taxonomy,
		Analyzer: b.index.Analyzer, Askers: b.askers, Judges: b.judges, Now: s.now, Log: s.log, Lifetime: sandboxKept,
	})}
	records := freelancers.New(freelancers.Config{
		Engine: b.index.Engine, Alias: match.Alias, Filters: matcher.Filters, Now: s.now, Logger: s.log,
	})

	// Parts without a way to the data of the service: these, and what was made above. A part that is missing here fails
	// the request of an operation that needs it.
	return &api.Dependencies{
		Matcher: matcher, Explainer: matcher, Teams: finder, Verifier: b.index.Verifier(nil), Interviewer: conducted,
		Interviews: conducted, Health: b, Freelancers: records, Events: b.events,
		Generator: s.Generator, Parser: s.parser, Documents: s.parser, BrowserTokens: tokens,
		Usage: s.usage, Metrics: s.Metrics, Log: s.log, Now: s.now, PublicURL: s.config.Public(),
		Version: s.config.Version, RequestTimeout: s.config.RequestTimeout, ScanTime: s.parser.ScanTime(),
	}, nil
}

// Check implements api.Health: the state of the sandbox, without counts of the live index.
func (b *sandbox) Check(ctx context.Context) wire.Components {
	c := wire.Components{
		DataSource:     wire.DataSource{Status: wire.StatusHealthy, Type: "generated", Engine: b.index.EngineName()},
		SkillExtractor: wire.SkillExtractor{Status: wire.StatusReady, Skills: b.index.Taxonomy.Len()},
		Database:       wire.Database{Status: wire.StatusConnected, Type: b.db.Type()},
		LLM:            wire.LLM{Status: wire.StatusOffline},
	}

	snapshot, err := b.index.Engine.Open(ctx, match.Alias)
	if err != nil {
		b.server.log.ErrorContext(ctx, "index of test keys unreadable", "error", err)
		c.DataSource.Status = wire.StatusError
		c.DataSource.Error = "The index of test keys cannot be read."
		return c
	}
	info := snapshot.Info()
	c.DataSource.FreelancerCount = info.Documents
	c.DataSource.Index = info.Name
	c.DataSource.IndexedAt = info.Created
	return c
}

// expire deletes interviews and events that are older than sandboxKept.
func (b *sandbox) expire(ctx context.Context, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.parts == nil {
		return nil
	}
	old := now.Add(-sandboxKept)
	return errors.Join(
		b.db.Interviews.DeleteExpired(ctx, now, now.Add(sandboxKept)),
		b.db.MatchEvents.DeleteExpired(ctx, old, old, events.MaxMatches),
		b.db.ReleaseSpace(ctx),
	)
}

// Close closes the sandbox if it was opened, and deletes its folder.
func (b *sandbox) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.close()
}

func (b *sandbox) close() (err error) {
	if b.events != nil {
		err = b.events.Close()
	}
	if b.index != nil {
		err = errors.Join(err, b.index.Close())
	}
	if b.db != nil {
		err = errors.Join(err, b.db.Close())
	}
	if b.folder != "" {
		err = errors.Join(err, os.RemoveAll(b.folder))
	}
	b.parts, b.events, b.index, b.db, b.folder = nil, nil, nil, nil, ""
	return err
}

// uncounted keeps events of test keys out of the metrics.
type uncounted struct{}

// Event implements events.Observer.
func (uncounted) Event(events.Type, string) {}

// MatchesDropped implements events.Observer.
func (uncounted) MatchesDropped(int) {}

// offline conducts the interviews of test keys, which send nothing to anybody.
type offline struct{ *sessions.Service }

// Check implements interviews.Interviewer. It rejects a webhook, which would never be sent.
func (o offline) Check(r *interview.Request) error {
	if r.Webhook != nil {
		return matching.Invalid([]matching.FieldError{{
			Field: "webhook", Code: "test_key", Message: "webhook must be absent: interviews of test keys send no messages",
		}})
	}
	return o.Service.Check(r)
}

// Conduct implements interviews.Interviewer.
func (o offline) Conduct(
	ctx context.Context, r interview.Request, watch func(interview.Event),
) (interview.Result, error) {
	if err := o.Check(&r); err != nil {
		return interview.Result{}, err
	}
	return o.Service.Conduct(ctx, r, watch)
}

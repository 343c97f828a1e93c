package elastic

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic/rest"
)

// Options configure an engine. Start from DefaultOptions and set at least URLs.
type Options struct {
	URLs             []string // http or https addresses of the nodes
	Username         string
	Password         func() string // called for every request; nil without a user
	APIKey           func() string // as issued by Elasticsearch, encoded; replaces user and password; called like Password
	CACert           []byte        // PEM certificate of the nodes' certificate authority; nil: the system's authorities
	Prefix           string        // prefix of all index and alias names, so that services can share a cluster
	Window           int           // minimum number of candidates that are scored exactly for one search
	Shards, Replicas int           // of new indexes
	Writers          int           // concurrent requests of one Bulk or Update; more load faster but slow down searches
	RetryFor         time.Duration // how long an indexer retries a request that Elasticsearch does not accept
	Log              *slog.Logger

	waits       rest.Waits
	lockTiming  lockTiming
	vectorField object // how new indexes store and index vectors
}

const (
	// DefaultWindow is large enough for a recall@10 of 1.000 with 100,000 freelancers; a window of 100 has .996
	// (docs/benchmarks.md).
	DefaultWindow = 200
	// aliasTTL is how long the target of an alias is cached. The contract requires less than a second.
	aliasTTL = 500 * time.Millisecond
	// followTimeout bounds the lookup of an alias.
	followTimeout = 5 * time.Second
)

// DefaultOptions returns options for one node and indexes of one shard.
func DefaultOptions() Options {
	return Options{
		Window: DefaultWindow, Shards: 1, Writers: 1, RetryFor: 2 * time.Minute, Log: slog.New(slog.DiscardHandler),
		waits: rest.DefaultWaits(), lockTiming: defaultLockTiming(),
		// A larger ef_construction makes loads slower and recall no better (docs/benchmarks.md).
		vectorField: object{
			"element_type": "byte", "index_options": object{"type": "hnsw", "m": 16, "ef_construction": 40},
		},
	}
}

// An Engine uses one cluster, or the part of it under a prefix. It is safe for concurrent use.
type Engine struct {
	client  *rest.Client
	options Options

	clock    clock
	lookups  singleflight.Group
	appliers sync.Map // an *applier for each alias

	mu      sync.Mutex         // guards the fields below
	targets map[string]*target // cache, by alias
	cleared time.Time          // when old deletions were last removed
	held    *lock              // nil unless this engine holds the lock
}

// Open returns an engine. It sends no request, so it succeeds even if the cluster is down.
func Open(o Options) (*Engine, error) {
	c, err := rest.New(&rest.Config{
		URLs: o.URLs, Username: o.Username, Password: o.Password, APIKey: o.APIKey, CACert: o.CACert,
		RetryFor: o.RetryFor, Waits: o.waits, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	return &Engine{client: c, options: o, targets: map[string]*target{}}, nil
}

// Close closes idle connections.
func (e *Engine) Close() error {
	e.client.Close()
	return nil
}

// A target is what an alias pointed to when it was last looked up.
type target struct {
	snapshot *snapshot // nil if the alias points nowhere
	problem  string    // why the snapshot comes from an earlier look-up; "" if it does not
	at       time.Time
}

// Open returns a snapshot of the index that the alias points to. Concurrent calls share one lookup.
func (e *Engine) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	if ctx.Err() != nil {
		return nil, rest.ContextError(ctx)
	}
	e.mu.Lock()
	t := e.targets[alias]
	e.mu.Unlock()
	if t == nil || time.Since(t.at) > aliasTTL {
		var err error
		if t, err = e.follow(ctx, alias); err != nil {
			return nil, fmt.Errorf("open alias %q: %w", alias, err)
		}
	}
	if t.snapshot == nil {
		return nil, fmt.Errorf("open alias %q: %w", alias, engine.ErrNotFound)
	}
	return t.snapshot, nil
}

// follow looks up an alias, or waits until ctx ends for a lookup that another call has started.
func (e *Engine) follow(ctx context.Context, alias string) (*target, error) {
	ch := e.lookups.DoChan(alias, func() (any, error) {
		// All callers share this lookup, so the end of one caller's context must not end it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), followTimeout)
		defer cancel()
		return e.lookUp(ctx, alias)
	})
	select {
	case r := <-ch:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*target), nil
	case <-ctx.Done():
		return nil, rest.ContextError(ctx)
	}
}

// lookUp asks Elasticsearch for the target of an alias and caches it. If the index is unchanged, its snapshot stays the
// same.
func (e *Engine) lookUp(ctx context.Context, alias string) (*target, error) {
	next := &target{at: time.Now()}
	e.mu.Lock()
	last := e.targets[alias]
	e.mu.Unlock()
	served := last != nil && last.snapshot != nil
	var observation errgroup.Group // meanwhile, since the alias rarely moves

	if served {
		observation.Go(func() error { return e.observe(ctx, last.snapshot) })
	}
	d, err := e.live(ctx, e.client.Ask, alias)
	observed := observation.Wait()

	if err != nil && (!served || !engine.Unusable(err)) {
		return nil, err
	}

	switch {
	case err != nil:
		next.snapshot, next.problem = last.snapshot, err.Error()
		if last.problem != next.problem {
			e.options.Log.ErrorContext(ctx, "alias not followed", "alias", alias, "error", err, "hint", engine.Remedy(err))
		}

	case d == nil:
	case served && last.snapshot.isOf(d):
		next.snapshot = last.snapshot
		next.snapshot.provenance.Store(d.meta.Provenance)
	default:
		next.snapshot = e.snapshot(d)
		observed = e.observe(ctx, next.snapshot)
	}

	if next.snapshot != nil && observed != nil {
		// A shard may be missing, or the index was closed or dropped. Searches report that better.
		e.options.Log.WarnContext(ctx, "state of the index not read", "index", next.snapshot.info.Name, "error", observed)
	}

	e.mu.Lock()
	defer e.mu.Unlock()

	e.targets[alias] = next
	return next, nil
}

// observe notices changes of a snapshot's index by other processes.
func (e *Engine) observe(ctx context.Context, s *snapshot) error {
	states, err := e.indexStates(ctx, e.client.Ask, s.name)
	if err == nil {
		s.activity.observe(states[s.name], time.Now())
	}
	return err
}

// forget removes a snapshot whose index was dropped from the cache.
func (e *Engine) forget(s *snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.targets, func(_ string, t *target) bool { return t.snapshot == s })
}

// Ping checks that a supported version of Elasticsearch answers. It ignores the circuit breaker.
func (e *Engine) Ping(ctx context.Context) error {
	var answer struct {
		Version struct{ Number string }
	}
	if err := e.client.Do(ctx, rest.Request{Method: http.MethodGet}, &answer); err != nil {
		return err
	}
	if major, _, _ := strings.Cut(answer.Version.Number, "."); major != "8" && major != "9" {
		return fmt.Errorf("unsupported Elasticsearch version %q, want 8 or 9", answer.Version.Number)
	}
	return nil
}

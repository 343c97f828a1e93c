package search

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

const (
	// AliasTTL is how long the target of an alias is cached. The contract requires less than a second.
	AliasTTL = 500 * time.Millisecond
	// followTimeout bounds the lookup of an alias.
	followTimeout = 5 * time.Second
)

// A Follower opens the indexes that aliases point to, and notices when an alias moves. It is safe for concurrent use.
type Follower struct {
	client  *rest.Client
	catalog *catalog.Catalog
	window  int // minimum number of candidates that are scored exactly for one search
	log     *slog.Logger

	lookups singleflight.Group
	mu      sync.Mutex         // guards the field below
	targets map[string]*target // cache, by alias
}

// NewFollower returns a follower whose cache is empty.
func NewFollower(client *rest.Client, catalog *catalog.Catalog, window int, log *slog.Logger) *Follower {
	return &Follower{client: client, catalog: catalog, window: window, log: log, targets: map[string]*target{}}
}

// A target is what an alias pointed to when it was last looked up.
type target struct {
	snapshot *Snapshot // nil if the alias points nowhere
	problem  string    // why the snapshot comes from an earlier look-up; "" if it does not
	at       time.Time
}

// Open returns a snapshot of the index that the alias points to. Concurrent calls share one lookup.
func (f *Follower) Open(ctx context.Context, alias string) (*Snapshot, error) {
	if ctx.Err() != nil {
		return nil, rest.ContextError(ctx)
	}
	f.mu.Lock()
	t := f.targets[alias]
	f.mu.Unlock()
	if t == nil || time.Since(t.at) > AliasTTL {
		var err error
		if t, err = f.follow(ctx, alias); err != nil {
			return nil, fmt.Errorf("open alias %q: %w", alias, err)
		}
	}
	if t.snapshot == nil {
		return nil, fmt.Errorf("open alias %q: %w", alias, engine.ErrNotFound)
	}
	return t.snapshot, nil
}

// follow looks up an alias, or waits until ctx ends for a lookup that another call has started.
func (f *Follower) follow(ctx context.Context, alias string) (*target, error) {
	ch := f.lookups.DoChan(alias, func() (any, error) {
		// All callers share this lookup, so the end of one caller's context must not end it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), followTimeout)
		defer cancel()
		return f.lookUp(ctx, alias)
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
func (f *Follower) lookUp(ctx context.Context, alias string) (*target, error) {
	next := &target{at: time.Now()}
	f.mu.Lock()
	last := f.targets[alias]
	f.mu.Unlock()
	served := last != nil && last.snapshot != nil
	var observation errgroup.Group // meanwhile, since the alias rarely moves

	if served {
		observation.Go(func() error { return f.observe(ctx, last.snapshot) })
	}
	d, err := f.catalog.Live(ctx, f.client.Ask, alias)
	observed := observation.Wait()

	// A damaged alias changes nothing about the index that is being served.
	canServeLast := served && engine.Unusable(err)
	if err != nil && !canServeLast {
		return nil, err
	}

	switch {
	case err != nil:
		next.snapshot, next.problem = last.snapshot, err.Error()
		if last.problem != next.problem {
			f.log.ErrorContext(ctx, "alias not followed", "alias", alias, "error", err, "hint", engine.Remedy(err))
		}

	case d == nil:
	case served && last.snapshot.isOf(d):
		next.snapshot = last.snapshot
		next.snapshot.provenance.Store(d.Meta.Provenance)
	default:
		next.snapshot = f.Snapshot(d)
		observed = f.observe(ctx, next.snapshot)
	}

	if next.snapshot != nil && observed != nil {
		// A shard may be missing, or the index was closed or dropped. Searches report that better.
		f.log.WarnContext(ctx, "state of the index not read", "index", next.snapshot.info.Name, "error", observed)
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	f.targets[alias] = next
	return next, nil
}

// observe notices changes of a snapshot's index by other processes.
func (f *Follower) observe(ctx context.Context, s *Snapshot) error {
	states, err := f.catalog.IndexStates(ctx, f.client.Ask, s.name)
	if err == nil {
		s.activity.observe(states[s.name], time.Now())
	}
	return err
}

// Forget makes the next open look up the alias.
func (f *Follower) Forget(alias string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.targets, alias)
}

// Expire makes the next Open of each alias look it up, although it may return the same snapshot.
func (f *Follower) Expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.targets {
		t.at = time.Time{}
	}
}

// forgetSnapshot removes a snapshot whose index was dropped from the cache.
func (f *Follower) forgetSnapshot(s *Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.targets, func(_ string, t *target) bool { return t.snapshot == s })
}

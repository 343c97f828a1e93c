package elastic

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/changes"
	"github.com/freelancer-matching/service/engine/elastic/encoded"
	"github.com/freelancer-matching/service/engine/elastic/load"
	"github.com/freelancer-matching/service/engine/elastic/lock"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/engine/elastic/search"
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
	lockTiming  lock.Timing
	vectorField object // how new indexes store and index vectors
}

// Format is the version of the index format that this package writes and searches.
const Format = catalog.Format

// DefaultWindow is the default of Options.Window.
const DefaultWindow = search.DefaultWindow

// DefaultOptions returns options for one node and indexes of one shard.
func DefaultOptions() Options {
	return Options{
		Window: DefaultWindow, Shards: 1, Writers: 1, RetryFor: 2 * time.Minute, Log: slog.New(slog.DiscardHandler),
		waits: rest.DefaultWaits(), lockTiming: lock.DefaultTiming(),
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

	catalog   *catalog.Catalog
	indexes   *search.Follower
	locks     *lock.Locker
	deletions *changes.DeletionList
	changer   *changes.Changer
	loader    *load.Loader
}

var (
	_ engine.Searcher = (*Engine)(nil)
	_ engine.Checker  = (*Engine)(nil)
	_ engine.Indexer  = (*Engine)(nil)
)

// Open returns an engine. It sends no request, so it succeeds even if the cluster is down.
func Open(o Options) (*Engine, error) {
	client, err := rest.New(&rest.Config{
		URLs: o.URLs, Username: o.Username, Password: o.Password, APIKey: o.APIKey, CACert: o.CACert,
		RetryFor: o.RetryFor, Waits: o.waits, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}

	e := &Engine{client: client, options: o, catalog: catalog.New(client, o.Prefix)}
	e.indexes = search.NewFollower(client, e.catalog, o.Window, o.Log)
	e.locks = &lock.Locker{
		Client: client, Catalog: e.catalog, Name: lock.Indexer, Timing: o.lockTiming, Log: o.Log,
	}
	e.deletions = &changes.DeletionList{Client: client, Catalog: e.catalog, Log: o.Log}

	// Documents that single changes and updates have put are ordered by one clock.
	positions := &changes.Clock{}
	e.changer = &changes.Changer{
		Client: client, Catalog: e.catalog, Indexes: e.indexes, Deletions: e.deletions, Clock: positions,
	}
	e.loader = &load.Loader{
		Client: client, Catalog: e.catalog, Deletions: e.deletions, Locks: e.locks, Clock: positions,
		Writers: o.Writers, Replicas: o.Replicas, Log: o.Log,
	}

	return e, nil
}

// Close closes idle connections.
func (e *Engine) Close() error {
	e.client.Close()
	return nil
}

// Open returns a snapshot of the index that the alias points to. Concurrent calls share one lookup.
func (e *Engine) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	s, err := e.indexes.Open(ctx, alias)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Encoded returns the store of the vectors of profiles. A space names everything that vectors depend on besides the
// record. The owner is named to other processes while this one leads.
func (e *Engine) Encoded(space, owner string) *encoded.Store {
	return &encoded.Store{
		Client: e.client, Catalog: e.catalog, Space: space, Owner: owner,
		Lock: &lock.Locker{
			Client: e.client, Catalog: e.catalog, Name: lock.Encoder, Timing: e.options.lockTiming, Log: e.options.Log,
		},
	}
}

// Lock acquires the lock and renews it until release is called. If the lock has not been renewed for some time, Lock
// waits a few seconds for a renewal before it takes the lock over.
func (e *Engine) Lock(ctx context.Context, owner string) (release func() error, err error) {
	return e.locks.Acquire(ctx, owner)
}

// Bulk starts to fill an index, which must be in the state created.
func (e *Engine) Bulk(ctx context.Context, index string, reject engine.RejectFunc) (engine.Bulk, error) {
	return e.loader.Bulk(ctx, index, reject)
}

// Update starts to change a complete index.
func (e *Engine) Update(ctx context.Context, index string, reject engine.RejectFunc) (engine.Update, error) {
	return e.loader.Update(ctx, index, reject)
}

// Apply makes the changes of concurrent calls together, because each group costs a refresh of the index.
func (e *Engine) Apply(ctx context.Context, alias string, changes []engine.Change) ([]engine.Outcome, error) {
	return e.changer.Apply(ctx, alias, changes)
}

// Track remembers the sequence numbers of the index. Elasticsearch keeps nothing for the tracker.
func (e *Engine) Track(ctx context.Context, index string) (engine.Tracker, error) {
	return e.changer.Track(ctx, index)
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

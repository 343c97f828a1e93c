package elastic

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/singleflight"

	"freelancer-matching/engine"
)

// Options are the settings of an engine. DefaultOptions has them all but the addresses.
type Options struct {
	URLs               []string // of the nodes, http or https
	Username, Password string
	APIKey             string // as Elasticsearch gives it out, encoded; in place of user and password
	CACert             []byte // PEM of the authority that signed the nodes' certificates; nil: those the system trusts
	Prefix             string // before the name of every index and alias, so that several services can share a cluster
	Window             int    // hits that are scored exactly for one search, at least
	Shards, Replicas   int    // of new indexes
	Writers            int    // requests of one Bulk or Update that are under way at once; more are faster, and felt by those who search
	Compress           bool   // large bodies of requests, those that load
	ConnectTimeout     time.Duration
	RetryFor           time.Duration // how long an indexer keeps trying while Elasticsearch takes nothing
	Log                *slog.Logger

	pace pace
}

const (
	// DefaultWindow keeps recall@10: of the best ten of 100,000 freelancers, 99.9% are among the first 200 by words and
	// skills, 99.5% among the first 100 (docs/benchmarks.md).
	DefaultWindow = 200
	// freshFor is how long what the alias points to is taken for known; the contract asks for a second.
	freshFor = 500 * time.Millisecond
	// followTimeout bounds the question where an alias points to.
	followTimeout = 5 * time.Second

	indexNotFound = "index_not_found_exception"
)

// DefaultOptions is one index of one shard on one node.
func DefaultOptions() Options {
	return Options{
		Window: DefaultWindow, Shards: 1, Writers: 1, Compress: true, ConnectTimeout: 2 * time.Second,
		RetryFor: 2 * time.Minute, pace: defaultPace(),
		Log: slog.New(slog.DiscardHandler),
	}
}

// Engine is one cluster, or the part of it under a prefix. It is safe for concurrent use.
type Engine struct {
	client  *client
	options Options
	breaker *gobreaker.CircuitBreaker[struct{}]

	following singleflight.Group
	mu        sync.Mutex         // guards what follows
	seen      map[string]*target // by alias
	held      *lock              // the lock, while this engine has it
}

// Open prepares the engine; it sends nothing, and so succeeds while the cluster is away.
func Open(o Options) (*Engine, error) {
	if len(o.URLs) == 0 {
		return nil, errors.New("Elasticsearch has no address") //nolint:staticcheck // a name
	}
	c, err := newClient(&o)
	if err != nil {
		return nil, err
	}
	return &Engine{client: c, options: o, breaker: newBreaker(o.Log), seen: map[string]*target{}}, nil
}

// Close gives up idle connections.
func (e *Engine) Close() error {
	e.client.pool.CloseIdleConnections()
	return nil
}

// target is what an alias points to, as last seen.
type target struct {
	snapshot *snapshot // nil: nothing
	seen     time.Time
}

// Open is the index that the alias points to. One call asks where that is, others wait for its answer.
func (e *Engine) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	e.mu.Lock()
	p := e.seen[alias]
	e.mu.Unlock()
	if p == nil || time.Since(p.seen) > freshFor {
		var err error
		if p, err = e.follow(ctx, alias); err != nil {
			return nil, fmt.Errorf("open alias %q: %w", alias, err)
		}
	}
	if p.snapshot == nil {
		return nil, fmt.Errorf("open alias %q: %w", alias, engine.ErrNotFound)
	}
	return p.snapshot, nil
}

// follow asks where an alias points to. Who waits for the answer to somebody else's question still keeps to ctx.
func (e *Engine) follow(ctx context.Context, alias string) (*target, error) {
	ch := e.following.DoChan(alias, func() (any, error) {
		// Not with ctx: the answer is for all who wait.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), followTimeout)
		defer cancel()
		return e.look(ctx, alias)
	})
	select {
	case r := <-ch:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*target), nil
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

// look asks where an alias points to, and keeps the snapshot where that is unchanged.
func (e *Engine) look(ctx context.Context, alias string) (*target, error) {
	asked := time.Now()
	e.mu.Lock()
	last := e.seen[alias]
	e.mu.Unlock()
	next := &target{seen: asked}
	found, err := e.aliased(ctx, e.ask, alias)
	if err != nil {
		return nil, err
	}
	switch {
	case found == nil:
	case last != nil && last.snapshot != nil && last.snapshot.same(found):
		next.snapshot = last.snapshot
	default:
		next.snapshot = e.snapshot(found)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[alias] = next
	return next, nil
}

// forget has the alias asked for anew whose index is gone.
func (e *Engine) forget(s *snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for alias, p := range e.seen {
		if p.snapshot == s {
			delete(e.seen, alias)
		}
	}
}

// key is the _id of a freelancer. Elasticsearch takes up to 512 bytes.
func key(id string) string {
	if len(id) <= 512 {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256-" + hex.EncodeToString(sum[:])
}

func jsonBody(v any) (*bytes.Reader, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(b), nil
}

// Ping asks whether the cluster answers, whatever the calls before it met.
func (e *Engine) Ping(ctx context.Context) error {
	var answer struct {
		Version struct{ Number string }
	}
	if err := e.client.do(ctx, esapi.InfoRequest{}, &answer); err != nil {
		return err
	}
	if major, _, _ := strings.Cut(answer.Version.Number, "."); major != "8" && major != "9" {
		return fmt.Errorf("this is Elasticsearch %q, want 8 or 9", answer.Version.Number)
	}
	return nil
}

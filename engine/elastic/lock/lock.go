package lock

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/retry"
)

// The names of locks.
const (
	Indexer = "lock"    // held by an indexer
	Encoder = "encoder" // held by the process that encodes all profiles
)

// Index returns the full name of the index of all locks. Without _meta.matching, that index is never listed.
func (k *Locker) Index() string { return k.Catalog.Prefix + "indexer-lock" }

// Timing are the periods of the lock, which tests shorten.
type Timing struct {
	Renewal      time.Duration // how often the lock is renewed
	Stale        time.Duration // age from which a lock that is not renewed may be taken over
	TakeoverWait time.Duration // for a renewal before a stale lock is taken over
}

// DefaultTiming returns the periods of a real cluster.
func DefaultTiming() Timing {
	return Timing{Renewal: 5 * time.Second, Stale: 30 * time.Second, TakeoverWait: 6 * time.Second}
}

// A claim is the lock's document in Elasticsearch.
type claim struct {
	Owner   string    `json:"owner"` // readable description
	Token   string    `json:"token"` // unique
	Since   time.Time `json:"since"`
	Renewed time.Time `json:"renewed"` // by the holder's clock, which may be wrong
}

// A Locker acquires a lock, at most once at a time, and checks that it still holds it. It is safe for concurrent use.
type Locker struct {
	Client  *rest.Client
	Catalog *catalog.Catalog
	Name    string // of the lock
	Timing  Timing
	Log     *slog.Logger

	mu   sync.Mutex // guards the field below
	held *lock      // nil unless this process holds the lock
}

// A Acquire is the lock while this process holds it.
type lock struct {
	locker *Locker
	stop   context.CancelFunc // ends the renewal
	done   chan struct{}      // closed when the renewal has ended

	mu      sync.Mutex // held while writing; guards the fields below
	claim   claim
	version rest.Revision
	renewed time.Time // start of the last successful renewal, by our clock
	lost    error
}

// Acquire acquires the lock and renews it until release is called. If the lock has not been renewed for some time, lock
// waits a few seconds for a renewal before it takes the lock over.
func (k *Locker) Acquire(ctx context.Context, owner string) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, rest.AdminTimeout+k.Timing.TakeoverWait)
	defer cancel()

	// The time before the request, so that the lock never seems to be ours for longer than it is.
	now := time.Now()
	l := &lock{
		locker: k, done: make(chan struct{}), renewed: now,
		claim: claim{Owner: owner, Token: rand.Text(), Since: now.UTC(), Renewed: now.UTC()},
	}
	if err := l.acquire(ctx); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}

	// The caller's context ends with its request, but the lock is held until release.
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	go l.keepRenewed(renewing)

	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = l
	return sync.OnceValue(l.release), nil
}

// acquire creates the lock, or takes over a stale one.
func (l *lock) acquire(ctx context.Context) error {
	k := l.locker
	for {
		err := l.create(ctx)
		if !rest.IsFailure(err, http.StatusConflict) {
			return err
		}

		holder, at, err := k.readLock(ctx)
		switch {
		case err != nil:
			return err
		case holder == nil: // released meanwhile: try again
		case time.Since(holder.Renewed).Abs() < k.Timing.Stale: // the holder's clock may differ from ours
			return heldBy(holder)
		default:
			return l.takeOver(ctx, holder, at)
		}
	}
}

// create writes the claim unless there is one, and creates the index if necessary.
func (l *lock) create(ctx context.Context) error {
	first := rest.Params{"op_type": "create"}
	err := l.write(ctx, first)
	if !rest.IsFailure(err, 0, rest.IndexNotFound) {
		return err
	}
	if err := l.locker.createLockIndex(ctx); err != nil {
		return err
	}
	if err = l.write(ctx, first); rest.IsFailure(err, 0, rest.IndexNotFound) { // the index exists without our alias
		err = fmt.Errorf("the index %s was not created by this program: use another prefix", l.locker.Index())
	}
	return err
}

func heldBy(c *claim) error {
	return fmt.Errorf("%w: locked by %s since %s", engine.ErrConflict, c.Owner, c.Since.Format(time.RFC3339))
}

// takeOver waits and then replaces a stale claim, unless its holder renews it meanwhile.
func (l *lock) takeOver(ctx context.Context, holder *claim, at rest.Revision) error {
	k := l.locker
	if err := retry.Sleep(ctx, k.Timing.TakeoverWait); err != nil {
		return err
	}
	now := time.Now()
	l.claim.Renewed = now.UTC()
	l.renewed = now
	err := l.write(ctx, at.Condition())
	if rest.IsFailure(err, http.StatusConflict) {
		return heldBy(holder)
	}
	if err == nil {
		k.Log.WarnContext(ctx, "took over a stale lock", "owner", holder.Owner,
			"since", holder.Since, "renewed", holder.Renewed)
	}
	return err
}

// write stores the claim under a condition.
func (l *lock) write(ctx context.Context, condition rest.Params) error {
	body, err := json.Marshal(l.claim)
	if err != nil {
		return err
	}
	condition = maps.Clone(condition)
	condition["require_alias"] = "true"
	return l.locker.Client.Do(ctx, rest.Request{
		Method: http.MethodPut, Path: l.locker.Index() + rest.WriteSuffix + "/_doc/" + l.locker.Name, Query: condition,
		Body: bytes.NewReader(body),
	}, &l.version)
}

// createLockIndex creates the lock's index unless it exists.
func (k *Locker) createLockIndex(ctx context.Context) error {
	return k.Catalog.CreateHidden(ctx, k.Index(), object{
		"enabled": false, "_meta": object{"matching_lock": object{"format": 1}},
	}, nil)
}

// readLock returns the current claim, or nil if there is none.
func (k *Locker) readLock(ctx context.Context) (*claim, rest.Revision, error) {
	var answer struct {
		rest.Revision
		Source claim `json:"_source"`
	}
	err := k.Client.Do(ctx, rest.Request{Method: http.MethodGet, Path: k.Index() + "/_doc/" + k.Name}, &answer)
	if rest.IsFailure(err, http.StatusNotFound) {
		return nil, rest.Revision{}, nil
	}
	if err != nil {
		return nil, rest.Revision{}, err
	}
	return &answer.Source, answer.Revision, nil
}

// keepRenewed renews the lock until ctx ends or the lock is lost.
func (l *lock) keepRenewed(ctx context.Context) {
	defer close(l.done)

	log := l.locker.Log
	failing := false
	ticker := time.NewTicker(l.locker.Timing.Renewal)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}

		// A failed renewal is no reason to stop: the lock is ours until it is stale, and after that Check renews it or fails.
		err := l.renew(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errLockLost):
			log.ErrorContext(ctx, "lock lost", "error", err)
			return
		case err != nil && !failing:
			log.WarnContext(ctx, "lock not renewed; retrying", "error", err)
		case err == nil && failing:
			log.InfoContext(ctx, "lock renewed again")
		}

		failing = err != nil
	}
}

var errLockLost = errors.New("the lock was lost")

// renew updates the renewal time of the claim.
func (l *lock) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.locker.Timing.Stale)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return l.lost
	}
	now := time.Now()
	l.claim.Renewed = now.UTC()
	err := l.replace(ctx, func() error {
		return l.write(ctx, l.version.Condition())
	})
	if err == nil {
		l.renewed = now
	}
	return err
}

// replace changes the lock's document. A conflict can come from an earlier change of our own whose answer was lost. If
// the document still contains our claim, replace tries again with its current version.
func (l *lock) replace(ctx context.Context, change func() error) error {
	err := change()
	if !rest.IsFailure(err, http.StatusConflict) && !rest.IsFailure(err, http.StatusNotFound) {
		return err
	}

	holder, at, err := l.locker.readLock(ctx)
	switch {
	case err != nil:
		return err
	case holder == nil:
		l.lost = fmt.Errorf("%w: it was deleted", errLockLost)
		return l.lost
	case holder.Token != l.claim.Token:
		l.lost = fmt.Errorf("%w: %s took it over at %s because it had not been renewed", errLockLost, holder.Owner,
			holder.Since.Format(time.RFC3339))
		return l.lost
	}

	l.version = at
	return change()
}

// release deletes the lock if it is still ours.
func (l *lock) release() error {
	// The renewal must have ended: it would find the lock deleted, and report it as lost.
	l.stop()
	<-l.done
	k := l.locker
	k.mu.Lock()
	if k.held == l {
		k.held = nil
	}

	k.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), rest.AdminTimeout)
	defer cancel()

	l.mu.Lock()
	defer l.mu.Unlock()

	err := l.lost
	if err == nil {
		err = l.replace(ctx, func() error {
			return k.Client.Do(ctx, rest.Request{
				Method: http.MethodDelete, Path: k.Index() + "/_doc/" + k.Name, Query: l.version.Condition(),
			}, nil)
		})
	}

	if err != nil {
		return fmt.Errorf("release the lock: %w", err)
	}

	return nil
}

// Check returns an error if this engine has lost the lock, because another indexer may be running. If the lock
// could not be renewed for some time because Elasticsearch was unreachable, checkLock renews it, which fails if another
// indexer has taken it over.
func (k *Locker) Check(ctx context.Context) error {
	k.mu.Lock()
	l := k.held
	k.mu.Unlock()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	lost := l.lost
	renewed := l.renewed
	l.mu.Unlock()
	if lost == nil && time.Since(renewed) > k.Timing.Stale {
		lost = l.renew(ctx)
	}
	if lost != nil {
		return fmt.Errorf("%w; another process may be doing the same work: start again", lost)
	}
	return nil
}

// An object is a JSON object of a request.
type object = map[string]any

package elastic

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic/rest"
	"freelancer-matching/internal/retry"
)

// The lock is a document in a hidden index of its own, which the holder renews. Each write carries the sequence number
// of the document as last seen, and Elasticsearch rejects the write if somebody else has changed the document since.

// lockID is the _id of the lock.
const lockID = "lock"

// lockIndex returns the full name of the lock's index. Without _meta.matching, that index is never listed.
func (e *Engine) lockIndex() string { return e.options.Prefix + "indexer-lock" }

// lockTiming are the periods of the lock, which tests shorten.
type lockTiming struct {
	renewal      time.Duration // how often the lock is renewed
	stale        time.Duration // age from which a lock that is not renewed may be taken over
	takeoverWait time.Duration // for a renewal before a stale lock is taken over
}

// defaultLockTiming returns the periods of a real cluster.
func defaultLockTiming() lockTiming {
	return lockTiming{renewal: 5 * time.Second, stale: 30 * time.Second, takeoverWait: 6 * time.Second}
}

// A claim is the lock's document in Elasticsearch.
type claim struct {
	Owner   string    `json:"owner"` // readable description
	Token   string    `json:"token"` // unique
	Since   time.Time `json:"since"`
	Renewed time.Time `json:"renewed"` // by the holder's clock, which may be wrong
}

// A lock is the lock while this process holds it.
type lock struct {
	engine *Engine
	stop   context.CancelFunc // ends the renewal
	done   chan struct{}      // closed when the renewal has ended

	mu      sync.Mutex // held while writing; guards the fields below
	claim   claim
	version rest.Revision
	renewed time.Time // start of the last successful renewal, by our clock
	lost    error
}

// Lock acquires the lock and renews it until release is called. If the lock has not been renewed for some time, Lock
// waits a few seconds for a renewal before it takes the lock over.
func (e *Engine) Lock(ctx context.Context, owner string) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout+e.options.lockTiming.takeoverWait)
	defer cancel()
	now := time.Now()
	l := &lock{
		engine: e, done: make(chan struct{}), renewed: now,
		claim: claim{Owner: owner, Token: rand.Text(), Since: now.UTC(), Renewed: now.UTC()},
	}
	if err := l.acquire(ctx); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	go l.keepRenewed(renewing)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held = l
	return sync.OnceValue(l.release), nil
}

// acquire creates the lock, or takes over a stale one.
func (l *lock) acquire(ctx context.Context) error {
	e := l.engine
	for {
		err := l.create(ctx)
		if !rest.IsFailure(err, http.StatusConflict) {
			return err
		}
		holder, at, err := e.readLock(ctx)
		switch {
		case err != nil:
			return err
		case holder == nil: // released meanwhile: try again
		case time.Since(holder.Renewed).Abs() < e.options.lockTiming.stale: // the holder's clock may differ from ours
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
	if err := l.engine.createLockIndex(ctx); err != nil {
		return err
	}
	if err = l.write(ctx, first); rest.IsFailure(err, 0, rest.IndexNotFound) { // the index exists without our alias
		err = fmt.Errorf("the index %s was not created by this program: use another prefix", l.engine.lockIndex())
	}
	return err
}

func heldBy(c *claim) error {
	return fmt.Errorf("%w: locked by %s since %s", engine.ErrConflict, c.Owner, c.Since.Format(time.RFC3339))
}

// takeOver waits and then replaces a stale claim, unless its holder renews it meanwhile.
func (l *lock) takeOver(ctx context.Context, holder *claim, at rest.Revision) error {
	e := l.engine
	if err := retry.Sleep(ctx, e.options.lockTiming.takeoverWait); err != nil {
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
		e.options.Log.WarnContext(ctx, "took over a stale lock", "owner", holder.Owner,
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
	return l.engine.client.Do(ctx, rest.Request{
		Method: http.MethodPut, Path: l.engine.lockIndex() + rest.WriteSuffix + "/_doc/" + lockID, Query: condition,
		Body: bytes.NewReader(body),
	}, &l.version)
}

// createLockIndex creates the lock's index unless it exists.
func (e *Engine) createLockIndex(ctx context.Context) error {
	return e.createHidden(ctx, e.lockIndex(), object{
		"enabled": false, "_meta": object{"matching_lock": object{"format": 1}},
	})
}

// createHidden creates an index that is never listed, unless it exists.
func (e *Engine) createHidden(ctx context.Context, name string, mapping object) error {
	if _, err := e.fullName(e.shortName(name)); err != nil {
		return err
	}
	body, err := rest.Body(object{
		"settings": object{"index": object{"hidden": true, "number_of_shards": 1, "auto_expand_replicas": "0-1"}},
		"mappings": mapping,
		"aliases":  object{name + rest.WriteSuffix: object{"is_hidden": true}},
	})
	if err != nil {
		return err
	}
	err = e.client.Command(ctx, rest.Request{Method: http.MethodPut, Path: name, Body: body})
	if rest.IsFailure(err, 0, "resource_already_exists_exception") {
		return nil
	}
	return err
}

// readLock returns the current claim, or nil if there is none.
func (e *Engine) readLock(ctx context.Context) (*claim, rest.Revision, error) {
	var answer struct {
		rest.Revision
		Source claim `json:"_source"`
	}
	err := e.client.Do(ctx, rest.Request{Method: http.MethodGet, Path: e.lockIndex() + "/_doc/" + lockID}, &answer)
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

	log := l.engine.options.Log
	failing := false
	ticker := time.NewTicker(l.engine.options.lockTiming.renewal)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}

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
	ctx, cancel := context.WithTimeout(ctx, l.engine.options.lockTiming.stale)
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
	holder, at, err := l.engine.readLock(ctx)
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
	l.stop()
	<-l.done
	e := l.engine
	e.mu.Lock()

	if e.held == l {
		e.held = nil
	}
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()

	l.mu.Lock()
	defer l.mu.Unlock()

	err := l.lost
	if err == nil {
		err = l.replace(ctx, func() error {
			return e.client.Do(ctx, rest.Request{
				Method: http.MethodDelete, Path: e.lockIndex() + "/_doc/" + lockID, Query: l.version.Condition(),
			}, nil)
		})
	}

	if err != nil {
		return fmt.Errorf("release the lock: %w", err)
	}

	return nil
}

// checkLock returns an error if this engine has lost the lock, because another indexer may be running. If the lock
// could not be renewed for some time because Elasticsearch was unreachable, checkLock renews it, which fails if another
// indexer has taken it over.
func (e *Engine) checkLock(ctx context.Context) error {
	e.mu.Lock()
	l := e.held
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	lost := l.lost
	renewed := l.renewed
	l.mu.Unlock()
	if lost == nil && time.Since(renewed) > e.options.lockTiming.stale {
		lost = l.renew(ctx)
	}
	if lost != nil {
		return fmt.Errorf("%w; another indexer may be running: start again", lost)
	}
	return nil
}

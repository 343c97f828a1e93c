package elastic

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/engine"
	"freelancer-matching/internal/retry"
)

// The lock is one document in a hidden index of its own, which its holder renews. It says what the holder last wrote;
// that it is the last one is what Elasticsearch checks, by the sequence number, with every write.

// lockID is the _id of the lock.
const lockID = "lock"

// lockIndex is the full name of the index with the lock. It carries no _meta.matching, and so is never listed.
func (e *Engine) lockIndex() string { return e.options.Prefix + "indexer-lock" }

// claim is the lock as it stands in Elasticsearch.
type claim struct {
	Owner   string    `json:"owner"` // in words
	Token   string    `json:"token"` // no other claim has it
	Since   time.Time `json:"since"`
	Renewed time.Time `json:"renewed"` // by the holder's clock, which may be wrong
}

// version is what a document is replaced by: nobody else wrote it since.
type version struct {
	SeqNo       int `json:"_seq_no"`
	PrimaryTerm int `json:"_primary_term"`
}

// lock is the lock in the hands of this process.
type lock struct {
	engine *Engine
	stop   context.CancelFunc // ends the renewing
	done   chan struct{}      // closed once that ended

	mu      sync.Mutex // held while writing; guards what follows
	claim   claim
	version version
	renewed time.Time // when the last renewal that succeeded began, by our clock
	lost    error
}

// Lock takes the lock and renews it until release. Where its holder seems to be dead, Lock waits some seconds for a sign of
// life before it takes it over.
func (e *Engine) Lock(ctx context.Context, owner string) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout+e.options.pace.look)
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
	go l.renewAlways(renewing)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held = l
	return sync.OnceValue(l.release), nil
}

// acquire writes the first claim.
func (l *lock) acquire(ctx context.Context) error {
	e := l.engine
	for {
		err := l.create(ctx)
		if !failed(err, http.StatusConflict) {
			return err
		}
		holder, at, err := e.readLock(ctx)
		switch {
		case err != nil:
			return err
		case holder == nil: // it was released just now
		case time.Since(holder.Renewed).Abs() < e.options.pace.stale: // the holder's clock may be before ours, or after
			return heldBy(holder)
		default:
			return l.takeOver(ctx, holder, at)
		}
	}
}

// create writes the claim where there is none, and makes the index for it where that is missing.
func (l *lock) create(ctx context.Context) error {
	first := esapi.IndexRequest{OpType: "create"}
	err := l.write(ctx, first)
	if !failed(err, 0, indexNotFound) {
		return err
	}
	if err := l.engine.createLockIndex(ctx); err != nil {
		return err
	}
	if err = l.write(ctx, first); failed(err, 0, indexNotFound) { // it exists, and yet has no alias
		err = fmt.Errorf("the index %s was not made by this program, which leaves it alone: use another prefix", l.engine.lockIndex())
	}
	return err
}

func heldBy(c *claim) error {
	return fmt.Errorf("%w: %s has the lock since %s", engine.ErrConflict, c.Owner, c.Since.Format(time.RFC3339))
}

// takeOver replaces the claim of a holder who seems to be dead, unless there is a sign of life.
func (l *lock) takeOver(ctx context.Context, holder *claim, at version) error {
	e := l.engine
	if err := retry.Sleep(ctx, e.options.pace.look); err != nil {
		return err
	}
	now := time.Now()
	l.claim.Renewed, l.renewed = now.UTC(), now
	err := l.write(ctx, esapi.IndexRequest{IfSeqNo: &at.SeqNo, IfPrimaryTerm: &at.PrimaryTerm})
	if failed(err, http.StatusConflict) {
		return heldBy(holder)
	}
	if err == nil {
		e.options.Log.WarnContext(ctx, "took over the lock of an indexer that gave no sign of life", "owner", holder.Owner,
			"since", holder.Since, "renewed", holder.Renewed)
	}
	return err
}

// write stores the claim on the condition that r says.
func (l *lock) write(ctx context.Context, r esapi.IndexRequest) error {
	body, err := json.Marshal(l.claim)
	if err != nil {
		return err
	}
	demand := true
	r.Index, r.DocumentID, r.Body, r.RequireAlias = l.engine.lockIndex()+writeSuffix, lockID, bytes.NewReader(body), &demand
	return l.engine.client.do(ctx, r, &l.version)
}

// createLockIndex makes the index with the lock; that it exists is fine.
func (e *Engine) createLockIndex(ctx context.Context) error {
	name := e.lockIndex()
	if _, err := e.fullName(e.shortName(name)); err != nil {
		return err
	}
	body, err := jsonBody(object{
		"settings": object{"index": object{"hidden": true, "number_of_shards": 1, "auto_expand_replicas": "0-1"}},
		"mappings": object{"enabled": false, "_meta": object{"matching_lock": object{"format": 1}}},
		"aliases":  object{name + writeSuffix: object{"is_hidden": true}},
	})
	if err != nil {
		return err
	}
	err = e.command(ctx, esapi.IndicesCreateRequest{Index: name, Body: body})
	if failed(err, 0, "resource_already_exists_exception") {
		return nil
	}
	return err
}

// readLock is the lock as it stands; nil when there is none.
func (e *Engine) readLock(ctx context.Context) (*claim, version, error) {
	var answer struct {
		version
		Source claim `json:"_source"`
	}
	err := e.client.do(ctx, esapi.GetRequest{Index: e.lockIndex(), DocumentID: lockID}, &answer)
	if failed(err, http.StatusNotFound) {
		return nil, version{}, nil
	}
	if err != nil {
		return nil, version{}, err
	}
	return &answer.Source, answer.version, nil
}

// renewAlways renews the lock until ctx ends or the lock is lost.
func (l *lock) renewAlways(ctx context.Context) {
	defer close(l.done)
	log, failing := l.engine.options.Log, false
	ticker := time.NewTicker(l.engine.options.pace.renewal)
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
			log.ErrorContext(ctx, "the lock was lost", "error", err)
			return
		case err != nil && !failing:
			log.WarnContext(ctx, "the lock was not renewed; trying again", "error", err)
		case err == nil && failing:
			log.InfoContext(ctx, "the lock is renewed again")
		}
		failing = err != nil
	}
}

var errLockLost = errors.New("the lock was lost")

// renew writes a sign of life.
func (l *lock) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.engine.options.pace.stale)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return l.lost
	}
	now := time.Now()
	l.claim.Renewed = now.UTC()
	err := l.replace(ctx, func() error {
		return l.write(ctx, esapi.IndexRequest{IfSeqNo: &l.version.SeqNo, IfPrimaryTerm: &l.version.PrimaryTerm})
	})
	if err == nil {
		l.renewed = now
	}
	return err
}

// replace changes the lock as it was last seen. A conflict may come from our own change before, whose answer was lost:
// then it is still our claim that stands there.
func (l *lock) replace(ctx context.Context, change func() error) error {
	err := change()
	if !failed(err, http.StatusConflict) && !failed(err, http.StatusNotFound) {
		return err
	}
	holder, at, err := l.engine.readLock(ctx)
	switch {
	case err != nil:
		return err
	case holder == nil:
		l.lost = fmt.Errorf("%w: somebody removed it", errLockLost)
		return l.lost
	case holder.Token != l.claim.Token:
		l.lost = fmt.Errorf("%w: %s took it over at %s, when it had not been renewed for long", errLockLost, holder.Owner,
			holder.Since.Format(time.RFC3339))
		return l.lost
	}
	l.version = at
	return change()
}

// release removes the lock where it is still ours.
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
			return e.client.do(ctx, esapi.DeleteRequest{
				Index: e.lockIndex(), DocumentID: lockID, IfSeqNo: &l.version.SeqNo, IfPrimaryTerm: &l.version.PrimaryTerm,
			}, nil)
		})
	}
	if err != nil {
		return fmt.Errorf("release the lock: %w", err)
	}
	return nil
}

// guard is an error when this engine had the lock and lost it: another indexer may be at work. A lock that could not be
// renewed for long, because Elasticsearch was away, is renewed here and now, which succeeds only if nobody took it.
func (e *Engine) guard(ctx context.Context) error {
	e.mu.Lock()
	l := e.held
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	l.mu.Lock()
	lost, renewed := l.lost, l.renewed
	l.mu.Unlock()
	if lost == nil && time.Since(renewed) > e.options.pace.stale {
		lost = l.renew(ctx)
	}
	if lost != nil {
		return fmt.Errorf("%w; another indexer may be at work: begin anew", lost)
	}
	return nil
}

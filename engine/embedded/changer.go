package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
)

var _ engine.Changer = (*Engine)(nil)

// A queue collects the changes to the index of one alias, so that concurrent changes share a lock and a write to disk.
type queue struct {
	e     *Engine
	alias string
	store *store // of the last changed index; used only by the goroutine that makes the changes

	mu      sync.Mutex // guards the fields below
	waiting []*request
	running bool
}

// A request is one call of Apply.
type request struct {
	ctx  context.Context //nolint:containedctx // the request waits in a queue, and its context with it
	ops  []op
	err  error
	done chan struct{}
}

// Apply implements engine.Changer.
func (e *Engine) Apply(ctx context.Context, alias string, changes []engine.Change) ([]engine.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	r := &request{ctx: ctx, ops: make([]op, len(changes)), done: make(chan struct{})}
	for i := range changes {
		r.ops[i] = prepare(&changes[i])
	}

	if err := e.enqueue(alias, r); err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}

	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, fmt.Errorf("apply: %w", ctx.Err())
	}

	if r.err != nil {
		return nil, fmt.Errorf("apply: %w", r.err)
	}
	outcomes := make([]engine.Outcome, len(r.ops))
	for i := range r.ops {
		outcomes[i] = r.ops[i].outcome
	}

	return outcomes, nil
}

// enqueue adds a request to the queue of an alias, and starts to work on the queue.
func (e *Engine) enqueue(alias string, r *request) error {
	if _, err := e.root.PathTo(alias, datadir.AliasSuffix); err != nil {
		return fmt.Errorf("alias: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()

	if e.closed {
		return errors.New("the engine is closed")
	}
	q := e.queues[alias]
	if q == nil {
		q = &queue{e: e, alias: alias}
		e.queues[alias] = q
	}

	q.mu.Lock()
	defer q.mu.Unlock()

	q.waiting = append(q.waiting, r)
	if !q.running {
		q.running = true
		e.done.Go(q.work)
	}

	return nil
}

// work makes the changes of a queue until it is empty.
func (q *queue) work() {
	for {
		q.mu.Lock()
		requests := q.waiting
		q.waiting = nil
		if len(requests) == 0 {
			q.running = false
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		err := q.applyAll(requests)
		for _, r := range requests {
			if r.err == nil {
				r.err = err
			}
			close(r.done)
		}
	}
}

// applyAll makes the changes of requests in one step. It returns an error that all of them share; a request that
// nobody waits for any more has an error of its own.
func (q *queue) applyAll(requests []*request) (err error) {
	ctx, cancel := whileAnyWaits(requests)
	defer cancel()

	unlock, err := q.lockLive(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	// The changes of clients that left before the lock was free are not made.
	var ops []*op
	for _, r := range requests {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		for i := range r.ops {
			ops = append(ops, &r.ops[i])
		}
	}

	return q.store.write(ops)
}

// whileAnyWaits returns a context that ends when the contexts of all requests have ended, or with cancel. It has the
// values of the first one, for traces.
func whileAnyWaits(requests []*request) (ctx context.Context, cancel func()) {
	ctx, stop := context.WithCancel(context.WithoutCancel(requests[0].ctx))

	var waiting atomic.Int64
	waiting.Store(int64(len(requests)))
	leave := func() {
		if waiting.Add(-1) == 0 {
			stop()
		}
	}

	var forget []func() bool
	for _, r := range requests {
		forget = append(forget, context.AfterFunc(r.ctx, leave))
	}

	return ctx, func() {
		for _, unregister := range forget {
			unregister()
		}
		stop()
	}
}

// lockLive locks the changes when the queue's store belongs to the live index and is up to date.
func (q *queue) lockLive(ctx context.Context) (unlock func() error, err error) {
	for {
		t, err := q.e.root.ReadAlias(q.alias)
		if err != nil {
			return nil, err
		}

		if q.store == nil || q.store.name != t.Index {
			if q.store != nil {
				q.store.close()
			}
			if q.store, err = q.e.newStore(t.Index); err != nil {
				return nil, err
			}
		}

		if err := q.e.followMoved(ctx, q.alias, t.Index); err != nil {
			return nil, err
		}

		// The alias may be moved until the lock is held, so it is read again then.
		ready := func() (bool, error) {
			now, err := q.e.root.ReadAlias(q.alias)
			return now.Index == t.Index, err
		}

		unlock, err := q.e.lockStore(ctx, q.store, ready)
		switch {
		case err != nil && !q.e.root.Exists(t.Index):
			return nil, datadir.MissingIndex(q.alias, t.Index)
		case unlock != nil || err != nil:
			return unlock, err
		}
	}
}

// followMoved makes sure that the searches of this process see changes of an index that an alias has been moved to: if
// they still use another index, it loads the new one.
func (e *Engine) followMoved(ctx context.Context, alias, index string) error {
	e.mu.Lock()
	w := e.watched[alias]
	e.mu.Unlock()
	if w == nil {
		return nil
	}
	if s := w.current.Load(); s == nil || s.name == index {
		return nil
	}
	e.follow(ctx, w)
	if failed := w.failed.Load(); failed != nil && failed.index == index {
		return failed.err
	}
	return nil
}

// lockStore locks the changes and brings a store up to date. It returns nil if ready, which it calls under the lock,
// returns false.
func (e *Engine) lockStore(
	ctx context.Context, s *store, ready func() (bool, error),
) (unlock func() error, err error) {
	for {
		if err := s.open(); err != nil { // takes a while if the base is new, so without the lock
			return nil, err
		}
		unlock, err := e.root.LockChanges(ctx)
		if err != nil {
			return nil, err
		}

		ok, err := ready()
		stale := false

		if ok && err == nil {
			stale, err = s.stale()
		}

		usable := ok && !stale
		if usable && err == nil {
			if err = s.catchUp(ctx); err == nil {
				return unlock, nil
			}
		}

		if err := errors.Join(err, unlock()); err != nil || !ok {
			return nil, err
		}
	}
}

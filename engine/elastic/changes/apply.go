package changes

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic/catalog"
	"freelancer-matching/engine/elastic/rest"
	"freelancer-matching/engine/elastic/search"
)

const (
	// applyTimeout bounds the time that a group of changes takes, if the callers wait that long.
	Timeout = rest.AdminTimeout
	// maxMoves is how many times a group of changes follows the alias to another index.
	maxMoves = 10
)

// Apply encodes the changes and waits until they are made. The changes of concurrent calls are made together, because
// each group costs a refresh of the index.
func (m *Changer) Apply(ctx context.Context, alias string, changes []engine.Change) ([]engine.Outcome, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("change documents: %w", rest.ContextError(ctx))
	}
	c := &applyCall{ctx: ctx, changes: make([]*singleChange, len(changes)), done: make(chan struct{})}
	for i := range changes {
		c.changes[i] = c.encode(&changes[i], m.Clock.Next())
	}

	found, _ := m.appliers.LoadOrStore(alias, &applier{changer: m, alias: alias})
	found.(*applier).add(c)
	err := error(nil)

	select {
	case <-c.done:
		err = c.err
	case <-ctx.Done():
		err = fmt.Errorf("%w; the changes may have been made", rest.ContextError(ctx))
	}

	if err != nil {
		return nil, fmt.Errorf("change documents: %w", err)
	}
	outcomes := make([]engine.Outcome, len(changes))
	for i, change := range c.changes {
		outcomes[i] = change.outcome
	}

	return outcomes, nil
}

// A Changer changes single documents of live indexes. It is safe for concurrent use.
type Changer struct {
	Client    *rest.Client
	Catalog   *catalog.Catalog
	Indexes   *search.Follower
	Deletions *DeletionList
	Clock     *Clock

	appliers sync.Map // an *applier for each alias
}

// Waiting returns the number of calls that wait for the group under way to end.
func (m *Changer) Waiting(alias string) int {
	found, ok := m.appliers.Load(alias)
	if !ok {
		return 0
	}
	a := found.(*applier)
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.waiting)
}

// An applyCall is one call of Apply.
type applyCall struct {
	ctx     context.Context
	changes []*singleChange
	done    chan struct{} // closed when the call has ended; nothing changes afterwards
	err     error
}

// An applier makes the changes of concurrent calls to one alias, one group after the other.
type applier struct {
	changer *Changer
	alias   string

	mu      sync.Mutex // guards the fields below
	waiting []*applyCall
	running bool
}

// add queues a call. The first call starts a goroutine, which ends when no calls are left.
func (a *applier) add(c *applyCall) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, c)
	if !a.running {
		a.running = true
		go a.run()
	}
}

func (a *applier) run() {
	for {
		group := a.next()
		if group == nil {
			return
		}
		err := a.apply(group)
		for _, c := range group {
			if c.err == nil {
				c.err = err
			}
			close(c.done)
		}
	}
}

// next returns the calls that have been waiting, up to the size of a batch, or nil if there are none. It leaves out
// those whose callers have gone.
func (a *applier) next() []*applyCall {
	a.mu.Lock()
	defer a.mu.Unlock()
	var group []*applyCall
	size := 0
	for len(a.waiting) > 0 && size < rest.MaxBatch {
		c := a.waiting[0]
		a.waiting[0], a.waiting = nil, a.waiting[1:]
		if c.ctx.Err() != nil {
			c.err = rest.ContextError(c.ctx)
			close(c.done)
			continue
		}
		group = append(group, c)
		size += len(c.changes)
	}
	a.running = group != nil
	return group
}

// Apply makes the changes of a group. It stops when all callers have gone.
func (a *applier) apply(group []*applyCall) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), Timeout)
	defer cancel()

	var left atomic.Int64
	left.Store(int64(len(group)))
	for _, c := range group {
		defer context.AfterFunc(c.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})()
	}

	documents := documentsOf(group)
	for range maxMoves {
		s, err := a.changer.Indexes.Open(ctx, a.alias)
		if err != nil {
			return err
		}
		w := &application{changer: a.changer, snapshot: s, index: s.Index()}
		err = w.apply(ctx, documents)
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			a.changer.Indexes.Forget(a.alias)
			continue
		}

		if err != nil {
			return fmt.Errorf("index %q: %w", s.Info().Name, err)
		}
		stays, err := a.finish(ctx, w)
		if err != nil || stays {
			return err
		}

		a.changer.Indexes.Forget(a.alias)
	}

	return fmt.Errorf("the alias %q moved %d times meanwhile", a.alias, maxMoves)
}

// finish makes what was written searchable, and reports whether the alias still points to the index. A change that
// reached an index before the alias moved is seen by the trackers of that index after the move.
func (a *applier) finish(ctx context.Context, w *application) (stays bool, err error) {
	m := a.changer
	s := w.snapshot
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		err := m.Client.RefreshOnce(ctx, s.Index())
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			return nil // then the alias has moved
		}
		return err
	})

	group.Go(func() error {
		d, err := m.Catalog.Live(ctx, m.Client.Do, a.alias)
		switch {
		case err != nil:
			return err
		case d == nil:
			return engine.ErrNotFound
		}

		stays = s.SameIndex(d)
		return nil
	})

	if err := group.Wait(); err != nil {
		return false, err
	}
	s.NoteChanges(w.written)

	return stays, nil
}

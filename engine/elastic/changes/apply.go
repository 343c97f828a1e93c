package changes

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/engine/elastic/search"
)

const (
	// Timeout bounds the time that a group of changes takes, if the callers wait that long.
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

	// Encoding takes longest, and is the only step that calls don't share, so each caller does it in its own goroutine.
	call := &applyCall{ctx: ctx, changes: make([]*singleChange, len(changes)), done: make(chan struct{})}
	for i := range changes {
		call.changes[i] = call.encode(&changes[i], m.Clock.Next())
	}

	found, _ := m.appliers.LoadOrStore(alias, &applier{changer: m, alias: alias})
	found.(*applier).add(call)

	var err error
	select {
	case <-call.done:
		err = call.err
	case <-ctx.Done():
		err = fmt.Errorf("%w; the changes may have been made", rest.ContextError(ctx))
	}

	if err != nil {
		return nil, fmt.Errorf("change documents: %w", err)
	}

	outcomes := make([]engine.Outcome, len(changes))
	for i, change := range call.changes {
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

// run makes the changes of one group after the other, until no calls are left.
func (a *applier) run() {
	for {
		group := a.nextGroup()
		if group == nil {
			return
		}
		err := a.applyGroup(group)
		for _, c := range group {
			if c.err == nil {
				c.err = err
			}
			close(c.done)
		}
	}
}

// nextGroup returns the calls that have been waiting, up to the size of a batch, or nil if there are none. It leaves
// out those whose callers have gone.
func (a *applier) nextGroup() []*applyCall {
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
func (a *applier) applyGroup(group []*applyCall) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), Timeout)
	defer cancel()

	var callers atomic.Int64
	callers.Store(int64(len(group)))
	for _, call := range group {
		defer context.AfterFunc(call.ctx, func() {
			if callers.Add(-1) == 0 {
				cancel()
			}
		})()
	}

	// The snapshot may have been looked up half a second ago, so the alias is looked up again after the write. If it has
	// moved, the changes are made in the new index, too.
	documents := documentsOf(group)
	for range maxMoves {
		snapshot, err := a.changer.Indexes.Open(ctx, a.alias)
		if err != nil {
			return err
		}

		writer := &groupWriter{changer: a.changer, snapshot: snapshot, index: snapshot.Index()}
		err = writer.writeAll(ctx, documents)
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			a.changer.Indexes.Forget(a.alias) // dropped after the alias moved away from it
			continue
		}
		if err != nil {
			return fmt.Errorf("index %q: %w", snapshot.Info().Name, err)
		}

		stays, err := a.publish(ctx, writer)
		if err != nil || stays {
			return err
		}
		a.changer.Indexes.Forget(a.alias)
	}

	return fmt.Errorf("the alias %q moved %d times meanwhile", a.alias, maxMoves)
}

// publish makes what was written searchable, and reports whether the alias still points to the index. A change that
// reached an index before the alias moved is seen by the trackers of that index after the move.
func (a *applier) publish(ctx context.Context, writer *groupWriter) (stays bool, err error) {
	client := a.changer.Client
	snapshot := writer.snapshot

	// Both requests take about as long, and neither needs the other's answer.
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		err := client.RefreshOnce(ctx, snapshot.Index())
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			return nil // then the alias has moved
		}
		return err
	})

	group.Go(func() error {
		d, err := a.changer.Catalog.Live(ctx, client.Do, a.alias)
		switch {
		case err != nil:
			return err
		case d == nil:
			return engine.ErrNotFound
		}

		stays = snapshot.SameIndex(d)
		return nil
	})

	if err := group.Wait(); err != nil {
		return false, err
	}
	snapshot.NoteChanges(writer.written)

	return stays, nil
}

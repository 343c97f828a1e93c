package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/freelancer-matching/service/engine"
)

var _ engine.Updater = (*Engine)(nil)

// updateBatch is the number of changes that an update makes at once.
const updateBatch = 500

// An indexUpdate is an update of an index, in batches. It is safe for concurrent use. It keeps the outcome for each
// changed ID in memory.
type indexUpdate struct {
	e      *Engine
	store  *store
	reject engine.RejectFunc

	mu       sync.Mutex // guards the fields below, and the store
	err      error      // the first error, or errUpdateClosed
	ops      []*op      // not yet made
	bytes    int        // their size
	outcomes map[string]updateOutcome
}

// An updateOutcome is the outcome of the changes to one ID.
type updateOutcome uint8

const (
	rejected updateOutcome = iota
	missing
	deleted
	indexed
)

var errUpdateClosed = errors.New("the update is closed or aborted")

// Update implements engine.Updater.
func (e *Engine) Update(ctx context.Context, index string, reject engine.RejectFunc) (engine.Update, error) {
	s, err := e.newStore(index)
	if err == nil {
		err = s.open()
	}
	if err != nil {
		return nil, fmt.Errorf("update: %w", err)
	}
	return &indexUpdate{e: e, store: s, reject: reject, outcomes: map[string]updateOutcome{}}, ctx.Err()
}

// Add adds or replaces a document.
func (u *indexUpdate) Add(ctx context.Context, d *engine.Document) error {
	change := engine.Change{ID: d.Freelancer.ID, Document: d}
	o := prepare(&change)
	o.storeUnchanged = true
	return u.add(ctx, o)
}

// Delete deletes a document.
func (u *indexUpdate) Delete(ctx context.Context, id string) error { return u.add(ctx, op{id: id}) }

func (u *indexUpdate) add(ctx context.Context, o op) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil {
		u.err = ctx.Err()
	}
	if u.err == nil && o.document != nil {
		u.err = o.document.CheckVectors(u.store.d.Vectors)
	}
	if u.err != nil {
		return u.err
	}
	u.ops = append(u.ops, &o)
	u.bytes += o.size()
	if len(u.ops) < updateBatch && u.bytes < batchBytes {
		return nil
	}
	return u.flush(ctx)
}

// flush makes the collected changes.
func (u *indexUpdate) flush(ctx context.Context) (err error) {
	defer func() { u.err = err }()
	unlock, err := u.e.lockStore(ctx, u.store, func() (bool, error) { return true, nil })
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if err := errors.Join(u.store.write(u.ops), unlock()); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	for _, o := range u.ops {
		u.count(ctx, o)
	}
	u.ops = u.ops[:0]
	u.bytes = 0
	return nil
}

// count counts a change by its outcome.
func (u *indexUpdate) count(ctx context.Context, o *op) {
	before := u.outcomes[o.id]
	switch {
	case o.outcome.Err != nil:
		u.e.log.WarnContext(ctx, "document not indexed", "id", o.id, "error", o.outcome.Err)
		u.outcomes[o.id] = max(before, rejected)
		if u.reject != nil {
			u.reject(o.id, o.outcome.Err)
		}
	case o.document != nil:
		u.outcomes[o.id] = indexed
	case o.outcome.Before != "" || before == deleted:
		u.outcomes[o.id] = deleted
	default:
		u.outcomes[o.id] = missing
	}
}

// Close makes the remaining changes.
func (u *indexUpdate) Close(ctx context.Context) (engine.UpdateResult, error) {
	u.mu.Lock()
	defer u.mu.Unlock()

	if u.err == nil && len(u.ops) > 0 {
		u.err = u.flush(ctx)
	}

	if u.err != nil {
		u.store.close()
		return engine.UpdateResult{}, u.err
	}

	u.end()
	result := engine.UpdateResult{}
	for _, outcome := range u.outcomes {
		switch outcome {
		case indexed:
			result.Indexed++
		case deleted:
			result.Deleted++
		case missing:
			result.Missing++
		case rejected:
			result.Failed++
		}
	}

	return result, nil
}

// Abort drops the changes that have not been made yet.
func (u *indexUpdate) Abort() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !errors.Is(u.err, errUpdateClosed) {
		u.end()
	}
}

func (u *indexUpdate) end() {
	u.err = errUpdateClosed
	u.ops = nil
	u.store.close()
}

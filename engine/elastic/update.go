package elastic

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"freelancer-matching/engine"
)

// roomOfUpdate is how many positions each update has to itself, beginning with its number times that: more than any
// update before it used, also one that failed, and also for documents that were deleted since.
const roomOfUpdate = 1 << 32

// update changes a finished index in place. It is safe for concurrent use. The account of an update is kept by ids, in
// memory.
type update struct {
	writer *writer
	d      *description
	log    *slog.Logger

	mu      sync.Mutex // guards what follows
	tell    engine.RejectFunc
	changes map[string]*account
}

// account is what became of the changes to one id.
type account struct {
	added, deleted int64 // versions of the last document that was stored, and of the last deletion; 0: none
	there          bool  // before it was deleted
}

// Update begins a change of a finished index.
func (e *Engine) Update(ctx context.Context, index string, refused engine.RejectFunc) (engine.Update, error) {
	admin, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	d, err := e.complete(admin, index)
	if err == nil {
		d.meta.Begun++
		err = e.describeAs(admin, d.name, d.meta)
	}
	if err != nil {
		return nil, fmt.Errorf("update index %q: %w", index, err)
	}
	u := &update{d: d, log: e.options.Log, tell: refused, changes: map[string]*account{}}
	u.writer = newWriter(ctx, e, d.name, int64(d.meta.Begun)*roomOfUpdate, u)
	return u, nil
}

// Add replaces a document or adds one.
func (u *update) Add(ctx context.Context, d *engine.Document) error {
	return u.writer.addDocument(ctx, d, u.d.meta.Vectors)
}

// Delete removes a document.
func (u *update) Delete(ctx context.Context, id string) error {
	c := change{id: id, position: u.writer.next(), deletion: true}
	if unfit(id) { // nothing of this id can be there
		if err := u.writer.over(ctx); err != nil {
			return err
		}
		u.stored(&c, false)
		return nil
	}
	c.lines = appendDelete(nil, id, c.position)
	return u.writer.add(ctx, c)
}

// prepare looks which of the documents to be deleted are there: the answer to the deletion itself does not tell when it
// is lost and the deletion repeated.
func (u *update) prepare(ctx context.Context, changes []change) error {
	var ids []string
	for _, c := range changes {
		if c.deletion {
			ids = append(ids, c.id)
		}
	}
	there, err := u.writer.engine.present(ctx, u.d.name, ids)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for id := range there {
		u.account(id).there = true
	}
	return nil
}

// account is that of an id. Callers hold the mutex.
func (u *update) account(id string) *account {
	a := u.changes[id]
	if a == nil {
		a = &account{}
		u.changes[id] = a
	}
	return a
}

func (u *update) stored(c *change, _ bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	a := u.account(c.id)
	if c.deletion {
		a.deleted = max(a.deleted, versionOf(c.position))
	} else {
		a.added = max(a.added, versionOf(c.position))
	}
}

func (u *update) refused(c *change, reason error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.account(c.id)
	report(u.log, u.tell, c.id, reason)
}

// Abort gives up what was not written yet, and waits until nothing is written any more.
func (u *update) Abort() { u.writer.stop(errOver) }

// Close makes the changes visible and durable, and has the servers notice.
func (u *update) Close(ctx context.Context) (engine.UpdateResult, error) {
	err := u.writer.close(ctx, func(ctx context.Context) error {
		if u.result() == (engine.UpdateResult{}) {
			return nil
		}
		return u.finish(ctx)
	})
	if err != nil {
		return engine.UpdateResult{}, err
	}
	return u.result(), nil
}

func (u *update) finish(ctx context.Context) error {
	e, name := u.writer.engine, u.d.name
	if err := e.guard(ctx); err != nil {
		return err
	}
	if err := e.refresh(ctx, name); err != nil {
		return err
	}
	documents, err := e.documents(ctx, name)
	if err != nil {
		return err
	}
	changed := *u.d.meta
	changed.Documents, changed.Updated, changed.Updates = documents, time.Now().UTC(), changed.Begun
	return e.insist(ctx, "tell of the update", func(ctx context.Context) error {
		now, err := e.complete(ctx, e.shortName(name))
		switch {
		case err != nil:
			return err
		case now.meta.Begun != changed.Begun || !now.meta.Created.Equal(changed.Created):
			return fmt.Errorf("%w: somebody else changes it at the same time", engine.ErrConflict)
		}
		return e.describeAs(ctx, name, &changed)
	})
}

// result counts ids by what their last change that was not refused has done.
func (u *update) result() (r engine.UpdateResult) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, a := range u.changes {
		switch {
		case a.added == 0 && a.deleted == 0:
			r.Failed++
		case a.added > a.deleted:
			r.Indexed++
		case a.there || a.added > 0:
			r.Deleted++
		default:
			r.Missing++
		}
	}
	return r
}

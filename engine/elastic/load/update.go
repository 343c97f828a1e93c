package load

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// Each update has a range of versions to itself, above those of all earlier updates, including those that failed or
// deleted documents. Apply raises the version of a document by 1. Versions of one update are so far apart that a later
// write of the update to the same document still wins, as it arrives later.
const (
	versionsPerUnit = 1 << 32 // a unit is one step of meta.Begun
	unitsPerUpdate  = 1 << 12
	updateStride    = 1 << 12
)

// An Update changes a complete index in place. It is safe for concurrent use. It keeps the outcome for each changed id
// in memory.
type update struct {
	writer *writer
	d      *catalog.Description
	log    *slog.Logger

	mu       sync.Mutex // guards the fields below
	reject   engine.RejectFunc
	outcomes map[string]*idOutcome
}

// An idOutcome is the outcome of the changes to one id.
type idOutcome struct {
	added, deleted int64 // versions of the last stored document and of the last deletion; 0 if there was none
	existed        bool  // before it was deleted
}

// Update starts to change a complete index.
func (l *Loader) Update(ctx context.Context, index string, reject engine.RejectFunc) (engine.Update, error) {
	admin, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()
	var before int
	d, err := l.Catalog.Complete(admin, index)
	if err == nil {
		before = d.Meta.Begun
		d.Meta.Begun += unitsPerUpdate
		err = l.Catalog.PutMeta(admin, d.Name, d.Meta)
	}
	if err != nil {
		return nil, fmt.Errorf("update index %q: %w", index, err)
	}
	u := &update{d: d, log: l.Log, reject: reject, outcomes: map[string]*idOutcome{}}
	u.writer = newWriter(ctx, l, d.Name, versionRange{int64(before+1) * versionsPerUnit, updateStride}, u)
	return u, nil
}

// Add adds or replaces a document.
func (u *update) Add(ctx context.Context, d *engine.Document) error {
	return u.writer.addDocument(ctx, d, u.d.Meta.Vectors, func(int64) int64 { return u.writer.loader.Clock.Next() })
}

// Delete deletes a document.
func (u *update) Delete(ctx context.Context, id string) error {
	c := change{id: id, version: u.writer.next(), deletion: true}
	if document.InvalidID(id) { // no document can have this id
		if err := u.writer.err(ctx); err != nil {
			return err
		}
		u.stored(&c, false)
		return nil
	}
	c.lines = appendDelete(nil, id, c.version)
	return u.writer.add(ctx, c)
}

// prepare looks up which of the documents to be deleted exist. The answer to the deletion itself says so too, but can
// be lost; when the deletion is repeated, the document is gone in any case.
func (u *update) prepare(ctx context.Context, changes []change) error {
	var ids []string
	for _, c := range changes {
		if c.deletion {
			ids = append(ids, c.id)
		}
	}
	present, err := document.Present(ctx, u.writer.loader.Client, u.d.Name, ids)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for id := range present {
		u.outcome(id).existed = true
	}
	return nil
}

// outcome returns the outcome of an id. The caller must hold the mutex.
func (u *update) outcome(id string) *idOutcome {
	o := u.outcomes[id]
	if o == nil {
		o = &idOutcome{}
		u.outcomes[id] = o
	}
	return o
}

func (u *update) stored(c *change, _ bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	o := u.outcome(c.id)
	if c.deletion {
		o.deleted = max(o.deleted, c.version)
	} else {
		o.added = max(o.added, c.version)
	}
}

func (u *update) rejected(c *change, reason error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.outcome(c.id)
	report(u.log, u.reject, c.id, reason)
}

// Abort stops the update and waits until its requests have ended.
func (u *update) Abort() { u.writer.stop(ErrClosed) }

// Close makes the changes visible and durable, and notifies the servers by updating the _meta of the index.
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
	l := u.writer.loader
	name := u.d.Name

	if err := l.Locks.Check(ctx); err != nil {
		return err
	}
	if err := l.Client.Refresh(ctx, name); err != nil {
		return err
	}

	documents, err := l.documents(ctx, name)
	if err != nil {
		return err
	}

	// Updates becomes equal to Begun only here. While they differ, an update is under way or was interrupted.
	changed := *u.d.Meta
	changed.Documents, changed.Updated, changed.Updates = documents, time.Now().UTC(), changed.Begun

	return l.Client.Retry(ctx, "record the update", func(ctx context.Context) error {
		now, err := l.Catalog.Complete(ctx, l.Catalog.ShortName(name))
		switch {
		case err != nil:
			return err
		case now.Meta.Begun != changed.Begun || !now.Meta.Created.Equal(changed.Created):
			return fmt.Errorf("%w: another process is changing the index", engine.ErrConflict)
		}

		return l.Catalog.PutMeta(ctx, name, &changed)
	})
}

// result counts the ids by the effect of their last change that was not rejected.
func (u *update) result() (r engine.UpdateResult) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, o := range u.outcomes {
		switch {
		case o.added == 0 && o.deleted == 0:
			r.Failed++
		case o.added > o.deleted:
			r.Indexed++
		case o.existed || o.added > 0:
			r.Deleted++
		default:
			r.Missing++
		}
	}
	return r
}

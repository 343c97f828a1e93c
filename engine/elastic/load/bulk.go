package load

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/changes"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/lock"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Loader fills and changes whole indexes. It is safe for concurrent use.
type Loader struct {
	Client    *rest.Client
	Catalog   *catalog.Catalog
	Deletions *changes.DeletionList
	Locks     *lock.Locker
	Clock     *changes.Clock
	Writers   int // concurrent requests of one bulk or update
	Replicas  int // of an index that is complete
	Log       *slog.Logger
}

// A Bulk fills an index. It is safe for concurrent use.
type bulk struct {
	writer *writer
	d      *catalog.Description
	log    *slog.Logger

	mu      sync.Mutex // guards the fields below
	reject  engine.RejectFunc
	failed  map[string]struct{} // ids of rejected documents
	created int                 // number of ids that Elasticsearch reported as new
}

// Bulk starts to fill an index, which must be in the state created.
func (l *Loader) Bulk(ctx context.Context, index string, reject engine.RejectFunc) (engine.Bulk, error) {
	admin, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()
	d, err := l.Catalog.Index(admin, index)
	if err == nil && d.Meta.State != catalog.StateCreated {
		err = fmt.Errorf("%w: it has been filled before, at least in part", engine.ErrConflict)
	}
	if err == nil {
		d.Meta.State = catalog.StateFilling
		err = l.Catalog.PutMeta(admin, d.Name, d.Meta)
	}
	if err != nil {
		return nil, fmt.Errorf("fill index %q: %w", index, err)
	}
	b := &bulk{d: d, log: l.Log, reject: reject, failed: map[string]struct{}{}}
	b.writer = newWriter(ctx, l, d.Name, versionRange{first: 0, stride: 1}, b)
	return b, nil
}

// Add encodes the document. Goroutines of the writer send it.
func (b *bulk) Add(ctx context.Context, d *engine.Document) error {
	return b.writer.addDocument(ctx, d, b.d.Meta.Vectors, func(version int64) int64 { return version - 1 })
}

// addDocument implements Add for bulk and update. position returns the position of a document in the order of Scan.
func (w *writer) addDocument(
	ctx context.Context, d *engine.Document, spaces []matching.VectorSpace, position func(version int64) int64,
) error {
	if err := w.err(ctx); err != nil {
		return err
	}

	if err := d.CheckVectors(spaces); err != nil {
		w.end(fmt.Errorf("add to index %q: %w", w.loader.Catalog.ShortName(w.index), err))
		return context.Cause(w.ctx)
	}

	// A document that the engine can't take is the document's fault: it is rejected, and the load goes on.
	c := change{id: d.Freelancer.ID, version: w.next()}
	body, err := document.Encode(d, position(c.version), "")
	if err == nil && len(body) > rest.MaxChange {
		err = fmt.Errorf("%d bytes as JSON, want at most %d", len(body), rest.MaxChange)
	}

	if err != nil {
		w.ledger.rejected(&c, err)
		return nil
	}

	c.lines = appendIndex(make([]byte, 0, len(body)+len(c.id)+64), c.id, c.version, body)
	return w.add(ctx, c)
}

func (b *bulk) prepare(context.Context, []change) error { return nil }

func (b *bulk) stored(_ *change, created bool) {
	if created {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.created++
	}
}

func (b *bulk) rejected(c *change, reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed[c.id] = struct{}{}
	report(b.log, b.reject, c.id, reason)
}

// report logs a rejected document and calls reject. The log gets only the type of a Failure, since the reason may quote
// the document.
func report(log *slog.Logger, reject engine.RejectFunc, id string, reason error) {
	logged := reason.Error()
	if f, ok := errors.AsType[*rest.Failure](reason); ok {
		logged = f.Type
	}
	log.Warn("document rejected", "id", id, "error", logged)
	if reject != nil {
		reject(id, reason)
	}
}

// Abort stops the bulk and waits until its requests have ended.
func (b *bulk) Abort() { b.writer.stop(ErrClosed) }

// Close completes the index.
func (b *bulk) Close(ctx context.Context) (engine.BulkResult, error) {
	var result engine.BulkResult
	err := b.writer.close(ctx, func(ctx context.Context) (err error) {
		result, err = b.finish(ctx)
		return err
	})
	if err != nil {
		return engine.BulkResult{}, err
	}
	return result, nil
}

// close sends the last changes and calls finish, once. Any error ends the writer.
func (w *writer) close(ctx context.Context, finish func(ctx context.Context) error) error {
	err := w.finish(ctx)
	if err == nil {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(w.ctx, func() { cancel(context.Cause(w.ctx)) })() // for Abort
		err = finish(ctx)
	}
	switch {
	case err == nil:
		w.stop(ErrClosed)
		return nil
	case w.ctx.Err() == nil:
		w.stop(fmt.Errorf("complete index %q: %w", w.loader.Catalog.ShortName(w.index), err))
	}
	w.working.Wait()
	return context.Cause(w.ctx) // the first error
}

// finish makes all documents searchable, counts them, applies the settings for searching, and finally marks the index
// as complete.
func (b *bulk) finish(ctx context.Context) (result engine.BulkResult, err error) {
	l := b.writer.loader
	name := b.d.Name

	// A loader that has lost its lock must not complete an index that another one may be filling.
	if err := l.Locks.Check(ctx); err != nil {
		return result, err
	}
	if err := l.Client.Refresh(ctx, name); err != nil {
		return result, err
	}
	if result.Indexed, err = l.documents(ctx, name); err != nil {
		return result, err
	}

	// A node that failed may have lost what it had acknowledged.
	if result.Indexed < b.created {
		return result, fmt.Errorf("the index has %d documents but %d were acknowledged: the nodes have lost some; load again",
			result.Indexed, b.created)
	}
	if result.Failed, err = b.missing(ctx); err != nil {
		return result, err
	}
	if err := l.settle(ctx, name); err != nil {
		return result, err
	}
	if err := l.Locks.Check(ctx); err != nil {
		return result, err
	}

	b.d.Meta.State = catalog.StateComplete
	b.d.Meta.Documents = result.Indexed
	b.d.Meta.Pending = true

	return result, l.Client.Retry(ctx, "mark as complete", func(ctx context.Context) error {
		now, err := l.Catalog.Index(ctx, l.Catalog.ShortName(name))
		switch {
		case err != nil:
			return err
		case now.Meta.State == catalog.StateComplete && now.Meta.Documents == result.Indexed:
			return nil // marked by an attempt whose answer was lost
		case now.Meta.State != catalog.StateFilling || !now.Meta.Created.Equal(b.d.Meta.Created):
			return fmt.Errorf("%w: another process has recreated the index", engine.ErrConflict)
		}

		return l.Catalog.PutMeta(ctx, name, b.d.Meta)
	})
}

// missing counts the rejected ids that are not in the index. Another document with the same id may have been stored.
func (b *bulk) missing(ctx context.Context) (int, error) {
	b.mu.Lock()
	ids := slices.Collect(maps.Keys(b.failed))
	b.mu.Unlock()
	present, err := document.Present(ctx, b.writer.loader.Client, b.d.Name, ids)
	return len(ids) - len(present), err
}

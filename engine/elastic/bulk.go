package elastic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

var (
	_ engine.Indexer = (*Engine)(nil)
	_ engine.Updater = (*Engine)(nil)
)

// bulk fills an index. It is safe for concurrent use.
type bulk struct {
	writer *writer
	d      *description
	log    *slog.Logger

	mu     sync.Mutex // guards what follows
	tell   engine.RejectFunc
	failed map[string]struct{} // ids of refused documents
	fresh  int                 // ids that Elasticsearch said were new
}

// Bulk takes an index from created to filling.
func (e *Engine) Bulk(ctx context.Context, index string, refused engine.RejectFunc) (engine.Bulk, error) {
	admin, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	d, err := e.index(admin, index)
	if err == nil && d.meta.State != stateCreated {
		err = fmt.Errorf("%w: it was filled before, or begun to be", engine.ErrConflict)
	}
	if err == nil {
		d.meta.State = stateFilling
		err = e.describeAs(admin, d.name, d.meta)
	}
	if err != nil {
		return nil, fmt.Errorf("fill index %q: %w", index, err)
	}
	b := &bulk{d: d, log: e.options.Log, tell: refused, failed: map[string]struct{}{}}
	b.writer = newWriter(ctx, e, d.name, 0, b)
	return b, nil
}

// Add encodes the document where it is called; requests are sent by goroutines of the bulk.
func (b *bulk) Add(ctx context.Context, d *engine.Document) error {
	return b.writer.addDocument(ctx, d, b.d.meta.Vectors)
}

// addDocument is Add for those who fill and those who update.
func (w *writer) addDocument(ctx context.Context, d *engine.Document, spaces []matching.VectorSpace) error {
	if err := w.over(ctx); err != nil {
		return err
	}
	if err := d.CheckVectors(spaces); err != nil {
		w.end(fmt.Errorf("add to index %q: %w", w.engine.shortName(w.index), err))
		return context.Cause(w.ctx)
	}
	c := change{id: d.Freelancer.ID, position: w.next()}
	document, err := encode(d, c.position)
	if err == nil && len(document) > maxChange {
		err = fmt.Errorf("%d bytes as JSON, want at most %d", len(document), maxChange)
	}
	if err != nil {
		w.ledger.refused(&c, err)
		return nil
	}
	c.lines = appendIndex(make([]byte, 0, len(document)+len(c.id)+64), c.id, c.position, document)
	return w.add(ctx, c)
}

func (b *bulk) prepare(context.Context, []change) error { return nil }

func (b *bulk) stored(_ *change, created bool) {
	if created {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.fresh++
	}
}

func (b *bulk) refused(c *change, reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed[c.id] = struct{}{}
	report(b.log, b.tell, c.id, reason)
}

// report tells of a refused document. Elasticsearch's reason may cite the document, which is nothing for a log.
func report(log *slog.Logger, tell engine.RejectFunc, id string, reason error) {
	logged := reason.Error()
	if f, ok := errors.AsType[*Failure](reason); ok {
		logged = f.Type
	}
	log.Warn("document not indexed", "id", id, "error", logged)
	if tell != nil {
		tell(id, reason)
	}
}

// Abort gives up and waits until nothing is written any more.
func (b *bulk) Abort() { b.writer.stop(errOver) }

// Close finishes the index.
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

// close sends the last changes and has the index finished, once. Whatever fails is the end of the writer.
func (w *writer) close(ctx context.Context, finish func(ctx context.Context) error) error {
	err := w.finish(ctx)
	if err == nil {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(w.ctx, func() { cancel(context.Cause(w.ctx)) })() // by Abort
		err = finish(ctx)
	}
	switch {
	case err == nil:
		w.stop(errOver)
		return nil
	case w.ctx.Err() == nil:
		w.stop(fmt.Errorf("finish index %q: %w", w.engine.shortName(w.index), err))
	}
	w.working.Wait()
	return context.Cause(w.ctx) // what ended it first
}

// finish makes everything searchable, counts it, brings the index into its working order, and last of all says that it is
// complete.
func (b *bulk) finish(ctx context.Context) (result engine.BulkResult, err error) {
	e, name := b.writer.engine, b.d.name
	if err := e.guard(ctx); err != nil {
		return result, err
	}
	if err := e.refresh(ctx, name); err != nil {
		return result, err
	}
	if result.Indexed, err = e.documents(ctx, name); err != nil {
		return result, err
	}
	if result.Indexed < b.fresh {
		return result, fmt.Errorf("%d documents are in the index, %d were acknowledged: the nodes lost some; load again", result.Indexed, b.fresh)
	}
	if result.Failed, err = b.missing(ctx); err != nil {
		return result, err
	}
	if err := e.settle(ctx, name); err != nil {
		return result, err
	}
	if err := e.guard(ctx); err != nil {
		return result, err
	}
	b.d.meta.State, b.d.meta.Documents = stateComplete, result.Indexed
	return result, e.insist(ctx, "mark as complete", func(ctx context.Context) error {
		now, err := e.index(ctx, e.shortName(name))
		switch {
		case err != nil:
			return err
		case now.meta.State == stateComplete && now.meta.Documents == result.Indexed:
			return nil // by a try whose answer was lost
		case now.meta.State != stateFilling || !now.meta.Created.Equal(b.d.meta.Created):
			return fmt.Errorf("%w: somebody else has made it anew meanwhile", engine.ErrConflict)
		}
		return e.describeAs(ctx, name, b.d.meta)
	})
}

// missing counts the refused ids that are not in the index: of some there was a document that could be stored.
func (b *bulk) missing(ctx context.Context) (int, error) {
	b.mu.Lock()
	ids := slices.Collect(maps.Keys(b.failed))
	b.mu.Unlock()
	there, err := b.writer.engine.present(ctx, b.d.name, ids)
	return len(ids) - len(there), err
}

// present is which of these ids stand in an index, searchable or not.
func (e *Engine) present(ctx context.Context, index string, ids []string) (there map[string]bool, err error) {
	there = map[string]bool{}
	for chunk := range slices.Chunk(slices.DeleteFunc(slices.Clone(ids), unfit), maxBatch) {
		keys := make([]string, len(chunk))
		for i, id := range chunk {
			keys[i] = key(id)
		}
		var answer struct {
			Docs []struct {
				Found bool
				Error *struct{ Type, Reason string }
			}
		}
		err := e.insist(ctx, "look for ids", func(ctx context.Context) error {
			body, err := jsonBody(object{"ids": keys})
			if err != nil {
				return err
			}
			answer.Docs = nil
			err = e.client.do(ctx, esapi.MgetRequest{Index: index, Body: body, Source: []string{"false"}}, &answer)
			if err != nil {
				return err
			}
			if len(answer.Docs) != len(keys) {
				return fmt.Errorf("Elasticsearch answered for %d ids of %d", len(answer.Docs), len(keys)) //nolint:staticcheck // a name
			}
			for _, d := range answer.Docs {
				if d.Error != nil {
					return &Failure{Status: 503, Type: d.Error.Type, Reason: d.Error.Reason} // a shard that is not there yet
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, d := range answer.Docs {
			if d.Found {
				there[chunk[i]] = true
			}
		}
	}
	return there, nil
}

// unfit are ids that no document can have.
func unfit(id string) bool { return id == "" || !utf8.ValidString(id) }

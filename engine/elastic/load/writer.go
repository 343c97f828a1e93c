package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// A writer sends the changes of one index in batches. Each change has a version, in the order of the calls: of several
// changes to one id the last one wins, in whatever order requests and their repetitions arrive. A request whose answer
// was lost can therefore be sent again.
//
// The number of batches bounds the memory: add blocks until a batch is free.
type writer struct {
	loader   *Loader
	index    string // full name
	ledger   ledger
	versions versionRange
	calls    atomic.Int64 // number of versions given so far

	ctx     context.Context // of the requests; its cause is why the writer ended
	end     context.CancelCauseFunc
	filling chan *batch // holds the batch being filled, except while a goroutine adds to it
	full    chan *batch
	free    chan *batch
	working sync.WaitGroup
}

// A ledger records the outcomes of changes. Its methods must be safe for concurrent use.
type ledger interface {
	// prepare is called before changes are sent for the first time.
	prepare(ctx context.Context, changes []change) error
	// stored records that Elasticsearch has stored the change, or a later one of the same id. created means that the id
	// was new; if an answer was lost, it can be false for a new id.
	stored(c *change, created bool)
	// rejected records that Elasticsearch cannot store the change.
	rejected(c *change, reason error)
}

// A versionRange holds the versions of one writer, in Elasticsearch's sense of external versions.
type versionRange struct {
	first  int64 // below all versions of the range
	stride int64 // between two versions
}

// A change is a document to be stored or an id to be deleted.
type change struct {
	id       string
	version  int64
	deletion bool
	lines    []byte // of the bulk request
}

// A batch holds the changes of one request.
type batch struct {
	changes []change
	body    []byte
}

func newWriter(ctx context.Context, loader *Loader, index string, versions versionRange, l ledger) *writer {
	w := &writer{
		loader: loader, index: index, ledger: l, versions: versions,
		filling: make(chan *batch, 1), full: make(chan *batch), free: make(chan *batch, loader.Writers+1),
	}
	w.ctx, w.end = context.WithCancelCause(context.WithoutCancel(ctx))
	for range loader.Writers {
		w.free <- new(batch)
		w.working.Go(w.work)
	}
	w.filling <- new(batch)
	return w
}

// ErrClosed means that a bulk or an update was closed or aborted before.
var ErrClosed = errors.New("already closed or aborted")

// add adds a change. It blocks while Elasticsearch is behind.
func (w *writer) add(ctx context.Context, c change) error {
	b, err := w.take(ctx)
	if err != nil {
		return err
	}
	isFull := len(b.changes) == rest.MaxBatch || len(b.body)+len(c.lines) > rest.MaxBatchBytes
	if isFull && len(b.changes) > 0 { // a change that is larger than a batch gets one of its own
		if b, err = w.send(ctx, b); err != nil {
			return err
		}
	}
	b.add(c)
	w.filling <- b
	return nil
}

func (b *batch) add(c change) {
	b.body = append(b.body, c.lines...)
	c.lines = b.body[len(b.body)-len(c.lines):]
	b.changes = append(b.changes, c)
}

// next returns the version for a new change.
func (w *writer) next() int64 { return w.versions.first + w.calls.Add(1)*w.versions.stride }

// err returns why nothing can be added, or nil if something can.
func (w *writer) err(ctx context.Context) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return context.Cause(ctx)
}

// take returns the batch that is being filled. The caller must put it back, or send it.
func (w *writer) take(ctx context.Context) (*batch, error) {
	if err := w.err(ctx); err != nil {
		return nil, err
	}
	select {
	case b := <-w.filling:
		return b, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-w.ctx.Done():
		return nil, context.Cause(w.ctx)
	}
}

// send exchanges a full batch for an empty one. If ctx ends first, the batch goes back to be filled further.
func (w *writer) send(ctx context.Context, b *batch) (*batch, error) {
	select {
	case w.full <- b:
		return <-w.free, nil // does not block: there is one more batch than senders
	case <-ctx.Done():
		w.filling <- b
		return nil, context.Cause(ctx)
	case <-w.ctx.Done():
		return nil, context.Cause(w.ctx)
	}
}

// finish sends the last batch and waits until all requests have been answered.
func (w *writer) finish(ctx context.Context) error {
	b, err := w.take(ctx)
	if err != nil {
		return err
	}

	if len(b.changes) > 0 {
		if _, err = w.send(ctx, b); err != nil {
			return err
		}
	}

	// We hold one batch. When all others are free, no request is in flight.
	for range w.loader.Writers {
		select {
		case <-w.free:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.ctx.Done():
			return context.Cause(w.ctx)
		}
	}

	return nil
}

// stop ends the writer with the given reason, unless it has ended already, and waits until its requests have ended.
func (w *writer) stop(reason error) {
	w.end(reason)
	w.working.Wait()
}

// work sends batches until the writer ends.
func (w *writer) work() {
	for {
		select {
		case b := <-w.full:
			spare, err := w.write(b)
			if err != nil {
				w.end(fmt.Errorf("write to index %q: %w", w.loader.Catalog.ShortName(w.index), err))
				return
			}
			w.free <- spare
		case <-w.ctx.Done():
			return
		}
	}
}

// write sends a batch until every change has been stored or rejected, and notes its deletions for trackers. It returns
// an empty batch for reuse.
func (w *writer) write(b *batch) (spare *batch, err error) {
	var deleted []string
	for _, c := range b.changes {
		if c.deletion {
			deleted = append(deleted, c.id)
		}
	}
	if spare, err = w.deliver(b); err == nil && len(deleted) > 0 {
		err = w.loader.Client.Retry(w.ctx, "note deletions", func(ctx context.Context) error {
			return w.loader.Deletions.Note(ctx, w.index, deleted)
		})
	}
	return spare, err
}

// deliver sends a batch until every change has been stored or rejected. It returns an empty batch for reuse.
func (w *writer) deliver(b *batch) (spare *batch, err error) {
	if err := w.ledger.prepare(w.ctx, b.changes); err != nil {
		return nil, err
	}

	retrier := w.loader.Client.NewRetrier("write to index " + w.index)
	spare = b
	remaining := b
	for len(remaining.changes) > 0 {
		var left *batch
		var reason error // why changes are left
		failure := w.loader.Client.Attempt(w.ctx, func(ctx context.Context) (err error) {
			left, reason, err = w.request(ctx, remaining)
			return err
		})
		if rest.IsFailure(failure, http.StatusRequestEntityTooLarge) {
			return w.halve(remaining, failure)
		}

		switch {
		case failure != nil:
			// The same batch is sent again. The connection may still be reading its memory, so that must not be reused.
			left = remaining
			reason = failure
			spare = new(batch)
		case len(left.changes) < len(remaining.changes):
			retrier.Recovered(w.ctx)
		}

		remaining = left
		if reason != nil {
			if err := retrier.Wait(w.ctx, reason); err != nil {
				return nil, err
			}
		}
	}

	spare.changes = spare.changes[:0]
	spare.body = spare.body[:0]
	return spare, nil
}

// halve writes a batch in two parts, after Elasticsearch or a proxy has rejected it as too large.
func (w *writer) halve(b *batch, tooLarge error) (spare *batch, err error) {
	if len(b.changes) == 1 {
		w.ledger.rejected(&b.changes[0], fmt.Errorf("%d bytes are too large for one request: %w", len(b.body), tooLarge))
		return new(batch), nil
	}
	middle := len(b.changes) / 2
	for _, part := range [][]change{b.changes[:middle], b.changes[middle:]} {
		half := new(batch)
		for _, c := range part {
			half.add(c)
		}
		if _, err := w.deliver(half); err != nil {
			return nil, err
		}
	}
	return new(batch), nil
}

// request sends a batch once. It returns the changes that have been neither stored nor rejected, and the reason.
func (w *writer) request(ctx context.Context, b *batch) (left *batch, reason, err error) {
	var answer rest.BulkAnswer
	err = w.loader.Client.Do(ctx, rest.BulkRequest(w.index, b.body), &answer)
	if err != nil {
		return nil, nil, err
	}
	if len(answer.Items) != len(b.changes) {
		return nil, nil, fmt.Errorf("the bulk answer has %d items, want %d", len(answer.Items), len(b.changes))
	}

	left = new(batch)
	for i, item := range answer.Items {
		c := &b.changes[i]
		for _, o := range item {
			failure := o.Failure()
			switch {
			case failure == nil:
				w.ledger.stored(c, o.Status == http.StatusCreated)
			case rest.IsTransient(failure):
				reason = failure
				left.add(*c)
			case failure.Status == http.StatusBadRequest || failure.Status == http.StatusRequestEntityTooLarge:
				w.ledger.rejected(c, failure)
			default: // the index is at fault, not the document
				return nil, nil, failure
			}
		}
	}

	return left, reason, nil
}

// appendIndex appends the lines of a bulk request that store a document.
func appendIndex(b []byte, id string, version int64, document []byte) []byte {
	b = appendAction(b, `{"index":{"_id":`, id, version)
	b = append(b, document...)
	return append(b, '\n')
}

// appendDelete appends the line of a bulk request that deletes a document.
func appendDelete(b []byte, id string, version int64) []byte {
	return appendAction(b, `{"delete":{"_id":`, id, version)
}

func appendAction(b []byte, begin, id string, version int64) []byte {
	quoted, _ := json.Marshal(document.Key(id)) // never fails for a string
	b = append(append(b, begin...), quoted...)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, version, 10)
	return append(b, `,"version_type":"external"}}`+"\n"...)
}

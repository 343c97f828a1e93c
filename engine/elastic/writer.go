package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

const (
	// A request is sent before it would hold more than so many changes, or bytes, whichever is first.
	maxBatch      = 1000
	maxBatchBytes = 4 << 20
	// maxChange is the largest change that is tried at all. Elasticsearch takes requests of up to 100 MB
	// (http.max_content_length).
	maxChange = 64 << 20
)

// writer sends changes of one index in batches. Every change has a position, in the order of the calls, and with it a
// version: of several changes to one id the last one wins, whatever the order in which requests, and their repetitions,
// arrive. So a request whose answer was lost can simply be sent again.
//
// Memory is bounded by the number of batches: whoever wants to add waits until one is free.
type writer struct {
	engine   *Engine
	index    string // in Elasticsearch
	ledger   ledger
	position atomic.Int64 // of the next change

	ctx     context.Context // of the requests; its cause is why the writer ended
	end     context.CancelCauseFunc
	filling chan *batch // holds the batch that is being filled; taken out by whom fills it
	full    chan *batch
	free    chan *batch
	working sync.WaitGroup
}

// ledger keeps the account of changes. Its methods are called from several goroutines.
type ledger interface {
	// prepare comes before changes are sent for the first time.
	prepare(ctx context.Context, changes []change) error
	// stored tells that Elasticsearch has the change, or a later one of the same id. created is set where the id was new,
	// and may be unset there when an answer was lost.
	stored(c *change, created bool)
	// refused tells that Elasticsearch cannot store the change.
	refused(c *change, reason error)
}

// change is one document to be stored, or an id to be deleted.
type change struct {
	id       string
	position int64
	deletion bool
	lines    []byte // of the bulk request
}

// batch is the changes of one request.
type batch struct {
	changes []change
	body    []byte
}

func newWriter(ctx context.Context, e *Engine, index string, first int64, l ledger) *writer {
	w := &writer{
		engine: e, index: index, ledger: l,
		filling: make(chan *batch, 1), full: make(chan *batch), free: make(chan *batch, e.options.Writers+1),
	}
	w.position.Store(first)
	w.ctx, w.end = context.WithCancelCause(context.WithoutCancel(ctx))
	for range e.options.Writers {
		w.free <- new(batch)
		w.working.Go(w.work)
	}
	w.filling <- new(batch)
	return w
}

var errOver = errors.New("it was closed or aborted before")

// add takes a change; it blocks while Elasticsearch is behind.
func (w *writer) add(ctx context.Context, c change) error {
	b, err := w.take(ctx)
	if err != nil {
		return err
	}
	if len(b.changes) > 0 && (len(b.changes) == maxBatch || len(b.body)+len(c.lines) > maxBatchBytes) {
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

// next is the position of a change that was just asked for.
func (w *writer) next() int64 { return w.position.Add(1) - 1 }

// over is why nothing more can be added, or ctx's error; nil as long as something can.
func (w *writer) over(ctx context.Context) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return context.Cause(ctx)
}

// take is the batch that is being filled.
func (w *writer) take(ctx context.Context) (*batch, error) {
	if err := w.over(ctx); err != nil {
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

// send hands over a batch for an empty one. When that fails the batch goes back to be filled.
func (w *writer) send(ctx context.Context, b *batch) (*batch, error) {
	select {
	case w.full <- b:
		return <-w.free, nil // there is one more batch than there are goroutines that send them
	case <-ctx.Done():
		w.filling <- b
		return nil, context.Cause(ctx)
	case <-w.ctx.Done():
		return nil, context.Cause(w.ctx)
	}
}

// finish sends what is left and waits until everything is answered. The writer takes no more then.
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
	// One batch is in our hands; those that are free are not under way.
	for range w.engine.options.Writers {
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

// stop ends all requests for a reason, unless the writer ended before, and waits until they have.
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
				w.end(fmt.Errorf("write to index %q: %w", w.engine.shortName(w.index), err))
				return
			}
			w.free <- spare
		case <-w.ctx.Done():
			return
		}
	}
}

// write sends a batch until every change is stored or refused. It returns an empty batch.
func (w *writer) write(b *batch) (spare *batch, err error) {
	if err := w.ledger.prepare(w.ctx, b.changes); err != nil {
		return nil, err
	}
	p := patience{engine: w.engine, doing: "write to index " + w.index}
	for spare = b; len(b.changes) > 0; {
		var left *batch
		var reason error // why changes are left
		failure := w.engine.attempt(w.ctx, func(ctx context.Context) (err error) {
			left, reason, err = w.request(ctx, b)
			return err
		})
		if failed(failure, http.StatusRequestEntityTooLarge) {
			return w.halve(b, failure)
		}
		switch {
		case failure != nil:
			// The connection may still be reading from this memory: it is not used again.
			left, reason, spare = b, failure, new(batch)
		case len(left.changes) < len(b.changes):
			p.recovered(w.ctx)
		}
		if b = left; reason != nil {
			if err := p.wait(w.ctx, reason); err != nil {
				return nil, err
			}
		}
	}
	spare.changes, spare.body = spare.changes[:0], spare.body[:0]
	return spare, nil
}

// halve writes a batch in two parts, since something between here and Elasticsearch found it too large.
func (w *writer) halve(b *batch, tooLarge error) (spare *batch, err error) {
	if len(b.changes) == 1 {
		w.ledger.refused(&b.changes[0], fmt.Errorf("%d bytes are too many for one request: %w", len(b.body), tooLarge))
		return new(batch), nil
	}
	middle := len(b.changes) / 2
	for _, part := range [][]change{b.changes[:middle], b.changes[middle:]} {
		half := new(batch)
		for _, c := range part {
			half.add(c)
		}
		if _, err := w.write(half); err != nil {
			return nil, err
		}
	}
	return new(batch), nil
}

// outcome is what became of one change of a bulk request.
type outcome struct {
	Status int
	Error  *itemError
}

type itemError struct {
	Type, Reason string
	CausedBy     struct{ Reason string } `json:"caused_by"`
}

// request sends a batch once. left are the changes that are neither stored nor refused, and reason is why.
func (w *writer) request(ctx context.Context, b *batch) (left *batch, reason, err error) {
	demand := true
	var answer struct {
		Items []map[string]outcome
	}
	err = w.engine.client.do(ctx, esapi.BulkRequest{
		Index: w.index + writeSuffix, Body: bytes.NewReader(b.body), RequireAlias: &demand,
		FilterPath: []string{"items.*.status", "items.*.error.type", "items.*.error.reason", "items.*.error.caused_by.reason"},
	}, &answer)
	if err != nil {
		return nil, nil, err
	}
	if len(answer.Items) != len(b.changes) {
		return nil, nil, fmt.Errorf("Elasticsearch answered for %d changes of %d", len(answer.Items), len(b.changes)) //nolint:staticcheck // a name
	}
	left = new(batch)
	for i, item := range answer.Items {
		c := &b.changes[i]
		for _, o := range item {
			failure := o.failure()
			switch {
			case failure == nil:
				w.ledger.stored(c, o.Status == http.StatusCreated)
			case passing(failure):
				reason = failure
				left.add(*c)
			case failure.Status == http.StatusBadRequest || failure.Status == http.StatusRequestEntityTooLarge:
				w.ledger.refused(c, failure)
			default: // the index, not the document
				return nil, nil, failure
			}
		}
	}
	return left, reason, nil
}

// failure is nil where Elasticsearch has the change. A conflict of versions says that it has this change, from a try
// whose answer was lost, or a later one; and what is not there is as good as deleted.
func (o *outcome) failure() *Failure {
	if o.Error == nil || o.Status == http.StatusConflict {
		return nil
	}
	f := &Failure{Status: o.Status, Type: o.Error.Type, Reason: o.Error.Reason}
	if o.Error.CausedBy.Reason != "" {
		f.Reason += ": " + o.Error.CausedBy.Reason
	}
	return f
}

// versionOf makes later positions win; Elasticsearch wants more than 0.
func versionOf(position int64) int64 { return position + 1 }

// appendIndex adds the lines that store a document to a bulk request.
func appendIndex(b []byte, id string, position int64, document []byte) []byte {
	b = appendAction(b, `{"index":{"_id":`, id, position)
	b = append(b, document...)
	return append(b, '\n')
}

// appendDelete adds the line that deletes a document.
func appendDelete(b []byte, id string, position int64) []byte {
	return appendAction(b, `{"delete":{"_id":`, id, position)
}

func appendAction(b []byte, begin, id string, position int64) []byte {
	quoted, _ := json.Marshal(key(id)) // a string always can be
	b = append(append(b, begin...), quoted...)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, versionOf(position), 10)
	return append(b, `,"version_type":"external"}}`+"\n"...)
}

package requestlog

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Limits of what waits to be written. An entry has at most two bodies of MaxCaptured bytes.
const (
	maxWaiting  = 64
	MaxCaptured = 256 << 10
	writeTime   = 10 * time.Second
)

// A Request is an answered request with its bodies as they were sent.
type Request struct {
	Summary
	Content
	// RequestBody and ResponseBody are redacted before they are stored. A body that isn't kept is nil, and the note in
	// Content says why.
	RequestBody, ResponseBody []byte
}

// A Recorder redacts requests and writes them in the background, so that no request waits for it. If too many are
// waiting, further ones are left out. It is safe for concurrent use.
type Recorder struct {
	store   Store
	log     *slog.Logger
	waiting chan Request
	done    chan struct{}

	mu      sync.Mutex // guards the fields below
	closed  bool
	dropped map[string]int // requests left out since the last write, by account
}

// NewRecorder starts a recorder. Call Close to write the rest.
func NewRecorder(store Store, log *slog.Logger) *Recorder {
	r := &Recorder{
		store: store, log: log, waiting: make(chan Request, maxWaiting), done: make(chan struct{}),
		dropped: map[string]int{},
	}
	go r.run()
	return r
}

// Record adds a request.
func (r *Recorder) Record(q Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	select {
	case r.waiting <- q:
	default:
		r.dropped[q.Account]++
	}
}

func (r *Recorder) run() {
	defer close(r.done)
	for q := range r.waiting {
		entries := []Stored{encode(&q)}

		// What has gathered meanwhile is written in the same transaction.
		for len(r.waiting) > 0 {
			q := <-r.waiting
			entries = append(entries, encode(&q))
		}
		r.write(entries)
	}
}

func (r *Recorder) write(entries []Stored) {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if err := r.store.Insert(ctx, entries, MaxPerAccount); err != nil {
		r.log.Warn("request log not written", "entries", len(entries), "error", err)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	for account, n := range r.dropped {
		r.log.Warn("requests left out of the request log, because too many were waiting", "account", account,
			"requests", n)
	}
	clear(r.dropped)
}

// encode redacts a request.
func encode(q *Request) Stored {
	redactInto(&q.Request, q.RequestBody)
	redactInto(&q.Response, q.ResponseBody)
	for name, value := range q.Params {
		q.Params[name] = redactedValue(name, value)
	}
	for name, values := range q.Query {
		for i := range values {
			values[i] = redactedValue(name, values[i])
		}
	}

	q.ID = strings.ToLower(rand.Text()[:20])
	q.At = q.At.UTC().Truncate(time.Microsecond)
	q.Expires = q.At.Add(Lifetime)
	data, err := q.Encode()
	if err != nil { // can't happen: the bodies are JSON
		data = []byte("{}")
	}
	return Stored{Summary: q.Summary, Data: data}
}

// redactInto sets a body that has no note yet.
func redactInto(b *Body, data []byte) {
	if b.Note == "" {
		*b = RedactBody(data)
	}
}

// Close writes the rest. It may be called more than once.
func (r *Recorder) Close() error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.waiting)
	}
	r.mu.Unlock()
	<-r.done
	return nil
}

package usage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	flushEvery   = 5 * time.Second
	flushTimeout = 10 * time.Second
	pruneEvery   = 24 * time.Hour
	keep         = 90 * 24 * time.Hour // how long usage is kept
	maxFailures  = 1000                // that wait to be written; more push out the oldest
)

// Request is one answered request of a key.
type Request struct {
	Key       string // id
	At        time.Time
	RequestID string
	Operation string
	Status    int
	Code      string // error.code of the answer; "" for none
	Refused   bool   // the key itself was refused: it was not used
}

// Recorder gathers what was asked for and writes it every few seconds in one step, so that no request waits for it. What was
// not written yet is lost with the process when that is killed; what a plan allows is not counted here. It is safe for
// concurrent use.
type Recorder struct {
	store Store
	log   *slog.Logger
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once

	writing sync.Mutex // one flush at a time: who flushes finds everything written

	mu       sync.Mutex
	counts   map[Count]int // Requests is 0 in the keys
	failures []Failure     // oldest first
	lost     int           // failures pushed out
	lastUsed map[string]time.Time
}

// NewRecorder starts a recorder that reports to log what goes wrong in the background. Close it to write the rest.
func NewRecorder(store Store, log *slog.Logger) *Recorder {
	r := &Recorder{store: store, log: log, stop: make(chan struct{}), done: make(chan struct{})}
	r.reset()
	go r.run()
	return r
}

func (r *Recorder) reset() {
	r.counts, r.failures, r.lost, r.lastUsed = map[Count]int{}, nil, 0, map[string]time.Time{}
}

// Record notes a request.
func (r *Recorder) Record(q Request) {
	at := q.At.UTC()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[Count{Key: q.Key, Day: at.Truncate(24 * time.Hour), Operation: q.Operation, Status: q.Status}]++
	if !q.Refused && at.After(r.lastUsed[q.Key]) {
		r.lastUsed[q.Key] = at
	}
	if q.Status >= http.StatusBadRequest {
		r.fail(Failure{Key: q.Key, At: at, RequestID: q.RequestID, Operation: q.Operation, Status: q.Status, Code: q.Code})
	}
}

func (r *Recorder) fail(f Failure) {
	if len(r.failures) == maxFailures {
		r.failures = append(r.failures[:0], r.failures[1:]...)
		r.lost++
	}
	r.failures = append(r.failures, f)
}

func (r *Recorder) run() {
	defer close(r.done)
	flush, prune := time.NewTicker(flushEvery), time.NewTicker(pruneEvery)
	defer flush.Stop()
	defer prune.Stop()
	r.prune()
	for {
		select {
		case <-r.stop:
			return
		case <-prune.C:
			r.prune()
		case <-flush.C:
			ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
			if err := r.Flush(ctx); err != nil {
				r.log.Warn("usage of keys not written, trying again shortly", "error", err)
			}
			cancel()
		}
	}
}

func (r *Recorder) prune() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := r.store.PruneUsage(ctx, time.Now().UTC().Add(-keep)); err != nil {
		r.log.Warn("old usage of keys not removed, trying again tomorrow", "error", err)
	}
}

// Flush writes what was gathered. After a failure it is kept for the next time.
func (r *Recorder) Flush(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	batch, lost := r.take()
	if lost > 0 {
		r.log.Warn("more failed requests than are kept for their owners", "left out", lost)
	}
	if len(batch.Counts) == 0 {
		return nil
	}
	if err := r.store.AddUsage(ctx, batch); err != nil {
		r.putBack(batch)
		return fmt.Errorf("write the usage of %d keys: %w", len(batch.LastUsed), err)
	}
	return nil
}

// take empties the recorder.
func (r *Recorder) take() (b Batch, lost int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c, n := range r.counts {
		c.Requests = n
		b.Counts = append(b.Counts, c)
	}
	b.Failures, b.LastUsed, lost = r.failures, r.lastUsed, r.lost
	r.reset()
	return b, lost
}

func (r *Recorder) putBack(b Batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range b.Counts {
		n := c.Requests
		c.Requests = 0
		r.counts[c] += n
	}
	later := r.failures
	r.failures = nil
	for _, f := range append(b.Failures, later...) {
		r.fail(f)
	}
	for key, at := range b.LastUsed {
		if at.After(r.lastUsed[key]) {
			r.lastUsed[key] = at
		}
	}
}

// Close writes the rest and ends the background work. The store stays open.
func (r *Recorder) Close() error {
	r.once.Do(func() { close(r.stop) })
	<-r.done
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := r.Flush(ctx); err != nil {
		return errors.Join(errors.New("the last requests are missing from the usage of their keys"), err)
	}
	return nil
}

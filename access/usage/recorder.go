package usage

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	flushInterval = 5 * time.Second
	flushTimeout  = 10 * time.Second
	maxFailures   = 1000 // waiting to be written; further failures replace the oldest
)

// A Request is an answered request of a key.
type Request struct {
	Key       string // id
	At        time.Time
	Address   string // network address of the client; "" if unknown
	RequestID string
	Operation string
	Status    int
	Code      string        // error.code of the response, if any
	Took      time.Duration // until the response was complete
	Refused   bool          // the key itself was refused, so this is not a use of the key
}

// A Recorder collects usage in memory and writes it every few seconds, so that no request waits for a write. If the
// process is killed, the usage since the last write is lost. A Recorder is safe for concurrent use.
type Recorder struct {
	store Store
	log   *slog.Logger
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once

	writing sync.Mutex // held during a flush, so that every request recorded before Flush returns is written

	mu       sync.Mutex    // guards the fields below
	counts   map[Count]int // the keys have Requests 0
	failures []Failure     // oldest first
	dropped  int           // failures discarded because of maxFailures
	lastUsed map[string]Use
}

// NewRecorder starts a recorder that logs failures of its background writes. Call Close to write the rest.
func NewRecorder(store Store, log *slog.Logger) *Recorder {
	r := &Recorder{store: store, log: log, stop: make(chan struct{}), done: make(chan struct{})}
	r.reset()
	go r.run()
	return r
}

func (r *Recorder) reset() {
	r.counts = map[Count]int{}
	r.failures = nil
	r.dropped = 0
	r.lastUsed = map[string]Use{}
}

// Record adds a request.
func (r *Recorder) Record(q Request) {
	at := q.At.UTC()
	count := Count{
		Key: q.Key, Start: at.Truncate(time.Hour), Operation: q.Operation, Status: q.Status, Code: q.Code,
		Latency: LatencyOf(q.Took),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[count]++
	if !q.Refused && at.After(r.lastUsed[q.Key].At) {
		r.lastUsed[q.Key] = Use{at, q.Address}
	}
	if q.Status >= http.StatusBadRequest {
		r.addFailures(Failure{
			Key: q.Key, At: at, RequestID: q.RequestID, Operation: q.Operation, Status: q.Status, Code: q.Code,
		})
	}
}

func (r *Recorder) addFailures(failures ...Failure) {
	r.failures = append(r.failures, failures...)
	if excess := len(r.failures) - maxFailures; excess > 0 {
		r.failures = append(r.failures[:0], r.failures[excess:]...)
		r.dropped += excess
	}
}

func (r *Recorder) run() {
	defer close(r.done)
	flush := time.NewTicker(flushInterval)
	defer flush.Stop()
	for {
		select {
		case <-r.stop:
			return
		case <-flush.C:
			ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
			if err := r.Flush(ctx); err != nil {
				r.log.Warn("writing usage failed; retrying soon", "error", err)
			}
			cancel()
		}
	}
}

// Flush writes the usage collected so far. If the write fails, the usage is kept for the next one.
func (r *Recorder) Flush(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	batch, dropped := r.take()
	if dropped > 0 {
		r.log.Warn("too many failed requests to store all of them", "dropped", dropped)
	}
	if len(batch.Counts) == 0 {
		return nil
	}
	if err := r.store.AddUsage(ctx, batch); err != nil {
		r.restore(batch)
		return fmt.Errorf("write usage of %d keys: %w", len(batch.LastUsed), err)
	}
	return nil
}

// take returns the collected usage and resets the recorder.
func (r *Recorder) take() (b Batch, dropped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c, n := range r.counts {
		c.Requests = n
		b.Counts = append(b.Counts, c)
	}
	b.Failures = r.failures
	b.LastUsed = r.lastUsed
	dropped = r.dropped
	r.reset()
	return b, dropped
}

// restore adds a batch that could not be written to the usage collected since.
func (r *Recorder) restore(b Batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range b.Counts {
		n := c.Requests
		c.Requests = 0
		r.counts[c] += n
	}
	newer := r.failures
	r.failures = nil
	r.addFailures(append(b.Failures, newer...)...)
	for key, use := range b.LastUsed {
		if use.At.After(r.lastUsed[key].At) {
			r.lastUsed[key] = use
		}
	}
}

// Close writes the rest and stops the background writes. It doesn't close the store. It may be called more than once.
func (r *Recorder) Close() error {
	r.once.Do(func() { close(r.stop) })
	<-r.done
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := r.Flush(ctx); err != nil {
		return fmt.Errorf("the latest usage of API keys is lost: %w", err)
	}
	return nil
}

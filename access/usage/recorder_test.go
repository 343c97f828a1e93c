package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// memory keeps batches as they come, and fails with err where that is set.
type memory struct {
	mu      sync.Mutex
	batches []Batch
	pruned  []time.Time
	err     error
}

func (m *memory) AddUsage(_ context.Context, b Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	slices.SortFunc(b.Counts, func(a, b Count) int { return cmp.Compare(a.Status, b.Status) })
	m.batches = append(m.batches, b)
	return nil
}

func (m *memory) Usage(context.Context, string, time.Time) ([]Count, error) { return nil, m.err }
func (m *memory) Failures(context.Context, string, int) ([]Failure, error)  { return nil, m.err }

func (m *memory) PruneUsage(_ context.Context, before time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pruned = append(m.pruned, before)
	return m.err
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *memory) written() []Batch {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.batches)
}

func newRecorder(t *testing.T, m *memory) *Recorder {
	t.Helper()
	r := NewRecorder(m, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func noon() time.Time { return time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC) }

func TestRecorder_AddsUpWhatIsAlike(t *testing.T) {
	m := &memory{}
	r := newRecorder(t, m)
	ok := Request{Key: "key_1", At: noon(), RequestID: "a", Operation: "match", Status: 200}
	failed := Request{
		Key: "key_1", At: noon().Add(time.Second), RequestID: "b", Operation: "match", Status: 422, Code: "validation_failed",
	}
	refused := Request{
		Key: "key_1", At: noon().Add(time.Minute), RequestID: "c", Operation: "match", Status: 401, Code: "revoked_api_key", Refused: true,
	}
	for _, q := range []Request{ok, ok, failed, refused} {
		r.Record(q)
	}
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2031, 5, 17, 0, 0, 0, 0, time.UTC)
	want := []Batch{{
		Counts: []Count{{"key_1", day, "match", 200, 2}, {"key_1", day, "match", 401, 1}, {"key_1", day, "match", 422, 1}},
		Failures: []Failure{
			{"key_1", failed.At, "b", "match", 422, "validation_failed"},
			{"key_1", refused.At, "c", "match", 401, "revoked_api_key"},
		},
		LastUsed: map[string]time.Time{"key_1": failed.At}, // a refused key was not used
	}}
	if diff := gocmp.Diff(want, m.written()); diff != "" {
		t.Error(diff)
	}
	if err := r.Flush(t.Context()); err != nil || len(m.written()) != 1 {
		t.Errorf("nothing was gathered, yet it was written again (%v)", err)
	}
}

func TestRecorder_KeepsWhatCouldNotBeWritten(t *testing.T) {
	m := &memory{err: errors.New("disk full")}
	r := newRecorder(t, m)
	q := Request{Key: "key_1", At: noon(), Operation: "match", Status: 503}
	r.Record(q)
	if err := r.Flush(t.Context()); !errors.Is(err, m.err) {
		t.Fatalf("got %v", err)
	}
	earlier := q
	earlier.At, earlier.RequestID = noon().Add(-time.Second), "later recorded"
	r.Record(earlier)
	m.fail(nil)
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := m.written()[0]
	if len(b.Counts) != 1 || b.Counts[0].Requests != 2 || len(b.Failures) != 2 || b.Failures[1].RequestID != "later recorded" {
		t.Errorf("got %+v", b)
	}
	if !b.LastUsed["key_1"].Equal(noon()) {
		t.Errorf("last use moved back to %v", b.LastUsed["key_1"])
	}
}

func TestRecorder_BoundsFailures(t *testing.T) {
	m := &memory{}
	r := newRecorder(t, m)
	for i := range maxFailures + 5 {
		r.Record(Request{Key: "key_1", At: noon(), RequestID: fmt.Sprint(i), Status: 500})
	}
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := m.written()[0]
	if len(b.Failures) != maxFailures || b.Failures[0].RequestID != "5" {
		t.Errorf("%d failures, the first %s", len(b.Failures), b.Failures[0].RequestID)
	}
	if b.Counts[0].Requests != maxFailures+5 {
		t.Errorf("%d requests counted", b.Counts[0].Requests)
	}
}

// In the bubble of synctest time stands still until everyone waits, so days pass at once.
func TestRecorder_WritesAndPrunesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		r := newRecorder(t, m)
		synctest.Wait()
		r.Record(Request{Key: "key_1", At: time.Now(), Status: 200})
		if len(m.written()) != 0 {
			t.Error("a request waited for the write")
		}
		<-time.After(flushEvery + time.Second)
		synctest.Wait()
		if n := len(m.written()); n != 1 {
			t.Errorf("%d writes, want 1", n)
		}
		<-time.After(pruneEvery)
		synctest.Wait()
		if len(m.written()) != 1 || len(m.pruned) != 2 || time.Since(m.pruned[1]) < keep {
			t.Errorf("%d writes, pruned before %v", len(m.written()), m.pruned)
		}
	})
}

func TestRecorder_CloseWritesTheRest(t *testing.T) {
	m := &memory{}
	r := newRecorder(t, m)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				r.Record(Request{Key: "key_1", At: noon(), Status: 200})
				if err := r.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, b := range m.written() {
		total += b.Counts[0].Requests
	}
	if total != 800 {
		t.Errorf("%d requests written, want 800", total)
	}
	m.err = errors.New("disk full")
	last := newRecorder(t, m)
	last.Record(Request{Key: "key_1", At: noon(), Status: 200})
	if err := last.Close(); !errors.Is(err, m.err) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkRecord(b *testing.B) {
	r := NewRecorder(&memory{}, slog.New(slog.DiscardHandler))
	defer r.Close()
	q := Request{Key: "key_1", At: noon(), Operation: "match", Status: 200}
	for b.Loop() {
		r.Record(q)
	}
}

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

// memoryStore keeps written batches, and fails with err if it is set.
type memoryStore struct {
	mu      sync.Mutex
	batches []Batch
	err     error
}

func (m *memoryStore) AddUsage(_ context.Context, b Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	slices.SortFunc(b.Counts, func(a, b Count) int { return cmp.Compare(a.Status, b.Status) })
	m.batches = append(m.batches, b)
	return nil
}

func (m *memoryStore) Usage(context.Context, string, time.Time) ([]Count, error) { return nil, m.err }

func (m *memoryStore) Failures(context.Context, string, int) ([]Failure, error) { return nil, m.err }

func (m *memoryStore) HourlyUsage(context.Context, string, time.Time) ([]Count, error) {
	return nil, m.err
}

func (m *memoryStore) PruneUsage(context.Context, time.Time, time.Time) error { return m.err }

func (m *memoryStore) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *memoryStore) written() []Batch {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.batches)
}

func newRecorder(t *testing.T, m *memoryStore) *Recorder {
	t.Helper()
	r := NewRecorder(m, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func noon() time.Time { return time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC) }

func TestRecorder_CountsSimilarRequests(t *testing.T) {
	m := &memoryStore{}
	r := newRecorder(t, m)
	ok := Request{Key: "key_1", At: noon(), Address: "192.0.2.7", RequestID: "a", Operation: "match", Status: 200}
	failed := Request{
		Key: "key_1", At: noon().Add(time.Second), Address: "192.0.2.8", RequestID: "b", Operation: "match", Status: 422,
		Code: "validation_failed",
	}

	refused := Request{
		Key: "key_1", At: noon().Add(time.Minute), Address: "192.0.2.9", RequestID: "c", Operation: "match", Status: 401,
		Code:    "revoked_api_key",
		Refused: true,
	}
	for _, q := range []Request{ok, ok, failed, refused} {
		r.Record(q)
	}

	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	hour := noon()
	want := []Batch{{
		Counts: []Count{
			{Key: "key_1", Start: hour, Latency: 1, Operation: "match", Status: 200, Requests: 2},
			{Key: "key_1", Start: hour, Latency: 1, Operation: "match", Status: 401, Code: "revoked_api_key", Requests: 1},
			{Key: "key_1", Start: hour, Latency: 1, Operation: "match", Status: 422, Code: "validation_failed", Requests: 1},
		},
		Failures: []Failure{
			{"key_1", failed.At, "b", "match", 422, "validation_failed"},
			{"key_1", refused.At, "c", "match", 401, "revoked_api_key"},
		},
		LastUsed: map[string]Use{"key_1": {failed.At, "192.0.2.8"}}, // the refused request is not a use
	}}
	if diff := gocmp.Diff(want, m.written()); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}

	if err := r.Flush(t.Context()); err != nil || len(m.written()) != 1 {
		t.Errorf("Flush without new requests: %d batches, %v; want 1", len(m.written()), err)
	}
}

func TestRecorder_KeepsUsageIfAWriteFails(t *testing.T) {
	m := &memoryStore{err: errors.New("disk full")}
	r := newRecorder(t, m)
	q := Request{Key: "key_1", At: noon().Add(time.Second), Operation: "match", Status: 503}
	r.Record(q)

	if err := r.Flush(t.Context()); !errors.Is(err, m.err) {
		t.Fatalf("Flush: %v, want %v", err, m.err)
	}

	earlier := q
	earlier.At = noon()
	earlier.RequestID = "recorded later"
	r.Record(earlier)
	m.fail(nil)

	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	b := m.written()[0]
	if len(b.Counts) != 1 || b.Counts[0].Requests != 2 || len(b.Failures) != 2 ||
		b.Failures[1].RequestID != "recorded later" {
		t.Errorf("batch %+v, want both requests", b)
	}

	if !b.LastUsed["key_1"].At.Equal(q.At) {
		t.Errorf("the last use moved back to %v", b.LastUsed["key_1"])
	}
}

func TestRecorder_KeepsTheLatestFailures(t *testing.T) {
	m := &memoryStore{}
	r := newRecorder(t, m)
	for i := range maxFailures + 5 {
		r.Record(Request{Key: "key_1", At: noon(), RequestID: fmt.Sprint(i), Status: 500})
	}
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := m.written()[0]
	if len(b.Failures) != maxFailures || b.Failures[0].RequestID != "5" {
		t.Errorf("%d failures from request %s on, want %d from 5 on", len(b.Failures), b.Failures[0].RequestID, maxFailures)
	}
	if b.Counts[0].Requests != maxFailures+5 {
		t.Errorf("%d requests, want %d", b.Counts[0].Requests, maxFailures+5)
	}
}

func TestRecorder_WritesPeriodically(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memoryStore{}
		r := newRecorder(t, m)
		synctest.Wait()
		r.Record(Request{Key: "key_1", At: time.Now(), Status: 200})

		if len(m.written()) != 0 {
			t.Error("Record wrote at once")
		}

		time.Sleep(flushInterval + time.Second)
		synctest.Wait()

		if n := len(m.written()); n != 1 {
			t.Errorf("%d writes, want 1", n)
		}

		time.Sleep(time.Hour)
		synctest.Wait()

		if n := len(m.written()); n != 1 {
			t.Errorf("%d writes, want none without requests", n)
		}
	})
}

func TestRecorder_CloseWritesTheRest(t *testing.T) {
	m := &memoryStore{}
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
		t.Errorf("Close: %v, want %v", err, m.err)
	}
}

func BenchmarkRecord(b *testing.B) {
	r := NewRecorder(&memoryStore{}, slog.New(slog.DiscardHandler))
	defer r.Close()
	q := Request{Key: "key_1", At: noon(), Operation: "match", Status: 200}
	for b.Loop() {
		r.Record(q)
	}
}

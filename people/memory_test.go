package people

import (
	"context"
	"sync"
)

// A Memory is a ListStore in memory.
type Memory struct {
	mu       sync.Mutex
	entries  []Entry
	revision int64
}

// ErasedRevision implements ListStore.
func (m *Memory) ErasedRevision(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.revision, nil
}

// ErasedPeople implements ListStore.
func (m *Memory) ErasedPeople(context.Context) ([]Entry, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries, m.revision, nil
}

// MergeErased implements ListStore.
func (m *Memory) MergeErased(_ context.Context, entries []Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries = NewErased(m.entries, entries).Entries()
	m.revision++
	return nil
}

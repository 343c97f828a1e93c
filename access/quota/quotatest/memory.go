package quotatest

import (
	"context"
	"sync"

	"github.com/freelancer-matching/service/access/quota"
)

// A Memory is a quota.Store in memory, for tests that need no database. It never deletes a subject.
type Memory struct {
	mu       sync.Mutex
	subjects map[string]model
}

var _ quota.Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{subjects: map[string]model{}} }

// Take implements quota.Store.
func (m *Memory) Take(_ context.Context, subject string, w quota.Windows) (quota.Windows, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, answer, taken := m.subjects[subject].take(w)
	m.subjects[subject] = next
	return answer, taken, nil
}

// Peek implements quota.Store.
func (m *Memory) Peek(_ context.Context, subject string, w quota.Windows) (quota.Windows, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.subjects[subject].peek(w), nil
}

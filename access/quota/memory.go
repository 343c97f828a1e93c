package quota

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

const (
	shards = 64 // so that subjects seldom wait for each other
	// sweepFrom so many subjects on, a shard forgets those whose month is over, each time that it has doubled.
	sweepFrom = 64
	// lag is how far a clock may be behind before a window that is over by another clock is counted anew for it.
	lag = 24 * time.Hour
)

// Memory is a Store of one process. It forgets all with it. Subjects whose month is over are forgotten as others come.
type Memory struct {
	seed   maphash.Seed
	shards [shards]shard
}

var _ Store = (*Memory)(nil)

type shard struct {
	mu       sync.Mutex
	subjects map[string]counts
	sweepAt  int // when there are so many subjects
}

// counts is what was used of both windows.
type counts struct{ minute, month count }

type count struct {
	start time.Time
	used  int
}

// NewMemory makes an empty store.
func NewMemory() *Memory {
	m := &Memory{seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i] = shard{subjects: map[string]counts{}, sweepAt: sweepFrom}
	}
	return m
}

// Take implements Store.
func (m *Memory) Take(_ context.Context, subject string, w Windows) (after Windows, taken bool, _ error) {
	s := m.shard(subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.subjects[subject]
	minute, month := c.minute.next(w.Minute), c.month.next(w.Month)
	if taken = minute.used < w.Minute.Limit && month.used < w.Month.Limit; taken {
		minute.used++
		month.used++
		if !known {
			s.sweep(w.Minute.Start)
		}
		s.subjects[subject] = counts{minute, month}
	}
	return Windows{w.Minute.Counted(minute.start, minute.used), w.Month.Counted(month.start, month.used)}, taken, nil
}

// Peek implements Store.
func (m *Memory) Peek(_ context.Context, subject string, w Windows) (Windows, error) {
	s := m.shard(subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.subjects[subject]
	return Windows{w.Minute.Counted(c.minute.start, c.minute.used), w.Month.Counted(c.month.start, c.month.used)}, nil
}

func (m *Memory) shard(subject string) *shard {
	return &m.shards[maphash.String(m.seed, subject)%shards]
}

// next is the count that a request in w belongs to. A count's use may be over w's limit, where that was lowered.
func (c count) next(w Window) count {
	if c.start.Before(w.Start) {
		return count{start: w.Start}
	}
	return c
}

// sweep forgets the subjects whose month is over, if it is time to look for them.
func (s *shard) sweep(now time.Time) {
	if len(s.subjects) < s.sweepAt {
		return
	}
	for subject, c := range s.subjects {
		if now.Sub(c.month.start) >= Month+lag {
			delete(s.subjects, subject)
		}
	}
	s.sweepAt = max(sweepFrom, 2*len(s.subjects))
}

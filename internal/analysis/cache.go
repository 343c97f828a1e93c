package analysis

import (
	"hash/maphash"
	"strings"
	"sync"
)

const shards = 64

// cache remembers what was made of a token. Once a shard is full, tokens beyond it are made anew each time: words
// repeat, and those that come first come often. It is safe for concurrent use.
type cache[V any] struct {
	seed   maphash.Seed
	limit  int // tokens of a shard
	shards [shards]struct {
		sync.RWMutex
		values map[string]V
	}
}

func newCache[V any](limit int) *cache[V] {
	c := &cache[V]{seed: maphash.MakeSeed(), limit: limit}
	for i := range c.shards {
		c.shards[i].values = make(map[string]V)
	}
	return c
}

// get is what was made of token, if that is remembered.
func (c *cache[V]) get(token string) (V, bool) {
	s := &c.shards[maphash.String(c.seed, token)%shards]
	s.RLock()
	v, ok := s.values[token]
	s.RUnlock()
	return v, ok
}

// put remembers what was made of token, which must not refer to its memory.
func (c *cache[V]) put(token string, v V) {
	s := &c.shards[maphash.String(c.seed, token)%shards]
	s.Lock()
	if len(s.values) < c.limit {
		s.values[strings.Clone(token)] = v
	}
	s.Unlock()
}

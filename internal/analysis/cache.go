package analysis

import (
	"hash/maphash"
	"strings"
	"sync"
)

const shards = 64

// cache maps tokens to their results. A full shard stores no further tokens: words repeat, and the frequent ones come
// first. It is safe for concurrent use.
type cache[V any] struct {
	seed   maphash.Seed
	limit  int // tokens per shard
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

// get returns the cached result for a token, if any.
func (c *cache[V]) get(token string) (V, bool) {
	s := &c.shards[maphash.String(c.seed, token)%shards]
	s.RLock()
	v, ok := s.values[token]
	s.RUnlock()
	return v, ok
}

// put caches the result for a token. The result must not refer to the token's memory.
func (c *cache[V]) put(token string, v V) {
	s := &c.shards[maphash.String(c.seed, token)%shards]
	s.Lock()
	if len(s.values) < c.limit {
		s.values[strings.Clone(token)] = v
	}
	s.Unlock()
}

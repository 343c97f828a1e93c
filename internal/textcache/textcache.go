// Package textcache caches what is computed from short texts that occur again and again: words, names, headlines.
package textcache

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// ways is the number of slots in which a text can be.
const ways = 4

// A Cache maps texts to values in a fixed number of slots. A text whose slots are all taken replaces one of the texts
// in them, so frequent texts stay or return. Readers take no lock. A Cache is safe for concurrent use; its values are
// shared and must not be modified.
type Cache[V any] struct {
	seed  maphash.Seed
	slots []atomic.Pointer[entry[V]]
}

type entry[V any] struct {
	text  string
	value V
}

// New returns a cache for up to size texts. The size must be a power of two, and at least 4.
func New[V any](size int) *Cache[V] {
	return &Cache[V]{seed: maphash.MakeSeed(), slots: make([]atomic.Pointer[entry[V]], size)}
}

// find returns the slots of a text, and the index of the one to replace if they are all taken.
func (c *Cache[V]) find(text string) (slots []atomic.Pointer[entry[V]], victim uint64) {
	hash := maphash.String(c.seed, text)
	first := hash & uint64(len(c.slots)-1) &^ (ways - 1)
	return c.slots[first:][:ways], hash >> 62 % ways
}

// Get returns the value of a text, or nil.
func (c *Cache[V]) Get(text string) *V {
	slots, _ := c.find(text)
	for i := range slots {
		if e := slots[i].Load(); e != nil && e.text == text {
			return &e.value
		}
	}
	return nil
}

// Put stores the value of a copy of text, and returns a pointer to it. The value must not refer to the memory of text,
// which may be part of a much longer one.
func (c *Cache[V]) Put(text string, v V) *V {
	e := &entry[V]{text: strings.Clone(text), value: v}
	slots, victim := c.find(text)
	for i := range slots {
		if slots[i].CompareAndSwap(nil, e) {
			return &e.value
		}
	}
	slots[victim].Store(e)
	return &e.value
}

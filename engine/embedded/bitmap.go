package embedded

import (
	"iter"
	"math"
	"math/bits"
)

// A bitmap is a set of documents of a block or of a segment, with a bit for each.
type bitmap []uint64

// words returns the length of a bitmap of the given number of documents.
func words(docs int) int { return (docs + 63) / 64 }

// set adds a document.
func (m bitmap) set(doc int) { m[doc/64] |= 1 << (doc % 64) }

// clear removes a document.
func (m bitmap) clear(doc int) { m[doc/64] &^= 1 << (doc % 64) }

// has reports whether the set contains a document.
func (m bitmap) has(doc int) bool { return m[doc/64]&(1<<(doc%64)) != 0 }

// fill makes m the set of the first n documents.
func (m bitmap) fill(n int) {
	clear(m)
	for word := range m[:n/64] {
		m[word] = math.MaxUint64
	}
	if rest := n % 64; rest > 0 {
		m[n/64] = 1<<rest - 1
	}
}

// and removes the documents that other lacks. Other must not be shorter.
func (m bitmap) and(other bitmap) {
	other = other[:len(m)]
	for i := range m {
		m[i] &= other[i]
	}
}

// andNot removes the documents of other, which may be nil.
func (m bitmap) andNot(other bitmap) {
	for i, remove := range other {
		m[i] &^= remove
	}
}

// or adds the documents of other, which must not be longer.
func (m bitmap) or(other bitmap) {
	for i, add := range other {
		m[i] |= add
	}
}

// count returns the number of documents.
func (m bitmap) count() int {
	n := 0
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

// countWithout returns the number of documents that are not in other, which may be nil.
func (m bitmap) countWithout(other bitmap) int {
	if other == nil {
		return m.count()
	}
	n := 0
	other = other[:len(m)]
	for i, word := range m {
		n += bits.OnesCount64(word &^ other[i])
	}
	return n
}

// all yields the documents in order.
func (m bitmap) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range m {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

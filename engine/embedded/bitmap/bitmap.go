// Package bitmap has sets of documents, and columns of numbers that find the documents within a limit.
package bitmap

import (
	"iter"
	"math"
	"math/bits"
)

// A Set is a set of documents of a block or of a segment, with a bit for each.
type Set []uint64

// Words returns the length of a bitmap of the given number of documents.
func Words(docs int) int { return (docs + 63) / 64 }

// Add adds a document.
func (m Set) Add(doc int) { m[doc/64] |= 1 << (doc % 64) }

// Remove removes a document.
func (m Set) Remove(doc int) { m[doc/64] &^= 1 << (doc % 64) }

// Has reports whether the set contains a document.
func (m Set) Has(doc int) bool { return m[doc/64]&(1<<(doc%64)) != 0 }

// Fill makes m the set of the first n documents.
func (m Set) Fill(n int) {
	clear(m)
	for word := range m[:n/64] {
		m[word] = math.MaxUint64
	}
	if rest := n % 64; rest > 0 {
		m[n/64] = 1<<rest - 1
	}
}

// And removes the documents that other lacks. Other must not be shorter.
func (m Set) And(other Set) {
	other = other[:len(m)]
	for i := range m {
		m[i] &= other[i]
	}
}

// AndNot removes the documents of other, which may be nil.
func (m Set) AndNot(other Set) {
	for i, remove := range other {
		m[i] &^= remove
	}
}

// Or adds the documents of other, which must not be longer.
func (m Set) Or(other Set) {
	for i, add := range other {
		m[i] |= add
	}
}

// Count returns the number of documents.
func (m Set) Count() int {
	n := 0
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

// CountWithout returns the number of documents that are not in other, which may be nil.
func (m Set) CountWithout(other Set) int {
	if other == nil {
		return m.Count()
	}
	n := 0
	other = other[:len(m)]
	for i, word := range m {
		n += bits.OnesCount64(word &^ other[i])
	}
	return n
}

// All yields the documents in order.
func (m Set) All() iter.Seq[int] {
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

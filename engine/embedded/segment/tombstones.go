package segment

import (
	"math/bits"
	"slices"
)

// Tombstones marks documents of a segment as gone: for each block a bit per document, or nil if the block has none. A
// view never changes its tombstones; they are copied block by block.
type Tombstones [][]uint64

// has reports whether a document is marked.
func (t Tombstones) has(doc uint32) bool {
	marked := t[doc/BlockSize]
	return marked != nil && marked[doc%BlockSize/64]&(1<<(doc%64)) != 0
}

// set marks a document.
func (t Tombstones) set(x *Segment, doc uint32) {
	i := doc / BlockSize
	if t[i] == nil {
		t[i] = make([]uint64, (x.BlockSize(int(i))+63)/64)
	}
	t[i][doc%BlockSize/64] |= 1 << (doc % 64)
}

// with returns a copy in which documents of segment x are marked, too. It shares the blocks that don't differ.
func (t Tombstones) with(x *Segment, docs []uint32) Tombstones {
	changed := slices.Clone(t)
	for _, doc := range docs {
		i := doc / BlockSize
		if old := t[i]; old != nil && &old[0] == &changed[i][0] {
			changed[i] = slices.Clone(old)
		}
		changed.set(x, doc)
	}
	return changed
}

// Since returns the documents that are marked in t but not in earlier, ascending.
func (t Tombstones) Since(earlier Tombstones) []uint32 {
	var docs []uint32
	for i := range t {
		docs = t.sinceIn(i, earlier, docs)
	}
	return docs
}

// sinceIn appends the documents of block i that are marked in t but not in earlier.
func (t Tombstones) sinceIn(i int, earlier Tombstones, docs []uint32) []uint32 {
	before := earlier[i]

	// Views share the blocks that did not change, so most comparisons end here.
	isShared := before != nil && t[i] != nil && &before[0] == &t[i][0]
	if t[i] == nil || isShared {
		return docs
	}
	for word, marked := range t[i] {
		if before != nil {
			marked &^= before[word]
		}
		for ; marked != 0; marked &= marked - 1 {
			docs = append(docs, uint32(i*BlockSize+word*64+bits.TrailingZeros64(marked)))
		}
	}
	return docs
}

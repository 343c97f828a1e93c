// Package sieve finds the documents of a tile whose words suffice for a score. Nearly all documents of a search end
// here, so the loop has a version in assembly for processors with AVX2, which takes an eighth of the time.
package sieve

import (
	"iter"
	"math"
	"math/bits"

	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// Words holds what the documents of a tile have in common with a query.
type Words struct {
	Text   *[segment.TileSize]uint32  // sums of their terms
	Skills *[segment.TileSize]float32 // credit for their skills
	Codes  *[segment.TileSize]uint16  // which required skills they have; each must be an index into Needs.Penalties
}

// Needs says when words suffice: if credit + Weight·sum/(sum+Half) is at least Score + penalty, where sum is Stretch
// times that of a document's terms.
type Needs struct {
	Score                 float32
	Weight, Half, Stretch float32
	Penalties             []float32 // by code
}

// A Set holds documents of a tile: a bit for each.
type Set [segment.TileSize / 64]uint64

// All yields the documents in ascending order.
func (s *Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, set := range s {
			for ; set != 0; set &= set - 1 {
				if !yield(64*i + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}

// Filter sets found to the documents whose words suffice. It compares products instead of quotients, because a division
// takes longer than all the rest, and rounds each of them.
func Filter(found *Set, words *Words, needs *Needs) {
	if !vectorized(found, words, needs) {
		plain(found, words, needs)
	}
}

// plain does what Filter does, on any processor. It has no branch that depends on a document, because the processor
// couldn't predict it.
func plain(found *Set, words *Words, needs *Needs) {
	for i := range found {
		set := uint64(0)
		for bit := range 64 {
			doc := 64*i + bit
			sum := float32(words.Text[doc]) * needs.Stretch
			missing := needs.Score - words.Skills[doc] + needs.Penalties[words.Codes[doc]]
			missing = float32(missing * (sum + needs.Half))
			isMissing := math.Float32bits(float32(needs.Weight*sum)-missing) >> 31
			set |= uint64(1-isMissing) << bit
		}
		found[i] = set
	}
}

package engine

import "math/bits"

// RoundLength returns the length, in terms, that BM25 assumes for a document of n terms: n itself up to 40, and beyond
// that 24 plus the four highest bits of n-24. Lucene stores a length in one byte this way (SmallFloat.intToByte4), so
// Elasticsearch scores by it. All engines round lengths like this so that their scores agree.
func RoundLength(n int) int {
	const exact = 24
	if n <= exact {
		return n
	}
	n -= exact
	if low := bits.Len(uint(n)) - 4; low > 0 {
		n = n >> low << low
	}
	return exact + n
}

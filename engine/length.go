package engine

import "math/bits"

// RoundLength is the length, in terms, that BM25 takes a document of n terms to have: n up to 40, beyond it the four
// highest bits of n-24, plus 24. That is what Lucene keeps of a length, in one byte (SmallFloat.intToByte4), and so what
// Elasticsearch scores by; every engine does, so that they agree.
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

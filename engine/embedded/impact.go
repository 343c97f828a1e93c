package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// codes is the highest impact code.
const codes = 255

// norm returns k1·(1−b+b·length/mean) of a document.
func (x *segment) norm(doc int, mean float64) float64 {
	return x.bm25.K1 * (1 - x.bm25.B + x.bm25.B*float64(engine.RoundLength(int(x.lengths[doc])))/max(1, mean))
}

// impact returns the part of a term's BM25 score that depends on the document, tf/(tf + norm), scaled from 0..1 to a
// code from 1 to codes.
func impact(frequency uint8, norm float64) uint8 {
	tf := float64(frequency)
	return uint8(max(1, math.Round(codes*tf/(tf+norm))))
}

// frequency returns the term frequency of an impact. Frequencies above one or two dozen may share a code; their scores
// then differ by about one code at most.
func frequency(code uint8, norm float64) float64 {
	if code == codes {
		return codes
	}
	return min(codes, max(1, math.Round(norm*float64(code)/(codes-float64(code)))))
}

package segment

import (
	"math"

	"github.com/freelancer-matching/service/engine"
)

// Codes is the highest impact code.
const Codes = 255

// Norm returns k1·(1−b+b·length/mean) of a document.
func (x *Segment) Norm(doc int, mean float64) float64 {
	return x.BM25.K1 * (1 - x.BM25.B + x.BM25.B*float64(engine.RoundLength(int(x.Lengths[doc])))/max(1, mean))
}

// impact returns the part of a term's BM25 score that depends on the document, tf/(tf + norm), scaled from 0..1 to a
// code from 1 to codes.
func impact(frequency uint8, norm float64) uint8 {
	tf := float64(frequency)
	return uint8(max(1, math.Round(Codes*tf/(tf+norm))))
}

// Frequency returns the term frequency of an impact. Frequencies above one or two dozen may share a code; their scores
// then differ by about one code at most.
func Frequency(code uint8, norm float64) float64 {
	if code == Codes {
		return Codes
	}
	return min(Codes, max(1, math.Round(norm*float64(code)/(Codes-float64(code)))))
}

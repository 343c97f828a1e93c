package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// A textScore computes the text score of a document from the sum of its terms: weight · sum/(sum + half).
type textScore struct{ weight, half float64 }

// at returns the score of a sum. It never decreases as the sum grows.
func (t *textScore) at(sum float64) float64 { return t.weight * (sum / (sum + t.half)) }

// bound returns an upper bound of the score of a sum, which may be rounded down a little.
func (t *textScore) bound(sum float32) float32 {
	const rounding = 1 + 1e-6
	return float32(t.weight) * (sum / (sum + float32(t.half))) * rounding
}

// stretch returns the highest factor by which a sum of impacts computed for one mean length may be exceeded with
// another: the norm of a document is linear in its length divided by the mean.
func stretch(built, current float64) float32 {
	return float32(max(1, max(1, current)/max(1, built)))
}

// exactText returns the BM25 score of a document. A frequency is decoded with the mean length for which its part was
// built, and scored with that of the view.
func (p *plan) exactText(x *partPlan, lists *blockLists, doc int) float64 {
	sum := 0.
	built := x.norm(doc, x.meanLength)
	current := x.norm(doc, p.mean)
	for i, term := range x.terms {
		if code := lists.terms[i].code(uint16(doc % blockSize)); code > 0 {
			tf := frequency(code, built)
			sum += p.weights[term.weight] * tf / (tf + current)
		}
	}
	return sum
}

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

package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// textScore is what a sum of terms earns a document: weight · sum/(sum + half).
type textScore struct {
	weight, half float64
	// slope is that of the score at 0, and a trifle for what rounding adds: no sum earns more than slope · sum.
	slope float32
	// bands holds, for each run of 1<<shift sums, what the last of them earns, which is the most: a table spares a
	// division for all the documents that are passed over anyway. The last band has no end.
	bands [textBands]float32
	shift uint
}

// textBands makes the bound exceed the score by at most 0.8% of the weight, up to eight times half.
const textBands = 2048

// newTextScore is for a sum above 0 that earns half the weight.
func newTextScore(weight, half float64) textScore {
	t := textScore{weight: weight, half: half, slope: float32(weight / half * (1 + 1e-6))}
	for float64(uint64(textBands)<<t.shift) < 8*half {
		t.shift++
	}
	for i := range t.bands {
		t.bands[i] = t.of(uint32(min(uint64(i+1)<<t.shift-1, math.MaxUint32)))
	}
	t.bands[textBands-1] = float32(weight)
	return t
}

// of is the score of a sum. It never falls with the sum, as it would by rounding in steps of 32 bits.
func (t *textScore) of(sum uint32) float32 { return t.at(float64(sum)) }

// at is the score of a sum that need not be whole.
func (t *textScore) at(sum float64) float32 {
	if sum == 0 {
		return 0
	}
	return float32(t.weight * (sum / (sum + t.half)))
}

// most is no less than the score of a sum.
func (t *textScore) most(sum uint32) float32 { return t.bands[min(sum>>t.shift, textBands-1)] }

// exactHits is how many of the best hits get their text score without the rounding of impacts: more than a page has, so
// that scores are the same on every engine, and few enough to cost a twentieth of a millisecond.
const exactHits = 64

// refine computes the text score of the best hits anew, from the frequencies of the terms, and puts the hits in order.
func (x *index) refine(p *plan, best []candidate) {
	lists := make([]list, len(x.blocks))
	first := best[:min(len(best), exactHits)]
	exact := make([]float64, len(first))
	for _, term := range p.terms {
		for i := range x.blocks {
			lists[i] = x.blocks[i].terms.find(term.number)
		}
		for i, hit := range first {
			if code := lists[hit.doc/blockSize].code(uint16(hit.doc % blockSize)); code > 0 {
				norm := x.norm(int(hit.doc))
				tf := frequency(code, norm)
				exact[i] += term.weight * tf / (tf + norm)
			}
		}
	}
	for i := range first {
		first[i].score += p.words.at(exact[i]/p.unit) - p.words.of(first[i].text)
		first[i].words = exact[i]
	}
	for i := range best[len(first):] {
		best[len(first)+i].words = float64(best[len(first)+i].text) * p.unit
	}
	order(best)
}

// norm is k1·(1−b+b·length/mean) of a document.
func (x *index) norm(doc int) float64 {
	return x.bm25.K1 * (1 - x.bm25.B + x.bm25.B*float64(engine.RoundLength(int(x.lengths[doc])))/max(1, x.meanLength))
}

// impact is the part of a term's BM25 score that depends on the document, tf/(tf + k1·(1−b+b·length/mean)) in 0..1, as
// a code of 1 to codes.
func impact(frequency uint8, norm float64) uint8 {
	tf := float64(frequency)
	return uint8(max(1, math.Round(codes*tf/(tf+norm))))
}

// frequency is the tf of an impact. Only above a dozen or two do several frequencies share a code, and differ in what
// they earn by about a code at most.
func frequency(code uint8, norm float64) float64 {
	if code == codes {
		return codes
	}
	return min(codes, max(1, math.Round(norm*float64(code)/(codes-float64(code)))))
}

package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// A textScore computes the text score of a document from the sum of its terms: weight · sum/(sum + half).
type textScore struct {
	weight, half float64
	// slope is the derivative of the score at 0, rounded up: no score exceeds slope · sum.
	slope float32
	// bands holds the highest score of each band of 1<<shift sums. The table avoids a division for the many documents
	// that are skipped anyway. The last band includes all higher sums.
	bands [textBands]float32
	shift uint
}

// textBands is the number of bands. Up to eight times half, the bound exceeds the score by at most 0.8% of the weight.
const textBands = 2048

// newTextScore returns a textScore. half is the sum, above 0, whose score is half the weight.
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

// of returns the score of a sum. Computed in 64 bits, it never decreases as the sum grows.
func (t *textScore) of(sum uint32) float32 { return t.at(float64(sum)) }

// at returns the score of a fractional sum.
func (t *textScore) at(sum float64) float32 {
	if sum == 0 {
		return 0
	}
	return float32(t.weight * (sum / (sum + t.half)))
}

// bound returns an upper bound of the score of a sum.
func (t *textScore) bound(sum uint32) float32 { return t.bands[min(sum>>t.shift, textBands-1)] }

// exactHits is the number of best hits whose text score is computed without rounded impacts: more than a page shows, so
// that scores are the same on every engine, and few enough to take only a twentieth of a millisecond.
const exactHits = 64

// refine recomputes the text scores of the best hits from the term frequencies, and sorts the hits. A frequency is
// decoded with the mean length for which its part was built, and scored with that of the view. If those differ much,
// refine does so for all hits.
func (p *plan) refine(best []candidate) {
	first := best[:min(len(best), exactHits)]
	if p.drifted {
		first = best
	}
	exact := make([]float64, len(first))
	for _, in := range p.byBlock(first) {
		for _, term := range in.x.terms {
			impacts := in.block.postings[ofTerms].find(term.number)
			for _, i := range in.hits {
				doc := first[i].place.doc()
				if code := impacts.code(uint16(doc % blockSize)); code > 0 {
					tf, norm := frequency(code, in.x.norm(int(doc), in.x.meanLength)), in.x.norm(int(doc), p.mean)
					exact[i] += p.weights[term.weight] * tf / (tf + norm)
				}
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
	sortBest(best)
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

package search

import (
	"github.com/freelancer-matching/service/engine/embedded/segment"
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
	built := x.Norm(doc, x.MeanLength)
	current := x.Norm(doc, p.mean)
	for i, term := range x.terms {
		if code := lists.terms[i].Code(uint16(doc % segment.BlockSize)); code > 0 {
			tf := segment.Frequency(code, built)
			sum += p.weights[term.weight] * tf / (tf + current)
		}
	}
	return sum
}

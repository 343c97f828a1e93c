package search

import (
	"math"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A discount is engine.Query.Discount, prepared for bounds. The zero value changes nothing.
//
// A document that keeps a share of its score reaches minScore if its full score reaches minScore ÷ share. Documents
// differ in whether they lose a share, so their bounds are lowered instead, by the difference of the two. A penalty
// computed from an earlier, lower minScore is smaller, so it keeps the bounds valid.
type discount struct {
	required []bool  // by skill of the query; nil if there is no discount
	keep     float32 // the share that a document without required skills keeps, rounded up; above 0
}

func newDiscount(q *engine.Query) discount {
	const minKeep = 1e-6 // avoids division by 0
	var d discount
	if !q.Discounts(make([]matching.Evidence, len(q.Skills))) {
		return d
	}
	d.required = make([]bool, len(q.Skills))
	for i, s := range q.Skills {
		d.required[i] = s.Required
	}
	d.keep = math.Nextafter32(float32(max(minKeep, 1-q.Discount)), 1)
	return d
}

// raise returns the full score that a document without required skills needs to reach minScore.
func (d *discount) raise(minScore float32) float32 {
	if d.required == nil {
		return minScore
	}
	return minScore / d.keep
}

// penalty returns the difference of raise(minScore) and minScore.
func (d *discount) penalty(minScore float32) float32 {
	if d.required == nil || math.IsInf(float64(minScore), -1) {
		return 0
	}
	return minScore/d.keep - minScore
}

// discountTiles finds the tiles of the current block without any required skill and lowers their bounds.
func (s *scratch) discountTiles(p *plan, limits []float32, lacking []bool) {
	for tile := range lacking {
		lacking[tile] = true
	}
	for i, required := range p.discount.required {
		if !required {
			continue
		}
		tiles, _ := s.directory(&s.lists.skills[i])
		for _, tile := range tiles {
			lacking[tile] = false
		}
	}
	for tile, lacks := range lacking {
		if lacks {
			limits[tile] *= p.discount.keep
		}
	}
}

// markRequired sets s.required for size documents from the first on, whose postings are in the lists.
func (s *scratch) markRequired(p *plan, lists *blockLists, first, size int) {
	clear(s.required[first : first+size])
	for i, required := range p.discount.required {
		if required {
			for _, doc := range lists.skills[i].Docs {
				s.required[doc] = 1
			}
		}
	}
}

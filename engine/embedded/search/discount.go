package search

import (
	"math"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// A discount is engine.Query.Bend and engine.Query.Discount, prepared for bounds.
//
// The bounds of a search are bounds of the sum of a document's parts. They are compared with what a document with all
// required skills needs to be a hit. Any other document needs more, so its bounds are lowered by the difference, which
// grows with the score needed. A difference computed from an earlier, lower score is smaller, so it keeps the bounds
// valid.
type discount struct {
	bend     engine.Bend
	required []bool // by demand of the query; nil if there is no discount
	// By code of scratch.required: the share of its score that a document keeps. Without a discount, the only code is 0.
	kept []float64
}

func newDiscount(q *engine.Query) discount {
	d := discount{bend: q.Bend}
	if len(q.RequiredSkills()) == 0 {
		d.kept = []float64{1}
		return d
	}

	number := 0
	for _, demand := range q.Demands() {
		required := q.Skills[demand[0]].Required
		d.required = append(d.required, required)
		if required {
			number++
		}
	}

	d.kept = make([]float64, 2*number+2)
	for code := range d.kept {
		d.kept[code] = q.Discount.Kept(number, code/2, code > 0)
	}

	return d
}

// keep returns the share that documents with a code of scratch.required keep, raised to avoid a division by 0.
func (d *discount) keep(code uint16) float64 { return max(1e-6, d.kept[code]) }

// score returns the score for the sum of a document's parts.
func (d *discount) score(sum float64, code uint16) float64 { return d.bend.At(sum) * d.kept[code] }

// needed returns the sum, rounded down, that a document with all required skills needs to reach a score.
func (d *discount) needed(score float32) float32 {
	if d.bend == (engine.Bend{}) || math.IsInf(float64(score), -1) {
		return score
	}
	const rounding = 1e-6 // of sums, which a bend may stretch
	return float32(d.bend.Inverse(float64(score)) - rounding)
}

// raise returns the sum that a document needs if one with all required skills needs the given one.
func (d *discount) raise(needed float32, code uint16) float32 {
	if d.kept[code] == 1 || math.IsInf(float64(needed), -1) {
		return needed
	}
	return math.Nextafter32(float32(d.bend.Inverse(d.bend.At(float64(needed))/d.keep(code))), float32(math.Inf(-1)))
}

// lower returns an upper bound of the sums that raise turns into at most the given one.
func (d *discount) lower(sum float32, code uint16) float32 {
	if d.kept[code] == 1 || math.IsInf(float64(sum), -1) {
		return sum
	}
	return math.Nextafter32(float32(d.bend.Inverse(d.bend.At(float64(sum))*d.keep(code))), float32(math.Inf(1)))
}

// penalty returns a lower bound of the difference of raise(needed, code) and needed, for the given sum and all higher
// ones.
func (d *discount) penalty(needed float32, code uint16) float32 {
	if d.kept[code] == 1 || math.IsInf(float64(needed), -1) {
		return 0
	}
	difference := d.raise(needed, code) - needed

	// The difference grows, except while raise is beyond the bend and its argument isn't.
	if bend := float32(d.bend.From); needed < bend {
		difference = min(difference, d.raise(bend, code)-bend)
	}
	return difference
}

// discountTiles finds which of the required skills occur in each tile of the current block, and lowers the tiles'
// bounds accordingly. It sets codes to those of a document that has all required skills of its tile.
func (s *scratch) discountTiles(p *plan, limits []float32, codes []uint16) {
	clear(codes)
	for i, required := range p.discount.required {
		if !required {
			continue
		}
		tiles, _ := s.directory(&s.lists.skills[i])
		for _, tile := range tiles {
			codes[tile] += 2
		}
		tiles, _ = s.directory(&s.lists.families[i])
		for _, tile := range tiles {
			codes[tile] |= 1
		}
	}

	for tile, code := range codes {
		limits[tile] = p.discount.lower(limits[tile], code)
	}
}

// markRequired sets s.required for size documents from the first on, whose postings are in the lists.
func (s *scratch) markRequired(p *plan, lists *blockLists, first, size int) {
	// The codes after the last document of a block are read with those of its tile.
	clear(s.required[first : segment.TilesFor(first+size)*segment.TileSize])
	for i, required := range p.discount.required {
		if !required {
			continue
		}
		for _, doc := range lists.skills[i].Docs {
			s.required[doc] += 2
		}
		for _, doc := range lists.families[i].Docs {
			s.required[doc] |= 1
		}
	}
}

// boundCodes computes s.penalties for the scores found so far.
func (s *scratch) boundCodes(p *plan) {
	needed := s.needed(p)
	if s.boundedAt == needed {
		return // as for most tiles, once the best scores are found
	}

	s.boundedAt = needed
	s.penalties = s.penalties[:0]
	for code := range p.discount.kept {
		s.penalties = append(s.penalties, p.discount.penalty(needed, uint16(code)))
	}
}

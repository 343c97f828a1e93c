package search

import (
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/internal/matching"
)

// bound sets s.limits to an upper bound of the scores in each tile of a block. If there is a discount, it also sets
// s.tileCodes to the code of a document with all required skills of the tile. It sets s.wordless, too.
func (s *scratch) bound(p *plan, b blockPlace) {
	x := b.x
	from := x.tileNumber(b.number, 0)
	limits := s.limits[from:][:segment.TilesFor(x.BlockSize(b.number))]

	// Without a word, only a query that matches everything, or by meaning, can have hits.
	needsWords := !p.query.MatchAll && p.meaning == nil
	if needsWords && !x.hasWord || !s.openBlock(p, x, b.number) {
		for tile := range limits {
			limits[tile] = noHit
		}
		return
	}

	// No document of a tile has more than the highest code of each term.
	clear(s.sums[:])
	for j, t := range x.terms {
		of, highest := s.directory(&s.lists.terms[j])
		for k, tile := range of {
			s.sums[tile] += t.step * (uint32(highest[k]) + 1)
		}
	}

	clear(s.credits[:])
	for j := range p.demands {
		s.boundDemand(&p.credit[j], &s.lists.skills[j], &s.lists.families[j])
	}

	for tile := range limits {
		sum := s.sums[tile]
		skills := s.credits[tile]
		hasNoWord := sum == 0 && skills == 0
		s.wordless[from+tile] = hasNoWord
		if needsWords && hasNoWord || s.empty(tile) {
			limits[tile] = noHit
			continue
		}

		limits[tile] = x.bound(&p.text, sum) + skills + x.bonus
	}

	if p.discount.required != nil {
		s.discountTiles(p, limits, s.tileCodes[from:][:len(limits)])
	}
}

// directory returns the tiles that have documents of a list, and their highest codes.
func (s *scratch) directory(l *segment.List) (tiles, highest []uint8) {
	if len(l.Tiles) > 0 {
		return l.Tiles, l.Highest[:len(l.Tiles)]
	}
	return l.Directory(s.tiles[:0], s.highest[:0])
}

// boundDemand adds the highest credit for a demand in each tile to s.credits.
func (s *scratch) boundDemand(credit *[evidenceCodes]float32, skill, family *segment.List) {
	if len(skill.Docs)+len(family.Docs) == 0 {
		return
	}
	clear(s.ofSkill[:])
	tiles, _ := s.directory(family)
	for _, tile := range tiles {
		s.ofSkill[tile] = credit[matching.Sibling]
	}
	tiles, highest := s.directory(skill)
	for k, tile := range tiles {
		s.ofSkill[tile] = max(s.ofSkill[tile], credit[highest[k]%evidenceCodes])
	}
	for tile, credit := range s.ofSkill {
		s.credits[tile] += credit
	}
}

// empty reports whether no document of a tile passes the filter.
func (s *scratch) empty(tile int) bool {
	if s.passing == nil {
		return false
	}
	for _, word := range s.passing[tile*segment.TileSize/64 : min((tile+1)*segment.TileSize/64, len(s.passing))] {
		if word != 0 {
			return false
		}
	}
	return true
}

// bound returns an upper bound of the text score of a document with a sum.
func (p *partPlan) bound(words *textScore, sum uint32) float32 {
	if sum == 0 {
		return 0
	}
	return words.bound(float32(sum) * p.stretch)
}

package search

import "github.com/freelancer-matching/service/engine/embedded/segment"

// A blockLists holds the lists of one block, or their parts in one tile.
type blockLists struct {
	terms            []segment.List // by term of the part
	skills, families []segment.List // by demand of the query
}

// lookUpWords looks up the terms, skills and families of the query in each block.
func (s *scratch) lookUpWords(p *plan) {
	s.places = s.places[:0]
	for i := range p.parts {
		x := &p.parts[i]
		x.firstPlace = len(s.places)
		for j := range x.Blocks {
			postings := &x.Blocks[j].Postings
			for _, t := range x.terms {
				s.places = append(s.places, postings[segment.OfTerms].Place(t.number))
			}

			for _, c := range x.skills {
				skill := uint32(segment.Absent)
				family := uint32(segment.Absent)

				if c.skillKnown {
					skill = postings[segment.OfSkills].Place(c.skill)
				}

				if c.familyKnown {
					family = postings[segment.OfFamilies].Place(c.family)
				}
				s.places = append(s.places, skill, family)
			}
		}
	}
}

// openBlock sets the lists and the filter of a block. The list of a demand of several skills has the documents of all.
// It reports whether any document may pass the filter.
func (s *scratch) openBlock(p *plan, x *partPlan, i int) (any bool) {
	if s.passing, any = x.filter.passingIn(i, &s.allowed); !any {
		return false
	}
	s.blockSummed = false

	postings := &x.Blocks[i].Postings
	words := len(x.terms) + 2*len(x.skills)
	places := s.places[x.firstPlace+i*words:][:words]
	l := &s.lists
	l.terms, l.skills, l.families = l.terms[:0], l.skills[:0], l.families[:0]
	for j := range x.terms {
		l.terms = append(l.terms, postings[segment.OfTerms].At(places[j]))
	}

	places = places[len(x.terms):]
	for n, demand := range p.demands {
		skill := postings[segment.OfSkills].At(places[2*demand[0]])
		family := postings[segment.OfFamilies].At(places[2*demand[0]+1])
		if len(demand) > 1 {
			skill, family = s.union(&x.Blocks[i], places, unionKey{x.number, i, n}, demand)
		}
		l.skills = append(l.skills, skill)
		l.families = append(l.families, family)
	}
	return true
}

// A unionKey identifies a demand of several skills in a block of a part.
type unionKey struct{ part, block, demand int }

// union returns the lists of the documents that have one of the skills of a demand, and one of their families. A search
// opens a block up to three times, so it keeps them until it ends.
func (s *progress) union(
	of *segment.Block, places []uint32, key unionKey, demand []int,
) (skill, family segment.List) {
	s.mu.Lock()
	lists, known := s.unions[key]
	s.mu.Unlock()
	if known {
		return lists[0], lists[1]
	}

	for _, j := range demand {
		skill = segment.Union(skill, of.Postings[segment.OfSkills].At(places[2*j]))
		family = segment.Union(family, of.Postings[segment.OfFamilies].At(places[2*j+1]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unions == nil {
		s.unions = make(map[unionKey][2]segment.List)
	}
	s.unions[key] = [2]segment.List{skill, family}
	return skill, family
}

// cutToTile sets l to the parts of the lists of a block that are in a tile.
func (l *blockLists) cutToTile(of *blockLists, tile int) {
	l.terms, l.skills, l.families = l.terms[:0], l.skills[:0], l.families[:0]
	for i := range of.terms {
		l.terms = append(l.terms, of.terms[i].InTile(tile))
	}
	for i := range of.skills {
		l.skills, l.families = append(l.skills, of.skills[i].InTile(tile)), append(l.families, of.families[i].InTile(tile))
	}
}

package search

import (
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/internal/matching"
)

// page returns the hits with all the facts that ranking needs.
func (p *plan) page(best []candidate) *engine.Page {
	hits := make([]engine.Hit, len(best))
	skills := len(p.query.Skills)
	evidence := make([]matching.Evidence, len(best)*skills)
	for i, c := range best {
		x := &p.parts[c.place.part()]
		doc := c.place.doc()
		hits[i] = engine.Hit{
			ID:        string(c.id),
			Retrieval: c.score,
			Text:      c.words,
			Cosine:    c.cosine,
			Evidence:  evidence[i*skills : (i+1)*skills : (i+1)*skills],
			Signals:   x.Signals.At(int(doc)),
			Schedule:  x.Schedules.At(int(doc)),
		}

		if compare := p.query.Compare; compare != nil {
			of := &x.Blocks[doc/segment.BlockSize].Vectors[compare.Space]
			hits[i].Compared = matching.Cosine(compare.Vector, of.At(int(doc%segment.BlockSize)))
		}

		postings := &x.Blocks[doc/segment.BlockSize].Postings

		// Evidence of the skill itself comes before that of its family, as in the score.
		for j, s := range x.skills {
			code := uint8(0)
			if s.skillKnown {
				code = postings[segment.OfSkills].Find(s.skill).Code(uint16(doc % segment.BlockSize))
			}

			if code == 0 && s.familyKnown {
				code = postings[segment.OfFamilies].Find(s.family).Code(uint16(doc % segment.BlockSize))
			}
			hits[i].Evidence[j] = matching.Evidence(code)
		}
	}

	return &engine.Page{Hits: hits, Reference: p.reference, UnknownTerms: p.unknown, Scoring: p.scoring()}
}

// scoring returns what the text scores are computed from. p.weights lacks the unknown terms, whose order is the
// query's.
func (p *plan) scoring() *engine.TextScoring {
	s := &engine.TextScoring{
		Weights: make([]float64, len(p.query.Terms)), MeanLength: max(1, p.mean), BM25: p.parts[0].BM25,
	}
	known, unknown := p.weights, p.unknown
	for i, term := range p.query.Terms {
		if len(unknown) > 0 && unknown[0] == term.Text {
			unknown = unknown[1:]
			continue
		}
		s.Weights[i] = known[0]
		known = known[1:]
	}
	return s
}

package search

import (
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/internal/matching"
)

// A candidate is a document of the window, scored exactly.
type candidate struct{ engine.Hit }

// score returns exactly scored candidates for the hits of a search, in their order. It calls damaged for each hit that
// can't be decoded.
func (p *plan) score(hits []rawHit, damaged func(hit *rawHit, err error)) []candidate {
	candidates := make([]candidate, 0, len(hits))
	for i := range hits {
		columns, err := hits[i].columns()
		if err != nil {
			damaged(&hits[i], err)
			continue
		}
		if c, ok := p.candidate(&columns, hits[i].Score); ok {
			candidates = append(candidates, c)
		}
	}
	return candidates
}

// split returns the part of a hit's score that words and skills account for, and whether its vector is near.
func (p *plan) split(score float64) (sum float64, near bool) {
	if p.nearBonus > 0 && score >= p.nearBonus {
		return score - p.nearBonus, true
	}
	return score, false
}

// slope returns the factor of the text score in the sum. all is the text score of a document of average length that
// contains each term once; reference is the same for the reference terms only.
func slope(q *engine.Query, reference, all float64) float64 {
	skills := 0.
	for _, clause := range q.Skills {
		skills += clause.Weight
	}
	minWeight := minTextShare * max(1, skills)
	if reference > 0 {
		return max(q.TextWeight, minWeight) / (reference * (1 + usualText) * (1 + usualText))
	}
	return minWeight / max(1, all)
}

// resolution is the relative difference of scores below which all is noise: Elasticsearch adds single-precision
// numbers, each with a relative error of 6e-8.
const resolution = 1e-6

// candidate splits the score of one document: whatever its vector and skills don't account for is the text score. ok is
// false if the document is no hit because only its vector brought it in and is not close enough.
func (p *plan) candidate(doc *document.Columns, score float64) (c candidate, ok bool) {
	q := p.query
	c = candidate{
		Hit: engine.Hit{
			ID: doc.ID, Signals: doc.Signals, Schedule: doc.Schedule, Evidence: make([]matching.Evidence, len(q.Skills)),
		},
	}

	text, near := p.split(score)
	// If documents without a vector are close enough, the search returns all documents. Then a document that is too far
	// away cannot be told from one that shares only a term of weight 0, and neither is a hit.
	ok = q.MatchAll || !near && !zeroIsClose(q.Semantic)

	// Closeness is computed from the vector itself, not from the sum.
	if s := q.Semantic; s != nil {
		c.Cosine = matching.Cosine(s.Vector, doc.Vector(s.Space))
		closeness := s.Closeness(c.Cosine)
		ok = ok || closeness > s.Hit
		c.Retrieval += s.Weight * closeness
	}

	if compare := q.Compare; compare != nil {
		c.Compared = matching.Cosine(compare.Vector, doc.Vector(compare.Space))
	}

	// What the clauses of skills have added to the sum is known exactly, so the rest is the text.
	for i, clause := range q.Skills {
		evidence := doc.Evidence(clause)
		c.Evidence[i] = evidence
		ok = ok || evidence != matching.NoEvidence
		text -= p.skillSum(doc, clause, evidence)
	}
	c.Retrieval += q.SkillScore(c.Evidence)

	if p.hasAdvantage(c.Evidence) {
		text -= p.advantage()
	}

	// A rest within the rounding error is no text, and would make hits of documents without a common word.
	if text > resolution*score {
		c.Text = text / p.slope
		ok = true
	}

	if p.reference > 0 {
		c.Retrieval += q.TextWeight * c.Text / (c.Text + p.reference)
	}

	if q.Fit != nil {
		c.Retrieval += q.Fit(doc.Signals, doc.Schedule)
	}

	if q.Quality != nil {
		c.Retrieval += q.Quality(doc.Signals)
	}

	c.Retrieval = q.Score(c.Retrieval, c.Evidence)
	return c, ok
}

// hasAdvantage reports whether a document with the given evidence matches the clause of advantage.
func (p *plan) hasAdvantage(evidence []matching.Evidence) bool {
	for i, s := range p.query.Skills {
		if s.Required && evidence[i] != matching.NoEvidence {
			return true
		}
	}
	return false
}

// skillSum returns what the clauses of one skill contributed to the score.
func (p *plan) skillSum(c *document.Columns, clause engine.SkillClause, e matching.Evidence) (sum float64) {
	if e > matching.Sibling {
		sum = p.skillScore(clause, e)
	}
	if clause.Family != "" && slices.Contains(c.Families, clause.Family) {
		sum += p.clauseWeight(clause) * p.query.Credit[matching.Sibling]
	}
	return sum
}

// clauseWeight returns the weight of the clauses for one skill. Elasticsearch adds up those of near-duplicates, of
// which only the best counts, so each has a part of their weight.
func (p *plan) clauseWeight(clause engine.SkillClause) float64 {
	if clause.Demand == 0 {
		return clause.Weight
	}
	duplicates := 0
	for _, other := range p.query.Skills {
		if other.Demand == clause.Demand {
			duplicates++
		}
	}
	return clause.Weight / float64(duplicates)
}

// closeCall reports whether the window is full and its last hit is nearly as good, by words and skills, as the tenth
// best. The number of hits that the caller wants has no influence, so that pages of any size come from the same window.
func (p *plan) closeCall(hits []rawHit) bool {
	sums := make([]float64, len(hits))
	others := 0 // hits without a near vector
	for i, hit := range hits {
		var near bool
		if sums[i], near = p.split(hit.Score); !near {
			others++
		}
	}
	if others < p.window {
		return false
	}
	last := sums[len(sums)-1]
	slices.Sort(sums)
	return sums[max(0, len(sums)-10)]-last < closeCall
}

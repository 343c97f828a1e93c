package elastic

import (
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A candidate is a document of the window, scored exactly.
type candidate struct{ engine.Hit }

// score returns exactly scored candidates for the hits of the two searches, in their order and without duplicates. It
// calls damaged for each hit that can't be decoded.
func (p *plan) score(common, near []rawHit, damaged func(hit *rawHit, err error)) []candidate {
	candidates := make([]candidate, 0, len(common)+len(near))
	seen := make(map[string]bool, len(common))
	for i, hit := range slices.Concat(common, near) {
		columns, err := hit.columns()
		if err != nil {
			damaged(&hit, err)
			continue
		}
		if seen[columns.id] {
			continue
		}
		seen[columns.id] = true
		if c, ok := p.candidate(&columns, hit.Score, i < len(common)); ok {
			candidates = append(candidates, c)
		}
	}
	return candidates
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

// candidate splits the score of one document: whatever its skills don't account for is the text score. ok is false if
// the document is no hit because only its vector brought it in and is not close enough.
func (p *plan) candidate(doc *columns, score float64, common bool) (c candidate, ok bool) {
	q := p.query
	c = candidate{
		Hit: engine.Hit{ID: doc.id, Signals: doc.signals, Evidence: make([]matching.Evidence, len(q.Skills))},
	}
	// If documents without a vector are close enough, common returns all documents. Then a document that is too far away
	// cannot be told from one that shares only a term of weight 0, and neither is a hit.
	ok = q.MatchAll || common && !zeroIsClose(q.Semantic)
	if s := q.Semantic; s != nil {
		c.Cosine = matching.Cosine(s.Vector, doc.vector(s.Space))
		closeness := s.Closeness(c.Cosine)
		ok = ok || closeness > 0
		c.Retrieval += s.Weight * closeness
	}
	text := score
	for i, clause := range q.Skills {
		evidence := doc.evidence(clause)
		c.Evidence[i] = evidence
		ok = ok || evidence != matching.NoEvidence
		c.Retrieval += clause.Weight * q.Credit[evidence]
		text -= p.skillSum(doc, clause, evidence)
	}
	if text > resolution*score {
		c.Text = text / p.slope
		ok = true
	}
	if p.reference > 0 {
		c.Retrieval += q.TextWeight * c.Text / (c.Text + p.reference)
	}
	if q.Fit != nil {
		c.Retrieval += q.Fit(doc.signals)
	}
	if q.Quality != nil {
		c.Retrieval += q.Quality(doc.signals)
	}
	return c, ok
}

// skillSum returns what the clauses of one skill contributed to the score.
func (p *plan) skillSum(c *columns, clause engine.SkillClause, e matching.Evidence) (sum float64) {
	if e > matching.Sibling {
		sum = p.skillScore(clause, e)
	}
	if clause.Family != "" && slices.Contains(c.families, clause.Family) {
		sum += clause.Weight * p.query.Credit[matching.Sibling]
	}
	return sum
}

// closeCall reports whether the sorted window common is full and its last candidate is nearly as good, by words and
// skills, as the tenth one, or as the last one wanted if fewer than ten are.
func (p *plan) closeCall(common []rawHit) bool {
	if len(common) < p.window {
		return false
	}
	tenth := min(10, p.query.Size)
	return common[tenth-1].Score-common[len(common)-1].Score < closeCall
}

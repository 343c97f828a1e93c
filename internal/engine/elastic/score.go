package elastic

import (
	"slices"

	"freelancer-matching/internal/engine"
	"freelancer-matching/internal/matching"
)

// candidate is a document of the window, scored exactly.
type candidate struct {
	engine.Hit
	position int64   // in the order of the calls of Add, which decides ties
	sum      float64 // what its words and skills made of the score that it was found by
	near     bool    // its vector was among the nearest
}

// score makes hits of what was found.
func (p *plan) score(found []foundHit) ([]candidate, error) {
	candidates := make([]candidate, 0, len(found))
	for i := range found {
		columns, err := found[i].columns()
		if err != nil {
			return nil, err
		}
		c, ok := p.candidate(&columns, found[i].Score, slices.Contains(found[i].Matched, meaningName))
		if ok {
			candidates = append(candidates, c)
		}
	}
	return candidates, nil
}

// resolution is the share of a score below which a difference is noise: Elasticsearch adds up single-precision numbers,
// each right to 6e-8 of its value, that of a nearness to three times as much.
const resolution = 1e-6

// candidate takes apart the score of one document: what is not from its skills and its nearness is from its text. ok is
// false for a document that only its vector brought in, and is not close enough.
func (p *plan) candidate(of *columns, score float64, near bool) (c candidate, ok bool) {
	q := p.query
	c = candidate{
		Hit:      engine.Hit{ID: of.id, Signals: of.signals, Evidence: make([]matching.Evidence, len(q.Skills))},
		position: of.position, sum: score, near: near,
	}
	// Every clause but those of meaning makes hits. Who has nothing else in common than a word that weighs nothing is not told
	// from those who were near, but not near enough.
	ok = q.Everyone || !near && !indifferent(q.Semantic)
	if s := q.Semantic; s != nil {
		c.Cosine = engine.Cosine(s.Vector, of.vector(s.Space))
		closeness := s.Closeness(c.Cosine)
		ok = ok || closeness > 0
		c.Retrieval += s.Weight * closeness
		if near {
			c.sum -= p.nearness * (1 + c.Cosine) / 2
		}
	}
	text := c.sum
	for i, clause := range q.Skills {
		evidence := of.evidence(clause)
		c.Evidence[i] = evidence
		ok = ok || evidence != matching.NoEvidence
		c.Retrieval += clause.Weight * q.Credit[evidence]
		text -= p.skillSum(of, clause, evidence)
	}
	if text > resolution*score {
		c.Text = text / p.slope
		ok = true
	}
	if p.reference > 0 {
		c.Retrieval += q.TextWeight * c.Text / (c.Text + p.reference)
	}
	if q.Fit != nil {
		c.Retrieval += q.Fit(of.signals)
	}
	if q.Quality != nil {
		c.Retrieval += q.Quality(of.signals)
	}
	return c, ok
}

// skillSum is what the clauses of one skill added to the score.
func (p *plan) skillSum(c *columns, clause engine.SkillClause, e matching.Evidence) (sum float64) {
	if e > matching.Sibling {
		sum = p.skillScore(clause, e)
	}
	if clause.Family != "" && slices.Contains(c.families, clause.Family) {
		sum += clause.Weight * p.query.Credit[matching.Sibling]
	}
	return sum
}

// close reports whether a full window ends among candidates that are as good, by words and skills, as the tenth best or,
// where fewer are wanted, the last of those. The nearest vectors stand before all others, however few words they share.
func (p *plan) close(window []candidate) bool {
	if len(window) < p.window {
		return false
	}
	var sums []float64
	for _, c := range window {
		if !c.near {
			sums = append(sums, c.sum)
		}
	}
	slices.Sort(sums)
	tenth := len(sums) - min(10, p.query.Size)
	return tenth > 0 && sums[tenth]-sums[0] < closeCall
}

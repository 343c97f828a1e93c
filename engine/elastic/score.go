package elastic

import (
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// candidate is a document of the window, scored exactly.
type candidate struct {
	engine.Hit
	position int64 // in the order of the calls of Add, which decides ties
}

// score makes hits of what was found: common by words and skills, best first, and near by the vectors.
func (p *plan) score(common, near []foundHit) ([]candidate, error) {
	candidates := make([]candidate, 0, len(common)+len(near))
	seen := make(map[string]bool, len(common))
	for i, found := range slices.Concat(common, near) {
		columns, err := found.columns()
		if err != nil {
			return nil, err
		}
		if seen[columns.id] {
			continue
		}
		seen[columns.id] = true
		if c, ok := p.candidate(&columns, found.Score, i < len(common)); ok {
			candidates = append(candidates, c)
		}
	}
	return candidates, nil
}

// slope is what the text score is multiplied by in the sum. all is the text score of a document of average length that has
// each word once, and reference that of those with the words that are for reference.
func slope(q *engine.Query, reference, all float64) float64 {
	beside := 0.
	for _, clause := range q.Skills {
		beside += clause.Weight
	}
	least := minTextShare * max(1, beside)
	if reference > 0 {
		return max(q.TextWeight, least) / (reference * (1 + usualText) * (1 + usualText))
	}
	return least / max(1, all)
}

// resolution is the share of a score below which a difference is noise: Elasticsearch adds up single-precision numbers,
// each right to 6e-8 of its value.
const resolution = 1e-6

// candidate takes apart the score of one document: what is not from its skills is from its text. ok is false for a document
// that only its vector brought in, and is not close enough.
func (p *plan) candidate(of *columns, score float64, common bool) (c candidate, ok bool) {
	q := p.query
	c = candidate{
		Hit:      engine.Hit{ID: of.id, Signals: of.signals, Evidence: make([]matching.Evidence, len(q.Skills))},
		position: of.position,
	}
	// Where vectors without direction are close enough, all documents are looked at, and who has nothing in common but a word
	// that weighs nothing is not told from those who are too far away.
	ok = q.MatchAll || common && !indifferent(q.Semantic)
	if s := q.Semantic; s != nil {
		c.Cosine = matching.Cosine(s.Vector, of.vector(s.Space))
		closeness := s.Closeness(c.Cosine)
		ok = ok || closeness > 0
		c.Retrieval += s.Weight * closeness
	}
	text := score
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

// close reports whether a full window of common, which is sorted, ends among candidates that are as good, by words and
// skills, as the tenth best or, where fewer are wanted, the last of those.
func (p *plan) close(common []foundHit) bool {
	if len(common) < p.window {
		return false
	}
	tenth := min(10, p.query.Size)
	return common[tenth-1].Score-common[len(common)-1].Score < closeCall
}

package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// A plan is an engine.Query with every name looked up and every weight scaled for the accumulators.
//
// The text score of a document is an integer sum: each term adds step · code, where code is its impact from 1 to codes.
// Steps are scaled so that no sum overflows. They are at least 1, so that a sum is 0 only if no term occurs. The skill
// score is a floating-point sum in which every credit is at least minCredit, for the same reason.
type plan struct {
	query     *engine.Query
	terms     []termClause
	skills    []skillClause
	reference float64 // BM25 of the reference document
	unit      float64 // BM25 of a sum of 1
	words     textScore
	fit       []float32 // by class
	quality   []float32 // by class
	bonus     float32   // upper bound of fit and quality together
	meaning   *meaning  // nil without a semantic clause
	filter    *filter
}

type termClause struct {
	number uint32
	step   uint32
	weight float64 // times idf
}

// A skillClause is a skill with its family. The index may know neither, either or both.
type skillClause struct {
	skill, family           uint32
	skillKnown, familyKnown bool
	credit                  [evidenceCodes]float32 // weight · credit by evidence
}

const (
	codes      = 255     // the highest impact code
	stepsTotal = 1 << 23 // sum of all steps; multiplied by codes and rounded up, it is below 1<<32
	minCredit  = 1e-30

	// evidenceCodes exceeds the number of kinds of evidence. As a power of two, it avoids a bounds check.
	evidenceCodes = 8
)

func (x *segment) newPlan(q *engine.Query) *plan {
	p := &plan{query: q, filter: x.newFilter(q.Filters)}
	x.planTerms(p)
	for _, s := range q.Skills {
		var c skillClause
		c.skill, c.skillKnown = x.skills.find(s.ID)
		if s.Family != "" {
			c.family, c.familyKnown = x.families.find(s.Family)
		}
		for evidence, credit := range q.Credit {
			c.credit[evidence] = max(float32(s.Weight*credit), minCredit)
		}
		p.skills = append(p.skills, c)
	}
	var highestFit, highestQuality float32
	p.fit, highestFit = x.fit.scores(q.Fit)
	p.quality, highestQuality = x.quality.scores(q.Quality)
	p.bonus = highestFit + highestQuality
	if q.Semantic != nil {
		p.meaning = x.newMeaning(q.Semantic)
	}
	return p
}

// planTerms looks up the terms and scales their weights. It skips terms that no document has.
func (x *segment) planTerms(p *plan) {
	var weights []float64
	total := 0.0
	for _, t := range p.query.Terms {
		number, ok := x.terms.find(t.Text)
		if !ok || x.termDocs[number] == 0 {
			continue
		}
		weight := t.Weight * idf(x.withTerms, x.termDocs[number])
		weights = append(weights, weight)
		total += weight
		p.terms = append(p.terms, termClause{number: number, weight: weight})
		if t.Reference {
			p.reference += weight / (1 + x.bm25.K1) // one occurrence in a document of mean length
		}
	}
	if total == 0 {
		total = 1
	}
	scale := stepsTotal / total
	for i, weight := range weights {
		p.terms[i].step = max(1, uint32(math.Round(weight*scale)))
	}
	p.unit = 1 / (scale * codes)
	if p.reference > 0 {
		p.words = newTextScore(p.query.TextWeight, p.reference/p.unit)
	}
}

// idf returns the inverse document frequency as Lucene computes it, which is always above 0.
func idf(documents int, withTerm uint32) float64 {
	n, df := float64(documents), float64(withTerm)
	return math.Log(1 + (n-df+.5)/(df+.5))
}

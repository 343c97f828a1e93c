package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// plan is an engine.Query with every name looked up and every weight as the accumulators want it.
//
// The text score of a document is summed in whole numbers: a term adds step · code, where code is its impact of 1 to
// codes. Steps are scaled so that no sum overflows, and are at least 1, so that a sum is 0 only without any term. The
// skill score is summed as it is, with a credit of at least a trifle, for the same reason.
type plan struct {
	query     *engine.Query
	terms     []termClause
	skills    []skillClause
	reference float64 // BM25 of the reference document
	unit      float64 // BM25 of one step
	words     textScore
	fit       []float32 // by class
	quality   []float32 // by class
	bonus     float32   // the most that fit and quality add together
	meaning   *meaning  // nil without a semantic clause
	filter    *filter
}

type termClause struct {
	number uint32
	step   uint32
	weight float64 // times idf
}

// skillClause is a skill with its family; either may be unknown to the index.
type skillClause struct {
	skill, family           uint32
	skillKnown, familyKnown bool
	credit                  [evidenceCodes]float32 // weight · credit by evidence
}

const (
	codes       = 255     // the highest impact code
	stepsTotal  = 1 << 23 // of all terms together: times codes, and rounded up, it stays below 1<<32
	leastCredit = 1e-30

	evidenceCodes = 8 // more than there are kinds of evidence, and a power of two, which spares a bounds check
)

func (x *index) newPlan(q *engine.Query) *plan {
	p := &plan{query: q, filter: x.newFilter(q.Filters)}
	x.planTerms(p)
	for _, s := range q.Skills {
		var c skillClause
		c.skill, c.skillKnown = x.skills.find(s.ID)
		if s.Family != "" {
			c.family, c.familyKnown = x.families.find(s.Family)
		}
		for evidence, credit := range q.Credit {
			c.credit[evidence] = max(float32(s.Weight*credit), leastCredit)
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

// planTerms looks up the terms and scales their weights. A term that no document has adds nothing anywhere.
func (x *index) planTerms(p *plan) {
	var weights []float64
	total := 0.0
	for _, t := range p.query.Terms {
		number, ok := x.terms.find(t.Text)
		if !ok || x.termDocs[number] == 0 {
			continue
		}
		weight := t.Weight * idf(x.worded, x.termDocs[number])
		weights = append(weights, weight)
		total += weight
		p.terms = append(p.terms, termClause{number: number, weight: weight})
		if t.Reference {
			p.reference += weight / (1 + x.bm25.K1) // once, in a document of average length
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

// idf is the inverse document frequency as Lucene computes it, always above 0.
func idf(documents int, withTerm uint32) float64 {
	n, df := float64(documents), float64(withTerm)
	return math.Log(1 + (n-df+.5)/(df+.5))
}

package search

import (
	"math"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/signals"
	"github.com/freelancer-matching/service/engine/embedded/view"
	"github.com/freelancer-matching/service/internal/matching"
)

// A plan is an engine.Query with every weight scaled for the accumulators, and with the names looked up in each part.
//
// While a tile is searched, the text score of a document is bounded by an integer sum: each term that it has adds
// step · (code + 1), where code is its impact from 1 to Codes, which is exact to 1. Steps are rounded up, and scaled so
// that no sum overflows. They are at least 1, so that a sum is 0 only if no term occurs. The skill score is a
// floating-point sum in which every credit is at least minCredit, for the same reason. Only the documents that could
// become hits by these sums are scored exactly.
type plan struct {
	query     *engine.Query
	size      int       // number of best hits that are searched for
	weights   []float64 // of the terms that some document has: weight · idf
	reference float64   // BM25 of the reference document
	unknown   []string  // terms that no document has
	unit      float64   // BM25 of a sum of 1
	mean      float64   // mean length of the documents that have terms
	text      textScore
	demands   [][]int                  // engine.Query.Demands
	credit    [][evidenceCodes]float32 // weight · credit, by demand and evidence
	discount  discount
	meaning   *meaning // nil without a semantic clause
	parts     []partPlan
}

// A partPlan is the part of a plan that depends on the part of the view.
type partPlan struct {
	*segment.Part
	number       int // of the part
	terms        []termClause
	skills       []skillClause // of all skills of the query
	hasWord      bool          // the part knows a term, skill or family
	fit, quality *signals.ClassBounds
	bonus        float32 // upper bound of fit, quality and similarity together
	filter       *filter
	stretch      float32 // the exact text sum of a document is at most sum · stretch

	firstPlace, firstTile int // in scratch.places and scratch.limits
}

const (
	stepsTotal = 1 << 23 // sum of all steps; multiplied by Codes + 1 and rounded up, it is below 1<<32
	minCredit  = 1e-30

	// evidenceCodes exceeds the number of kinds of evidence. As a power of two, it avoids a bounds check.
	evidenceCodes = 8
)

// tileNumber returns the number of a tile of a block among those of the view.
func (p *partPlan) tileNumber(block, tile int) int {
	return p.firstTile + block*segment.TilesPerBlock + tile
}

// A termClause is a term that the part knows.
type termClause struct {
	number uint32
	step   uint32
	weight int // index into plan.weights
}

// A skillClause is a skill with its family. The part may know neither, either or both.
type skillClause struct {
	skill, family           uint32
	skillKnown, familyKnown bool
}

func newPlan(v *view.View, q *engine.Query) *plan {
	p := &plan{
		query: q, size: q.Size, mean: v.Totals.MeanLength(), discount: newDiscount(q), parts: make([]partPlan, len(v.Parts)),
	}
	filters := segment.Clauses(&q.Filters)
	for i, part := range v.Parts {
		p.parts[i] = partPlan{Part: part, number: i, filter: newFilter(part, &q.Filters, filters)}
	}

	planTerms(v, p)
	p.demands = q.Demands()
	for _, demand := range p.demands {
		var of [evidenceCodes]float32
		for evidence, credit := range q.Credit {
			of[evidence] = max(float32(q.Skills[demand[0]].Weight*credit), minCredit)
		}
		p.credit = append(p.credit, of)
	}

	for i := range p.parts {
		p.parts[i].planSkills(q)

		// Parts with the same classes share their bounds, which are computed once.
		p.parts[i].planClasses(q, p.parts[:i])
	}

	// Until its cosine is known, a document may have the highest similarity.
	if q.Semantic != nil {
		p.meaning = newMeaning(v.Shared.Rotations[q.Semantic.Space], q.Semantic)
		for i := range p.parts {
			p.parts[i].bonus += p.meaning.weight
		}
	}

	return p
}

// planSkills looks up the skills and their families.
func (p *partPlan) planSkills(q *engine.Query) {
	p.skills = make([]skillClause, len(q.Skills))
	for i, s := range q.Skills {
		c := &p.skills[i]
		c.skill, c.skillKnown = p.Names[segment.OfSkills].Find(s.ID)
		if s.Family != "" {
			c.family, c.familyKnown = p.Names[segment.OfFamilies].Find(s.Family)
		}
		p.hasWord = p.hasWord || c.skillKnown || c.familyKnown
	}
}

// planClasses prepares the bounds of fit and quality, or takes them from an earlier part that has the same classes.
func (p *partPlan) planClasses(q *engine.Query, earlier []partPlan) {
	for i := range earlier {
		if o := &earlier[i]; o.Fit.Table == p.Fit.Table && o.Quality.Table == p.Quality.Table {
			p.fit = o.fit
			p.quality = o.quality
			p.bonus = o.bonus
			return
		}
	}
	p.fit, p.quality = p.Fit.Table.Bounds(bestFit(q)), p.Quality.Table.Bounds(q.Quality)
	p.bonus = p.fit.Highest + p.quality.Highest
}

// bestFit returns the highest Fit of documents with given signals. Their schedules differ too much for classes.
func bestFit(q *engine.Query) func(matching.Signals) float64 {
	if q.Fit == nil {
		return nil
	}
	best := engine.BestSchedule()
	return func(s matching.Signals) float64 { return q.Fit(s, best) }
}

// planTerms prepares the terms of the query that some document has: their weights for exact scores, and their steps for
// the integer sums that bound these. For example, two terms of the weights 3 and 1 get ¾ and ¼ of stepsTotal.
func planTerms(v *view.View, p *plan) {
	p.weighTerms(&v.Totals, v.Parts[0].BM25.K1)

	total := 0.0
	for _, weight := range p.weights {
		total += weight
	}
	if total == 0 {
		total = 1 // there are no terms, or only terms without weight
	}
	stepsPerWeight := stepsTotal / total

	for i := range p.parts {
		part := &p.parts[i]
		part.setSteps(p.weights, stepsPerWeight)
		part.stretch = stretch(part.MeanLength, p.mean)
		part.hasWord = len(part.terms) > 0
	}

	p.unit = 1 / (stepsPerWeight * segment.Codes)
	p.text = textScore{half: 1} // no score
	if p.reference > 0 {
		p.text = textScore{weight: p.query.TextWeight, half: p.reference / p.unit}
	}
}

// weighTerms sets the weights of the terms that some document has, and the BM25 score of the reference document, in
// which each term of reference occurs once and whose length is the mean. It lists the other terms as unknown.
func (p *plan) weighTerms(totals *segment.Totals, k1 float64) {
	for _, term := range p.query.Terms {
		documents := p.addClauses(term.Text, len(p.weights))
		if documents == 0 {
			p.unknown = append(p.unknown, term.Text)
			continue
		}

		weight := term.Weight * idf(totals.WithTerms, min(documents, totals.WithTerms))
		p.weights = append(p.weights, weight)
		if term.Reference {
			p.reference += weight / (1 + k1)
		}
	}
}

// addClauses adds a clause for a term, whose weight will have the given index, to each part that has the term. It
// returns the number of documents that have it.
func (p *plan) addClauses(term string, weight int) (documents int) {
	for i := range p.parts {
		part := &p.parts[i]
		number, isKnown := part.Names[segment.OfTerms].Find(term)
		if !isKnown {
			continue
		}

		// A part also knows the terms of documents that have been deleted.
		withTerm := int(part.Counts[segment.OfTerms][number])
		if withTerm == 0 {
			continue
		}

		documents += withTerm
		part.terms = append(part.terms, termClause{number: number, weight: weight})
	}
	return documents
}

// setSteps sets the steps of the terms.
func (p *partPlan) setSteps(weights []float64, stepsPerWeight float64) {
	for i := range p.terms {
		term := &p.terms[i]
		term.step = max(1, uint32(math.Ceil(weights[term.weight]*stepsPerWeight)))
	}
}

// idf returns the inverse document frequency as Lucene computes it, which is always above 0.
func idf(documents, withTerm int) float64 {
	n := float64(documents)
	df := float64(withTerm)
	return math.Log(1 + (n-df+.5)/(df+.5))
}

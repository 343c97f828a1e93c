package search

import (
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// usualText is a typical text score of the best hits, as a multiple of the reference: for half of them it was measured
	// to be between 1.3 and 1.9. The share of the text in the retrieval score, text/(text + reference), is a curve. A sum
	// of clauses is linear, so it follows the tangent at this point.
	usualText = 1.5
	// minTextShare is the minimum weight of the text in the sum, relative to the weights of the skills. It applies even if
	// the text counts for less, since the text score could not be recovered from a sum of much larger numbers.
	minTextShare = .02
)

// A plan is a query prepared for Elasticsearch, together with what is needed to recover the text score from the sums in
// the answer.
type plan struct {
	query      *engine.Query
	reference  float64
	unknown    []string // terms that no document has
	shards     int      // of the index
	window     int      // number of candidates that are fetched and scored exactly
	slope      float64  // factor of the text score in the sum
	nearBonus  float64  // score of the clause for near vectors; 0 if the query has no vector
	bm25Factor float64  // Elasticsearch's BM25 divided by the contract's: k1+1
}

// skillFields are the fields that hold the skills of each kind of evidence.
var skillFields = [...]struct {
	name     string
	evidence matching.Evidence
}{
	{"skills_listed", matching.Listed},
	{"skills_implied", matching.Implied},
	{"skills_title", matching.InTitle},
	{"skills_text", matching.InText},
}

// search returns the search for the candidates, or nil if nothing can match. All scored clauses are in one flat should,
// so that Elasticsearch can skip documents that cannot be among the best; totals are not counted, and only one field is
// fetched.
//
// A filter that most documents pass would make Elasticsearch score them one by one. After the query (post_filter), it
// costs little: only documents that could enter the window are checked.
//
// Fit and Quality have no clauses. Clauses for bands of rates, ratings and years would find the documents that win by
// these alone, but take three times as long: with 100,000 freelancers the 90th percentile rises from 16 to 45 ms.
func (p *plan) search() object {
	scored := p.clauses()

	// Where a document needs no word to match, all documents are candidates.
	everybody := p.query.MatchAll || zeroIsClose(p.query.Semantic)
	if everybody {
		scored = append(scored, constant(0, object{"match_all": object{}}))
	}

	hits := 0
	if len(scored) > 0 {
		hits = p.window
	}

	if near := p.near(filterClauses(&p.query.Filters)); near != nil {
		scored = append(scored, constant(p.nearBonus, near))

		// Each shard finds k documents. All are needed, since the scores don't tell how near they are.
		hits += p.shards * p.nearest()
	}

	if len(scored) == 0 {
		return nil
	}

	query := object{"should": scored, "minimum_should_match": 1}
	if filters := selectiveClauses(&p.query.Filters); len(filters) > 0 {
		query["filter"] = filters
	}

	search := object{
		"query":            object{"bool": query},
		"size":             min(hits, maxWindow),
		"track_total_hits": false,
		"_source":          false,
		"stored_fields":    "_none_",
		"docvalue_fields":  []string{"ranking"},
	}

	if filters := broadClauses(&p.query.Filters); len(filters) > 0 {
		search["post_filter"] = object{"bool": object{"filter": filters}}
	}

	return search
}

// near returns the clause for the documents with the nearest vectors that pass the filters, or nil if the query has no
// vector. With the bonus, its documents score at least nearBonus, and all others less. Only the score tells them apart,
// because which documents a graph search finds varies a little from time to time: several threads share it.
func (p *plan) near(filters []object) object {
	c := p.query.Semantic
	if c == nil || document.IsZero(c.Vector) {
		return nil
	}
	k := p.nearest()
	knn := object{
		"field": document.VectorField(c.Space), "query_vector": c.Vector,
		"k": k, "num_candidates": min(visitsPerHit*k, maxWindow),
		"similarity": max(-1, c.Floor+c.Hit*(c.Ceiling-c.Floor)),
	}
	if len(filters) > 0 {
		knn["filter"] = filters // applied before the k nearest are chosen
	}
	return object{"knn": knn}
}

// bonus returns a power of two above every sum of the clauses for words and skills. maxText is the largest possible
// text score. A larger bonus would cost precision: Elasticsearch returns sums as single-precision numbers.
func (p *plan) bonus(maxText float64) float64 {
	most := p.slope * maxText
	for _, s := range p.query.Skills {
		best := 0.
		for _, field := range skillFields {
			best = max(best, p.skillScore(s, field.evidence))
		}
		most += best
		if s.Family != "" {
			most += p.clauseWeight(s) * p.query.Credit[matching.Sibling]
		}
	}
	_, exponent := math.Frexp(most + p.advantage())
	return math.Ldexp(1, exponent)
}

// clauses returns the scored clauses for words and skills.
func (p *plan) clauses() []object {
	q := p.query
	clauses := []object{}
	for _, t := range q.Terms {
		term := object{"value": t.Text, "boost": p.slope * t.Weight / p.bm25Factor}
		clauses = append(clauses, object{"term": object{"terms": term}})
	}

	for _, s := range q.Skills {
		for _, field := range skillFields {
			clauses = append(clauses, constant(p.skillScore(s, field.evidence), object{"term": object{field.name: s.ID}}))
		}

		if s.Family != "" {
			sibling := p.clauseWeight(s) * q.Credit[matching.Sibling]
			clauses = append(clauses, constant(sibling, object{"term": object{"families": s.Family}}))
		}
	}

	if required := q.RequiredSkills(); len(required) > 0 {
		clauses = append(clauses, constant(p.advantage(), anyOf(required)))
	}

	return clauses
}

// anyOf returns a filter for the documents that have one of the skills or a related one.
func anyOf(skills []engine.SkillClause) object {
	var ids, families []string
	for _, s := range skills {
		ids = append(ids, s.ID)
		if s.Family != "" && !slices.Contains(families, s.Family) {
			families = append(families, s.Family)
		}
	}

	has := object{"terms": object{"skills": ids}}
	if families == nil {
		return has
	}
	return object{"bool": object{"should": []object{has, {"terms": object{"families": families}}}}}
}

// advantage returns the score of the clause for documents that have a required skill or a related one: what others with
// the usual text lose by the discount. A factor on the sum of the others would be exact, but Elasticsearch can't skip
// documents then. What documents lose that have some of the skills is too little for a clause.
func (p *plan) advantage() float64 {
	if len(p.query.RequiredSkills()) == 0 {
		return 0
	}
	return p.query.Discount.None * max(p.query.TextWeight*usualText/(1+usualText), minTextShare)
}

// skillScore returns the score of the clause for one kind of evidence. A document with a listed or implied skill also
// matches the clause of the skill's family, so that clause's score is subtracted.
func (p *plan) skillScore(s engine.SkillClause, e matching.Evidence) float64 {
	weight := p.clauseWeight(s)
	score := weight * p.query.Credit[e]
	if s.Family != "" && e >= matching.Implied {
		score -= weight * p.query.Credit[matching.Sibling]
	}
	return max(0, score)
}

// visitsPerHit is the number of vectors that a graph search compares for each one it returns.
const visitsPerHit = 3

// nearest returns the number of candidates to find by vectors: a quarter of the window, since documents that share
// neither words nor skills with the brief are seldom among the ten best, or the whole window if the query has neither.
func (p *plan) nearest() int {
	if len(p.query.Terms)+len(p.query.Skills) == 0 {
		return p.window
	}
	return max(10, p.window/4)
}

// zeroIsClose reports whether documents without a vector are close enough to be hits.
func zeroIsClose(c *engine.SemanticClause) bool { return c != nil && c.Closeness(0) > c.Hit }

// constant returns a clause that gives every document that matches the filter the same score.
func constant(score float64, filter object) object {
	return object{"constant_score": object{"filter": filter, "boost": score}}
}

// filterClauses returns the conditions of f as clauses that don't score. An unknown value meets no condition.
func filterClauses(f *engine.Filters) []object {
	return append(broadClauses(f), selectiveClauses(f)...)
}

// broadClauses returns the conditions of f that many documents usually meet.
func broadClauses(f *engine.Filters) []object {
	var clauses []object

	// A range matches no document without the field, which is what an unknown value requires.
	if f.Available.Known {
		clauses = append(clauses, object{"term": object{"availability": f.Available.Value}})
	}

	if f.MinRating.Known {
		clauses = append(clauses, object{"range": object{"rating": object{"gte": f.MinRating.Value}}})
	}

	if f.MinExperience.Known {
		clauses = append(clauses, object{"range": object{"experience": object{"gte": f.MinExperience.Value}}})
	}

	if f.MaxHourlyRate.Known {
		clauses = append(clauses, object{"range": object{"hourly_rate": object{"lte": f.MaxHourlyRate.Value}}})
	}

	if f.RateLimit.Known {
		clauses = append(clauses, rateLimitClauses(&f.RateLimit.Value)...)
	}

	if f.AvailableBy.Known {
		clauses = append(clauses, object{"range": object{"available_from": object{"lte": f.AvailableBy.Value}}})
	}

	if len(f.ExcludeSkills) > 0 {
		clauses = append(clauses, object{"bool": object{"must_not": object{"terms": object{"skills": f.ExcludeSkills}}}})
	}

	if len(f.ExcludeIDs) > 0 {
		clauses = append(clauses, object{"bool": object{"must_not": object{"terms": object{"id": f.ExcludeIDs}}}})
	}

	return clauses
}

// selectiveClauses returns the conditions of f that few documents usually meet.
func selectiveClauses(f *engine.Filters) []object {
	var clauses []object
	for _, id := range f.MustHave {
		clauses = append(clauses, object{"term": object{"skills": id}})
	}
	for _, set := range f.MustHaveOne {
		clauses = append(clauses, object{"terms": object{"skills": nonNil(set)}})
	}
	for _, set := range f.Labels {
		clauses = append(clauses, object{"terms": object{"labels": nonNil(set)}})
	}
	if f.IDs != nil {
		clauses = append(clauses, object{"terms": object{"id": f.IDs}})
	}
	return clauses
}

// rateLimitScript computes what RateLimit.Max does.
const rateLimitScript = "double limit = params.beginner; " +
	"if (doc['experience'].size() == 0) { limit = params.unknown; } " +
	"else { limit += params.rise * Math.min(1.0, doc['experience'].value / params.years); } " +
	"return doc['hourly_rate'].value <= limit * params.tolerance"

// rateLimitClauses returns the conditions for a limit on the hourly rate. The first one, on the highest limit for any
// experience, leaves few documents to the script, and none without a rate.
func rateLimitClauses(l *matching.RateLimit) []object {
	highest := max(l.Unknown, l.Beginner, l.Expert) * matching.RateTolerance
	return []object{
		{"range": object{"hourly_rate": object{"lte": highest}}},
		{"script": object{"script": object{"source": rateLimitScript, "params": object{
			"unknown": l.Unknown, "beginner": l.Beginner, "rise": l.Expert - l.Beginner, "years": l.ExpertYears,
			"tolerance": matching.RateTolerance,
		}}}},
	}
}

// nonNil returns an empty list for nil, which JSON would write as null.
func nonNil(list []string) []string { return append([]string{}, list...) }

// unknownClause returns a clause for the documents that lack a value that f filters by, or nil if f has no such filter.
func unknownClause(f *engine.Filters) object {
	var missing []object
	for _, field := range []struct {
		filtered bool
		name     string
	}{
		{f.Available.Known, "availability"},
		{f.MinRating.Known, "rating"},
		{f.MinExperience.Known, "experience"},
		{f.MaxHourlyRate.Known || f.RateLimit.Known, "hourly_rate"},
		{f.AvailableBy.Known, "available_from"},
	} {
		if field.filtered {
			missing = append(missing, object{"bool": object{"must_not": object{"exists": object{"field": field.name}}}})
		}
	}

	for _, set := range f.Labels {
		if unknown := engine.UnknownLabels(set); len(unknown) > 0 {
			missing = append(missing, object{"terms": object{"labels": unknown}})
		}
	}

	if missing == nil {
		return nil
	}

	return object{"bool": object{"should": missing, "minimum_should_match": 1}}
}

// An object is a JSON object of a request.
type object = map[string]any

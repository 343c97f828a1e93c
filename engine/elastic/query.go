package elastic

import (
	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

const (
	// usualText is the text score, divided by the reference, around which the best answers to a brief lie (measured: half of
	// them between 1.3 and 1.9). The text's part of the retrieval score bends, text/(text + reference), and a sum of clauses
	// cannot; it follows the tangent there.
	usualText = 1.5
	// minTextShare is the least weight of the text in the sum, as a share of all else there, also where it counts for less
	// or nothing: beside much larger numbers it could not be read off.
	minTextShare = .02
)

// object is a part of a request.
type object = map[string]any

// plan is a query as Elasticsearch gets it, with what is needed to read the scores of the answer: how a score is the sum
// of text and skills.
type plan struct {
	query     *engine.Query
	reference float64
	shards    int     // of the index
	window    int     // hits that are fetched and scored exactly
	slope     float64 // of the text score in the sum
	legacy    float64 // what Elasticsearch's BM25 is larger by than the one of the contract, k1+1
}

// skillFields are the fields of the skills by evidence.
var skillFields = [...]struct {
	name     string
	evidence matching.Evidence
}{
	{"skills_listed", matching.Listed},
	{"skills_implied", matching.Implied},
	{"skills_title", matching.InTitle},
	{"skills_text", matching.InText},
}

// common is the search for those who share words or skills: scored clauses in one flat should, which lets Elasticsearch
// skip what cannot be among the best; conditions as filters; no totals; one field fetched. nil where neither is asked for.
//
// Fit and Quality have no clauses. As bands of rates, ratings and years they would bring in those who win by them alone,
// and take three times as long (90 of 100 searches of 100,000 within 45 ms, not 16).
func (p *plan) common() object {
	should := p.clauses()
	if p.query.MatchAll || indifferent(p.query.Semantic) {
		should = append(should, constant(0, object{"match_all": object{}}))
	}
	if len(should) == 0 {
		return nil
	}
	query := object{"should": should, "minimum_should_match": 1}
	if filters := filterClauses(&p.query.Filters); len(filters) > 0 {
		query["filter"] = filters
	}
	return searchFor(p.window, query)
}

// near is the search for those whose vectors are nearest, scored as by common. nil where no direction is asked for.
//
// It is a search of its own, since a graph of vectors that is searched by several threads does not always give the same: as
// a clause among the others it would leave open which documents it had scored.
func (p *plan) near() object {
	c := p.query.Semantic
	if c == nil || isZero(c.Vector) {
		return nil
	}
	k := p.nearest()
	knn := object{
		"field": vectorField(c.Space), "query_vector": c.Vector, "k": k, "num_candidates": min(visits*k, maxWindow),
		"similarity": max(-1, c.Floor),
	}
	if filters := filterClauses(&p.query.Filters); len(filters) > 0 {
		knn["filter"] = filters // k of those that pass, not those of k that pass
	}
	// Each shard finds k, and a score tells nothing of how near they are: all of them are needed.
	return searchFor(min(p.shards*k, maxWindow), object{"filter": object{"knn": knn}, "should": p.clauses(), "minimum_should_match": 0})
}

func searchFor(size int, query object) object {
	return object{
		"size": size, "track_total_hits": false, "_source": false, "stored_fields": "_none_",
		"docvalue_fields": []string{"ranking"}, "query": object{"bool": query},
	}
}

// clauses are what words and skills add to a score.
func (p *plan) clauses() []object {
	q := p.query
	clauses := []object{}
	for _, t := range q.Terms {
		clauses = append(clauses, object{"term": object{"terms": object{"value": t.Text, "boost": p.slope * t.Weight / p.legacy}}})
	}
	for _, s := range q.Skills {
		for _, field := range skillFields {
			clauses = append(clauses, constant(p.skillScore(s, field.evidence), object{"term": object{field.name: s.ID}}))
		}
		if s.Family != "" {
			clauses = append(clauses, constant(s.Weight*q.Credit[matching.Sibling], object{"term": object{"families": s.Family}}))
		}
	}
	return clauses
}

// skillScore is what a clause for one kind of evidence adds. Listed and implied skills put a document into their family,
// which has a clause of its own.
func (p *plan) skillScore(s engine.SkillClause, e matching.Evidence) float64 {
	score := s.Weight * p.query.Credit[e]
	if s.Family != "" && e >= matching.Implied {
		score -= s.Weight * p.query.Credit[matching.Sibling]
	}
	return max(0, score)
}

// visits is how many vectors of the graph are compared for each that is wanted.
const visits = 3

// nearest is how many candidates the vectors add: a quarter of the window, since those who share neither words nor skills
// with the brief are seldom among the best ten. Where nothing else is asked for, they fill the window.
func (p *plan) nearest() int {
	if len(p.query.Terms)+len(p.query.Skills) == 0 {
		return p.window
	}
	return max(10, p.window/4)
}

// indifferent reports whether vectors without direction are close enough to make hits.
func indifferent(c *engine.SemanticClause) bool { return c != nil && c.Closeness(0) > 0 }

func constant(score float64, of object) object {
	return object{"constant_score": object{"filter": of, "boost": score}}
}

// filterClauses are conditions that do not score. An unknown value fails them.
func filterClauses(f *engine.Filters) []object {
	var clauses []object
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
	for _, id := range f.MustHave {
		clauses = append(clauses, object{"term": object{"skills": id}})
	}
	if f.IDs != nil {
		clauses = append(clauses, object{"terms": object{"id": f.IDs}})
	}
	if len(f.ExcludeIDs) > 0 {
		clauses = append(clauses, object{"bool": object{"must_not": object{"terms": object{"id": f.ExcludeIDs}}}})
	}
	return clauses
}

// unknownClause is for those who do not say something that f asks about; nil where f asks for nothing that can be unknown.
func unknownClause(f *engine.Filters) object {
	var missing []object
	for _, field := range []struct {
		asked bool
		name  string
	}{
		{f.Available.Known, "availability"},
		{f.MinRating.Known, "rating"},
		{f.MinExperience.Known, "experience"},
		{f.MaxHourlyRate.Known, "hourly_rate"},
	} {
		if field.asked {
			missing = append(missing, object{"bool": object{"must_not": object{"exists": object{"field": field.name}}}})
		}
	}
	if missing == nil {
		return nil
	}
	return object{"bool": object{"should": missing, "minimum_should_match": 1}}
}

package elastic

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/internal/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// snapshot is one index in one state: an update of the index makes a new one. Elasticsearch does not keep what was
// dropped, so unlike an embedded snapshot it ends with its index: then every call is ErrNotFound.
type snapshot struct {
	engine *Engine
	name   string // of the index in Elasticsearch
	meta   *meta
	info   engine.Info
	bm25   mappings.BM25
	shards int

	mu     sync.Mutex // guards what follows, which fills as it is asked for
	totals *totals
	terms  map[string]int // documents that have the term
	skills map[string]int // documents that have the skill
}

// totals are counts over all documents.
type totals struct {
	documents, worded int // all, and those that have any term
	meanRating        matching.Optional[float64]
}

// maxCounts bounds the counts that are remembered; some hundred thousand words make a language.
const maxCounts = 200_000

// Info describes the index.
func (s *snapshot) Info() engine.Info { return s.info }

// Statistics counts what was not counted before, by one aggregation that reads no document.
func (s *snapshot) Statistics(ctx context.Context, skills []string) (engine.Statistics, error) {
	totals, _, counts, err := s.counts(ctx, nil, skills)
	if err != nil {
		return engine.Statistics{}, s.wrap("statistics of", err)
	}
	return engine.Statistics{Documents: totals.documents, MeanRating: totals.meanRating, SkillCount: counts}, nil
}

// counts are the totals, and in how many documents each of the terms and skills stands.
func (s *snapshot) counts(ctx context.Context, terms, skills []string) (*totals, map[string]int, map[string]int, error) {
	s.mu.Lock()
	totals, missing := s.totals, counted{}
	ofTerms, missing2 := pick(s.terms, terms)
	ofSkills, missing3 := pick(s.skills, skills)
	missing.terms, missing.skills = missing2, missing3
	s.mu.Unlock()
	if totals != nil && len(missing.terms)+len(missing.skills) == 0 {
		return totals, ofTerms, ofSkills, nil
	}
	found, err := s.count(ctx, &missing)
	if err != nil {
		return nil, nil, nil, err
	}
	maps.Copy(ofTerms, missing.termCounts)
	maps.Copy(ofSkills, missing.skillCounts)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.totals == nil {
		s.totals = found
	}
	remember(s.terms, missing.termCounts)
	remember(s.skills, missing.skillCounts)
	return s.totals, ofTerms, ofSkills, nil
}

// counted is what is to be counted, and afterwards the counts.
type counted struct {
	terms, skills           []string
	termCounts, skillCounts map[string]int
}

// pick is what is known of the names, and those that are not.
func pick(known map[string]int, names []string) (found map[string]int, missing []string) {
	found = make(map[string]int, len(names))
	for _, name := range names {
		if n, ok := known[name]; ok {
			found[name] = n
		} else if !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return found, missing
}

func remember(in, more map[string]int) {
	if len(in)+len(more) > maxCounts {
		clear(in)
	}
	maps.Copy(in, more)
}

// count asks for totals and counts. Elasticsearch answers from the dictionary of the index: the query is match_all, and
// every filter one term.
func (s *snapshot) count(ctx context.Context, c *counted) (*totals, error) {
	filters := object{"worded": object{"exists": object{"field": "terms"}}}
	for i, term := range c.terms {
		filters[fmt.Sprintf("t%d", i)] = object{"term": object{"terms": term}}
	}
	for i, skill := range c.skills {
		filters[fmt.Sprintf("s%d", i)] = object{"term": object{"skills": skill}}
	}
	var answer struct {
		searched
		Hits struct {
			Total struct{ Value int }
		}
		Aggregations struct {
			Rating struct{ Value *float64 }
			Counts struct {
				Buckets map[string]struct {
					Count int `json:"doc_count"`
				}
			}
		}
	}
	err := s.search(ctx, object{
		"size": 0, "track_total_hits": true,
		"aggs": object{
			"rating": object{"avg": object{"field": "rating"}},
			"counts": object{"filters": object{"filters": filters}},
		},
	}, &answer)
	if err != nil {
		return nil, err
	}
	buckets := answer.Aggregations.Counts.Buckets
	t := &totals{documents: answer.Hits.Total.Value, worded: buckets["worded"].Count}
	if mean := answer.Aggregations.Rating.Value; mean != nil {
		t.meanRating = matching.Some(*mean)
	}
	c.termCounts, c.skillCounts = make(map[string]int, len(c.terms)), make(map[string]int, len(c.skills))
	for i, term := range c.terms {
		c.termCounts[term] = buckets[fmt.Sprintf("t%d", i)].Count
	}
	for i, skill := range c.skills {
		c.skillCounts[skill] = buckets[fmt.Sprintf("s%d", i)].Count
	}
	return t, nil
}

// Search finds the hits by a score that a sum of clauses can have, more than are wanted, and scores them exactly.
func (s *snapshot) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	if q.Semantic != nil {
		if err := q.Semantic.Check(s.info.Vectors); err != nil {
			return nil, fmt.Errorf("search index %q: %w", s.info.Name, err)
		}
	}
	p, err := s.plan(ctx, q)
	if err != nil {
		return nil, s.wrap("search", err)
	}
	page := &engine.Page{Reference: p.reference}
	if q.Size <= 0 {
		return page, ctx.Err()
	}
	body, err := p.body()
	if err != nil {
		return nil, s.wrap("search", err)
	}
	var answer answer
	if err := s.search(ctx, body, &answer); err != nil {
		return nil, s.wrap("search", err)
	}
	if page.Hits, err = p.hits(&answer); err != nil {
		return nil, s.wrap("search", err)
	}
	return page, nil
}

// plan prepares a query for this index.
func (s *snapshot) plan(ctx context.Context, q *engine.Query) (*plan, error) {
	p := &plan{query: q, window: min(max(q.Size, s.engine.options.Window), maxWindow), legacy: s.bm25.K1 + 1}
	var terms []string
	for _, t := range q.Terms {
		terms = append(terms, t.Text)
	}
	totals, frequency, _, err := s.counts(ctx, terms, nil)
	if err != nil {
		return nil, err
	}
	all := 0.
	for _, t := range q.Terms {
		df := float64(frequency[t.Text])
		if df == 0 {
			continue
		}
		// Once, in a document of average length.
		value := t.Weight * math.Log(1+(float64(totals.worded)-df+.5)/(df+.5)) / (1 + s.bm25.K1)
		all += value
		if t.Reference {
			p.reference += value
		}
	}
	// Without a reference the text score counts for nothing, and yet is wanted: some slope it must have to be read off.
	p.slope = 1 / max(all, 1)
	if p.reference > 0 {
		p.slope = max(q.TextWeight, .01) / (p.reference * (1 + usualText) * (1 + usualText))
	}
	if c := q.Semantic; c != nil {
		p.nearness = 2 * c.Weight / (c.Ceiling - c.Floor) // the nearness is (1+cosine)/2
	}
	return p, nil
}

// answer is that of a search for hits.
type answer struct {
	searched
	Hits struct {
		Hits []struct {
			Score  float64 `json:"_score"`
			Fields struct {
				Ranking [][]byte `json:"ranking"`
			} `json:"fields"`
			Matched []string `json:"matched_queries"`
		} `json:"hits"`
	} `json:"hits"`
}

// hits scores what was found exactly, and keeps the best.
func (p *plan) hits(a *answer) ([]engine.Hit, error) {
	hits := make([]engine.Hit, 0, len(a.Hits.Hits))
	for _, found := range a.Hits.Hits {
		if len(found.Fields.Ranking) != 1 {
			return nil, errors.New("a hit has no field ranking: the index was not made by this program")
		}
		c, err := decodeColumns(found.Fields.Ranking[0])
		if err != nil {
			return nil, err
		}
		if hit, ok := p.hit(&c, found.Score, slices.Contains(found.Matched, meaningName)); ok {
			hits = append(hits, hit)
		}
	}
	slices.SortStableFunc(hits, func(a, b engine.Hit) int {
		return cmp.Or(cmp.Compare(b.Retrieval, a.Retrieval), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(len(hits), p.query.Size)], nil
}

// hit takes apart the score of one document: what is not from its skills and its nearness is from its text. ok is false
// for a document that was near, but not near enough, and is nothing else.
func (p *plan) hit(c *columns, score float64, near bool) (hit engine.Hit, ok bool) {
	q := p.query
	hit = engine.Hit{ID: c.id, Signals: c.signals, Evidence: make([]matching.Evidence, len(q.Skills))}
	ok = q.Everyone || !near
	rest := score
	for i, clause := range q.Skills {
		evidence := c.evidence(clause)
		hit.Evidence[i] = evidence
		ok = ok || evidence != matching.NoEvidence
		hit.Retrieval += clause.Weight * q.Credit[evidence]
		rest -= p.skillsScore(c, clause, evidence)
	}
	if s := q.Semantic; s != nil {
		if s.Space < len(c.vectors) {
			hit.Cosine = engine.Cosine(s.Vector, c.vectors[s.Space])
		}
		closeness := s.Closeness(hit.Cosine)
		ok = ok || closeness > 0
		hit.Retrieval += s.Weight * closeness
		if near {
			rest -= p.nearness * (1 + hit.Cosine) / 2
		}
	}
	// What floating point leaves of a score without text is no text.
	if rest > 1e-6*max(score, .01) {
		hit.Text = rest / p.slope
		ok = true
	}
	if p.reference > 0 {
		hit.Retrieval += q.TextWeight * hit.Text / (hit.Text + p.reference)
	}
	if q.Fit != nil {
		hit.Retrieval += q.Fit(c.signals)
	}
	if q.Quality != nil {
		hit.Retrieval += q.Quality(c.signals)
	}
	return hit, ok
}

// skillsScore is what the clauses of one skill added to the score.
func (p *plan) skillsScore(c *columns, clause engine.SkillClause, e matching.Evidence) (sum float64) {
	if e > matching.Sibling {
		sum = p.skillScore(clause, e)
	}
	if clause.Family != "" && slices.Contains(c.families, clause.Family) {
		sum += clause.Weight * p.query.Credit[matching.Sibling]
	}
	return sum
}

// Fetch is one request for all.
func (s *snapshot) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	if len(ids) == 0 {
		return []matching.Freelancer{}, ctx.Err()
	}
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = key(id)
	}
	var answer struct {
		Docs []struct {
			Found  bool
			Error  *struct{ Type, Reason string }
			Source struct{ Freelancer matching.Freelancer } `json:"_source"`
		}
	}
	body, err := jsonBody(object{"ids": keys})
	if err != nil {
		return nil, s.wrap("fetch from", err)
	}
	err = s.engine.ask(ctx, esapi.MgetRequest{Index: s.name, Body: body, Realtime: new(bool)}, &answer)
	if err != nil {
		return nil, s.wrap("fetch from", err)
	}
	freelancers := make([]matching.Freelancer, len(ids))
	for i, id := range ids {
		if i >= len(answer.Docs) || !answer.Docs[i].Found {
			if i < len(answer.Docs) && answer.Docs[i].Error != nil && answer.Docs[i].Error.Type != indexNotFound {
				f := answer.Docs[i].Error
				return nil, s.wrap("fetch from", &Failure{Type: f.Type, Reason: f.Reason})
			}
			return nil, fmt.Errorf("fetch from index %q: freelancer %q: %w", s.info.Name, id, engine.ErrNotFound)
		}
		freelancers[i] = answer.Docs[i].Source.Freelancer
	}
	return freelancers, nil
}

// Count is how many documents pass f.
func (s *snapshot) Count(ctx context.Context, f engine.Filters) (int, error) {
	return s.countMatching(ctx, object{"bool": object{"filter": filterClauses(&f)}})
}

// CountUnknown is how many do not say at least one thing that f asks about.
func (s *snapshot) CountUnknown(ctx context.Context, f engine.Filters) (int, error) {
	clause := unknownClause(&f)
	if clause == nil {
		return 0, ctx.Err()
	}
	return s.countMatching(ctx, clause)
}

func (s *snapshot) countMatching(ctx context.Context, query object) (int, error) {
	var answer struct {
		searched
		Hits struct {
			Total struct{ Value int }
		}
	}
	if err := s.search(ctx, object{"size": 0, "track_total_hits": true, "query": query}, &answer); err != nil {
		return 0, s.wrap("count in", err)
	}
	return answer.Hits.Total.Value, nil
}

// searched is what every answer of a search says of its completeness.
type searched struct {
	TimedOut bool `json:"timed_out"`
	Shards   struct {
		Failed   int
		Failures []struct {
			Reason struct{ Type, Reason string }
		}
	} `json:"_shards"`
}

// complete is an error for an answer that leaves out a part of the index: ranking would not know.
func (s *searched) complete() error {
	switch {
	case s.Shards.Failed > 0 && len(s.Shards.Failures) > 0:
		reason := s.Shards.Failures[0].Reason
		return fmt.Errorf("%d shards failed: %s: %s", s.Shards.Failed, reason.Type, reason.Reason)
	case s.Shards.Failed > 0:
		return fmt.Errorf("%d shards failed", s.Shards.Failed)
	case s.TimedOut:
		return errors.New("Elasticsearch gave up searching before the end") //nolint:staticcheck // a name
	}
	return nil
}

// search sends a search, all or nothing. body is JSON, or what becomes JSON.
func (s *snapshot) search(ctx context.Context, body any, out interface{ complete() error }) error {
	var reader *bytes.Reader
	if raw, ok := body.([]byte); ok {
		reader = bytes.NewReader(raw)
	} else {
		var err error
		if reader, err = jsonBody(body); err != nil {
			return err
		}
	}
	r := esapi.SearchRequest{Index: []string{s.name}, Body: reader, AllowPartialSearchResults: new(bool)}
	if s.shards > 1 {
		r.SearchType = "dfs_query_then_fetch" // the rarity of a word is that in the whole index, not in one part
	}
	if err := s.engine.ask(ctx, r, out); err != nil {
		return err
	}
	return out.complete()
}

// wrap says what was being done, and ErrNotFound where the index is gone.
func (s *snapshot) wrap(doing string, err error) error {
	if failed(err, 0, indexNotFound) {
		s.engine.forget(s)
		return fmt.Errorf("%s index %q: %w: it was dropped", doing, s.info.Name, engine.ErrNotFound)
	}
	return fmt.Errorf("%s index %q: %w", doing, s.info.Name, err)
}

package elastic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"freelancer-matching/engine"
)

const (
	// maxWindow is Elasticsearch's own bound, index.max_result_window.
	maxWindow = 10_000
	// A close call is a window whose last candidate is by less than this behind the tenth best, in units of the retrieval
	// score: then signals decide among more freelancers than it holds, as where a brief of one word finds hundreds of alike
	// (of usual briefs for 100,000 freelancers none is one; twice as large a bound makes it 23 of 100, and finds hardly more).
	closeCall = .01
	// A close call is made so many times wider, once, up to a bound.
	widening, maxWidened = 5, 1000
)

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
		return page, nil
	}
	common, near, err := s.ask(ctx, p)
	if err == nil && p.window < maxWidened && p.close(common) {
		p.window = min(widening*p.window, maxWidened)
		common, near, err = s.ask(ctx, p)
	}
	if err != nil {
		return nil, s.wrap("search", err)
	}
	found, err := p.score(common, near)
	if err != nil {
		return nil, s.wrap("search", err)
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.Retrieval, a.Retrieval), cmp.Compare(a.position, b.position))
	})
	page.Hits = make([]engine.Hit, min(len(found), q.Size))
	for i := range page.Hits {
		page.Hits[i] = found[i].Hit
	}
	return page, nil
}

// plan prepares a query for this index.
func (s *snapshot) plan(ctx context.Context, q *engine.Query) (*plan, error) {
	p := &plan{
		query: q, shards: s.shards, window: min(max(q.Size, s.engine.options.Window), maxWindow), legacy: s.bm25.K1 + 1,
	}
	terms := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		terms[i] = t.Text
	}
	totals, frequencies, err := s.statistics.of(ctx, "terms", terms)
	if err != nil {
		return nil, err
	}
	all := 0.
	for i, t := range q.Terms {
		if frequencies[i] == 0 {
			continue
		}
		n, df := float64(totals.worded), float64(frequencies[i])
		once := t.Weight * math.Log(1+(n-df+.5)/(df+.5)) / (1 + s.bm25.K1) // in a document of average length
		all += once
		if t.Reference {
			p.reference += once
		}
	}
	p.slope = slope(q, p.reference, all)
	return p, nil
}

// ask sends the searches of a plan, two of them in one request.
func (s *snapshot) ask(ctx context.Context, p *plan) (common, near []foundHit, err error) {
	var searches []object
	var hits []*[]foundHit
	if search := p.common(); search != nil {
		searches, hits = append(searches, search), append(hits, &common)
	}
	if search := p.near(); search != nil {
		searches, hits = append(searches, search), append(hits, &near)
	}
	answers, err := s.searches(ctx, searches)
	if err != nil {
		return nil, nil, err
	}
	for i, answer := range answers {
		*hits[i] = answer.Hits.Hits
	}
	return common, near, nil
}

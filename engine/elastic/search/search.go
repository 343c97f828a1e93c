package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine"
)

// DefaultWindow is large enough for a recall@10 of 1.000 with 100,000 freelancers; a window of 100 has .996
// (docs/benchmarks.md).
const DefaultWindow = 200

const (
	// maxWindow is Elasticsearch's own limit, index.max_result_window.
	maxWindow = 10_000
	// closeCall is the minimum difference in retrieval score between the tenth candidate of a window and the last. If the
	// difference is smaller, signals decide among more freelancers than the window holds, for instance because a brief of
	// one word finds hundreds of equal ones, and the window is widened. With 100,000 freelancers no ordinary brief is such
	// a close call. Twice the value would make one of 23 in 100 briefs and find hardly any better matches.
	closeCall = .01
	// idfMargin is how much a word's idf in Elasticsearch may exceed the one computed here, which is of cached counts and
	// without deleted documents. 1 allows for 2.7 times as many documents.
	idfMargin = 1
	// A window is widened once, by this factor and up to this size.
	widening, maxWidened = 5, 1000
)

// Search finds more candidates than it needs by a sum of clauses, and then scores them exactly.
func (s *Snapshot) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	if err := q.Check(s.info.Vectors); err != nil {
		return nil, fmt.Errorf("search index %q: %w", s.info.Name, err)
	}

	p, err := s.plan(ctx, q)
	if err != nil {
		return nil, s.wrap("search", err)
	}

	page := &engine.Page{Reference: p.reference, UnknownTerms: p.unknown}
	if q.Size <= 0 {
		return page, nil
	}
	hits, err := s.hits(ctx, p.search())

	// Widening costs a second search, so it is limited to windows in which signals may decide.
	canWiden := p.window < maxWidened
	if err == nil && canWiden && p.closeCall(hits) {
		p.window = min(widening*p.window, maxWidened)
		hits, err = s.hits(ctx, p.search())
	}
	if err != nil {
		return nil, s.wrap("search", err)
	}

	// One damaged document must not make the index unusable. It is logged once per search, and counted once per index.
	candidates := p.score(hits, func(hit *rawHit, err error) {
		if page.Damaged++; page.Damaged == 1 {
			s.log.ErrorContext(ctx, "damaged document skipped", "index", s.info.Name, "error", err)
		}
		s.noteDamage(fmt.Sprintf("ranking %q", hit.Fields.Ranking))
	})
	if page.Damaged > 0 && len(candidates) == 0 {
		return nil, fmt.Errorf("search index %q: %w: none of %d documents can be decoded", s.info.Name, engine.ErrDamaged,
			page.Damaged)
	}

	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.Retrieval, a.Retrieval), cmp.Compare(a.ID, b.ID))
	})

	// Rounding may swap hits whose scores hardly differ, so all of those at the end of the page are returned.
	page.Matching = min(len(candidates), q.Window)
	wanted := min(len(candidates), q.Size)
	for wanted < page.Matching && candidates[wanted].Retrieval > candidates[q.Size-1].Retrieval-engine.Tie {
		wanted++
	}

	page.Hits = make([]engine.Hit, wanted)
	for i := range page.Hits {
		page.Hits[i] = candidates[i].Hit
	}

	return page, nil
}

// plan prepares a query for this index.
func (s *Snapshot) plan(ctx context.Context, q *engine.Query) (*plan, error) {
	p := &plan{
		query: q, shards: s.shards, bm25Factor: s.bm25.K1 + 1,
		window: min(max(q.Size, q.Window, s.window), maxWindow),
	}

	terms := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		terms[i] = t.Text
	}
	totals, frequencies, err := s.statistics.of(ctx, "terms", terms)
	if err != nil {
		return nil, err
	}

	// The idf is Elasticsearch's own, so that the sum of the clauses can be split into text and skills again.
	all, maxText := 0., 0.
	for i, t := range q.Terms {
		n := float64(totals.nonempty)
		df := float64(frequencies[i])
		idf := math.Log(1 + (n-df+.5)/(df+.5))
		maxText += t.Weight * (idf + idfMargin)

		if df == 0 {
			p.unknown = append(p.unknown, t.Text)
			continue
		}
		once := t.Weight * idf / (1 + s.bm25.K1) // in a document of average length
		all += once

		if t.Reference {
			p.reference += once
		}
	}

	p.slope = slope(q, p.reference, all)
	if q.Semantic != nil {
		p.nearBonus = p.bonus(maxText)
	}

	return p, nil
}

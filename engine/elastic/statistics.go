package elastic

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"sync"

	"freelancer-matching/internal/matching"
)

// statistics counts documents and caches the counts.
type statistics struct {
	search func(ctx context.Context, body []byte, out searchAnswer) error

	mu     sync.Mutex // guards the cache below
	totals *totals
	counts map[occurrence]int
}

// totals are facts about all documents.
type totals struct {
	documents, nonempty int // all documents, and those that have any terms
	meanRating          matching.Optional[float64]
}

// An occurrence is a value in a field, by which documents are counted.
type occurrence struct{ field, value string }

// maxCounts is the maximum number of cached counts. A language has some hundred thousand words.
const maxCounts = 200_000

// of returns the totals, and for each value the number of documents that have it in the field.
func (s *statistics) of(ctx context.Context, field string, values []string) (*totals, []int, error) {
	t, counts, missing := s.cached(field, values)
	if t != nil && len(missing) == 0 {
		return t, counts, nil
	}
	t, counted, err := s.count(ctx, field, missing)
	if err != nil {
		return nil, nil, err
	}
	s.remember(t, counted)
	for i, value := range values {
		if n, ok := counted[occurrence{field, value}]; ok {
			counts[i] = n
		}
	}
	return t, counts, nil
}

// cached returns the cached totals, or nil, the cached counts of the values, and the values that have none.
func (s *statistics) cached(field string, values []string) (t *totals, counts []int, missing []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts = make([]int, len(values))
	for i, value := range values {
		n, ok := s.counts[occurrence{field, value}]
		if !ok {
			missing = append(missing, value)
		}
		counts[i] = n
	}
	return s.totals, counts, missing
}

func (s *statistics) remember(t *totals, counts map[occurrence]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil || len(s.counts)+len(counts) > maxCounts {
		s.counts = map[occurrence]int{}
	}
	s.totals = t
	maps.Copy(s.counts, counts)
}

// count requests totals and counts. Since the query is match_all and each filter is one term, Elasticsearch answers
// from the term dictionary of the index.
func (s *statistics) count(ctx context.Context, field string, values []string) (*totals, map[occurrence]int, error) {
	const nonempty = "nonempty" // the names of the other filters are numbers
	filters := object{nonempty: object{"exists": object{"field": "terms"}}}
	for i, value := range values {
		filters[strconv.Itoa(i)] = object{"term": object{field: value}}
	}
	body, err := json.Marshal(object{
		"size": 0, "track_total_hits": true,
		"aggs": object{
			"rating": object{"avg": object{"field": "rating"}},
			"counts": object{"filters": object{"filters": filters}},
		},
	})
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		totalAnswer
		Aggregations struct {
			Rating struct{ Value *float64 }
			Counts buckets
		}
	}
	if err := s.search(ctx, body, &answer); err != nil {
		return nil, nil, err
	}
	buckets := answer.Aggregations.Counts.Buckets
	t := &totals{documents: answer.Hits.Total.Value, nonempty: buckets[nonempty].Count}
	if mean := answer.Aggregations.Rating.Value; mean != nil {
		t.meanRating = matching.Some(*mean)
	}
	counts := make(map[occurrence]int, len(values))
	for i, value := range values {
		counts[occurrence{field, value}] = buckets[strconv.Itoa(i)].Count
	}
	return t, counts, nil
}

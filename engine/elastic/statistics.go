package elastic

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"sync"

	"freelancer-matching/internal/matching"
)

// statistics counts documents, and remembers the counts.
type statistics struct {
	search func(ctx context.Context, body []byte, out searchAnswer) error

	mu     sync.Mutex // guards what follows, which fills as it is asked for
	totals *totals
	counts map[occurrence]int
}

// totals are facts about all documents.
type totals struct {
	documents, worded int // all, and those that have any term
	meanRating        matching.Optional[float64]
}

// occurrence is what documents are counted by.
type occurrence struct{ field, value string }

// maxCounts bounds the counts that are remembered; some hundred thousand words make a language.
const maxCounts = 200_000

// of is the totals, and how many documents have each of the values in a field, in the order of values.
func (s *statistics) of(ctx context.Context, field string, values []string) (*totals, []int, error) {
	t, counts, missing := s.known(field, values)
	if t != nil && len(missing) == 0 {
		return t, counts, nil
	}
	t, more, err := s.count(ctx, field, missing)
	if err != nil {
		return nil, nil, err
	}
	s.remember(t, more)
	for i, value := range values {
		if n, ok := more[occurrence{field, value}]; ok {
			counts[i] = n
		}
	}
	return t, counts, nil
}

// known is what need not be asked for: totals, unless nil, and the counts of all values but the missing ones.
func (s *statistics) known(field string, values []string) (t *totals, counts []int, missing []string) {
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

// count asks for totals and counts. Elasticsearch answers from the dictionary of the index: the query is match_all, and
// every filter one term.
func (s *statistics) count(ctx context.Context, field string, values []string) (*totals, map[occurrence]int, error) {
	const worded = "worded" // no number, as the names of the other filters
	filters := object{worded: object{"exists": object{"field": "terms"}}}
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
			Counts struct {
				Buckets map[string]struct {
					Count int `json:"doc_count"`
				}
			}
		}
	}
	if err := s.search(ctx, body, &answer); err != nil {
		return nil, nil, err
	}
	buckets := answer.Aggregations.Counts.Buckets
	t := &totals{documents: answer.Hits.Total.Value, worded: buckets[worded].Count}
	if mean := answer.Aggregations.Rating.Value; mean != nil {
		t.meanRating = matching.Some(*mean)
	}
	counts := make(map[occurrence]int, len(values))
	for i, value := range values {
		counts[occurrence{field, value}] = buckets[strconv.Itoa(i)].Count
	}
	return t, counts, nil
}

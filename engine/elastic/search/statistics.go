package search

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
)

// statistics counts documents and caches the counts.
type statistics struct {
	search  func(ctx context.Context, body []byte, out rest.SearchAnswer) error
	changes func() int64 // number of changes of the index so far
	now     func() time.Time

	mu      sync.Mutex // guards the cache below
	totals  *totals
	counts  map[occurrence]int
	counted int64     // number of changes when the cache was empty
	since   time.Time // when the cache was empty
}

// Counts stay in the cache while fewer than one in maxDrift documents changes, for at most maxAge after a change.
// Counting again after each change would slow down every match: in an index with deleted documents, Elasticsearch reads
// the postings of each word.
const (
	maxDrift = 1000
	maxAge   = time.Minute
)

// totals are facts about all documents.
type totals struct {
	documents, nonempty int // all documents, and those that have any terms
	meanRating          matching.Optional[float64]
	rateMedian          matching.Optional[float64]
}

// An occurrence is a value in a field, by which documents are counted.
type occurrence struct{ field, value string }

// maxCounts is the maximum number of cached counts. A language has some hundred thousand words.
const maxCounts = 200_000

// of returns the totals, and for each value the number of documents that have it in the field.
func (s *statistics) of(ctx context.Context, field string, values []string) (*totals, []int, error) {
	changes := s.changes()
	t, counts, missing := s.cached(field, values, changes)
	if t != nil && len(missing) == 0 {
		return t, counts, nil
	}

	t, counted, err := s.count(ctx, t, field, missing)
	if err != nil {
		return nil, nil, err
	}
	s.remember(t, counted, changes)
	for i, value := range values {
		if n, ok := counted[occurrence{field, value}]; ok {
			counts[i] = n
		}
	}
	return t, counts, nil
}

// cached returns the cached totals, or nil, the cached counts of the values, and the values that have none.
func (s *statistics) cached(
	field string, values []string, changes int64,
) (t *totals, counts []int, missing []string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.totals != nil && changes != s.counted {
		hasDrifted := (changes-s.counted)*maxDrift >= int64(s.totals.documents)
		if hasDrifted || s.now().Sub(s.since) > maxAge {
			s.totals = nil
			s.counts = nil
		}
	}

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

// remember caches counts that were requested after the given number of changes.
func (s *statistics) remember(t *totals, counts map[occurrence]int, changes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.totals == nil {
		s.counts = nil
		s.counted = changes
		s.since = s.now()
	}
	s.counted = min(s.counted, changes)
	if s.counts == nil || len(s.counts)+len(counts) > maxCounts {
		s.counts = map[occurrence]int{}
	}
	s.totals = t
	maps.Copy(s.counts, counts)
}

// count requests totals and counts. Since the query is match_all and each filter is one term, Elasticsearch answers
// from the term dictionary of the index. Ratings and rates must be read from every document, so they are only requested
// if there are no cached totals.
func (s *statistics) count(
	ctx context.Context, cached *totals, field string, values []string,
) (*totals, map[occurrence]int, error) {
	const nonempty = "nonempty" // the names of the other filters are numbers
	filters := object{nonempty: object{"exists": object{"field": "terms"}}}
	for i, value := range values {
		filters[strconv.Itoa(i)] = object{"term": object{field: value}}
	}

	// Other aggregations than filters must read every document.
	aggregations := object{"counts": object{"filters": object{"filters": filters}}}
	if cached == nil {
		aggregations["rating"] = object{"avg": object{"field": "rating"}}
		aggregations["rates"] = object{"range": object{"field": "hourly_rate", "ranges": rateRanges()}}
	}

	body, err := json.Marshal(object{"size": 0, "track_total_hits": true, "aggs": aggregations})
	if err != nil {
		return nil, nil, err
	}

	var answer struct {
		totalAnswer
		Aggregations struct {
			Rating struct{ Value *float64 }
			Rates  struct {
				Buckets []struct {
					From  float64
					Count int `json:"doc_count"`
				}
			}
			Counts buckets
		}
	}
	if err := s.search(ctx, body, &answer); err != nil {
		return nil, nil, err
	}

	buckets := answer.Aggregations.Counts.Buckets
	t := &totals{documents: answer.Hits.Total.Value, nonempty: buckets[nonempty].Count}

	// They weren't requested again, because that reads all documents.
	if cached != nil {
		t.meanRating = cached.meanRating
		t.rateMedian = cached.rateMedian
	}

	if mean := answer.Aggregations.Rating.Value; mean != nil {
		t.meanRating = matching.Some(*mean)
	}

	var rates engine.RateCounts
	for _, band := range answer.Aggregations.Rates.Buckets {
		rates.Add(band.From, band.Count)
	}

	if typical := rates.Median(); typical.Known {
		t.rateMedian = typical
	}

	counts := make(map[occurrence]int, len(values))
	for i, value := range values {
		counts[occurrence{field, value}] = buckets[strconv.Itoa(i)].Count
	}

	return t, counts, nil
}

// rateRanges returns the bands of engine.RateCounts for an aggregation.
func rateRanges() []object {
	ranges := make([]object, len(engine.RateCounts{}))
	for band := range ranges {
		ranges[band] = object{"from": engine.RateBandStart(band)}
		if band < len(ranges)-1 {
			ranges[band]["to"] = engine.RateBandStart(band + 1)
		}
	}
	return ranges
}

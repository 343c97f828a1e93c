package search

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// CountEach counts with one request.
func (s *Snapshot) CountEach(ctx context.Context, filters []engine.Filters) ([]int, error) {
	counts := make([]int, len(filters))
	if len(filters) == 0 {
		return counts, ctx.Err()
	}

	queries := object{}
	for i := range filters {
		queries[strconv.Itoa(i)] = object{"bool": object{"filter": filterClauses(&filters[i])}}
	}

	body, err := json.Marshal(object{
		"size": 0, "track_total_hits": false,
		"aggs": object{"counts": object{"filters": object{"filters": queries}}},
	})
	if err != nil {
		return nil, s.wrap("count in", err)
	}

	var answer struct {
		rest.Completeness
		Aggregations struct{ Counts buckets }
	}
	if err := s.search(ctx, body, &answer); err != nil {
		return nil, s.wrap("count in", err)
	}

	// Filters without a document have a bucket, too.
	for i := range counts {
		counts[i] = answer.Aggregations.Counts.Buckets[strconv.Itoa(i)].Count
	}

	return counts, nil
}

// buckets is the answer to an aggregation of named filters.
type buckets struct {
	Buckets map[string]struct {
		Count int `json:"doc_count"`
	}
}

// List sorts by id with search_after. It needs no point in time, because ids never change.
func (s *Snapshot) List(ctx context.Context, f engine.Filters, after string, limit int) ([]string, error) {
	ids := []string{}
	for len(ids) < limit {
		size := min(limit-len(ids), maxWindow)
		page, err := s.listPage(ctx, &f, after, size)
		if err != nil {
			return nil, s.wrap("list", err)
		}
		if ids = append(ids, page...); len(page) < size {
			break
		}
		after = page[len(page)-1]
	}
	return ids, ctx.Err()
}

// listPage returns at most size ids, of which size is at most maxWindow.
func (s *Snapshot) listPage(ctx context.Context, f *engine.Filters, after string, size int) ([]string, error) {
	search := object{
		"size": size, "track_total_hits": false, "_source": false, "stored_fields": "_none_",
		"query": object{"bool": object{"filter": filterClauses(f)}}, "sort": []string{"id"},
	}
	if after != "" {
		search["search_after"] = []string{after}
	}

	body, err := json.Marshal(search)
	if err != nil {
		return nil, err
	}

	// The sort value is the id itself, so neither source nor stored fields are needed.
	var answer struct {
		rest.Completeness
		Hits struct {
			Hits []struct{ Sort []string }
		}
	}
	if err := s.search(ctx, body, &answer); err != nil {
		return nil, err
	}

	ids := make([]string, len(answer.Hits.Hits))
	for i, hit := range answer.Hits.Hits {
		if len(hit.Sort) != 1 {
			return nil, fmt.Errorf("a hit has %d sort values, want 1", len(hit.Sort))
		}
		ids[i] = hit.Sort[0]
	}

	return ids, nil
}

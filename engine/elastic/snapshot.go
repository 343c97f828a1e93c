package elastic

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// snapshot is one index in one state: an update of the index makes a new one. Elasticsearch does not keep what was
// dropped, so unlike an embedded snapshot it ends with its index: then every call is ErrNotFound.
type snapshot struct {
	engine     *Engine
	name       string // of the index in Elasticsearch
	meta       *meta
	info       engine.Info
	bm25       mappings.BM25
	shards     int
	statistics *statistics
}

// snapshot is a view of an index as described.
func (e *Engine) snapshot(d *description) *snapshot {
	s := &snapshot{engine: e, name: d.name, meta: d.meta, bm25: d.bm25, shards: d.shards, info: e.info(d)}
	s.statistics = &statistics{search: s.search}
	return s
}

// same reports whether the index is still as it was.
func (s *snapshot) same(d *description) bool {
	return s.name == d.name && s.meta.Updates == d.meta.Updates && s.meta.State == d.meta.State &&
		s.meta.Created.Equal(d.meta.Created)
}

// Info describes the index.
func (s *snapshot) Info() engine.Info { return s.info }

// Statistics counts what was not counted before, by one aggregation that reads no document.
func (s *snapshot) Statistics(ctx context.Context, skills []string) (engine.Statistics, error) {
	totals, counts, err := s.statistics.of(ctx, "skills", skills)
	if err != nil {
		return engine.Statistics{}, s.wrap("statistics of", err)
	}
	found := engine.Statistics{
		Documents: totals.documents, MeanRating: totals.meanRating, SkillCount: make(map[string]int, len(skills)),
	}
	for i, skill := range skills {
		found.SkillCount[skill] = counts[i]
	}
	return found, nil
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
	body, err := json.Marshal(object{"size": 0, "track_total_hits": true, "query": query})
	if err != nil {
		return 0, s.wrap("count in", err)
	}
	var answer totalAnswer
	if err := s.search(ctx, body, &answer); err != nil {
		return 0, s.wrap("count in", err)
	}
	return answer.Hits.Total.Value, nil
}

// wrap says what was being done, and ErrNotFound where the index is gone.
func (s *snapshot) wrap(doing string, err error) error {
	if failed(err, 0, indexNotFound) {
		s.engine.forget(s)
		return fmt.Errorf("%s index %q: %w: it was dropped", doing, s.info.Name, engine.ErrNotFound)
	}
	return fmt.Errorf("%s index %q: %w", doing, s.info.Name, err)
}

package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/internal/engine"
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

// search sends a search, all or nothing. Elasticsearch ends it by itself when the connection is closed, as it is when ctx
// ends, and is told of the deadline besides, in case that nobody tells it of the closing.
func (s *snapshot) search(ctx context.Context, body []byte, out searchAnswer) error {
	r := esapi.SearchRequest{
		Index: []string{s.name}, Body: bytes.NewReader(body), AllowPartialSearchResults: new(bool), SearchType: s.searchType(),
	}
	if deadline, ok := ctx.Deadline(); ok {
		r.Timeout = max(time.Millisecond, time.Until(deadline))
	}
	return s.engine.ask(ctx, r, out)
}

// searchType: the rarity of a word is that in the whole index, not in one part of it.
func (s *snapshot) searchType() string {
	if s.shards > 1 {
		return "dfs_query_then_fetch"
	}
	return ""
}

// searches sends one search for hits, or several, which Elasticsearch carries out side by side. All or none are answered.
func (s *snapshot) searches(ctx context.Context, searches []object) ([]hitsAnswer, error) {
	switch len(searches) {
	case 0:
		return nil, ctx.Err()
	case 1:
		body, err := json.Marshal(searches[0])
		if err != nil {
			return nil, err
		}
		var answer hitsAnswer
		if err := s.search(ctx, body, &answer); err != nil {
			return nil, err
		}
		s.logSearch(ctx, body, answer)
		return []hitsAnswer{answer}, nil
	}
	head := object{"allow_partial_search_results": false}
	if t := s.searchType(); t != "" {
		head["search_type"] = t
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for _, search := range searches {
		if deadline, ok := ctx.Deadline(); ok {
			search["timeout"] = fmt.Sprintf("%dms", max(1, time.Until(deadline).Milliseconds()))
		}
		if err := errors.Join(encoder.Encode(head), encoder.Encode(search)); err != nil {
			return nil, err
		}
	}
	var several hitsAnswers
	r := esapi.MsearchRequest{Index: []string{s.name}, Body: bytes.NewReader(body.Bytes())}
	if err := s.engine.ask(ctx, r, &several); err != nil {
		return nil, err
	}
	if len(several.Responses) != len(searches) {
		return nil, fmt.Errorf("%d answers of Elasticsearch to %d searches", len(several.Responses), len(searches))
	}
	answers := make([]hitsAnswer, len(searches))
	for i := range answers {
		answers[i] = several.Responses[i].hitsAnswer
	}
	s.logSearch(ctx, body.Bytes(), answers...)
	return answers, nil
}

// logSearch writes down what was sent, ready to be sent by hand. A brief's words are nothing for a log that is kept, so
// only with the level debug.
func (s *snapshot) logSearch(ctx context.Context, body []byte, answers ...hitsAnswer) {
	log := s.engine.options.Log
	if !log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	for _, a := range answers {
		log.DebugContext(ctx, "searched", "index", s.name, "hits", len(a.Hits.Hits), "took_ms", a.Took, "body", string(body))
	}
}

// wrap says what was being done, and ErrNotFound where the index is gone.
func (s *snapshot) wrap(doing string, err error) error {
	if failed(err, 0, indexNotFound) {
		s.engine.forget(s)
		return fmt.Errorf("%s index %q: %w: it was dropped", doing, s.info.Name, engine.ErrNotFound)
	}
	return fmt.Errorf("%s index %q: %w", doing, s.info.Name, err)
}

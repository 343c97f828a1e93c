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
)

// search sends a search. Partial results are errors. When ctx ends, the connection is closed, and Elasticsearch 8.19
// then stops searching within a fraction of a second. The request contains the deadline too, since a proxy may keep its
// own connection open.
func (s *snapshot) search(ctx context.Context, body []byte, out searchAnswer) error {
	r := esapi.SearchRequest{
		Index: []string{s.name}, Body: bytes.NewReader(body), SearchType: s.searchType(),
		AllowPartialSearchResults: new(bool),
	}
	if deadline, ok := ctx.Deadline(); ok {
		r.Timeout = max(time.Millisecond, time.Until(deadline))
	}
	return s.engine.ask(ctx, r, out)
}

// searchType returns the search type that computes document frequencies over all shards of the index.
func (s *snapshot) searchType() string {
	if s.shards > 1 {
		return "dfs_query_then_fetch"
	}
	return ""
}

// searches sends searches for hits in one request, which Elasticsearch executes in parallel. It returns an error if any
// of them fails.
func (s *snapshot) searches(ctx context.Context, searches []object) ([]hitsAnswer, error) {
	switch len(searches) {
	case 0:
		return nil, nil
	case 1:
		body, err := json.Marshal(searches[0])
		if err != nil {
			return nil, err
		}
		answers := make([]hitsAnswer, 1)
		if err := s.search(ctx, body, &answers[0]); err != nil {
			return nil, err
		}
		s.logSearch(ctx, body, answers)
		return answers, nil
	}
	body, err := s.multiSearchBody(ctx, searches)
	if err != nil {
		return nil, err
	}
	var multi hitsAnswers
	r := esapi.MsearchRequest{Index: []string{s.name}, Body: bytes.NewReader(body)}
	if err := s.engine.ask(ctx, r, &multi); err != nil {
		return nil, err
	}
	if len(multi.Responses) != len(searches) {
		return nil, fmt.Errorf("the answer has %d responses, want %d", len(multi.Responses), len(searches))
	}
	answers := make([]hitsAnswer, len(searches))
	for i := range answers {
		answers[i] = multi.Responses[i].hitsAnswer
	}
	s.logSearch(ctx, body, answers)
	return answers, nil
}

// multiSearchBody returns the body of a multi-search request: for each search one line of parameters and one with the
// search.
func (s *snapshot) multiSearchBody(ctx context.Context, searches []object) ([]byte, error) {
	head := object{"allow_partial_search_results": false}
	if t := s.searchType(); t != "" {
		head["search_type"] = t
	}
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	for _, search := range searches {
		if deadline, ok := ctx.Deadline(); ok {
			search["timeout"] = fmt.Sprintf("%dms", max(1, time.Until(deadline).Milliseconds()))
		}
		if err := errors.Join(lines.Encode(head), lines.Encode(search)); err != nil {
			return nil, err
		}
	}
	return body.Bytes(), nil
}

// logSearch logs the body of a search, ready to be sent by hand, at level debug: the words of a brief must not get into
// a log that is kept.
func (s *snapshot) logSearch(ctx context.Context, body []byte, answers []hitsAnswer) {
	log := s.engine.options.Log
	if !log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	hits, took := 0, 0
	for _, a := range answers {
		hits, took = hits+len(a.Hits.Hits), max(took, a.Took)
	}
	log.DebugContext(ctx, "searched", "index", s.name, "hits", hits, "took_ms", took, "body", string(body))
}

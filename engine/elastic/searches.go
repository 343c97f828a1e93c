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

// search sends a search, all or nothing. When ctx ends the connection is closed, by which Elasticsearch 8.19 ends the search
// within a fraction of a second; it is told of the deadline besides, since what stands between may keep its connection open.
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
	body, err := s.severalBody(ctx, searches)
	if err != nil {
		return nil, err
	}
	var several hitsAnswers
	r := esapi.MsearchRequest{Index: []string{s.name}, Body: bytes.NewReader(body)}
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
	s.logSearch(ctx, body, answers)
	return answers, nil
}

// severalBody is the body of a request for several searches: for each, a line on how to search, and the search.
func (s *snapshot) severalBody(ctx context.Context, searches []object) ([]byte, error) {
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

// logSearch writes down what was sent, ready to be sent by hand. A brief's words are nothing for a log that is kept, so
// only with the level debug.
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

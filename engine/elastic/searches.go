package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// search sends a search that only counts. Partial results are errors. When ctx ends, the connection is closed, and
// Elasticsearch 8.19 then stops searching within a fraction of a second. The request contains the deadline too, since a
// proxy may keep its own connection open.
func (s *snapshot) search(ctx context.Context, body []byte, out searchAnswer) error {
	r := request{
		method: http.MethodPost, path: s.name + "/_search", query: params{"allow_partial_search_results": "false"},
		body: bytes.NewReader(body),
	}
	if deadline, ok := ctx.Deadline(); ok {
		r.query["timeout"] = milliseconds(max(time.Millisecond, time.Until(deadline)))
	}
	return s.engine.ask(ctx, r, out)
}

// searches sends searches for hits in one request, which Elasticsearch executes in parallel, and returns the hits of
// each. It returns an error if any of them fails.
func (s *snapshot) searches(ctx context.Context, searches []object) ([][]rawHit, error) {
	if len(searches) == 0 {
		return nil, nil
	}
	body, err := s.searchesBody(ctx, searches)
	if err != nil {
		return nil, err
	}
	var answer hitsAnswer
	r := request{method: http.MethodPost, path: s.name + "/_msearch", body: bytes.NewReader(body)}
	if err := s.engine.ask(ctx, r, &answer); err != nil {
		return nil, err
	}
	if len(answer.Responses) != len(searches) {
		return nil, fmt.Errorf("the answer has %d responses, want %d", len(answer.Responses), len(searches))
	}
	hits := make([][]rawHit, len(searches))
	for i := range hits {
		hits[i] = answer.Responses[i].Hits.Hits
	}
	// The words of a brief must not get into a log that is kept, so only at level debug.
	if log := s.engine.options.Log; log.Enabled(ctx, slog.LevelDebug) {
		log.DebugContext(ctx, "searched", "index", s.name, "took_ms", answer.Took, "body", string(body))
	}
	return hits, nil
}

// searchesBody returns the body of a multi-search request: for each search one line of parameters and one with the
// search.
func (s *snapshot) searchesBody(ctx context.Context, searches []object) ([]byte, error) {
	head := object{"allow_partial_search_results": false}
	if s.shards > 1 { // count document frequencies over the whole index
		head["search_type"] = "dfs_query_then_fetch"
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

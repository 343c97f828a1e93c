package search

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// search sends a search that only counts.
func (s *Snapshot) search(ctx context.Context, body []byte, out rest.SearchAnswer) error {
	return s.client.Ask(ctx, s.request(ctx, body), out)
}

// request returns a search request. Partial results are errors. When ctx ends, the connection is closed, and
// Elasticsearch 8.19 then stops searching within a fraction of a second. The request contains the deadline too, since a
// proxy may keep its own connection open.
func (s *Snapshot) request(ctx context.Context, body []byte) rest.Request {
	r := rest.Request{
		Method: http.MethodPost, Path: s.name + "/_search", Query: rest.Params{"allow_partial_search_results": "false"},
		Body: bytes.NewReader(body),
	}
	if deadline, ok := ctx.Deadline(); ok {
		r.Query["timeout"] = rest.Milliseconds(max(time.Millisecond, time.Until(deadline)))
	}
	return r
}

// hits returns the hits of a search by descending score. A nil search has none.
func (s *Snapshot) hits(ctx context.Context, search object) ([]rawHit, error) {
	if search == nil {
		return nil, nil
	}
	body, err := json.Marshal(search)
	if err != nil {
		return nil, err
	}

	r := s.request(ctx, body)
	if s.shards > 1 { // count document frequencies over the whole index
		r.Query["search_type"] = "dfs_query_then_fetch"
	}
	var answer hitsAnswer
	if err := s.client.Ask(ctx, r, &answer); err != nil {
		return nil, err
	}

	// The words of a brief must not get into a log that is kept, so only at level debug.
	if s.log.Enabled(ctx, slog.LevelDebug) {
		s.log.DebugContext(ctx, "searched", "index", s.name, "took_ms", answer.Took, "body", string(body))
	}

	return answer.Hits.Hits, nil
}

package catalog

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// An IndexState is what Elasticsearch counts about an index, at the cost of a few additions.
type IndexState struct {
	Bytes      int64 // of all copies
	Documents  int   // that are not deleted
	Operations int64 // that its shards have assigned sequence numbers to
	Refreshes  int64 // of all copies, since they were opened
	Shards     map[int]ShardState
}

// A ShardState is the state of a primary shard.
type ShardState struct {
	Checkpoint int64 // sequence number up to which all operations have ended; -1 if there were none
}

// IndexStates returns the states of the open indexes that a name or pattern stands for.
func (c *Catalog) IndexStates(ctx context.Context, ask Asker, name string) (map[string]IndexState, error) {
	var answer struct {
		Indices map[string]struct {
			Shards map[string][]struct {
				Routing struct{ Primary bool }
				Docs    struct{ Count int }
				Store   struct {
					Bytes int64 `json:"size_in_bytes"`
				}
				Refresh struct {
					External int64 `json:"external_total"`
				}
				SeqNo struct {
					Max        int64 `json:"max_seq_no"`
					Checkpoint int64 `json:"local_checkpoint"`
				} `json:"seq_no"`
			}
		}
	}

	// Without the filter, the answer has dozens of further statistics for each shard.
	const shards = "indices.*.shards.*."
	err := ask(ctx, rest.Request{
		Method: http.MethodGet, Path: name + "/_stats/docs,store,refresh",
		Query: rest.Params{"level": "shards", "filter_path": strings.Join([]string{
			shards + "routing.primary", shards + "docs.count", shards + "store.size_in_bytes",
			shards + "refresh.external_total", shards + "seq_no.max_seq_no", shards + "seq_no.local_checkpoint",
		}, ",")},
	}, &answer)
	if err != nil {
		return nil, err
	}

	states := make(map[string]IndexState, len(answer.Indices))
	for index, a := range answer.Indices {
		s := IndexState{Shards: map[int]ShardState{}}
		for number, copies := range a.Shards {
			for _, c := range copies {
				s.Bytes += c.Store.Bytes
				s.Refreshes += c.Refresh.External

				// Replicas repeat the primary's operations, but refresh on their own: a search may ask any copy.
				if n, err := strconv.Atoi(number); err == nil && c.Routing.Primary {
					s.Documents += c.Docs.Count
					s.Operations += c.SeqNo.Max + 1
					s.Shards[n] = ShardState{c.SeqNo.Checkpoint}
				}
			}
		}

		states[index] = s
	}

	return states, nil
}

package elastic

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic/rest"
)

// An indexState is what Elasticsearch counts about an index, at the cost of a few additions.
type indexState struct {
	bytes      int64 // of all copies
	documents  int   // that are not deleted
	operations int64 // that its shards have assigned sequence numbers to
	refreshes  int64 // of all copies, since they were opened
	shards     map[int]shardState
}

// A shardState is the state of a primary shard.
type shardState struct {
	checkpoint int64 // sequence number up to which all operations have ended; -1 if there were none
}

// indexStates returns the states of the open indexes that a name or pattern stands for.
func (e *Engine) indexStates(ctx context.Context, ask asker, name string) (map[string]indexState, error) {
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

	states := make(map[string]indexState, len(answer.Indices))
	for index, a := range answer.Indices {
		s := indexState{shards: map[int]shardState{}}
		for number, copies := range a.Shards {
			for _, c := range copies {
				s.bytes += c.Store.Bytes
				s.refreshes += c.Refresh.External

				if n, err := strconv.Atoi(number); err == nil && c.Routing.Primary {
					s.documents += c.Docs.Count
					s.operations += c.SeqNo.Max + 1
					s.shards[n] = shardState{c.SeqNo.Checkpoint}
				}
			}
		}

		states[index] = s
	}

	return states, nil
}

// An activity follows the changes that are made to an index while it is searched. It is safe for concurrent use.
type activity struct {
	mu        sync.Mutex // guards the fields below
	state     indexState // when it was last asked for; without shards if it wasn't yet
	invisible bool       // whether operations were noticed that may not have been searchable then
	changes   int64
	changed   time.Time // when a change was last noticed; zero if none was
}

// observe compares a state with the one before.
func (a *activity) observe(now indexState, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state.shards != nil && len(now.shards) > 0 {
		operations := now.operations - a.state.operations
		switch {
		case operations != 0:
			a.changes += max(1, operations)
			a.changed = at
			a.invisible = true
		case a.invisible && now.refreshes != a.state.refreshes:
			a.changes++
			a.changed = at
			a.invisible = false
		}
	}
	if len(now.shards) > 0 {
		a.state = now
	}
}

// note counts changes that this process has made and that are searchable.
func (a *activity) note(changes int, at time.Time) {
	if changes == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes += int64(changes)
	a.changed = at
}

// describe sets what changes in place have changed.
func (a *activity) describe(info *engine.Info) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state.shards != nil {
		info.Documents = a.state.documents
	}
	if a.changed.After(info.Updated) {
		info.Updated = a.changed
	}
}

// count returns the number of changes noticed so far. Some are counted twice.
func (a *activity) count() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changes
}

package changes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// A tracker finds documents that were put by their sequence numbers, and those that were deleted in the list of
// deletions.
type tracker struct {
	changer *Changer
	index   string // full name
	since   time.Time
	done    progress
}

// progress is how far a tracker has come: everything up to these sequence numbers has been reported.
type progress struct {
	shards    map[int]int64
	deletions int64
}

// Track remembers the sequence numbers of the index. Elasticsearch keeps nothing for the tracker.
func (m *Changer) Track(ctx context.Context, index string) (engine.Tracker, error) {
	ctx, cancel := context.WithTimeout(ctx, rest.AdminTimeout)
	defer cancel()
	d, err := m.Catalog.Complete(ctx, index)
	if err != nil {
		return nil, fmt.Errorf("track index %q: %w", index, err)
	}
	t := &tracker{changer: m, index: d.Name, since: time.Now()}
	m.Deletions.clear(ctx, t.since)
	if t.done, err = t.refresh(ctx); err != nil {
		return nil, fmt.Errorf("track index %q: %w", index, err)
	}
	return t, nil
}

// Close does nothing.
func (t *tracker) Close() error { return nil }

// Changed implements engine.Tracker. A document that is changed meanwhile may be yielded again by the next call.
func (t *tracker) Changed(ctx context.Context) iter.Seq2[engine.Changed, error] {
	return func(yield func(engine.Changed, error) bool) {
		next, err := t.report(ctx, func(c engine.Changed) bool { return yield(c, nil) })
		switch {
		case err != nil:
			yield(engine.Changed{}, fmt.Errorf("changes of index %q: %w", t.changer.Catalog.ShortName(t.index), err))
		case next != nil:
			t.done = *next
		}
	}
}

// refresh returns the sequence numbers up to which all operations have ended, and then makes them searchable.
func (t *tracker) refresh(ctx context.Context) (p progress, err error) {
	changer := t.changer
	err = changer.Client.Retry(ctx, "read sequence numbers", func(ctx context.Context) error {
		// Operations below the checkpoint have all ended. One that is still under way may get a number below the
		// highest.
		p = progress{shards: map[int]int64{}, deletions: -1}
		live, err := changer.refreshShards(ctx, t.index)
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			return engine.ErrNotFound
		}
		if err != nil {
			return err
		}

		for n, s := range live {
			p.shards[n] = s.Checkpoint
		}

		list, err := changer.refreshShards(ctx, changer.Deletions.Index())
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			return nil // nothing has been deleted yet
		}

		for _, s := range list {
			p.deletions = s.Checkpoint
		}

		return err
	})

	return p, err
}

// refreshShards refreshes an index. It returns the state of its primary shards before that.
func (m *Changer) refreshShards(ctx context.Context, index string) (map[int]catalog.ShardState, error) {
	all, err := m.Catalog.IndexStates(ctx, m.Client.Do, index)
	if err == nil {
		err = m.Client.RefreshOnce(ctx, index)
	}
	return all[index].Shards, err
}

// report yields all changes since t.done and returns the new progress, or nil if yield returned false.
func (t *tracker) report(ctx context.Context, yield func(engine.Changed) bool) (*progress, error) {
	if time.Since(t.since) > deletionsKept {
		return nil, fmt.Errorf("it was tracked for more than %s, and earlier deletions are forgotten", deletionsKept)
	}

	next, err := t.refresh(ctx)
	if err != nil {
		return nil, err
	}

	// First the deletions: a document whose deletion is noted later is reported by the next call.
	ids, err := t.deleted(ctx)
	if err != nil {
		return nil, err
	}

	// A document that was deleted and put again is in both lists, and its state is current in either.
	reported := make(map[string]bool, len(ids))
	once := func(c engine.Changed) bool {
		if reported[c.ID] {
			return true
		}
		reported[c.ID] = true
		return yield(c)
	}

	for chunk := range slices.Chunk(ids, rest.MaxBatch) {
		states, err := t.states(ctx, chunk)
		if err != nil {
			return nil, err
		}

		for _, c := range states {
			if !once(c) {
				return nil, nil
			}
		}
	}

	for _, shard := range slices.Sorted(maps.Keys(next.shards)) {
		if all, err := t.put(ctx, shard, once); err != nil || !all {
			return nil, err
		}
	}

	return &next, nil
}

// deleted returns the IDs of documents that were deleted. They may have been put again since.
func (t *tracker) deleted(ctx context.Context) (ids []string, err error) {
	query := object{"term": object{"index": t.index}}
	_, err = t.operations(ctx, t.changer.Deletions.Index(), "", query, t.done.deletions, func(h *operation) (bool, error) {
		var d Deletion
		if err := json.Unmarshal(h.Source, &d); err != nil {
			return false, fmt.Errorf("list of deletions: %w", err)
		}
		ids = append(ids, d.ID)
		return true, nil
	})
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		err = nil
	}
	return ids, err
}

// states returns the current states of documents.
func (t *tracker) states(ctx context.Context, ids []string) ([]engine.Changed, error) {
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = document.Key(id)
	}

	changed := make([]engine.Changed, len(ids))
	err := t.changer.Client.Retry(ctx, "read changed documents", func(ctx context.Context) error {
		records, err := document.Get(ctx, t.changer.Client, t.index, keys)
		for i, r := range records {
			changed[i] = engine.Changed{ID: ids[i]}
			if !r.Found {
				continue
			}

			f, err := r.Source.Decode(keys[i])
			if err != nil {
				return &engine.DamagedError{Index: t.changer.Catalog.ShortName(t.index), IDs: []string{ids[i]}, Err: err}
			}

			changed[i].Freelancer = &f
		}

		return err
	})

	return changed, err
}

// put yields the documents of a shard that were put. It returns false if yield does.
func (t *tracker) put(ctx context.Context, shard int, yield func(engine.Changed) bool) (all bool, err error) {
	preference := "_shards:" + strconv.Itoa(shard)
	return t.operations(ctx, t.index, preference, object{"match_all": object{}}, t.done.shards[shard],
		func(h *operation) (bool, error) {
			var stored document.StoredSource
			err := json.Unmarshal(h.Source, &stored)
			if err != nil {
				return false, err
			}
			f, err := stored.Decode(h.ID)
			if err != nil {
				return false, &engine.DamagedError{Index: t.changer.Catalog.ShortName(t.index), IDs: []string{h.ID}, Err: err}
			}
			return yield(engine.Changed{ID: f.ID, Freelancer: &f}), nil
		})
}

// changesPage is the number of changes per request.
const changesPage = 1000

// An operation is a document found by its sequence number.
type operation struct {
	ID     string          `json:"_id"`
	SeqNo  int64           `json:"_seq_no"`
	Source json.RawMessage `json:"_source"`
}

// operations yields the documents with higher sequence numbers that match a query, in the order of these numbers, page
// by page. A document that is changed meanwhile moves to the end, so none is missed. It returns false if yield does.
func (t *tracker) operations(
	ctx context.Context, index, preference string, query object, after int64, yield func(*operation) (bool, error),
) (all bool, err error) {
	for {
		body, err := json.Marshal(object{
			"size": changesPage, "track_total_hits": false, "seq_no_primary_term": true, "sort": []string{"_seq_no"},
			"query": object{"bool": object{
				"filter": []object{query, {"range": object{"_seq_no": object{"gt": after}}}},
			}},
		})
		if err != nil {
			return false, err
		}

		var answer struct {
			rest.Completeness
			Hits struct{ Hits []operation }
		}

		// Missing shards would look like documents without changes, so partial results are errors.
		err = t.changer.Client.Retry(ctx, "read changes", func(ctx context.Context) error {
			answer.Hits.Hits = nil
			r := rest.Request{
				Method: http.MethodPost, Path: index + "/_search", Body: bytes.NewReader(body),
				Query: rest.Params{"preference": preference, "allow_partial_search_results": "false"},
			}

			if err := t.changer.Client.Do(ctx, r, &answer); err != nil {
				return err
			}

			return answer.CheckComplete()
		})
		if err != nil {
			return false, err
		}

		// The next page starts after the last number seen. Numbers are unique within a shard, and this is one.
		for i := range answer.Hits.Hits {
			h := &answer.Hits.Hits[i]
			if more, err := yield(h); err != nil || !more {
				return false, err
			}
			after = h.SeqNo
		}

		if len(answer.Hits.Hits) < changesPage {
			return true, nil
		}
	}
}

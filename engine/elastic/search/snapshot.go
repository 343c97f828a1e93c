package search

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/engine/elastic/rest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/retry"
	"github.com/freelancer-matching/service/mappings"
)

// A Snapshot is one index. Unlike a snapshot of package embedded, it follows changes in place, and it becomes unusable
// when its index is dropped: its methods then return ErrNotFound.
type Snapshot struct {
	client     *rest.Client
	log        *slog.Logger
	window     int             // minimum number of candidates that are scored exactly for one search
	dropped    func(*Snapshot) // called when the index turns out to be gone
	name       string          // full name of the index
	meta       *catalog.Meta
	info       engine.Info
	bm25       mappings.BM25
	shards     int
	statistics *statistics
	activity   activity
	provenance atomic.Pointer[engine.Provenance] // as of the last lookup of the alias

	damaged        sync.Map // what identifies each document that can't be decoded
	damagedRecords atomic.Int32
}

// Snapshot returns a snapshot of the index that d describes.
func (f *Follower) Snapshot(d *catalog.Description) *Snapshot {
	s := &Snapshot{
		client: f.client, log: f.log, window: f.window, dropped: f.forgetSnapshot,
		name: d.Name, meta: d.Meta, bm25: d.BM25, shards: d.Shards, info: f.catalog.Info(d),
	}
	s.statistics = &statistics{search: s.search, changes: s.activity.count, now: time.Now}
	s.provenance.Store(d.Meta.Provenance)
	return s
}

// SetState sets the size and the first state of an index that was opened by its name.
func (s *Snapshot) SetState(state catalog.IndexState) {
	s.info.Bytes = state.Bytes
	s.activity.observe(state, time.Now())
}

// Index returns the full name of the index.
func (s *Snapshot) Index() string { return s.name }

// SameIndex reports whether d describes the index of s, and not a later one of that name.
func (s *Snapshot) SameIndex(d *catalog.Description) bool {
	return s.name == d.Name && s.meta.Created.Equal(d.Meta.Created)
}

// NoteChanges counts changes that this process has made and that are searchable.
func (s *Snapshot) NoteChanges(changes int) { s.activity.note(changes, time.Now()) }

// isOf reports whether s is a snapshot of the index in the state that d describes.
func (s *Snapshot) isOf(d *catalog.Description) bool {
	return s.SameIndex(d) && s.meta.Updates == d.Meta.Updates && s.meta.State == d.Meta.State
}

// Info describes the index.
func (s *Snapshot) Info() engine.Info {
	info := s.info
	s.activity.describe(&info)
	info.DamagedRecords = int(s.damagedRecords.Load())
	info.Provenance = s.provenance.Load()
	return info
}

// noteDamage counts a damaged document once. key identifies it.
func (s *Snapshot) noteDamage(key string) {
	if _, known := s.damaged.LoadOrStore(key, struct{}{}); !known {
		s.damagedRecords.Add(1)
	}
}

// Statistics makes at most one request, for the counts that are not cached yet.
func (s *Snapshot) Statistics(ctx context.Context, skills []string) (engine.Statistics, error) {
	totals, counts, err := s.statistics.of(ctx, "skills", skills)
	if err != nil {
		return engine.Statistics{}, s.wrap("statistics of", err)
	}
	result := engine.Statistics{
		Documents: totals.documents, MeanRating: totals.meanRating, RateMedian: totals.rateMedian,
		SkillCount: make(map[string]int, len(skills)),
	}
	for i, skill := range skills {
		result.SkillCount[skill] = counts[i]
	}
	return result, nil
}

// Fetch gets all freelancers with one request.
func (s *Snapshot) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	documents, err := s.get(ctx, ids)
	if err != nil {
		return nil, err
	}

	freelancers := make([]matching.Freelancer, len(ids))
	var broken *engine.DamagedError
	for i, id := range ids {
		if !documents[i].Found {
			return nil, fmt.Errorf("fetch from index %q: freelancer %q: %w", s.info.Name, id, engine.ErrNotFound)
		}
		if freelancers[i], err = documents[i].Source.Decode(document.Key(id)); err == nil {
			continue
		}

		// Damaged records are left empty, and the error names all of them.
		s.noteDamage("record " + id)
		if broken == nil {
			broken = &engine.DamagedError{Index: s.info.Name, Err: err}
		}
		broken.IDs = append(broken.IDs, id)
	}
	if broken != nil {
		return freelancers, broken
	}

	return freelancers, nil
}

// A gotDocument is a document in the answer to a request by ID.
type gotDocument struct {
	Found  bool
	Error  *struct{ Type, Reason string }
	Source document.StoredSource `json:"_source"`
}

// get returns the documents of freelancers, in the same order, with one request.
func (s *Snapshot) get(ctx context.Context, ids []string) ([]gotDocument, error) {
	if len(ids) == 0 {
		return nil, ctx.Err()
	}
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = document.Key(id)
	}
	body, err := rest.Body(object{"ids": keys})
	if err != nil {
		return nil, s.wrap("fetch from", err)
	}

	// Without realtime, Elasticsearch reads what searches see, so that a hit and its record agree.
	var answer struct{ Docs []gotDocument }
	err = s.client.Ask(ctx, rest.Request{
		Method: http.MethodPost, Path: s.name + "/_mget", Query: rest.Params{"realtime": "false"}, Body: body,
	}, &answer)
	if err == nil && len(answer.Docs) != len(ids) {
		err = fmt.Errorf("the answer has %d documents, want %d", len(answer.Docs), len(ids))
	}
	if err != nil {
		return nil, s.wrap("fetch from", err)
	}

	// The request as a whole succeeds even if a shard is missing; each of its documents then has an error.
	for _, d := range answer.Docs {
		if d.Error != nil {
			failure := &rest.Failure{Type: d.Error.Type, Reason: d.Error.Reason}
			return nil, s.wrap("fetch from", s.orDropped(ctx, failure))
		}
	}

	return answer.Docs, nil
}

// Count returns the number of documents that pass f.
func (s *Snapshot) Count(ctx context.Context, f engine.Filters) (int, error) {
	return s.countMatching(ctx, object{"bool": object{"filter": filterClauses(&f)}})
}

// CountUnknown returns the number of documents that lack at least one value that f filters by.
func (s *Snapshot) CountUnknown(ctx context.Context, f engine.Filters) (int, error) {
	clause := unknownClause(&f)
	if clause == nil {
		return 0, ctx.Err()
	}
	return s.countMatching(ctx, clause)
}

func (s *Snapshot) countMatching(ctx context.Context, query object) (int, error) {
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

// orDropped returns the failure of a shard, or the failure to find the index if that is being dropped: its shards
// disappear a moment before its name does.
func (s *Snapshot) orDropped(ctx context.Context, failure *rest.Failure) error {
	if failure.Type != "no_shard_available_action_exception" {
		return failure
	}

	const attempts = 4
	for attempt := range attempts {
		err := s.client.Ask(ctx, rest.Request{Method: http.MethodGet, Path: s.name + "/_alias"}, &object{})
		if rest.IsFailure(err, 0, rest.IndexNotFound) {
			return err
		}

		if retry.Sleep(ctx, retry.Backoff(attempt, 20*time.Millisecond, 100*time.Millisecond)) != nil {
			return failure
		}
	}
	return failure
}

// wrap adds the operation to an error, and turns the error of a dropped index into ErrNotFound.
func (s *Snapshot) wrap(operation string, err error) error {
	if rest.IsFailure(err, 0, rest.IndexNotFound) {
		s.dropped(s)
		return fmt.Errorf("%s index %q: %w: it was dropped", operation, s.info.Name, engine.ErrNotFound)
	}
	return fmt.Errorf("%s index %q: %w", operation, s.info.Name, err)
}

package briefs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/freelancer-matching/service/briefs/percolate"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/ranking"
)

const (
	// holdFor is how long a server is the one that watches without saying so again, and holdEvery how often it does.
	holdFor   = 30 * time.Second
	holdEvery = 5 * time.Second
	// changesAtOnce is how many changes of the feed are taken together. Their effects are stored in one transaction. With
	// 100,000 briefs they take seconds, which must be less than holdFor.
	changesAtOnce = 100
	// matchTime is how long briefs are matched again before the next changes are read.
	matchTime = 100 * time.Millisecond
	// matchEvery is how often a brief is matched again although nobody has changed: statistics of the data set and the
	// present day have moved on.
	matchEvery = 24 * time.Hour
)

// A Matcher tells how documents are scored for briefs; see match.Service.Watch.
type Matcher interface {
	Watch(ctx context.Context, b *matching.Brief, places int) (*match.Watch, []ranking.Candidate, bool, error)
}

// A Feed has the changes of freelancers; see feed.Service.
type Feed interface {
	Since(ctx context.Context, after int64, limit int) (feed.Page, error)
	Grown() <-chan struct{}
}

// A Preparer turns freelancers into documents.
type Preparer interface {
	Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error)
}

// WatcherConfig holds the dependencies of a Watcher. All fields are required.
type WatcherConfig struct {
	Store    WatchStore
	Holder   string // names this process
	Feed     Feed
	Matcher  Matcher
	Read     func(request json.RawMessage, places int) (*matching.Brief, error) // reads the match of a brief
	Engine   engine.Searcher
	Alias    string // of the live index
	Prepare  func(ctx context.Context) (Preparer, error)
	Now      func() time.Time
	Log      *slog.Logger
	Announce func() // called when there are messages to send
}

// A Watcher keeps the lists of saved briefs up to date, and announces what is new in them. Of several that share a
// store, one watches, and another one takes its place when it ends.
//
// The effects of a change are stored in one transaction with the number of that change in the feed: lists, messages,
// and how far the feed is read. A process that ends loses none and repeats none.
type Watcher struct {
	WatcherConfig

	changed chan struct{} // has a value after Changed

	// The fields below belong to the goroutine of Run.

	position int64 // in the feed
	begun    bool  // whether position is valid although it may be 0
	held     time.Time
	synced   time.Time
	index    *percolate.Index
	briefs   map[string]*watched // by ID
	queue    []string            // IDs of briefs to match
	due      map[string]bool     // the same
	changes  map[string]*pending // lists that may have changed, by brief
}

// watched is a brief that a Watcher has.
type watched struct {
	Brief
	matched time.Time // when the index got its scorer; zero before
}

// pending is what is known about a list that may have changed.
type pending struct {
	cause      feed.Cause
	candidates map[string]*ranking.Candidate // whose scores can be explained, by freelancer
}

// NewWatcher returns a Watcher. The caller runs Run.
func NewWatcher(c WatcherConfig) *Watcher {
	w := &Watcher{WatcherConfig: c, changed: make(chan struct{}, 1)}
	w.forget()
	return w
}

// forget drops what the watcher has in memory.
func (w *Watcher) forget() {
	w.held = time.Time{}
	w.begun = false
	w.synced = time.Time{}
	w.index = percolate.New()
	w.briefs = map[string]*watched{}
	w.queue = nil
	w.due = map[string]bool{}
	w.changes = map[string]*pending{}
}

// Changed tells the watcher that a brief has changed.
func (w *Watcher) Changed() {
	select {
	case w.changed <- struct{}{}:
	default: // it is about to look
	}
}

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	failed := false
	for ctx.Err() == nil {
		grown := w.Feed.Grown() // before reading, so that nothing is missed in between
		more, err := w.Step(ctx)

		wait := holdEvery
		switch {
		case errors.Is(err, ErrNotHolder):
			w.forget()
		case err != nil && ctx.Err() == nil:
			if !failed { // once for an outage
				w.Log.WarnContext(ctx, "saved briefs not watched", "retry_in", holdEvery, "error", err)
			}
		case more:
			wait = 0
		}
		failed = err != nil

		if wait == 0 {
			continue
		}
		if err != nil {
			grown = nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-grown:
		case <-w.changed:
			w.synced = time.Time{}
		}
		timer.Stop()
	}

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdEvery)
	defer cancel()
	if err := w.Store.Release(last, w.Holder); err != nil {
		w.Log.WarnContext(ctx, "watch of briefs not released; another server takes over later", "error", err)
	}
}

// Step does a part of the work, and reports whether there is more. It returns ErrNotHolder if another server watches.
func (w *Watcher) Step(ctx context.Context) (more bool, err error) {
	if err := w.hold(ctx); err != nil {
		return false, err
	}
	if err := w.sync(ctx); err != nil {
		return false, err
	}
	next, more, err := w.follow(ctx)
	if err != nil {
		return false, err
	}
	if err := w.match(ctx); err != nil {
		return false, err
	}
	return more || len(w.queue) > 0, w.commit(ctx, next)
}

// hold makes this watcher the holder of the store, or keeps it so.
func (w *Watcher) hold(ctx context.Context) error {
	now := w.Now()
	if !w.held.IsZero() && now.Sub(w.held) < holdEvery {
		return nil
	}
	position, err := w.Store.Hold(ctx, w.Holder, now, now.Add(holdFor))
	if err != nil {
		return err
	}
	if w.held.IsZero() {
		w.position = position
	}
	w.held = now
	return nil
}

// sync takes notice of briefs that accounts have saved, changed and deleted, and of those that are due to be matched
// again.
func (w *Watcher) sync(ctx context.Context) error {
	now := w.Now()
	if !w.synced.IsZero() && now.Sub(w.synced) < holdEvery {
		return nil
	}

	isFirst := w.synced.IsZero() && len(w.briefs) == 0
	if isFirst {
		err := w.Store.Watched(ctx, func(b Brief) error {
			w.add(b)
			return nil
		})
		if err != nil {
			return err
		}
		w.synced = now
		return nil
	}

	revisions, err := w.Store.Revisions(ctx)
	if err != nil {
		return err
	}
	for id, known := range w.briefs {
		if _, exists := revisions[id]; !exists {
			w.remove(id)
		} else if now.Sub(known.matched) >= matchEvery {
			w.enqueue(id)
		}
	}
	for id, revision := range revisions {
		if known := w.briefs[id]; known != nil && known.Revision == revision {
			continue
		}
		b, err := w.Store.Get(ctx, id)
		if errors.Is(err, ErrNotFound) { // deleted meanwhile
			continue
		}
		if err != nil {
			return err
		}
		w.remove(id)
		w.add(b)
	}
	w.synced = now
	return nil
}

// add adds a brief that is to be matched.
func (w *Watcher) add(b Brief) {
	w.briefs[b.ID] = &watched{Brief: b}
	w.enqueue(b.ID)
}

func (w *Watcher) enqueue(id string) {
	if !w.due[id] {
		w.due[id] = true
		w.queue = append(w.queue, id)
	}
}

func (w *Watcher) remove(id string) {
	delete(w.briefs, id)
	delete(w.changes, id)
	w.index.Remove(id)
}

// follow takes notice of the next changes in the feed. It returns the number of the last one, and whether there are
// more.
func (w *Watcher) follow(ctx context.Context) (next int64, more bool, err error) {
	if !w.begun && w.position == 0 { // nobody has watched before, and the briefs are yet to be matched
		page, err := w.Feed.Since(ctx, feed.Newest, 1)
		w.begun = err == nil
		return page.Next, false, err
	}

	page, err := w.Feed.Since(ctx, w.position, changesAtOnce)
	expired, isCoded := errors.AsType[*matching.Error](err)
	switch {
	case isCoded && expired.Code == feed.CodeCursorExpired:
		// Changes are missing, so everybody may have changed.
		w.matchAll()
		page, err = w.Feed.Since(ctx, feed.Newest, 1)
		return page.Next, false, err
	case err != nil:
		return 0, false, err
	}

	var ids []string
	for _, c := range page.Changes {
		switch {
		case c.Kind == feed.Replaced:
			w.matchAll()
		case !slices.Contains(ids, c.ID):
			ids = append(ids, c.ID)
		}
	}
	return page.Next, page.More, w.apply(ctx, ids)
}

// matchAll has all briefs matched again.
func (w *Watcher) matchAll() {
	for _, id := range slices.Sorted(maps.Keys(w.briefs)) {
		w.enqueue(id)
	}
}

// apply puts the present records of freelancers into the index.
func (w *Watcher) apply(ctx context.Context, ids []string) error {
	if len(ids) == 0 || w.index.Len() == 0 {
		return nil
	}
	records, err := w.records(ctx, ids)
	if err != nil {
		return fmt.Errorf("read changed freelancers: %w", err)
	}
	preparer, err := w.Prepare(ctx)
	if err != nil {
		return fmt.Errorf("prepare changed freelancers: %w", err)
	}
	documents, err := preparer.Prepare(ctx, records)
	if err != nil {
		return fmt.Errorf("prepare changed freelancers: %w", err)
	}

	exists := make(map[string]bool, len(documents))
	for _, d := range documents {
		id := d.Freelancer.ID
		exists[id] = true
		for _, c := range w.index.Put(d) {
			w.note(c, id)
		}
	}
	for _, id := range ids {
		if !exists[id] {
			for _, c := range w.index.Delete(id) {
				w.note(c, id)
			}
		}
	}
	return nil
}

// records returns the records of the freelancers who exist.
func (w *Watcher) records(ctx context.Context, ids []string) (records []matching.Freelancer, err error) {
	err = engine.ReadLive(ctx, w.Engine, w.Alias, func(live engine.Snapshot) error {
		records = nil
		if live == nil {
			return nil
		}
		n, err := live.CountEach(ctx, onlyEach(ids))
		if err != nil {
			return err
		}
		var existing []string
		for i, id := range ids {
			if n[i] > 0 {
				existing = append(existing, id)
			}
		}
		records, err = live.Fetch(ctx, existing)

		// The record of a damaged freelancer is left out of matches, too.
		if damage, isDamage := errors.AsType[*engine.DamagedError](err); isDamage {
			records = slices.DeleteFunc(records, func(f matching.Freelancer) bool { return f.ID == "" })
			w.Log.WarnContext(ctx, "damaged records skipped", "error", damage)
			return nil
		}
		return err
	})
	return records, err
}

// onlyEach returns filters that one freelancer each passes.
func onlyEach(ids []string) []engine.Filters {
	filters := make([]engine.Filters, len(ids))
	for i, id := range ids {
		filters[i] = engine.Filters{IDs: []string{id}}
	}
	return filters
}

// note remembers a list that a freelancer has changed.
func (w *Watcher) note(c percolate.Change, id string) {
	p := w.changes[c.Brief]
	if p == nil {
		p = &pending{cause: feed.ByChange, candidates: map[string]*ranking.Candidate{}}
		w.changes[c.Brief] = p
	}
	p.candidates[id] = c.Candidate

	// Who has moved up is found by a match, right after the changes.
	if c.Stale && !w.due[c.Brief] {
		w.due[c.Brief] = true
		w.queue = slices.Insert(w.queue, 0, c.Brief)
	}
}

// match matches briefs that are due, for a while.
func (w *Watcher) match(ctx context.Context) error {
	began := time.Now()
	for len(w.queue) > 0 {
		id := w.queue[0]
		w.queue = w.queue[1:]
		delete(w.due, id)
		if b := w.briefs[id]; b != nil {
			if err := w.matchOne(ctx, b); err != nil {
				w.enqueue(id)
				return err
			}
		}
		if time.Since(began) > matchTime {
			return nil
		}
	}
	return nil
}

// matchOne matches a brief. One that can't be matched, such as after its profile was removed, keeps its list.
func (w *Watcher) matchOne(ctx context.Context, b *watched) error {
	b.matched = w.Now()
	n := &b.Settings
	brief, err := w.Read(n.Request, n.Top)
	var hits []ranking.Candidate
	next := percolate.Brief{ID: b.ID, Top: n.Top, MinScore: n.MinScore, MinLevel: n.MinLevel}
	if err == nil {
		next.Watch, hits, next.IsAll, err = w.Matcher.Watch(ctx, brief, n.Top+percolate.Reserve)
	}
	if errors.Is(err, match.ErrNoData) {
		b.matched = time.Time{}
		return nil
	}
	if e, isCoded := errors.AsType[*matching.Error](err); isCoded && e.Code == matching.CodeInvalid {
		w.Log.WarnContext(ctx, "saved brief not matched", "brief", b.ID, "error", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("match brief %s: %w", b.ID, err)
	}

	next.Hits = hits
	w.index.Set(next)
	p := w.changes[b.ID]
	if p == nil {
		p = &pending{cause: feed.ByRefresh, candidates: map[string]*ranking.Candidate{}}
		w.changes[b.ID] = p
	}
	for i := range hits {
		p.candidates[hits[i].ID] = &hits[i]
	}
	return nil
}

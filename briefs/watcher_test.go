package briefs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/taxonomy"
)

// memory implements briefs.WatchStore and briefs.Feed.
type memory struct {
	briefs   map[string]briefs.Brief
	holder   string
	position int64
	events   []briefs.Event
	changes  []feed.Change
}

func (m *memory) Hold(_ context.Context, holder string, _, _ time.Time) (int64, error) {
	if m.holder != "" && m.holder != holder {
		return 0, briefs.ErrNotHolder
	}
	m.holder = holder
	return m.position, nil
}

func (m *memory) Release(context.Context, string) error {
	m.holder = ""
	return nil
}

func (m *memory) Watched(_ context.Context, yield func(briefs.Brief) error) error {
	for _, b := range m.briefs {
		if err := yield(b); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Revisions(context.Context) (map[string]int64, error) {
	revisions := map[string]int64{}
	for id, b := range m.briefs {
		revisions[id] = b.Revision
	}
	return revisions, nil
}

func (m *memory) Get(_ context.Context, id string) (briefs.Brief, error) { return m.briefs[id], nil }

func (m *memory) Commit(
	_ context.Context, holder string, position int64, lists []briefs.List, _ time.Time,
) error {
	if holder != m.holder {
		return briefs.ErrNotHolder
	}
	m.position = position
	for _, l := range lists {
		b := m.briefs[l.Brief]
		b.Matched = l.Matched
		b.People = l.People
		m.briefs[l.Brief] = b
		m.events = append(m.events, l.Events...)
	}
	return nil
}

func (m *memory) Since(_ context.Context, after int64, limit int) (feed.Page, error) {
	last := int64(len(m.changes))
	if after == feed.Newest {
		return feed.Page{Next: last}, nil
	}
	to := min(after+int64(limit), last)
	return feed.Page{Changes: m.changes[after:to], Next: to, More: to < last}, nil
}

func (m *memory) Grown() <-chan struct{} { return nil }

// A watchWorld is a watcher over a few freelancers.
type watchWorld struct {
	t        *testing.T
	memory   *memory
	engine   *embedded.Engine
	preparer *documents.Preparer
	matcher  *match.Service
	watcher  *briefs.Watcher
}

func newWatchWorld(t *testing.T, people int) *watchWorld {
	t.Helper()
	skills, err := taxonomy.Load()
	must(t, err)
	vectors, err := embedding.Load()
	must(t, err)
	e, err := embedded.Open(t.TempDir(), embedded.Options{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { must(t, e.Close()) })

	w := &watchWorld{
		t: t, engine: e, memory: &memory{briefs: map[string]briefs.Brief{}},
		preparer: documents.NewPreparer(skills, analysis.New(), vectors),
	}
	w.matcher, err = match.New(match.Config{
		Engine: e, Taxonomy: skills, Analyzer: analysis.New(), Embedder: vectors, Window: match.DefaultWindow,
		Log: slog.New(slog.DiscardHandler),
	})
	must(t, err)

	mapping, err := mappings.Load(mappings.Freelancers)
	must(t, err)
	must(t, e.Create(t.Context(), engine.Spec{
		Name: "test", Mapping: mapping, Source: "csv", Currency: "USD", Vectors: w.preparer.Spaces(), Created: time.Now(),
	}))
	bulk, err := e.Bulk(t.Context(), "test", nil)
	must(t, err)
	for n := range people {
		must(t, bulk.Add(t.Context(), w.prepare(developer(n))))
	}
	_, err = bulk.Close(t.Context())
	must(t, err)
	_, err = e.PointAlias(t.Context(), match.Alias, "test")
	must(t, err)

	w.restart("a")
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// developer returns a developer. The higher the number, the worse is the rating.
func developer(n int) matching.Freelancer {
	f := matching.Freelancer{
		ID: fmt.Sprintf("f%d", n), JobTitle: "React developer", Skills: []string{"React", "Node.js"},
		Description: "Online shops",
	}
	f.Rating = matching.Some(5 - float64(n)/10)
	f.Availability = matching.Some(n%2 == 0)
	return f
}

func (w *watchWorld) prepare(f matching.Freelancer) *engine.Document {
	w.t.Helper()
	prepared, err := w.preparer.Prepare(w.t.Context(), []matching.Freelancer{f})
	must(w.t, err)
	return prepared[0]
}

// restart begins with a new watcher, as after a start of the server.
func (w *watchWorld) restart(holder string) {
	w.memory.holder = ""
	w.watcher = briefs.NewWatcher(briefs.WatcherConfig{
		Store: w.memory, Holder: holder, Feed: w.memory, Matcher: w.matcher, Engine: w.engine, Alias: match.Alias,
		Read: func(request json.RawMessage, places int) (*matching.Brief, error) {
			b := &matching.Brief{Limit: places}
			return b, json.Unmarshal(request, b)
		},
		Prepare: func(context.Context) (briefs.Preparer, error) { return w.preparer, nil },
		Now:     time.Now, Log: slog.New(slog.DiscardHandler), Announce: func() {},
	})
}

// save saves a brief for React and Node.js.
func (w *watchWorld) save(id string, top int) {
	w.memory.briefs[id] = briefs.Brief{
		ID: id, Account: "acc", Revision: 1, Settings: briefs.Settings{
			Name: "Shop", Top: top, Notify: true,
			Request: json.RawMessage(`{"JobTitle":"React developer","RequiredSkills":["React","Node.js"]}`),
		},
	}
	w.watcher.Changed()
}

// change stores or erases a freelancer, and announces it in the feed.
func (w *watchWorld) change(id string, f *matching.Freelancer) {
	w.t.Helper()
	change := engine.Change{ID: id}
	kind := feed.Erased
	if f != nil {
		change.Document = w.prepare(*f)
		kind = feed.Stored
	}
	_, err := w.engine.Apply(w.t.Context(), match.Alias, []engine.Change{change})
	must(w.t, err)
	w.memory.changes = append(w.memory.changes, feed.Change{
		Sequence: int64(len(w.memory.changes) + 1), Kind: kind, ID: id,
	})
}

// run lets the watcher do what there is to do, and returns the events since the last call.
func (w *watchWorld) run() []briefs.Event {
	w.t.Helper()
	for more := true; more; {
		var err error
		more, err = w.watcher.Step(w.t.Context())
		must(w.t, err)
	}
	events := w.memory.events
	w.memory.events = nil
	return events
}

func (w *watchWorld) list(id string) (ids []string) {
	for _, p := range w.memory.briefs[id].People {
		ids = append(ids, p.ID)
	}
	return ids
}

// wantEvents compares events by who, what, and whom they replace.
func wantEvents(t *testing.T, events []briefs.Event, want ...string) {
	t.Helper()
	var got []string
	for _, e := range events {
		text := fmt.Sprintf("%s %s %s", e.Kind, e.News.Freelancer, e.News.Cause)
		if e.News.Replaced != "" {
			text += " for " + e.News.Replaced
		}
		if e.News.ReplacedBy != "" {
			text += " for " + e.News.ReplacedBy
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
}

func TestWatcher_SaysWhoEntersAndLeaves(t *testing.T) {
	w := newWatchWorld(t, 20)
	w.save("brf_1", 3)
	wantEvents(t, w.run())
	if diff := cmp.Diff([]string{"f0", "f1", "f2"}, w.list("brf_1")); diff != "" {
		t.Fatalf("first list (-want +got)\n%s", diff)
	}

	best := developer(0)
	best.ID = "new"
	best.Description = "React developer for online shops with React and Node.js"
	w.change("new", &best)
	events := w.run()
	wantEvents(t, events, "brief.entered new change for f2", "brief.left f2 change for new")
	standing := events[0].News.Standing
	if standing.Rank < 1 || standing.Rank > 3 || !slices.Equal(standing.MatchedSkills, []string{"React", "Node.js"}) ||
		len(standing.Explanation) == 0 {
		t.Errorf("standing %+v", standing)
	}

	w.change("f0", nil)
	wantEvents(t, w.run(), "brief.entered f2 change for f0", "brief.left f0 change for f2")

	free := developer(1)
	free.Availability = matching.Some(true)
	w.change("f1", &free)
	wantEvents(t, w.run(), "brief.available f1 change")

	w.change("f1", &free) // the same again
	wantEvents(t, w.run())
}

// When more people leave than a list has in reserve, the brief is matched again.
func TestWatcher_MatchesAgainWhenTheReserveEnds(t *testing.T) {
	w := newWatchWorld(t, 30)
	w.save("brf_1", 3)
	w.run()
	for n := range 20 {
		w.change(fmt.Sprintf("f%d", n), nil)
	}
	w.run()
	if diff := cmp.Diff([]string{"f20", "f21", "f22"}, w.list("brf_1")); diff != "" {
		t.Errorf("list (-want +got)\n%s", diff)
	}
}

// Another watcher tells what has happened while none ran, once.
func TestWatcher_LosesAndRepeatsNothingAfterARestart(t *testing.T) {
	w := newWatchWorld(t, 20)
	w.save("brf_1", 3)
	w.run()
	w.change("f0", nil)

	w.restart("b")
	wantEvents(t, w.run(), "brief.entered f3 refresh for f0", "brief.left f0 refresh for f3")
	w.restart("c")
	wantEvents(t, w.run())
}

func TestWatcher_WaitsWhileAnotherOneWatches(t *testing.T) {
	w := newWatchWorld(t, 5)
	w.run()
	w.watcher = nil
	holder := w.memory.holder
	w.restart("b")
	w.memory.holder = holder
	if _, err := w.watcher.Step(t.Context()); err != briefs.ErrNotHolder { //nolint:errorlint // not wrapped
		t.Errorf("error %v, want ErrNotHolder", err)
	}
}

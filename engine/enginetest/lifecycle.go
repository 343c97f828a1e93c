package enginetest

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

func testNothingLoaded(t *testing.T, o Options) {
	e := o.New(t)()
	_, err := e.Open(t.Context(), alias)
	checkError(t, "open", err, engine.ErrNotFound)
	index, previous, err := e.Alias(t.Context(), alias)
	if index != "" || previous != "" || err != nil {
		t.Errorf("alias = %q, %q, %v; want nothing", index, previous, err)
	}
	infos, err := e.Indexes(t.Context())
	if len(infos) != 0 || err != nil {
		t.Errorf("indexes = %v, %v; want none", infos, err)
	}
	for _, err := range e.Scan(t.Context(), "unknown") {
		checkError(t, "scan", err, engine.ErrNotFound)
	}
	// An engine that was opened before the first load serves the first index without a restart.
	serve(t, e, "first")
}

func testLock(t *testing.T, o Options) {
	open := o.New(t)
	first := open()
	second := open()
	release, err := first.Lock(t.Context(), "load of people.csv by process 1")
	if err != nil {
		t.Fatal(err)
	}

	// An operator who meets the lock has to learn who holds it.
	for name, e := range map[string]Engine{"the same engine": first, "another engine": second} {
		_, err := e.Lock(t.Context(), "other owner")
		checkError(t, "lock by "+name, err, engine.ErrConflict)
		if err != nil && !strings.Contains(err.Error(), "load of people.csv by process 1") {
			t.Errorf("lock by %s: error %q does not name the owner", name, err)
		}
	}

	if err := release(); err != nil {
		t.Fatal(err)
	}

	release, err = second.Lock(t.Context(), "other owner")
	if err != nil {
		t.Fatalf("lock after release: %v", err)
	}

	if err := release(); err != nil {
		t.Fatal(err)
	}
}

func testCreate(t *testing.T, o Options) {
	e := o.New(t)()
	_, err := e.Bulk(t.Context(), "unknown", nil)
	checkError(t, "bulk into an unknown index", err, engine.ErrNotFound)
	bulk := create(t, e, "index")
	checkError(t, "create again", e.Create(t.Context(), spec(t, "index")), engine.ErrConflict)
	_, err = e.Bulk(t.Context(), "index", nil)
	checkError(t, "second bulk", err, engine.ErrConflict)

	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	_, err = e.Bulk(t.Context(), "index", nil)
	checkError(t, "bulk into a complete index", err, engine.ErrConflict)
	checkError(t, "create a complete index again", e.Create(t.Context(), spec(t, "index")), engine.ErrConflict)

	if err := bulk.Add(t.Context(), document("late")); err == nil {
		t.Error("add after close: no error")
	}

	if _, err := bulk.Close(t.Context()); err == nil {
		t.Error("second close: no error")
	}
}

// testIncomplete has three incomplete indexes: one that was only created, one that is being filled, and one whose load
// was aborted. They are listed, but can neither be searched nor read nor go live.
func testIncomplete(t *testing.T, o Options) {
	e := o.New(t)()
	if err := e.Create(t.Context(), spec(t, "created")); err != nil {
		t.Fatal(err)
	}

	filling := create(t, e, "filling")
	aborted := create(t, e, "aborted")
	for _, bulk := range []engine.Bulk{filling, aborted} {
		if err := bulk.Add(t.Context(), document("a", terms("x"))); err != nil {
			t.Fatal(err)
		}
	}

	aborted.Abort()
	if err := aborted.Add(t.Context(), document("b")); err == nil {
		t.Error("add after abort: no error")
	}
	if _, err := aborted.Close(t.Context()); err == nil {
		t.Error("close after abort: no error")
	}

	infos, err := e.Indexes(t.Context())
	if err != nil || len(infos) != 3 {
		t.Fatalf("indexes = %v, %v; want three", infos, err)
	}
	for _, info := range infos {
		isAsCreated := info.Source == "generated" && info.Created.Equal(created)
		if info.Complete || !isAsCreated {
			t.Errorf("info = %+v, want an incomplete index with the values of its spec", info)
		}
		checkUnusable(t, e, info.Name)
	}
	_, err = e.Open(t.Context(), alias)
	checkError(t, "open", err, engine.ErrNotFound)
	_, err = e.OpenIndex(t.Context(), "unknown")
	checkError(t, "open an unknown index", err, engine.ErrNotFound)

	if _, err := filling.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	filling.Abort() // has no effect after Close
	if snapshot, err := e.OpenIndex(t.Context(), "filling"); err != nil || snapshot.Info().Documents != 1 {
		t.Errorf("open a complete index without an alias: %v", err)
	}
	if _, err := e.PointAlias(t.Context(), alias, "filling"); err != nil {
		t.Errorf("point alias to a complete index: %v", err)
	}

	for _, name := range []string{"created", "aborted"} {
		if err := e.Drop(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
}

// checkUnusable checks that an index can't be opened, read or made live.
func checkUnusable(t *testing.T, e Engine, index string) {
	t.Helper()
	_, err := e.PointAlias(t.Context(), alias, index)
	checkError(t, "point alias to "+index, err, engine.ErrConflict)
	_, err = e.OpenIndex(t.Context(), index)
	checkError(t, "open "+index, err, engine.ErrConflict)

	hasYielded := false
	for _, err := range e.Scan(t.Context(), index) {
		hasYielded = true
		checkError(t, "scan "+index, err, engine.ErrConflict)
	}
	if !hasYielded {
		t.Errorf("scan %s: no error", index)
	}
}

func testInfo(t *testing.T, o Options) {
	e := o.New(t)()
	late := spec(t, "a-late")
	early := spec(t, "b-early")
	late.Created = created.Add(time.Hour)
	for _, s := range []engine.Spec{late, early} {
		fill(t, createSpec(t, e, s), document("a"))
	}

	// Indexes come oldest first, whatever their names.
	infos, err := e.Indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	want := []engine.Info{infoOf(early), infoOf(late)}

	// Sizes depend on the engine, so they are only compared with 0.
	for i := range infos {
		if !infos[i].Pending {
			t.Errorf("%s is not pending, although no alias has pointed to it", infos[i].Name)
		}
		infos[i].Pending = false
		if infos[i].Bytes <= 0 {
			t.Errorf("%s has %d bytes, want more than 0", infos[i].Name, infos[i].Bytes)
		}

		infos[i].Bytes = 0
	}

	if diff := cmp.Diff(want, infos); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}

	// An index that was live is no longer pending, which infoOf expects.
	if _, err := e.PointAlias(t.Context(), alias, "b-early"); err != nil {
		t.Fatal(err)
	}

	got := open(t, e, "b-early").Info()
	got.Bytes = 0
	if diff := cmp.Diff(want[0], got); diff != "" {
		t.Errorf("snapshot info (-want +got):\n%s", diff)
	}
}

// infoOf returns the info of a complete index of one document, but for its size.
func infoOf(s engine.Spec) engine.Info {
	return engine.Info{
		Name: s.Name, Mapping: "freelancers.v1", Source: s.Source, Currency: s.Currency, Taxonomy: s.Taxonomy,
		Created: s.Created, Complete: true, Documents: 1,
	}
}

func testAlias(t *testing.T, o Options) {
	e := o.New(t)()
	for _, name := range []string{"one", "two", "three"} {
		build(t, e, name, document(name))
	}

	_, err := e.PointAlias(t.Context(), alias, "unknown")
	checkError(t, "point alias to an unknown index", err, engine.ErrNotFound)

	// Repeating a step must not lose the index to which a rollback returns.
	for _, step := range []struct{ to, previous string }{
		{"one", ""}, {"two", "one"}, {"two", "one"}, {"three", "two"}, {"two", "three"},
	} {
		previous, err := e.PointAlias(t.Context(), alias, step.to)
		if err != nil || previous != step.previous {
			t.Errorf("point alias to %s: previous %q, error %v; want %q", step.to, previous, err, step.previous)
		}

		index, previous, err := e.Alias(t.Context(), alias)
		if err != nil || index != step.to || previous != step.previous {
			t.Errorf("alias = %q, %q, %v; want %q, %q", index, previous, err, step.to, step.previous)
		}

		open(t, e, step.to)
	}
}

func testDrop(t *testing.T, o Options) {
	e := o.New(t)()
	build(t, e, "one")
	build(t, e, "two")

	for _, name := range []string{"one", "two"} {
		if _, err := e.PointAlias(t.Context(), alias, name); err != nil {
			t.Fatal(err)
		}
	}

	checkError(t, "drop the live index", e.Drop(t.Context(), "two"), engine.ErrConflict)
	for _, name := range []string{"one", "one", "unknown"} {
		if err := e.Drop(t.Context(), name); err != nil {
			t.Errorf("drop %s: %v", name, err)
		}
	}

	index, previous, err := e.Alias(t.Context(), alias)
	if index != "two" || previous != "" || err != nil {
		t.Errorf("alias = %q, %q, %v; want two and no previous index", index, previous, err)
	}

	_, err = e.PointAlias(t.Context(), alias, "one")
	checkError(t, "point alias to a dropped index", err, engine.ErrNotFound)

	if infos, err := e.Indexes(t.Context()); err != nil || len(infos) != 1 {
		t.Errorf("indexes = %v, %v; want one", infos, err)
	}

	build(t, e, "one") // the name can be used again
}

func testReplace(t *testing.T, o Options) {
	e := o.New(t)()
	result := build(t, e, "index",
		document("a", terms("old", "both"), skill("go", matching.Listed), family("languages"),
			signals(func(s *matching.Signals) { s.Rating = matching.Some(1.0) })),
		document("b", terms("both")),
		document("a", terms("new", "both"), signals(func(s *matching.Signals) { s.Rating = matching.Some(4.0) })))
	if want := (engine.BulkResult{Indexed: 2}); result != want {
		t.Fatalf("close = %+v, want %+v", result, want)
	}

	if _, err := e.PointAlias(t.Context(), alias, "index"); err != nil {
		t.Fatal(err)
	}

	s := open(t, e, "index")

	// The replaced document must be gone from the word lists, the frequencies and the statistics alike.
	word := func(text string) *engine.Query {
		return &engine.Query{Terms: []engine.Term{{Text: text, Weight: 1, Reference: true}}, TextWeight: 1, Size: 10}
	}
	for text, want := range map[string][]string{"old": {}, "new": {"a"}, "both": {"b", "a"}} {
		if diff := cmp.Diff(want, hitIDs(t, s, word(text))); diff != "" {
			t.Errorf("search %q (-want +got):\n%s", text, diff)
		}
	}

	if page := search(t, s, word("old")); page.Reference != 0 {
		t.Errorf("reference of a term that only a replaced document has = %v, want 0", page.Reference)
	}

	if all := hitIDs(t, s, &engine.Query{MatchAll: true, Size: 10}); len(all) != 2 {
		t.Errorf("everyone = %v, want a and b once", all)
	}

	got, err := s.Statistics(t.Context(), []string{"go"})
	want := engine.Statistics{Documents: 2, MeanRating: matching.Some(4.0), SkillCount: map[string]int{"go": 0}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("statistics: %v (-want +got):\n%s", err, diff)
	}

	if n, err := s.Count(t.Context(), engine.Filters{}); n != 2 || err != nil {
		t.Errorf("count = %d, %v; want 2", n, err)
	}

	if n, err := s.CountUnknown(t.Context(), engine.Filters{MinRating: matching.Some(1.0)}); n != 1 || err != nil {
		t.Errorf("count of unknown ratings = %d, %v; want 1", n, err)
	}

	if diff := cmp.Diff([]string{"b", "a"}, scanIDs(t, e, "index")); diff != "" {
		t.Errorf("scan (-want +got):\n%s", diff)
	}
}

func testFailed(t *testing.T, o Options) {
	e := o.New(t)()
	broken := signals(func(s *matching.Signals) { s.HourlyRate = matching.Some(math.NaN()) })
	result := build(t, e, "index",
		document("good"), document("bad", broken), document("bad", broken), document(""),
		document("mended", broken), document("mended"))
	if want := (engine.BulkResult{Indexed: 2, Failed: 2}); result != want {
		t.Errorf("close = %+v, want %+v", result, want)
	}
}

func testCanceled(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index", document("a", terms("word")))
	ctx, cancel := context.WithCancel(t.Context())
	bulk := create(t, e, "incomplete")
	cancel()
	_, err := s.Search(ctx, &engine.Query{Terms: []engine.Term{{Text: "word", Weight: 1}}, Size: 10})
	checkError(t, "search", err, context.Canceled)
	_, err = s.Fetch(ctx, []string{"a"})
	checkError(t, "fetch", err, context.Canceled)
	_, err = s.Count(ctx, engine.Filters{MinRating: matching.Some(1.0)})
	checkError(t, "count", err, context.Canceled)
	_, err = s.CountEach(ctx, []engine.Filters{{MinRating: matching.Some(1.0)}})
	checkError(t, "count each", err, context.Canceled)
	_, err = s.List(ctx, engine.Filters{}, "", 10)
	checkError(t, "list", err, context.Canceled)
	checkError(t, "add", bulk.Add(ctx, document("b")), context.Canceled)
	_, err = bulk.Close(ctx)
	checkError(t, "close", err, context.Canceled)

	for _, err := range e.Scan(ctx, "index") {
		checkError(t, "scan", err, context.Canceled)
	}

	// A close that was interrupted may have done anything, so the index must not go live.
	_, err = e.PointAlias(t.Context(), alias, "incomplete")
	checkError(t, "point alias to an index whose close was canceled", err, engine.ErrConflict)
}

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// put returns a change that stores a document with the given name.
func put(id, name string, with ...func(*engine.Document)) engine.Change {
	return engine.Change{ID: id, Document: document(id, append(with, named(name))...)}
}

func named(name string) func(*engine.Document) {
	return func(d *engine.Document) { d.Freelancer.Name = name }
}

func version(c engine.Change) string { return engine.Version(&c.Document.Freelancer) }

// apply makes changes that must be accepted as a whole. Outcomes may have errors.
func apply(t *testing.T, e Engine, changes ...engine.Change) []engine.Outcome {
	t.Helper()
	outcomes, err := e.Apply(t.Context(), alias, changes)
	if err != nil || len(outcomes) != len(changes) {
		t.Fatalf("apply = %d outcomes, %v; want %d", len(outcomes), err, len(changes))
	}
	return outcomes
}

// mustApply makes changes that must all succeed.
func mustApply(t *testing.T, e Engine, changes ...engine.Change) {
	t.Helper()
	for i, o := range apply(t, e, changes...) {
		if o.Err != nil {
			t.Fatalf("change %d of %q: %v", i, changes[i].ID, o.Err)
		}
	}
}

// current opens the alias once.
func current(t *testing.T, e Engine) engine.Snapshot {
	t.Helper()
	s, err := e.Open(t.Context(), alias)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stored returns the names of the freelancers with these IDs, by ID. Those who are missing are left out.
func stored(t *testing.T, s engine.Snapshot, ids ...string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, id := range ids {
		found, err := s.Fetch(t.Context(), []string{id})
		switch {
		case errors.Is(err, engine.ErrNotFound):
		case err != nil:
			t.Fatal(err)
		default:
			names[id] = found[0].Name
		}
	}
	return names
}

// eventually calls check with new snapshots until it returns "". The bound on the time only ends a test that would
// never pass.
func eventually(t *testing.T, e Engine, check func(s engine.Snapshot) (problem string)) {
	t.Helper()
	problem := ""
	for start := time.Now(); time.Since(start) < 5*time.Minute; time.Sleep(2 * time.Millisecond) {
		if problem = check(current(t, e)); problem == "" {
			return
		}
	}
	t.Fatalf("the engine never noticed a change: %s", problem)
}

// testApply makes each kind of change and looks at everything that a snapshot opened afterwards returns.
func testApply(t *testing.T, o Options) {
	storage := o.New(t)
	e := storage()
	server := storage()
	rated := func(rating float64) func(*engine.Document) {
		return signals(func(s *matching.Signals) { s.Rating = matching.Some(rating) })
	}
	serve(t, e, "index",
		put("kept", "Kim", terms("x"), rated(1)).Document,
		put("replaced", "Rae", terms("x", "old"), rated(1), skill("go", matching.Listed)).Document,
		put("deleted", "Del", terms("x"), rated(5), skill("go", matching.Listed)).Document)

	open(t, server, "index")

	replaced := put("replaced", "Rae II", terms("x", "new"), rated(3), skill("sql", matching.Listed))
	added := put("added", "Ada", terms("x", "new"), skill("sql", matching.Listed),
		words([]string{"Painter"}, []string{"Glaze"}))
	before := map[string]string{}
	for _, id := range []string{"kept", "replaced", "deleted"} {
		found, err := current(t, e).Fetch(t.Context(), []string{id})
		if err != nil {
			t.Fatal(err)
		}
		before[id] = engine.Version(&found[0])
	}

	want := []engine.Outcome{
		{Before: before["replaced"], After: version(replaced)},
		{After: version(added)},
		{Before: before["deleted"]},
		{}, // deleting a missing document is no error
		{Before: version(added), After: version(added)},
	}

	got := apply(t, e, replaced, added, engine.Change{ID: "deleted"}, engine.Change{ID: "missing"}, added)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("outcomes (-want +got):\n%s", diff)
	}

	check := func(s engine.Snapshot) string {
		ctx := t.Context()
		names := stored(t, s, "kept", "replaced", "deleted", "added", "missing")
		wantNames := map[string]string{"kept": "Kim", "replaced": "Rae II", "added": "Ada"}
		if diff := cmp.Diff(wantNames, names); diff != "" {
			return "fetch (-want +got):\n" + diff
		}

		for text, want := range map[string][]string{
			"x": {"added", "kept", "replaced"}, "old": nil, "new": {"added", "replaced"},
		} {
			q := &engine.Query{Terms: []engine.Term{{Text: text, Weight: 1, Reference: true}}, TextWeight: 1, Size: 10}
			if diff := cmp.Diff(want, slices.Sorted(slices.Values(hitIDs(t, s, q)))); diff != "" {
				return fmt.Sprintf("search %q (-want +got):\n%s", text, diff)
			}
		}

		if n, err := s.Count(ctx, engine.Filters{MinRating: matching.Some(2.0)}); n != 1 || err != nil {
			return fmt.Sprintf("count = %d, %v; want 1", n, err)
		}
		if n, err := s.Count(ctx, engine.Filters{}); n != 3 || err != nil {
			return fmt.Sprintf("count of all = %d, %v; want 3", n, err)
		}

		stats, err := s.Statistics(ctx, []string{"go", "sql"})
		wantStats := engine.Statistics{
			Documents: 3, MeanRating: matching.Some(2.0), SkillCount: map[string]int{"go": 0, "sql": 2},
		}
		if diff := cmp.Diff(wantStats, stats); err != nil || diff != "" {
			return fmt.Sprintf("statistics: %v (-want +got):\n%s", err, diff)
		}

		v, err := s.Vocabulary(ctx)
		if err != nil {
			return err.Error()
		}

		text := fmt.Sprint(v.Skills, v.JobTitles, v.UnknownSkills)
		if want := "[{sql 2}] [{Painter 1}] [{Glaze 1}]"; text != want {
			return fmt.Sprintf("vocabulary = %s, want %s", text, want)
		}

		return ""
	}
	if problem := check(current(t, e)); problem != "" {
		t.Error("in the engine that made the changes: " + problem)
	}

	// Another process sees a change only after its index was refreshed.
	eventually(t, server, check)
	s := openWhen(t, server, func(info engine.Info) bool { return info.Documents == 3 && !info.Updated.IsZero() })
	for _, c := range []engine.Change{replaced, added} {
		found, err := s.Fetch(t.Context(), []string{c.ID})
		if err != nil || engine.Version(&found[0]) != version(c) {
			t.Errorf("fetch %s: %v, %v; want version %s as in the outcome", c.ID, found, err, version(c))
		}
	}

	ids := scanIDs(t, server, "index")
	if slices.Sort(ids); !slices.Equal(ids, []string{"added", "kept", "replaced"}) {
		t.Errorf("scan = %v", ids)
	}

	// What a deletion removed can come back.
	again := put("deleted", "Del II", terms("x"))
	if got, want := apply(t, server, again), []engine.Outcome{{After: version(again)}}; !cmp.Equal(want, got) {
		t.Errorf("add a deleted document: %+v, want %+v", got, want)
	}

	eventually(t, e, func(s engine.Snapshot) string {
		return cmp.Diff(map[string]string{"deleted": "Del II"}, stored(t, s, "deleted"))
	})
}

func testApplyConditions(t *testing.T, o Options) {
	e := o.New(t)()
	first := put("a", "first")
	second := put("a", "second")
	serve(t, e, "index", first.Document)

	// A version is a hash of the record, so these stay the same however often the records are stored.
	v1 := version(first)
	v2 := version(second)
	is := func(versions ...string) engine.Condition { return engine.Condition{Versions: versions} }
	exists := func(yes bool) engine.Condition { return engine.Condition{Exists: matching.Some(yes)} }
	for i, c := range []struct {
		change engine.Change
		id     string
		given  engine.Condition
		want   engine.Outcome
		has    string // version in the expected VersionError
		fails  bool
	}{
		{change: second, id: "a", given: is(v2), has: v1, fails: true},
		{change: second, id: "a", given: exists(false), has: v1, fails: true},
		{change: second, id: "b", given: is(v1), has: "", fails: true},
		{change: engine.Change{}, id: "b", given: exists(true), has: "", fails: true},
		{change: engine.Change{}, id: "a", given: is("other"), has: v1, fails: true},
		{change: second, id: "a", given: is("other", v1), want: engine.Outcome{Before: v1, After: v2}},
		{change: second, id: "a", given: is(v1), has: v2, fails: true},
		{change: second, id: "a", given: is(v2), want: engine.Outcome{Before: v2, After: v2}},
		{change: first, id: "a", given: exists(true), want: engine.Outcome{Before: v2, After: v1}},
		{change: engine.Change{}, id: "a", given: is(v1), want: engine.Outcome{Before: v1}},
		{change: engine.Change{}, id: "a", given: is(v1), has: "", fails: true},
		{change: engine.Change{}, id: "a", given: exists(false), want: engine.Outcome{}},
		{change: second, id: "a", given: exists(true), has: "", fails: true},
		{change: second, id: "a", given: exists(false), want: engine.Outcome{After: v2}},
	} {
		c.change.ID, c.change.If = c.id, c.given
		if c.change.Document != nil && c.id != "a" {
			c.change.Document = document(c.id)
		}

		got := apply(t, e, c.change)[0]
		if !c.fails {
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("change %d (-want +got):\n%s", i, diff)
			}
			continue
		}

		conflict, ok := errors.AsType[*engine.VersionError](got.Err)
		if !ok || *conflict != (engine.VersionError{ID: c.id, Has: c.has}) {
			t.Errorf("change %d: %+v, want a VersionError with version %q", i, got, c.has)
		}
	}

	if diff := cmp.Diff(map[string]string{"a": "second"}, stored(t, current(t, e), "a", "b")); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
}

// testApplyBatch makes many changes at once: those of one document take effect in order, and a failing change affects
// no other.
func testApplyBatch(t *testing.T, o Options) {
	e := o.New(t)()
	serve(t, e, "index", put("a", "0").Document, put("b", "0").Document)
	a0 := put("a", "0")
	a1 := put("a", "1")
	a2 := put("a", "2")
	ifVersion := func(c engine.Change, version string) engine.Change {
		c.If.Versions = []string{version}
		return c
	}

	// Records are JSON, which has no NaN.
	broken := put("a", "broken", signals(func(s *matching.Signals) { s.Rating = matching.Some(math.NaN()) }))
	other := put("b", "1")
	wrongID := put("b", "wrong")
	wrongID.ID = "a"
	got := apply(t, e,
		ifVersion(a1, version(a0)),
		ifVersion(a2, version(a0)), // no longer
		broken,
		ifVersion(a2, version(a1)),
		engine.Change{ID: "a"},
		a1,
		other,
		put("", "nobody"),
		engine.Change{ID: ""},
		put("c", "1"),
		engine.Change{ID: "c"},
		put("d", "1", vectors(matching.Vector{1, 2})), // the index has no vectors
		wrongID,
	)

	failed := []int{}
	for i, outcome := range got {
		if outcome.Err != nil {
			failed = append(failed, i)
		}

		isConflict := errors.Is(outcome.Err, engine.ErrConflict)
		if isConflict && i != 1 {
			t.Errorf("change %d: %v, want an error other than a conflict", i, outcome.Err)
		}
		got[i].Err = nil
	}

	if want := []int{1, 2, 7, 11, 12}; !slices.Equal(failed, want) {
		t.Errorf("changes %v failed, want %v", failed, want)
	}

	c := put("c", "1")
	for i, want := range map[int]engine.Outcome{
		0: {Before: version(a0), After: version(a1)},
		3: {Before: version(a1), After: version(a2)},
		4: {Before: version(a2)},
		5: {After: version(a1)},
		6: {Before: version(put("b", "0")), After: version(other)},
		8: {}, 9: {After: version(c)},
		10: {Before: version(c)},
	} {
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("change %d (-want +got):\n%s", i, diff)
		}
	}

	want := map[string]string{"a": "1", "b": "1"}
	if diff := cmp.Diff(want, stored(t, current(t, e), "a", "b", "c", "d")); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}

	// More changes than engines send at once.
	var many []engine.Change
	for i := range 1500 {
		many = append(many, put(fmt.Sprintf("id-%d", i%1400), fmt.Sprint(i)))
	}

	mustApply(t, e, many...)
	if n, err := current(t, e).Count(t.Context(), engine.Filters{}); n != 1402 || err != nil {
		t.Errorf("count = %d, %v; want 1402", n, err)
	}

	want = map[string]string{"id-0": "1400", "id-99": "1499", "id-100": "100", "id-1399": "1399"}
	if diff := cmp.Diff(want, stored(t, current(t, e), "id-0", "id-99", "id-100", "id-1399")); diff != "" {
		t.Errorf("after many changes (-want +got):\n%s", diff)
	}
}

// testApplyVectors changes documents with vectors. A search by vector must find the new ones only.
func testApplyVectors(t *testing.T, o Options) {
	e := o.New(t)()
	east := matching.Vector{127, 0}
	north := matching.Vector{0, 127}
	serveVectors(t, e, "index", []matching.VectorSpace{plane},
		document("a", vectors(east)), document("b", vectors(east)), document("c", vectors(east)))
	got := apply(t, e, put("a", "a", vectors(north)), put("b", "b"), put("c", "c", vectors(matching.Vector{1, 2, 3})),
		put("d", "d", vectors(north)), put("e", "e", vectors(nil)))
	for i, o := range got {
		if invalid := i == 1 || i == 2; (o.Err != nil) != invalid {
			t.Errorf("change %d: error %v", i, o.Err)
		}
	}

	for want, v := range map[string]matching.Vector{"[b c]": east, "[a d]": north} {
		q := &engine.Query{Size: 10, Semantic: &engine.SemanticClause{Vector: v, Weight: 1, Floor: .5, Ceiling: 1}}
		ids := hitIDs(t, current(t, e), q)
		if slices.Sort(ids); fmt.Sprint(ids) != want {
			t.Errorf("nearest to %v = %v, want %s", v, ids, want)
		}
	}
}

func testApplyErrors(t *testing.T, o Options) {
	e := o.New(t)()
	c := e
	_, err := c.Apply(t.Context(), alias, []engine.Change{put("a", "a")})
	checkError(t, "apply without an index", err, engine.ErrNotFound)
	_, err = c.Track(t.Context(), "unknown")
	checkError(t, "track an unknown index", err, engine.ErrNotFound)
	create(t, e, "incomplete").Abort()
	_, err = c.Track(t.Context(), "incomplete")
	checkError(t, "track an incomplete index", err, engine.ErrConflict)
	_, err = c.Apply(t.Context(), alias, []engine.Change{put("a", "a")})
	checkError(t, "apply without a complete index", err, engine.ErrNotFound)

	serve(t, e, "index", document("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Apply(ctx, alias, []engine.Change{put("a", "a")})
	checkError(t, "apply with a canceled context", err, context.Canceled)
}

// testApplySnapshot reads from a snapshot that was opened before changes.
func testApplySnapshot(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index", put("a", "old", terms("x")).Document, put("b", "old", terms("x")).Document)
	mustApply(t, e, put("a", "new", terms("x")), engine.Change{ID: "b"}, put("c", "new", terms("x")))
	ids := hitIDs(t, s, &engine.Query{Terms: []engine.Term{{Text: "x", Weight: 1}}, Size: 10})
	slices.Sort(ids)
	if before, after := []string{"a", "b"}, []string{"a", "c"}; !slices.Equal(ids, before) && !slices.Equal(ids, after) {
		t.Errorf("hits in an earlier snapshot = %v, want %v or %v", ids, before, after)
	}
	for id, names := range map[string][]string{"a": {"old", "new"}, "b": {"old", ""}, "c": {"", "new"}} {
		if name := stored(t, s, id)[id]; !slices.Contains(names, name) {
			t.Errorf("freelancer %s in an earlier snapshot = %q, want one of %q", id, name, names)
		}
	}
}

// testApplyConcurrent increments a number in one document from several goroutines and two engines. Each increment is
// conditional on the version that was read.
func testApplyConcurrent(t *testing.T, o Options) {
	storage := o.New(t)
	engines := []Engine{storage(), storage()}
	counter := func(n int) engine.Change {
		return put("counter", "counter", signals(func(s *matching.Signals) { s.TotalSales = matching.Some(n) }))
	}
	serve(t, engines[0], "index", counter(0).Document)
	open(t, engines[1], "index")

	const each = 6
	increment := func(e Engine) error {
		n := -1
		for {
			s, err := e.Open(t.Context(), alias)
			if err != nil {
				return err
			}

			found, err := s.Fetch(t.Context(), []string{"counter"})
			if err != nil {
				return err
			}

			// Searches of one engine must not go back to an earlier state once they have shown a later one.
			if now := found[0].TotalSales.Value; now < n {
				return fmt.Errorf("an engine returned %d after %d", now, n)
			} else if n = now; n < 0 {
				return errors.New("the counter is negative")
			}

			next := counter(n + 1)
			next.If.Versions = []string{version(counter(n))}
			outcomes, err := e.Apply(t.Context(), alias, []engine.Change{next})
			if err != nil {
				return err
			}
			if outcomes[0].Err == nil {
				return nil
			}

			// Another goroutine was faster. Every other error fails the test.
			if _, ok := errors.AsType[*engine.VersionError](outcomes[0].Err); !ok {
				return outcomes[0].Err
			}
		}
	}

	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for range each {
				if err := increment(engines[i%2]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}

	group.Wait()

	// Each increment that was acknowledged must be there, on both engines.
	for _, e := range engines {
		eventually(t, e, func(s engine.Snapshot) string {
			found, err := s.Fetch(t.Context(), []string{"counter"})
			if err != nil || found[0].TotalSales.Value != 4*each {
				return fmt.Sprintf("counter = %v, %v; want %d", found, err, 4*each)
			}
			return ""
		})
	}
}

// changed returns what a tracker reports: the names of the freelancers by ID, "" for those who were deleted.
func changed(t *testing.T, tracker engine.Tracker) map[string]string {
	t.Helper()
	names := map[string]string{}
	for c, err := range tracker.Changed(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := names[c.ID]; twice {
			t.Errorf("%q was reported twice", c.ID)
		}
		names[c.ID] = ""
		if c.Freelancer != nil {
			names[c.ID] = c.Freelancer.Name
		}
	}
	return names
}

func testTrack(t *testing.T, o Options) {
	storage := o.New(t)
	e := storage()
	other := storage()
	serve(t, e, "index", put("a", "0").Document, put("b", "0").Document, put("c", "0").Document)
	open(t, other, "index")
	mustApply(t, e, put("a", "before"), engine.Change{ID: "c"})
	tracker, err := e.Track(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	check := func(when string, want map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, changed(t, tracker)); diff != "" {
			t.Errorf("%s: changed (-want +got):\n%s", when, diff)
		}
	}

	none := map[string]string{}
	check("at the start", none)
	mustApply(t, other, put("a", "1"), put("d", "1"), put("a", "2"))
	mustApply(t, e, put("d", "2"), engine.Change{ID: "b"})

	// A caller that stops halfway must get the same changes again.
	for c, err := range tracker.Changed(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("stopped after %s", c.ID)
		break
	}

	check("after a call that was stopped", map[string]string{"a": "2", "b": "", "d": "2"})
	check("without further changes", none)
	failing := put("a", "3")
	failing.If.Exists = matching.Some(false)
	if o := apply(t, e, failing); o[0].Err == nil {
		t.Error("a change with a false condition succeeded")
	}

	check("after a change that failed", none)
	mustApply(t, other, put("b", "1"), engine.Change{ID: "d"}, put("e", "1"), engine.Change{ID: "a"})
	mustApply(t, other, engine.Change{ID: "e"}, put("a", "again"))
	check("after deletions and additions", map[string]string{"a": "again", "b": "1", "d": "", "e": ""})
	update, err := e.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := errors.Join(update.Add(t.Context(), put("f", "1").Document), update.Delete(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}

	if _, err := update.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	check("after an update", map[string]string{"a": "", "f": "1"})
	var many []engine.Change
	want := map[string]string{}
	// Many changes, which an engine may have to read page by page.
	for i := range 1200 {
		id := fmt.Sprint("id-", i)
		many = append(many, put(id, "1"))
		want[id] = "1"
	}

	mustApply(t, e, many...)
	check("after many changes", want)
	if err := tracker.Close(); err != nil {
		t.Error(err)
	}

	build(t, e, "next", document("a"))
	later, err := e.Track(t.Context(), "next") // no alias points to it
	if err != nil {
		t.Fatal(err)
	}

	if got := changed(t, later); len(got) > 0 {
		t.Errorf("changes of another index = %v, want none", got)
	}

	if err := later.Close(); err != nil {
		t.Error(err)
	}
}

// testApplySwap makes changes while the alias moves. A change must be in the new index, or be reported by a tracker of
// the old one that is asked after the move has returned: a load copies what it reports.
func testApplySwap(t *testing.T, o Options) {
	storage := o.New(t)
	e := storage()
	server := storage()
	serve(t, e, "index-0", put("first", "0").Document)
	open(t, server, "index-0")
	var n atomic.Int64
	for i := range 2 {
		from := fmt.Sprint("index-", i)
		to := fmt.Sprint("index-", i+1)
		tracker, err := e.Track(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}

		build(t, e, to, put("first", to).Document)
		var mu sync.Mutex
		acknowledged := map[string]bool{} // by ID, whether the change began after the move
		var moved atomic.Bool
		ctx, stop := context.WithCancel(t.Context())
		var changing sync.WaitGroup
		for worker := range 4 {
			changing.Go(func() {
				for ctx.Err() == nil {
					id := fmt.Sprint("id-", n.Add(1))
					late := moved.Load()
					outcomes, err := []Engine{e, server}[worker%2].
						Apply(t.Context(), alias, []engine.Change{put(id, "1")})
					if err != nil || outcomes[0].Err != nil {
						t.Errorf("apply: %+v, %v", outcomes, err)
						return
					}

					mu.Lock()
					acknowledged[id] = late
					mu.Unlock()
				}
			})
		}

		reached := func(want int, late bool) {
			for t.Context().Err() == nil && !t.Failed() {
				mu.Lock()
				count := 0
				for _, after := range acknowledged {
					if after == late {
						count++
					}
				}

				mu.Unlock()
				if count >= want {
					return
				}

				time.Sleep(time.Millisecond)
			}
		}

		reached(20, false)
		if _, err := e.SwapAlias(t.Context(), alias, from, to); err != nil {
			t.Fatal(err)
		}

		moved.Store(true)
		reported := changed(t, tracker)
		reached(20, true)
		stop()
		changing.Wait()

		if err := tracker.Close(); err != nil {
			t.Error(err)
		}

		s, err := e.OpenIndex(t.Context(), to) // Open may show the changes of the other engine only within a second
		if err != nil {
			t.Fatal(err)
		}

		for id, late := range acknowledged {
			_, isReported := reported[id]
			isCovered := isReported && !late // a load copies what a tracker reports before it ends
			if len(stored(t, s, id)) == 0 && !isCovered {
				t.Errorf("change %s (begun after the move: %t) is not in the new index, and was not reported", id, late)
			}
		}
	}
}

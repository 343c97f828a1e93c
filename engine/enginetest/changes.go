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

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
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

// testApply makes each kind of change with one call and checks everything that a snapshot opened afterwards returns, in
// the engine that made the changes and in another one.
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
	before := storedVersions(t, current(t, e), "replaced", "deleted")

	replaced := put("replaced", "Rae II", terms("x", "new"), rated(3), skill("sql", matching.Listed))
	added := put("added", "Ada", terms("x", "new"), skill("sql", matching.Listed),
		words([]string{"Painter"}, []string{"Glaze"}))

	got := apply(t, e, replaced, added, engine.Change{ID: "deleted"}, engine.Change{ID: "missing"}, added)
	want := []engine.Outcome{
		{Before: before["replaced"], After: version(replaced)},
		{After: version(added)},
		{Before: before["deleted"]},
		{}, // deleting a missing document is no error
		{Before: version(added), After: version(added)}, // adding the same document again changes nothing
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("outcomes (-want +got):\n%s", diff)
	}

	// The engine that made the changes must show them at once. Another process may show them a little later.
	if problem := checkApplied(t, current(t, e)); problem != "" {
		t.Error("in the engine that made the changes: " + problem)
	}
	eventually(t, server, func(s engine.Snapshot) string { return checkApplied(t, s) })

	// A version is a hash of the record, so every process reads the one that the outcome reported.
	s := openWhen(t, server, func(info engine.Info) bool { return info.Documents == 3 && !info.Updated.IsZero() })
	wantVersions := map[string]string{"replaced": version(replaced), "added": version(added)}
	if diff := cmp.Diff(wantVersions, storedVersions(t, s, "replaced", "added")); diff != "" {
		t.Errorf("versions (-outcome +fetch):\n%s", diff)
	}

	ids := slices.Sorted(slices.Values(scanIDs(t, server, "index")))
	if !slices.Equal(ids, []string{"added", "kept", "replaced"}) {
		t.Errorf("scan = %v", ids)
	}

	// An id that was deleted can be added again, by the other process, too.
	again := put("deleted", "Del II", terms("x"))
	if got, want := apply(t, server, again), []engine.Outcome{{After: version(again)}}; !cmp.Equal(want, got) {
		t.Errorf("add a deleted document: %+v, want %+v", got, want)
	}

	eventually(t, e, func(s engine.Snapshot) string {
		return cmp.Diff(map[string]string{"deleted": "Del II"}, stored(t, s, "deleted"))
	})
}

// storedVersions returns the versions of freelancers, by ID. All of them must exist.
func storedVersions(t *testing.T, s engine.Snapshot, ids ...string) map[string]string {
	t.Helper()
	freelancers, err := s.Fetch(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for i := range freelancers {
		versions[ids[i]] = engine.Version(&freelancers[i])
	}
	return versions
}

// checkApplied returns how a snapshot differs from the index that the changes of testApply leave, or "". The index has
// three documents:
//
//	id        name    terms   rating  skill  job title  unknown skill
//	kept      Kim     x       1
//	replaced  Rae II  x new   3       sql
//	added     Ada     x new           sql    Painter    Glaze
func checkApplied(t *testing.T, s engine.Snapshot) (problem string) {
	t.Helper()
	ctx := t.Context()
	wantNames := map[string]string{"kept": "Kim", "replaced": "Rae II", "added": "Ada"}
	names := stored(t, s, "kept", "replaced", "deleted", "added", "missing")
	if diff := cmp.Diff(wantNames, names); diff != "" {
		return "fetch (-want +got):\n" + diff
	}

	for term, want := range map[string][]string{
		"x":   {"added", "kept", "replaced"},
		"old": nil,
		"new": {"added", "replaced"},
	} {
		q := &engine.Query{Terms: []engine.Term{{Text: term, Weight: 1, Reference: true}}, TextWeight: 1, Size: 10}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(hitIDs(t, s, q)))); diff != "" {
			return fmt.Sprintf("search %q (-want +got):\n%s", term, diff)
		}
	}

	if n, err := s.Count(ctx, engine.Filters{}); n != 3 || err != nil {
		return fmt.Sprintf("count of all = %d, %v; want 3", n, err)
	}
	if n, err := s.Count(ctx, engine.Filters{MinRating: matching.Some(2.0)}); n != 1 || err != nil {
		return fmt.Sprintf("count of ratings from 2 = %d, %v; want 1", n, err)
	}

	statistics, err := s.Statistics(ctx, []string{"go", "sql"})
	wantStatistics := engine.Statistics{
		Documents: 3, MeanRating: matching.Some(2.0), SkillCount: map[string]int{"go": 0, "sql": 2},
	}
	if diff := cmp.Diff(wantStatistics, statistics); err != nil || diff != "" {
		return fmt.Sprintf("statistics: %v (-want +got):\n%s", err, diff)
	}

	vocabulary, err := s.Vocabulary(ctx)
	if err != nil {
		return err.Error()
	}
	got := fmt.Sprint(vocabulary.Skills, vocabulary.JobTitles, vocabulary.UnknownSkills)
	if want := "[{sql 2}] [{Painter 1}] [{Glaze 1}]"; got != want {
		return fmt.Sprintf("vocabulary = %s, want %s", got, want)
	}

	return ""
}

// testApplyConditions changes one document step by step. A change whose condition doesn't hold must fail with the
// version that the document has, and change nothing.
func testApplyConditions(t *testing.T, o Options) {
	e := o.New(t)()
	first := put("a", "first")
	second := put("a", "second")
	deletion := engine.Change{ID: "a"}
	serve(t, e, "index", first.Document)

	// Document b never exists.
	otherAddition := put("b", "other")
	otherDeletion := engine.Change{ID: "b"}

	// A version is a hash of the record, so these stay the same however often the records are stored.
	v1 := version(first)
	v2 := version(second)
	is := func(versions ...string) engine.Condition { return engine.Condition{Versions: versions} }
	exists := func(yes bool) engine.Condition { return engine.Condition{Exists: matching.Some(yes)} }
	const missing = "" // the version of a document that doesn't exist

	// Each step finds what the steps before it have left.
	for _, step := range []struct {
		name     string
		change   engine.Change
		given    engine.Condition
		conflict bool
		before   string // the version that the step finds
		after    string // the version that a successful step leaves
	}{
		{"replace, wrong version", second, is(v2), true, v1, ""},
		{"replace, must not exist", second, exists(false), true, v1, ""},
		{"add another, given a version", otherAddition, is(v1), true, missing, ""},
		{"delete another, must exist", otherDeletion, exists(true), true, missing, ""},
		{"delete, wrong version", deletion, is("other"), true, v1, ""},
		{"replace, one of two versions", second, is("other", v1), false, v1, v2},
		{"replace, outdated version", second, is(v1), true, v2, ""},
		{"replace by the same", second, is(v2), false, v2, v2},
		{"replace, must exist", first, exists(true), false, v2, v1},
		{"delete, right version", deletion, is(v1), false, v1, missing},
		{"delete again, given a version", deletion, is(v1), true, missing, ""},
		{"delete again, must not exist", deletion, exists(false), false, missing, missing},
		{"add, must exist", second, exists(true), true, missing, ""},
		{"add, must not exist", second, exists(false), false, missing, v2},
	} {
		step.change.If = step.given
		got := apply(t, e, step.change)[0]
		if !step.conflict {
			want := engine.Outcome{Before: step.before, After: step.after}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
			continue
		}

		conflict, ok := errors.AsType[*engine.VersionError](got.Err)
		if !ok || *conflict != (engine.VersionError{ID: step.change.ID, Has: step.before}) {
			t.Errorf("%s: %+v, want a VersionError with version %q", step.name, got, step.before)
		}
	}

	if diff := cmp.Diff(map[string]string{"a": "second"}, stored(t, current(t, e), "a", "b")); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
}

// testApplyBatch makes many changes with one call: changes of the same document take effect in order, and a failing
// change affects no other.
func testApplyBatch(t *testing.T, o Options) {
	e := o.New(t)()
	a0 := put("a", "0")
	a1 := put("a", "1")
	a2 := put("a", "2")
	b0 := put("b", "0")
	b1 := put("b", "1")
	c1 := put("c", "1")
	serve(t, e, "index", a0.Document, b0.Document)

	ifVersion := func(c engine.Change, required engine.Change) engine.Change {
		c.If.Versions = []string{version(required)}
		return c
	}
	notANumber := signals(func(s *matching.Signals) { s.Rating = matching.Some(math.NaN()) })
	otherID := engine.Change{ID: "a", Document: put("b", "wrong").Document}

	type failure string
	const conflict, invalid failure = "conflict", "invalid"
	steps := []struct {
		name   string
		change engine.Change
		want   engine.Outcome
		fails  failure // "" if the change succeeds
	}{
		{name: "replace", change: ifVersion(a1, a0), want: engine.Outcome{Before: version(a0), After: version(a1)}},
		{name: "replace, outdated version", change: ifVersion(a2, a0), fails: conflict},
		{name: "a number that JSON can't express", change: put("a", "broken", notANumber), fails: invalid},
		{name: "replace again", change: ifVersion(a2, a1), want: engine.Outcome{Before: version(a1), After: version(a2)}},
		{name: "delete", change: engine.Change{ID: "a"}, want: engine.Outcome{Before: version(a2)}},
		{name: "add after a deletion", change: a1, want: engine.Outcome{After: version(a1)}},
		{name: "replace another", change: b1, want: engine.Outcome{Before: version(b0), After: version(b1)}},
		{name: "add without an id", change: put("", "nobody"), fails: invalid},
		{name: "delete without an id", change: engine.Change{ID: ""}, want: engine.Outcome{}},
		{name: "add", change: c1, want: engine.Outcome{After: version(c1)}},
		{name: "delete what was added", change: engine.Change{ID: "c"}, want: engine.Outcome{Before: version(c1)}},
		{
			name: "vectors in an index without vectors", change: put("d", "1", vectors(matching.Vector{1, 2})),
			fails: invalid,
		},
		{name: "a document with another id", change: otherID, fails: invalid},
	}

	var changes []engine.Change
	for _, step := range steps {
		changes = append(changes, step.change)
	}

	for i, got := range apply(t, e, changes...) {
		step := &steps[i]
		hasFailed := got.Err != nil
		isConflict := errors.Is(got.Err, engine.ErrConflict)
		if hasFailed != (step.fails != "") || isConflict != (step.fails == conflict) {
			t.Errorf("%s: error %v, want failure %q", step.name, got.Err, step.fails)
		} else if !hasFailed && got != step.want {
			t.Errorf("%s: %+v, want %+v", step.name, got, step.want)
		}
	}

	want := map[string]string{"a": "1", "b": "1"}
	if diff := cmp.Diff(want, stored(t, current(t, e), "a", "b", "c", "d")); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}

	testApplyMany(t, e)
}

// testApplyMany makes more changes with one call than engines send at once. The index has two documents before. The
// last hundred changes replace documents that the first hundred have added.
func testApplyMany(t *testing.T, e Engine) {
	t.Helper()
	const (
		changeCount   = 1500
		documentCount = 1400
	)
	var changes []engine.Change
	for i := range changeCount {
		id := fmt.Sprintf("id-%d", i%documentCount)
		changes = append(changes, put(id, fmt.Sprint(i)))
	}

	mustApply(t, e, changes...)
	if n, err := current(t, e).Count(t.Context(), engine.Filters{}); n != 2+documentCount || err != nil {
		t.Errorf("count = %d, %v; want %d", n, err, 2+documentCount)
	}

	want := map[string]string{"id-0": "1400", "id-99": "1499", "id-100": "100", "id-1399": "1399"}
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

// counter returns a change that stores a number in the document that testApplyConcurrent counts in.
func counter(n int) engine.Change {
	return put("counter", "counter", signals(func(s *matching.Signals) { s.TotalSales = matching.Some(n) }))
}

// testApplyConcurrent increments a number in one document from several goroutines and two engines. Each increment is
// conditional on the version that was read, so none may be lost.
func testApplyConcurrent(t *testing.T, o Options) {
	storage := o.New(t)
	engines := []Engine{storage(), storage()}
	serve(t, engines[0], "index", counter(0).Document)
	open(t, engines[1], "index")

	const workers, incrementsEach = 4, 6
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for range incrementsEach {
				if err := increment(t.Context(), engines[worker%len(engines)]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()

	const want = workers * incrementsEach
	for _, e := range engines {
		eventually(t, e, func(s engine.Snapshot) string {
			found, err := s.Fetch(t.Context(), []string{"counter"})
			if err != nil || found[0].TotalSales.Value != want {
				return fmt.Sprintf("counter = %v, %v; want %d", found, err, want)
			}
			return ""
		})
	}
}

// increment adds 1 to the counter. If somebody else changes it between the read and the write, it tries again.
func increment(ctx context.Context, e Engine) error {
	last := -1
	for {
		s, err := e.Open(ctx, alias)
		if err != nil {
			return err
		}
		found, err := s.Fetch(ctx, []string{"counter"})
		if err != nil {
			return err
		}

		// Searches of one engine must not go back to an earlier state once they have shown a later one.
		n := found[0].TotalSales.Value
		if n < 0 {
			return errors.New("the counter is negative")
		}
		if n < last {
			return fmt.Errorf("an engine returned %d after %d", n, last)
		}
		last = n

		next := counter(n + 1)
		next.If.Versions = []string{version(counter(n))}
		outcomes, err := e.Apply(ctx, alias, []engine.Change{next})
		if err != nil {
			return err
		}

		failure := outcomes[0].Err
		if failure == nil {
			return nil
		}

		// A VersionError means that another goroutine was faster. Every other error fails the test.
		if _, ok := errors.AsType[*engine.VersionError](failure); !ok {
			return failure
		}
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

// testTrack asks a tracker again and again which documents have changed since it was last asked. A tracker reports the
// current state of each changed document, whichever process changed it and how often.
func testTrack(t *testing.T, o Options) {
	storage := o.New(t)
	e := storage()
	other := storage()
	serve(t, e, "index", put("a", "0").Document, put("b", "0").Document, put("c", "0").Document)
	open(t, other, "index")

	// The tracker reports changes since its start only, so it must not report these.
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
	nothing := map[string]string{}
	const deleted = ""
	check("at the start", nothing)

	// A caller that stops halfway must get the same changes again.
	mustApply(t, other, put("a", "1"), put("d", "1"), put("a", "2"))
	mustApply(t, e, put("d", "2"), engine.Change{ID: "b"})
	for c, err := range tracker.Changed(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("stopped after %s", c.ID)
		break
	}
	check("after a call that was stopped", map[string]string{"a": "2", "b": deleted, "d": "2"})
	check("without further changes", nothing)

	failing := put("a", "3")
	failing.If.Exists = matching.Some(false)
	if outcomes := apply(t, e, failing); outcomes[0].Err == nil {
		t.Error("a change with a false condition succeeded")
	}
	check("after a change that failed", nothing)

	// A document that came and went meanwhile is reported as deleted, and one that went and came with its new state.
	mustApply(t, other, put("b", "1"), engine.Change{ID: "d"}, put("e", "1"), engine.Change{ID: "a"})
	mustApply(t, other, engine.Change{ID: "e"}, put("a", "again"))
	check("after deletions and additions", map[string]string{"a": "again", "b": "1", "d": deleted, "e": deleted})

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
	check("after an update", map[string]string{"a": deleted, "f": "1"})

	// An engine may have to read many changes page by page.
	var many []engine.Change
	wantMany := map[string]string{}
	for i := range 1200 {
		id := fmt.Sprint("id-", i)
		many = append(many, put(id, "1"))
		wantMany[id] = "1"
	}
	mustApply(t, e, many...)
	check("after many changes", wantMany)

	if err := tracker.Close(); err != nil {
		t.Error(err)
	}
	testTrackAnother(t, e)
}

// testTrackAnother tracks an index that no alias points to. Changes of the live index must not be reported.
func testTrackAnother(t *testing.T, e Engine) {
	t.Helper()
	build(t, e, "next", document("a"))
	tracker, err := e.Track(t.Context(), "next")
	if err != nil {
		t.Fatal(err)
	}
	if got := changed(t, tracker); len(got) > 0 {
		t.Errorf("changes of another index = %v, want none", got)
	}
	if err := tracker.Close(); err != nil {
		t.Error(err)
	}
}

// testApplySwap makes changes while the alias moves. Changes go to the index that the alias points to, so a change that
// begins after the move must be in the new index. An earlier one may be in the old index only; then a tracker of the
// old index must report it when it is asked after the move, because that is how a load copies such changes.
func testApplySwap(t *testing.T, o Options) {
	storage := o.New(t)
	engines := [2]Engine{storage(), storage()}
	serve(t, engines[0], "index-0", put("first", "0").Document)
	open(t, engines[1], "index-0")

	var lastID atomic.Int64 // shared by both rounds, so that no id comes twice
	newID := func() string { return fmt.Sprint("id-", lastID.Add(1)) }
	swapDuringChanges(t, engines, "index-0", "index-1", newID)
	swapDuringChanges(t, engines, "index-1", "index-2", newID)
}

// swapDuringChanges moves the alias with the first of the engines, while both of them add documents.
func swapDuringChanges(t *testing.T, engines [2]Engine, from, to string, newID func() string) {
	t.Helper()
	loading := engines[0]
	tracker, err := loading.Track(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	build(t, loading, to, put("first", to).Document)

	var hasMoved atomic.Bool
	acknowledged := acknowledgedChanges{begunAfterMove: map[string]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var changing sync.WaitGroup
	for worker := range 4 {
		e := engines[worker%len(engines)]
		changing.Go(func() {
			for ctx.Err() == nil {
				id := newID()
				afterMove := hasMoved.Load()
				outcomes, err := e.Apply(t.Context(), alias, []engine.Change{put(id, "1")})
				if err != nil || outcomes[0].Err != nil {
					t.Errorf("apply: %+v, %v", outcomes, err)
					return
				}
				acknowledged.add(id, afterMove)
			}
		})
	}

	const changesEach = 20 // before and after the move
	acknowledged.wait(t, changesEach, false)
	if _, err := loading.SwapAlias(t.Context(), alias, from, to); err != nil {
		t.Fatal(err)
	}
	hasMoved.Store(true)
	reported := changed(t, tracker)
	acknowledged.wait(t, changesEach, true)
	stop()
	changing.Wait()
	if err := tracker.Close(); err != nil {
		t.Error(err)
	}

	// Open may show the changes of the other engine only within a second, OpenIndex shows them at once.
	s, err := loading.OpenIndex(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	for id, afterMove := range acknowledged.begunAfterMove {
		_, isReported := reported[id]
		isCopied := isReported && !afterMove
		if len(stored(t, s, id)) == 0 && !isCopied {
			t.Errorf("change %s (begun after the move: %t) is not in the new index, and was not reported", id, afterMove)
		}
	}
}

// acknowledgedChanges are the changes that succeeded while an alias moved.
type acknowledgedChanges struct {
	mu             sync.Mutex      // guards the field below
	begunAfterMove map[string]bool // by ID, whether the change began after the alias had moved
}

func (a *acknowledgedChanges) add(id string, afterMove bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begunAfterMove[id] = afterMove
}

func (a *acknowledgedChanges) count(afterMove bool) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	count := 0
	for _, after := range a.begunAfterMove {
		if after == afterMove {
			count++
		}
	}
	return count
}

// wait returns when there are enough changes that began after the move, or before it, or when the test has failed.
func (a *acknowledgedChanges) wait(t *testing.T, enough int, afterMove bool) {
	for t.Context().Err() == nil && !t.Failed() && a.count(afterMove) < enough {
		time.Sleep(time.Millisecond)
	}
}

package enginetest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

func testUpdate(t *testing.T, o Options) {
	storage := o.New(t)
	e := storage()
	server := storage()
	u := e
	serve(t, e, "index", document("kept", terms("x")), document("changed", terms("x"), skill("go", matching.Listed)),
		document("deleted", terms("x")), document("deleted and added", terms("x")))
	open(t, server, "index")

	update, err := u.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range []*engine.Document{
		document("changed", terms("y")),
		document("added", terms("x"), skill("go", matching.Listed)),
		document("never", terms("x")),
		document(""),
	} {
		if err := update.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}

	for _, id := range []string{"deleted", "deleted and added", "unknown", "unknown", "never"} {
		if err := update.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}

	if err := update.Add(t.Context(), document("deleted and added", terms("y"))); err != nil {
		t.Fatal(err)
	}

	result, err := update.Close(t.Context())
	if want := (engine.UpdateResult{Indexed: 3, Failed: 1, Deleted: 2, Missing: 1}); err != nil || result != want {
		t.Errorf("close = %+v, %v; want %+v", result, err, want)
	}

	update.Abort() // has no effect after Close
	if err := update.Add(t.Context(), document("late")); err == nil {
		t.Error("add after close: no error")
	}

	s := openWhen(t, server, func(info engine.Info) bool { return info.Documents == 4 && !info.Updated.IsZero() })
	for text, want := range map[string][]string{"x": {"added", "kept"}, "y": {"changed", "deleted and added"}} {
		got := hitIDs(t, s, &engine.Query{Terms: []engine.Term{{Text: text, Weight: 1}}, Size: 10})
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("search %q (-want +got):\n%s", text, diff)
		}
	}

	stats, err := s.Statistics(t.Context(), []string{"go"})
	wantStats := engine.Statistics{Documents: 4, SkillCount: map[string]int{"go": 1}}
	if err != nil || !cmp.Equal(wantStats, stats) {
		t.Errorf("statistics = %+v, %v; want %+v", stats, err, wantStats)
	}

	words, err := s.Vocabulary(t.Context())
	if want := []engine.WordCount{{Word: "go", Documents: 1}}; err != nil || !cmp.Equal(want, words.Skills) {
		t.Errorf("vocabulary = %+v, %v; want the skills %+v", words, err, want)
	}

	if ids := scanIDs(t, e, "index"); len(ids) != 4 {
		t.Errorf("scan = %v, want 4 freelancers", ids)
	}

	// A second update, and one without changes, succeed too.
	second, err := u.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	if result, err := second.Close(t.Context()); err != nil || result != (engine.UpdateResult{}) {
		t.Errorf("close without changes = %+v, %v", result, err)
	}
}

func testUpdateErrors(t *testing.T, o Options) {
	e := o.New(t)()
	u := e
	// An aborted load leaves an incomplete index behind.
	create(t, e, "incomplete").Abort()
	_, err := u.Update(t.Context(), "incomplete", nil)
	checkError(t, "update an incomplete index", err, engine.ErrConflict)
	_, err = u.Update(t.Context(), "unknown", nil)
	checkError(t, "update an unknown index", err, engine.ErrNotFound)

	serveVectors(t, e, "index", []matching.VectorSpace{plane}, document("a", vectors(matching.Vector{1, 2})))
	update, err := u.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := update.Add(t.Context(), document("b")); err == nil {
		t.Error("add a document without the vectors of the index: no error")
	}

	// An update that failed must not look as if it had succeeded, although earlier changes stay.
	if _, err := update.Close(t.Context()); err == nil {
		t.Error("close after an invalid document: no error")
	}

	update, err = u.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	update.Abort()
	if _, err := update.Close(t.Context()); err == nil {
		t.Error("close after abort: no error")
	}
}

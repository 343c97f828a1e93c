package enginetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// updater is the engine as one that changes indexes in place; the test is skipped where it does not.
func updater(t *testing.T, e Engine) engine.Updater {
	t.Helper()
	u, ok := e.(engine.Updater)
	if !ok {
		t.Skip("this engine does not change indexes in place")
	}
	return u
}

func testUpdate(t *testing.T, o Options) {
	storage := o.New(t)
	e, server := storage(), storage()
	u := updater(t, e)
	serve(t, e, "index", document("kept", terms("x")), document("changed", terms("x"), skill("go", matching.Listed)),
		document("deleted", terms("x")), document("deleted and added", terms("x")))
	open(t, server, "index")

	update, err := u.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*engine.Document{
		document("changed", terms("y")), document("added", terms("x"), skill("go", matching.Listed)), document("never", terms("x")), document(""),
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
	update.Abort() // nothing after Close
	if err := update.Add(t.Context(), document("late")); err == nil {
		t.Error("add after close: no error")
	}

	s := changed(t, server, 4)
	if s.Info().Updated.IsZero() {
		t.Error("a changed index does not say when")
	}
	for text, want := range map[string][]string{"x": {"added", "kept"}, "y": {"changed", "deleted and added"}} {
		got := found(t, s, &engine.Query{Terms: []engine.Term{{Text: text, Weight: 1}}, Size: 10})
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("search %q (-want +got):\n%s", text, diff)
		}
	}
	stats, err := s.Statistics(t.Context(), []string{"go"})
	if want := (engine.Statistics{Documents: 4, SkillCount: map[string]int{"go": 1}}); err != nil || !cmp.Equal(want, stats) {
		t.Errorf("statistics = %+v, %v; want %+v", stats, err, want)
	}
	words, err := s.Vocabulary(t.Context())
	if want := []engine.WordCount{{Word: "go", Documents: 1}}; err != nil || !cmp.Equal(want, words.Skills) {
		t.Errorf("vocabulary = %+v, %v; want the skills %+v", words, err, want)
	}
	n := 0
	for _, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 4 {
		t.Errorf("scan found %d, want 4", n)
	}

	// An update without changes is fine, and so is a second one.
	again, err := u.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := again.Close(t.Context()); err != nil || result != (engine.UpdateResult{}) {
		t.Errorf("close without changes = %+v, %v", result, err)
	}
}

func testUpdateErrors(t *testing.T, o Options) {
	e := o.New(t)()
	u := updater(t, e)
	create(t, e, "unfinished").Abort()
	_, err := u.Update(t.Context(), "unfinished", nil)
	wantError(t, "update an unfinished index", err, engine.ErrConflict)
	_, err = u.Update(t.Context(), "unknown", nil)
	wantError(t, "update an unknown index", err, engine.ErrNotFound)

	serveVectors(t, e, "index", []matching.VectorSpace{plane}, document("a", vectors(matching.Vector{1, 2})))
	update, err := u.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := update.Add(t.Context(), document("b")); err == nil {
		t.Error("a document without the vectors of the index: no error")
	}
	if _, err := update.Close(t.Context()); err == nil {
		t.Error("close after a document that does not fit: no error")
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

// changed is the snapshot with so many documents, as soon as the engine has noticed.
func changed(t *testing.T, e Engine, documents int) engine.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := e.Open(ctx, alias)
		if err == nil && s.Info().Documents == documents && !s.Info().Updated.IsZero() {
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the engine never noticed the change: %+v", s.Info())
		}
	}
}

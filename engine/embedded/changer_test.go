package embedded

import (
	"log/slog"
	"testing"
	"time"

	"freelancer-matching/engine"
)

// rarely returns an engine that notices changes of other processes only when a test makes it follow them.
func rarely(t testing.TB, dir string) *Engine {
	t.Helper()
	e, err := Open(dir, Options{Log: slog.New(slog.DiscardHandler), Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// change makes changes to the index of the alias "all" that must succeed.
func change(t testing.TB, e *Engine, changes ...engine.Change) []engine.Outcome {
	t.Helper()
	outcomes, err := e.Apply(t.Context(), "all", changes)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.Err != nil {
			t.Fatalf("change %d: %v", i, o.Err)
		}
	}
	return outcomes
}

// put returns a change that stores document i with a name.
func put(i int, name string) engine.Change {
	d := small(i)
	d.Freelancer.Name = name
	return engine.Change{ID: d.Freelancer.ID, Document: d}
}

func remove(i int) engine.Change { return engine.Change{ID: small(i).Freelancer.ID} }

// name returns the name of document i in the index of the alias "all", or an error.
func name(t testing.TB, e *Engine, i int) (string, error) {
	t.Helper()
	s, err := e.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Fetch(t.Context(), []string{small(i).Freelancer.ID})
	if err != nil {
		return "", err
	}
	return found[0].Name, nil
}

// A change goes to the index that another process has just made live, and is visible at once where it was made.
func TestApply_AliasMovedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	other, e := rarely(t, dir), rarely(t, dir)
	for _, index := range []string{"old", "new"} {
		fill(t, other, index, 3)
	}
	if _, err := other.PointAlias(t.Context(), "all", "old"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	change(t, e, put(1, "in the old index"))
	if _, err := other.PointAlias(t.Context(), "all", "new"); err != nil {
		t.Fatal(err)
	}
	change(t, e, put(2, "in the new index"))
	for i, want := range []string{"", "", "in the new index"} {
		if got, err := name(t, e, i); got != want || err != nil {
			t.Errorf("document %d: %q, %v; want %q", i, got, err, want)
		}
	}
}

package enginetest

import (
	"errors"
	"testing"

	"github.com/freelancer-matching/service/engine"
)

// testSwapAlias moves the alias, naming each time the index that it is expected to leave. If the alias points
// elsewhere, it must stay there. An alias that points to the new index already is no conflict: a caller that lost the
// answer repeats the swap and finds its own work.
func testSwapAlias(t *testing.T, o Options) {
	e := o.New(t)()
	for _, name := range []string{"one", "two", "three"} {
		build(t, e, name, document(name))
	}

	// Each step begins where the one before it has left the alias. "" stands for no index.
	for _, step := range []struct {
		name     string
		from, to string
		conflict bool
		pointsTo string // after the step
		previous string // what a successful swap returns: the index to which a rollback returns
	}{
		{name: "expects an index, but there is none", from: "one", to: "two", conflict: true, pointsTo: ""},
		{name: "expects none, and there is none", from: "", to: "one", pointsTo: "one", previous: ""},
		{name: "expects none, but there is one", from: "", to: "two", conflict: true, pointsTo: "one"},
		{name: "expects another index", from: "three", to: "two", conflict: true, pointsTo: "one"},
		{name: "expects the right index", from: "one", to: "two", pointsTo: "two", previous: "one"},
		{name: "repeats the step before", from: "one", to: "two", pointsTo: "two", previous: "one"},
		{name: "expects the index before", from: "one", to: "three", conflict: true, pointsTo: "two"},
		{name: "returns to the index before", from: "two", to: "one", pointsTo: "one", previous: "two"},
	} {
		previous, err := e.SwapAlias(t.Context(), alias, step.from, step.to)
		if step.conflict {
			checkMoved(t, step.name, err, engine.MovedError{Alias: alias, Expected: step.from, Actual: step.pointsTo})
		} else if err != nil || previous != step.previous {
			t.Errorf("%s: previous %q, error %v; want previous %q", step.name, previous, err, step.previous)
		}

		pointsTo, _, err := e.Alias(t.Context(), alias)
		if err != nil || pointsTo != step.pointsTo {
			t.Errorf("%s: the alias points to %q, error %v; want %q", step.name, pointsTo, err, step.pointsTo)
		}
	}

	_, err := e.SwapAlias(t.Context(), alias, "one", "unknown")
	checkError(t, "swap to an unknown index", err, engine.ErrNotFound)
}

// checkMoved checks that err is the given MovedError, and a conflict.
func checkMoved(t *testing.T, operation string, err error, want engine.MovedError) {
	t.Helper()
	moved, ok := errors.AsType[*engine.MovedError](err)
	if !ok || *moved != want {
		t.Errorf("%s: got error %v, want %v", operation, err, &want)
	}
	checkError(t, operation, err, engine.ErrConflict)
}

// testUnlockedAlias moves the alias while another process holds the lock of a load, as a rollback may have to. The load
// must notice when it moves the alias itself.
func testUnlockedAlias(t *testing.T, o Options) {
	storage := o.New(t)
	loading := storage()
	other := storage()
	serve(t, loading, "one", document("one"))
	serve(t, loading, "two", document("two"))

	release, err := loading.Lock(t.Context(), "a load")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	}()

	build(t, loading, "three", document("three"))
	if previous, err := other.PointAlias(t.Context(), alias, "one"); err != nil || previous != "two" {
		t.Fatalf("point alias: previous %q, %v", previous, err)
	}

	_, err = loading.SwapAlias(t.Context(), alias, "two", "three")
	if _, ok := errors.AsType[*engine.MovedError](err); !ok {
		t.Errorf("swap after another process moved the alias: %v, want a MovedError", err)
	}

	if err := loading.Drop(t.Context(), "three"); err != nil {
		t.Error(err)
	}

	open(t, other, "one")
}

package enginetest

import (
	"errors"
	"testing"

	"freelancer-matching/engine"
)

func testSwapAlias(t *testing.T, o Options) {
	e := o.New(t)()
	for _, name := range []string{"one", "two", "three"} {
		build(t, e, name, document(name))
	}

	for _, step := range []struct{ from, to, previous, actual string }{
		{from: "one", to: "two", actual: ""},
		{from: "", to: "one"},
		{from: "", to: "two", actual: "one"},
		{from: "three", to: "two", actual: "one"},
		{from: "one", to: "two", previous: "one"},
		{from: "one", to: "two", previous: "one"}, // it points there already
		{from: "one", to: "three", actual: "two"},
		{from: "two", to: "one", previous: "two"},
	} {
		before, _, err := e.Alias(t.Context(), alias)
		if err != nil {
			t.Fatal(err)
		}

		previous, err := e.SwapAlias(t.Context(), alias, step.from, step.to)
		now, _, aliasErr := e.Alias(t.Context(), alias)
		if aliasErr != nil {
			t.Fatal(aliasErr)
		}

		// An alias that points to the new index already is what a repeated attempt finds, and no conflict.
		if before != step.from && before != step.to {
			moved, ok := errors.AsType[*engine.MovedError](err)
			isExact := ok && moved.Actual == step.actual && moved.Expected == step.from
			if !isExact || now != before {
				t.Errorf("swap from %q to %q: %v, the alias points to %q; want a MovedError", step.from, step.to, err, now)
			}
			checkError(t, "swap", err, engine.ErrConflict)
			continue
		}

		if err != nil || previous != step.previous || now != step.to {
			t.Errorf("swap from %q to %q: previous %q, %v, now %q; want previous %q", step.from, step.to, previous, err, now,
				step.previous)
		}
	}

	_, err := e.SwapAlias(t.Context(), alias, "one", "unknown")
	checkError(t, "swap to an unknown index", err, engine.ErrNotFound)
}

// A rollback works while a load holds the lock.
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

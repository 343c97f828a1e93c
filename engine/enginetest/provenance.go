package enginetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
)

func testProvenance(t *testing.T, o Options) {
	storage := o.New(t)
	e := storage()
	server := storage()
	provenance := &engine.Provenance{
		Run: engine.Run{
			Command: "load", Version: "v1.2.3", User: "mira@host", Started: created, Finished: created.Add(time.Minute),
			Files:   []engine.SourceFile{{Name: "people.csv", Format: "csv", Bytes: 12, SHA256: "ab12", Rows: 3}},
			Options: map[string]string{"max-failures": "5%"}, Mapping: "name: Full name\n# ü, \"quoted\"\n",
			Rows: 3, Merged: 1,
		},
		Freelancers: 2, Coverage: map[string]int{"name": 2, "skills": 0},
	}

	checkError(t, "an unknown index", e.SetProvenance(t.Context(), "unknown", provenance), engine.ErrNotFound)
	bulk := create(t, e, "index")
	checkError(t, "an incomplete index", e.SetProvenance(t.Context(), "index", provenance), engine.ErrConflict)
	fill(t, bulk, document("a", terms("x")))

	check := func(when string, info engine.Info, want *engine.Provenance) {
		t.Helper()
		if diff := cmp.Diff(want, info.Provenance); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}

	listed := func() engine.Info {
		t.Helper()
		infos, err := e.Indexes(t.Context())
		if err != nil || len(infos) != 1 {
			t.Fatalf("indexes = %v, %v; want one", infos, err)
		}
		return infos[0]
	}

	check("before it is set", listed(), nil)
	if err := e.SetProvenance(t.Context(), "index", provenance); err != nil {
		t.Fatal(err)
	}

	check("listed", listed(), provenance)

	snapshot, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	check("snapshot", snapshot.Info(), provenance)
	if _, err := e.PointAlias(t.Context(), alias, "index"); err != nil {
		t.Fatal(err)
	}

	check("listed after the alias was moved", listed(), provenance)
	check("served", open(t, server, "index").Info(), provenance)

	// Changes in place must not lose what the load has stored.
	update, err := e.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := update.Add(t.Context(), document("b", terms("x"))); err != nil {
		t.Fatal(err)
	}

	if _, err := update.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	check("listed after an update", listed(), provenance)

	changed := provenance.With(&engine.Run{Command: "upsert", Added: 1})
	if err := e.SetProvenance(t.Context(), "index", changed); err != nil {
		t.Fatal(err)
	}

	// The server has the index open, so it learns of the change by itself.
	served := openWhen(t, server, func(info engine.Info) bool {
		return info.Provenance != nil && len(info.Provenance.Changes) == 1
	})
	check("served after a change in place", served.Info(), changed)
}

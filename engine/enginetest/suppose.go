package enginetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// testSuppose compares a supposed change with the same change of the index.
func testSuppose(t *testing.T, o Options) {
	e := o.New(t)()
	documents := []*engine.Document{
		document("a", terms("x", "x")), document("b", terms("x", "y")), document("c", terms("y")), document("d", terms("z")),
	}
	before := serve(t, e, "index", documents...)
	supposer, ok := before.(engine.Supposer)
	if !ok {
		t.Skip("the engine doesn't suppose")
	}

	changed := document("b", terms("x", "x", "x"), signals(func(s *matching.Signals) { s.Rating = matching.Some(4.5) }))
	changed.Freelancer.Name = "Ada"
	then, err := supposer.Suppose(changed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&changed.Freelancer, then.Record()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}

	q := &engine.Query{
		Terms: []engine.Term{{Text: "x", Weight: 1, Reference: true}}, TextWeight: 1, Size: 9, Window: 9,
		Quality: func(s matching.Signals) float64 { return s.Rating.Or(0) / 10 },
	}
	unchanged := search(t, before, q)

	after := serve(t, e, "index-2", documents[0], changed, documents[2], documents[3])
	if diff := cmp.Diff(search(t, after, q), search(t, then, q)); diff != "" {
		t.Errorf("search (-after the change +supposed):\n%s", diff)
	}

	ids := []string{"c", "b", "a"}
	want, err := after.Fetch(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	got, err := then.Fetch(t.Context(), ids)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("fetch: %v (-want +got):\n%s", err, diff)
	}

	if diff := cmp.Diff(unchanged, search(t, before, q)); diff != "" {
		t.Errorf("the index has changed (-before +after):\n%s", diff)
	}

	if _, err := supposer.Suppose(&engine.Document{
		Freelancer: matching.Freelancer{ID: "b"}, Vectors: []matching.Vector{{1}},
	}); err == nil {
		t.Error("a document with an unknown vector is accepted")
	}
}

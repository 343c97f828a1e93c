package embedded

import (
	"fmt"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// TestSearch_Recall compares searches with searches that compute the cosine of every document.
func TestSearch_Recall(t *testing.T) {
	const queries = 60
	documents := warmUp + 2*chunkSize
	if testing.Short() {
		documents = 2 * chunkSize
	}
	x := worldIndex(t, documents)
	for _, size := range []int{10, 500} {
		t.Run(fmt.Sprintf("size=%d", size), func(t *testing.T) {
			w := newWorld(8)
			found, missing := 0, 0
			for range queries {
				q := w.query()
				q.Semantic, q.Size = w.semantic(), size
				exact := x.newPlan(q)
				maximum := line{offset: -exact.meaning.weight} // the bound of every document
				exact.meaning.coarse, exact.meaning.fine = maximum, maximum
				want, err := x.run(t.Context(), exact)
				if err != nil {
					t.Fatal(err)
				}
				got, err := x.Search(t.Context(), q)
				if err != nil || len(got.Hits) != size || len(want.Hits) != size {
					t.Fatalf("%d and %d hits, error %v; want %d", len(got.Hits), len(want.Hits), err, size)
				}
				ids := map[string]bool{}
				for _, hit := range got.Hits {
					ids[hit.ID] = true
				}
				for i, hit := range want.Hits {
					if ids[hit.ID] {
						found++
					} else if i < 10 {
						missing++
					}
				}
			}
			recall := float64(found) / float64(queries*size)
			t.Logf("recall %.4f, missing %d of the ten best", recall, missing)
			if recall < .99 || missing > queries/10 {
				t.Errorf("recall %.4f with %d of the best %d missing, want at least .99", recall, missing, 10*queries)
			}
		})
	}
}

// worldIndex returns an index built by benchIndex.
func worldIndex(t *testing.T, documents int) *view {
	t.Helper()
	s, err := benchIndex(t, documents).Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	return viewOf(s)
}

// Estimates lose no hit if the page has room for all.
func TestSearch_AllHits(t *testing.T) {
	e := open(t, t.TempDir())
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Create(t.Context(), engine.Spec{
		Name: "index", Mapping: mapping, Vectors: []matching.VectorSpace{{Model: "generated", Dimensions: benchDimensions}},
	}); err != nil {
		t.Fatal(err)
	}
	bulk, err := e.Bulk(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	w, clause := newWorld(9), newWorld(10).semantic()
	clause.Floor, clause.Ceiling = .4, .5
	const documents = 2_000
	want := 0
	for i := range documents {
		d := w.document(i)
		if matching.Cosine(d.Vectors[0], clause.Vector) > clause.Floor {
			want++
		}
		if err := bulk.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{want, want + 1, documents} {
		page, err := s.Search(t.Context(), &engine.Query{Semantic: clause, Size: size})
		if err != nil || size > want && len(page.Hits) != want {
			t.Errorf("size %d: %d hits, error %v; want %d", size, len(page.Hits), err, want)
		}
	}
	if want == 0 {
		t.Error("the world has no document near the brief")
	}
}

package embedded

import (
	"reflect"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// Searches that skip tiles and documents return the same as a search that scores every document.
func TestSearch_Exhaustive(t *testing.T) {
	documents := 20_000
	queries := 40

	if testing.Short() {
		documents, queries = 3_000, 20
	}
	x := worldIndex(t, documents)
	x.Shared.HelpersFrom = 0
	if base := x.Parts[0]; documents >= segment.OrderedFrom && (base.TopicTree == nil || !slices.IsSorted(base.TopicOf)) {
		t.Error("the documents are not ordered by topic")
	}

	w := newWorld(8)
	for i := range queries {
		q := w.query()
		if i%2 == 0 {
			q.Semantic = w.semantic()
		}

		switch i % 8 {
		case 2:
			q.Terms = nil
		case 3:
			q.Terms, q.Skills = nil, q.Skills[:1]
		case 4:
			q.Terms, q.Skills = nil, nil
		case 5:
			q.Filters.MinRating = matching.Some(4.9)
		}

		all := *q
		all.Size = documents
		exhaustive, err := search.Snapshot{View: x}.Search(t.Context(), &all)
		if err != nil {
			t.Fatal(err)
		}

		for _, size := range []int{1, 10, 500} {
			q.Size = size
			q.Window = 600
			got, err := search.Snapshot{View: x}.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}

			if got.Matching != min(600, len(exhaustive.Hits)) {
				t.Errorf("query %d: %d documents match, want %d, up to 600", i, got.Matching, len(exhaustive.Hits))
			}
			want := exhaustive.Hits[:min(size, len(exhaustive.Hits))]
			if len(got.Hits) < len(want) || len(got.Hits) > max(size, 600) {
				t.Fatalf("query %d: %d hits, want %d and those with nearly the same score", i, len(got.Hits), len(want))
			}

			for j := range got.Hits {
				if !reflect.DeepEqual(got.Hits[j], exhaustive.Hits[j]) {
					t.Errorf("query %d, size %d: hit %d is %+v, want %+v", i, size, j, got.Hits[j], exhaustive.Hits[j])
				}
			}
		}
	}
}

// worldIndex returns an index built by benchIndex.
func worldIndex(t *testing.T, documents int) *view.View {
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
	w := newWorld(9)
	clause := newWorld(10).semantic()
	clause.Floor = .4
	clause.Ceiling = .5
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

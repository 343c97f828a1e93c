package embedded

import (
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// If the index contains terms of the query but no reference term, documents with those terms are hits with a score of
// 0.
func TestSearch_NoReferenceTerm(t *testing.T) {
	e := open(t, t.TempDir())
	fill(t, e, "index", 20)
	s, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	for _, clause := range []*engine.SemanticClause{nil, {Vector: matching.Vector{0, 0, 0}, Weight: 1, Ceiling: 1}} {
		page, err := s.Search(t.Context(), &engine.Query{
			Terms:      []engine.Term{{Text: "term-3", Weight: 2}, {Text: "elsewhere", Weight: 9, Reference: true}},
			TextWeight: 1, Semantic: clause, Size: 20,
		})
		if err != nil {
			t.Fatal(err)
		}

		if len(page.Hits) != 3 || page.Reference != 0 { // documents 3, 10 and 17
			t.Fatalf("%d hits with a reference of %v, want 3 and 0", len(page.Hits), page.Reference)
		}

		for _, hit := range page.Hits {
			if hit.Retrieval != 0 || !(hit.Text > 0) {
				t.Errorf("%s: retrieval %v, text %v; want 0 and more than 0", hit.ID, hit.Retrieval, hit.Text)
			}
		}
	}
}

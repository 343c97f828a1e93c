package embedded

import (
	"math"
	"math/rand/v2"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// The bound of a sum is at least its score, and hardly more. The score never decreases as the sum grows.
func TestTextScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	halves := []float64{1e-3, .5, 1, 2, 255, 256, 257, 1 << 20, 1<<24 + 1, 1 << 30, 1 << 31}
	for range 200 {
		halves = append(halves, math.Exp2(31*rng.Float64()))
	}

	for _, half := range halves {
		s := textScore{weight: []float64{0, .1, .62, 1}[rng.IntN(4)], half: half}
		sums := []uint32{0, 1, 2, 3, math.MaxUint32 - 1, math.MaxUint32}
		for range 300 { // all orders of magnitude
			sums = append(sums, uint32(math.Exp2(32*rng.Float64())))
		}

		for _, sum := range sums {
			score := s.at(float64(sum))
			bound := float64(s.bound(float32(sum)))
			if bound < score || bound > score*(1+3e-6) {
				t.Fatalf("half %v, weight %v: the bound of %d is %v, the score %v", half, s.weight, sum, bound, score)
			}

			if sum > 0 && s.at(float64(sum-1)) > score+1e-15 {
				t.Fatalf("half %v, weight %v: %d has a lower score than %d", half, s.weight, sum, sum-1)
			}
		}
	}
}

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

// Frequencies up to 6 are recovered exactly. For others, the error of the score is about one code at most.
func TestFrequency(t *testing.T) {
	for norm := .9; norm < 40; norm *= 1.01 {
		for tf := 1; tf <= codes; tf++ {
			got := frequency(impact(uint8(tf), norm), norm)
			want := float64(tf)
			if tf <= 6 && got != want {
				t.Fatalf("frequency %d with norm %v is recovered as %v", tf, norm, got)
			}
			if off := math.Abs(got/(got+norm) - want/(want+norm)); off > 1.1/codes {
				t.Fatalf("frequency %d with norm %v is recovered as %v, an error of %v", tf, norm, got, off)
			}
		}
	}
}

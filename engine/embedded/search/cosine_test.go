package search

import (
	"math/rand/v2"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/vector"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestMeaning_Cosine(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, dimensions := range []int{1, 7, 8, 9, 64, 1539} {
		r := vector.NewRotations([]matching.VectorSpace{{Dimensions: dimensions}})[0]
		random := func() matching.Vector {
			v := make(matching.Vector, dimensions)
			for i := range v {
				v[i] = int8(rng.IntN(256) - 128)
			}
			return v
		}
		c := &vector.NewColumns([]*vector.Rotation{r})[0]
		for range 20 {
			c.Add(random(), r)
		}
		c.Add(nil, r)
		for _, v := range []matching.Vector{random(), make(matching.Vector, dimensions), nil} {
			m := newMeaning(r, &engine.SemanticClause{Vector: v, Ceiling: 1})
			for doc := range c.Squares {
				if got, want := m.cosine(c, doc), matching.Cosine(v, c.At(doc)); got != want {
					t.Errorf("%d dimensions: cosine %v, want %v", dimensions, got, want)
				}
			}
		}
	}
}

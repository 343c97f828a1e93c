package search

import (
	"math"
	"math/rand/v2"
	"testing"
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

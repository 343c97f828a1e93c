package engine_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
)

// The median is in the same band as the exact one, whatever the currency, and follows additions and removals.
func TestRateCounts_Median(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		unit := math.Exp(rng.Float64() * 18)
		var counts engine.RateCounts
		var rates []float64
		for range 1 + rng.IntN(60) {
			rate := math.Round(100*unit*math.Exp(rng.NormFloat64())) / 100
			counts.Add(rate, 1)
			if rng.IntN(3) == 0 {
				counts.Add(rate, -1)
			} else if rate >= .0625 {
				rates = append(rates, rate)
			}
		}

		median := counts.Median()
		if median.Known != (len(rates) > 0) {
			t.Fatalf("median of %v = %v", rates, median)
		}

		if !median.Known {
			continue
		}
		slices.Sort(rates)
		exact := rates[(len(rates)+1)/2-1]
		if median.Value < exact/1.125 || median.Value > exact*1.125 {
			t.Errorf("median of %v = %v, want about %v", rates, median.Value, exact)
		}
	}
}

func TestRateCounts_IgnoresAbsurdRates(t *testing.T) {
	var counts engine.RateCounts
	for _, rate := range []float64{20, 30, 40, 0, -5, .01, math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		counts.Add(rate, 1)
	}
	if got := counts.Median(); got.Value < 30 || got.Value > 32 {
		t.Errorf("median = %v, want 30 to 32", got)
	}
}

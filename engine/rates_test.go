package engine_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"freelancer-matching/engine"
)

// The quartile is in the same band as the exact one, whatever the currency, and follows additions and removals.
func TestRateCounts_UpperQuartile(t *testing.T) {
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

		quartile := counts.UpperQuartile()
		if quartile.Known != (len(rates) > 0) {
			t.Fatalf("quartile of %v = %v", rates, quartile)
		}

		if !quartile.Known {
			continue
		}
		slices.Sort(rates)
		exact := rates[(3*len(rates)+3)/4-1]
		if quartile.Value < exact/1.125 || quartile.Value > exact*1.125 {
			t.Errorf("quartile of %v = %v, want about %v", rates, quartile.Value, exact)
		}
	}
}

func TestRateCounts_IgnoresAbsurdRates(t *testing.T) {
	var counts engine.RateCounts
	for _, rate := range []float64{20, 30, 40, 0, -5, .01, math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		counts.Add(rate, 1)
	}
	if got := counts.UpperQuartile(); got.Value < 40 || got.Value > 44 {
		t.Errorf("quartile = %v, want 40 to 44", got)
	}
}

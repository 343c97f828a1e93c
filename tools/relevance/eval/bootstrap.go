package eval

import (
	"math/rand/v2"
	"slices"
)

// draws is the number of resamples behind a bootstrap interval.
const draws = 2000

// Estimate is a mean or a share over N briefs with its 95% percentile bootstrap interval (Efron and Tibshirani 1993).
// All fields are 0 if N is 0.
type Estimate struct {
	N               int
	Mean, Low, High float64
}

// Difference is the mean difference between two runs over the same briefs. If the interval contains 0, the difference
// may be chance.
type Difference struct {
	Estimate
	Better, Worse int // number of briefs
}

// bootstrap returns the mean of values with its interval.
func bootstrap(values []float64) Estimate {
	return resample(len(values), 1, func(pick func(place int) int) float64 {
		sum := 0.
		for place := range values {
			sum += values[pick(place)]
		}
		return sum / float64(len(values))
	})
}

// resample returns a statistic of n items with its interval. It calls statistic once for each resample; statistic calls
// pick(0) to pick(n-1) to get the indexes of the items to use. The same seed and n always draw the same items, so that
// reports are reproducible.
func resample(n int, seed uint64, statistic func(pick func(place int) int) float64) Estimate {
	if n == 0 {
		return Estimate{}
	}
	rng := rand.New(rand.NewPCG(2025, seed)) //nolint:gosec // resampling needs a fixed seed, not secrecy
	samples := make([]float64, draws)
	for i := range samples {
		samples[i] = statistic(func(int) int { return rng.IntN(n) })
	}
	slices.Sort(samples)
	return Estimate{
		N: n, Mean: statistic(func(place int) int { return place }),
		Low: samples[draws*25/1000], High: samples[draws*975/1000],
	}
}

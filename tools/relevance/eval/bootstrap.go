package eval

import (
	"math/rand/v2"
	"slices"
)

// draws is how many samples a bootstrap interval comes from.
const draws = 2000

// Estimate is a mean, or a share, over N briefs and its 95% percentile bootstrap interval (Efron and Tibshirani 1993). All are 0
// where N is 0.
type Estimate struct {
	N               int
	Mean, Low, High float64
}

// Difference is the mean difference between two runs over the same briefs. An interval that holds 0 means that it may
// be chance.
type Difference struct {
	Estimate
	Better, Worse int // briefs
}

// bootstrap is the mean of values with its interval.
func bootstrap(values []float64) Estimate {
	return resample(len(values), 1, func(pick func(place int) int) float64 {
		sum := 0.
		for place := range values {
			sum += values[pick(place)]
		}
		return sum / float64(len(values))
	})
}

// resample is a statistic of n things with its interval; statistic takes for each of n places the thing that it picks.
// The same seed and n draw the same, so that a report never changes by itself.
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

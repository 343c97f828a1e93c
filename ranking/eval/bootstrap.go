package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// draws is how many samples a bootstrap interval comes from.
const draws = 2000

// Estimate is a mean over N briefs and its 95% percentile bootstrap interval (Efron and Tibshirani 1993). All are 0
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

// String is the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f], better on %d of %d briefs, worse on %d",
		d.Mean, d.Low, d.High, d.Better, d.N, d.Worse)
}

// bootstrap resamples values. It draws the same for the same number of values, so that a report never changes by itself.
func bootstrap(values []float64) Estimate {
	n := len(values)
	if n == 0 {
		return Estimate{}
	}
	rng := rand.New(rand.NewPCG(2025, 1)) //nolint:gosec // resampling needs a fixed seed, not secrecy
	means := make([]float64, draws)
	for i := range means {
		for range n {
			means[i] += values[rng.IntN(n)]
		}
		means[i] /= float64(n)
	}
	slices.Sort(means)
	sum := 0.
	for _, v := range values {
		sum += v
	}
	return Estimate{N: n, Mean: sum / float64(n), Low: means[draws*25/1000], High: means[draws*975/1000]}
}

package engine

import (
	"math"

	"github.com/freelancer-matching/service/internal/matching"
)

// RateCounts counts hourly rates in bands, from which the median can be read. Counts are easy to keep while documents
// come and go, and unlike a mean, a median doesn't depend on a few absurd rates, such as salaries per year. Each
// factor of two is divided into eight bands of the same width. Rates below the first band, such as 0, are not counted.
type RateCounts [rateBands]int

const (
	firstRate = 1. / 16
	rateBands = 8 * 34 // up to 2^30, for currencies with small units; the last band has all rates above, too
	// The exponent of a float64 and the first three bits of its mantissa number the band.
	mantissaBits = 52 - 3
)

// Add counts a rate n times. A negative n removes a rate that was counted before.
func (c *RateCounts) Add(rate float64, n int) {
	if band, ok := rateBand(rate); ok {
		c[band] += n
	}
}

// rateBand returns the band of a rate. ok is false for rates that are not counted.
func rateBand(rate float64) (band int, ok bool) {
	if !(rate >= firstRate) || math.IsInf(rate, 1) {
		return 0, false
	}
	return min(rateBands-1, int(math.Float64bits(rate)>>mantissaBits-math.Float64bits(firstRate)>>mantissaBits)), true
}

// RateBandStart returns the lowest rate of a band.
func RateBandStart(band int) float64 {
	return math.Float64frombits((math.Float64bits(firstRate)>>mantissaBits + uint64(band)) << mantissaBits)
}

// Median returns the rate that half of the rates don't exceed, unknown if there are none. It interpolates within a
// band, whose end is at most an eighth above its start.
func (c *RateCounts) Median() matching.Optional[float64] {
	total := 0
	for _, n := range c {
		total += n
	}
	below := 0
	for band, n := range c {
		if n > 0 && 2*(below+n) >= total {
			start := RateBandStart(band)
			within := (.5*float64(total) - float64(below)) / float64(n)
			return matching.Some(start + (RateBandStart(band+1)-start)*within)
		}
		below += n
	}
	return matching.Optional[float64]{}
}

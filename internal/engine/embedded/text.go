package embedded

import "math"

// textScore is what a sum of terms earns a document: weight · sum/(sum + half).
type textScore struct {
	weight, half float64
	// slope is that of the score at 0, and a trifle for what rounding adds: no sum earns more than slope · sum.
	slope float32
	// bands holds, for each run of 1<<shift sums, what the last of them earns, which is the most: a table spares a division
	// for all the documents that are passed over anyway. The last band has no end.
	bands [textBands]float32
	shift uint
}

// textBands makes the bound exceed the score by at most 0.8% of the weight, up to eight times half.
const textBands = 2048

// newTextScore is for a sum above 0 that earns half the weight.
func newTextScore(weight, half float64) textScore {
	t := textScore{weight: weight, half: half, slope: float32(weight / half * (1 + 1e-6))}
	for float64(uint64(textBands)<<t.shift) < 8*half {
		t.shift++
	}
	for i := range t.bands {
		t.bands[i] = t.of(uint32(min(uint64(i+1)<<t.shift-1, math.MaxUint32)))
	}
	t.bands[textBands-1] = float32(weight)
	return t
}

// of is the score of a sum. It never falls with the sum, as it would by rounding in steps of 32 bits.
func (t *textScore) of(sum uint32) float32 {
	if sum == 0 {
		return 0
	}
	return float32(t.weight * (float64(sum) / (float64(sum) + t.half)))
}

// most is no less than the score of a sum.
func (t *textScore) most(sum uint32) float32 { return t.bands[min(sum>>t.shift, textBands-1)] }

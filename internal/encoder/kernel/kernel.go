// Package kernel has the inner loops of a sentence encoder: in plain Go, and in assembly for processors with AVX2 or
// AVX-512. All versions give the same bits: sums of products are sums of whole numbers, and every step with
// floating-point numbers is rounded in the same order. Conversions to float32 around products keep compilers from
// fusing them with additions.
package kernel

import "math"

const (
	// Rows is the number of rows of a tile.
	Rows = 4

	// Outputs is the number of outputs of a tile that TileBytes computes.
	Outputs = 64

	// Lanes is the number of outputs of a tile that TileWords computes.
	Lanes = 16

	// Multiple is a number that lengths of vectors must be multiples of.
	Multiple = 16
)

// Kernels has one version of every loop. Lengths of vectors are multiples of Multiple, and slices that are used
// together have the same length unless it says otherwise. The functions are safe for concurrent use.
type Kernels struct {
	// Name is "plain", "avx2" or "avx512vnni".
	Name string

	// TileBytes sets sums[64r+o] to Σ rows[r×inputs+i] × weight(i, o), for 4 rows and 64 outputs. Weights are from -64
	// to 64, and packed like those of the package weights. Inputs is a multiple of 4.
	TileBytes func(sums []int32, rows, packed []byte, inputs int)

	// TileWords sets sums[r×sumStride+o] to Σ rows[r×rowStride+i] × packed[32×(i/2)+2×o+i%2], for 4 rows and 16
	// outputs. Inputs is even. No sum may exceed 32 bits.
	TileWords func(sums []int32, sumStride int, rows []int16, rowStride int, packed []int16, inputs int)

	// Dequantize sets each output to (sum - zero × total) × rowScale × scale + bias.
	Dequantize func(outputs []float32, sums, totals []int32, scales, biases []float32, zero int32, rowScale float32)

	// Range returns the least and the largest of zero and some values.
	Range func(values []float32) (low, high float32)

	// QuantizeBytes sets each byte to value × inverse + zero, rounded to even and limited.
	QuantizeBytes func(outputs []byte, values []float32, inverse float32, zero int32)

	// QuantizeWords sets each word to value × inverse, rounded to even and limited.
	QuantizeWords func(outputs []int16, values []float32, inverse float32)

	// Magnitudes raises each magnitude to the absolute value, if that is larger.
	Magnitudes func(magnitudes, values []float32)

	// GELU replaces each value x by x × Φ(x), where Φ is the distribution function of the normal distribution.
	GELU func(values []float32)

	// Max returns the largest value.
	Max func(values []int32) int32

	// Exp sets each output to exp((value - most) × scale). No value exceeds most, and scale isn't negative.
	Exp func(outputs []float32, values []int32, most int32, scale float32)

	// Sum returns the sum of some values.
	Sum func(values []float32) float32

	// SquaredDistances returns the sum of the squares of value - mean.
	SquaredDistances func(values []float32, mean float32) float32

	// Add adds addends to values.
	Add func(values, addends []float32)

	// Normalize replaces each value by (value - mean) × inverse × gain + bias.
	Normalize func(values, gains, biases []float32, mean, inverse float32)
}

// Plain returns the loops in Go.
func Plain() Kernels {
	return Kernels{
		Name:             "plain",
		TileBytes:        tileBytes,
		TileWords:        tileWords,
		Dequantize:       dequantize,
		Range:            valueRange,
		QuantizeBytes:    quantizeBytes,
		QuantizeWords:    quantizeWords,
		Magnitudes:       magnitudes,
		GELU:             gelu,
		Max:              largest,
		Exp:              exp,
		Sum:              sum,
		SquaredDistances: squaredDistances,
		Add:              add,
		Normalize:        normalize,
	}
}

func tileBytes(sums []int32, rows, packed []byte, inputs int) {
	for r := range Rows {
		row := rows[r*inputs:][:inputs]
		for block := range Outputs / Lanes {
			totals := sums[r*Outputs+block*Lanes:][:Lanes]
			clear(totals)

			// The weights of four inputs by 16 outputs are adjacent.
			weights := packed[block*inputs*Lanes:][:inputs*Lanes]
			for i := 0; i < inputs; i += 4 {
				a, b, c, d := int32(row[i]), int32(row[i+1]), int32(row[i+2]), int32(row[i+3])
				group := weights[i*Lanes:][:4*Lanes]
				for o := range totals {
					w := group[4*o:][:4]
					totals[o] += a*int32(int8(w[0])) + b*int32(int8(w[1])) + c*int32(int8(w[2])) + d*int32(int8(w[3]))
				}
			}
		}
	}
}

func tileWords(sums []int32, sumStride int, rows []int16, rowStride int, packed []int16, inputs int) {
	for r := range Rows {
		row := rows[r*rowStride:][:inputs]
		totals := sums[r*sumStride:][:Lanes]
		clear(totals)

		for i := 0; i < inputs; i += 2 {
			a, b := int32(row[i]), int32(row[i+1])
			pairs := packed[i*Lanes:][:2*Lanes]
			for o := range totals {
				totals[o] += a*int32(pairs[2*o]) + b*int32(pairs[2*o+1])
			}
		}
	}
}

func dequantize(outputs []float32, sums, totals []int32, scales, biases []float32, zero int32, rowScale float32) {
	for i := range outputs {
		value := float32(float32(sums[i]-zero*totals[i]) * rowScale)
		outputs[i] = float32(value*scales[i]) + biases[i]
	}
}

func valueRange(values []float32) (low, high float32) {
	for _, value := range values {
		low, high = min(low, value), max(high, value)
	}
	return low, high
}

// roundShift is 1.5 × 2^23. A number below 2^22 added to it loses what is behind the point, rounded to even.
const roundShift = 1 << 23 * 1.5

// round rounds to even. Numbers that aren't far beyond the limits of 16 bits are exact.
func round(value, limit float32) int32 {
	value = min(max(value, -limit), limit)
	return int32(float32(value+roundShift) - roundShift)
}

// byteLimit is beyond every byte, and wordLimit the largest word.
const (
	byteLimit = 1024
	wordLimit = 32767
)

func quantizeBytes(outputs []byte, values []float32, inverse float32, zero int32) {
	for i, value := range values {
		outputs[i] = byte(min(max(round(float32(value*inverse), byteLimit)+zero, 0), 255))
	}
}

func quantizeWords(outputs []int16, values []float32, inverse float32) {
	for i, value := range values {
		outputs[i] = int16(round(float32(value*inverse), wordLimit))
	}
}

func magnitudes(magnitudes, values []float32) {
	for i, value := range values {
		magnitudes[i] = max(magnitudes[i], math.Float32frombits(math.Float32bits(value)&^(1<<31)))
	}
}

func gelu(values []float32) {
	for i, x := range values {
		values[i] = float32(float32(x*0.5) * (1 + erf(float32(x*sqrtHalf))))
	}
}

const sqrtHalf = math.Sqrt2 / 2

// erf returns the error function with an error below 5e-7, as the quotient of two polynomials.
func erf(x float32) float32 {
	x = min(max(x, -4), 4)
	square := float32(x * x)

	numerator := float32(square*-2.72614225801306e-10) + 2.77068142495902e-08
	numerator = float32(square*numerator) + -2.10102402082508e-06
	numerator = float32(square*numerator) + -5.69250639462346e-05
	numerator = float32(square*numerator) + -7.34990630326855e-04
	numerator = float32(square*numerator) + -2.95459980854025e-03
	numerator = float32(square*numerator) + -1.60960333262415e-02

	denominator := float32(square*-1.45660718464996e-05) + -2.13374055278905e-04
	denominator = float32(square*denominator) + -1.68282697438203e-03
	denominator = float32(square*denominator) + -7.37332916720468e-03
	denominator = float32(square*denominator) + -1.42647390514189e-02
	return float32(x*numerator) / denominator
}

func largest(values []int32) int32 {
	most := values[0]
	for _, value := range values {
		most = max(most, value)
	}
	return most
}

func exp(outputs []float32, values []int32, most int32, scale float32) {
	for i, value := range values {
		outputs[i] = expNegative(float32(float32(value-most) * scale))
	}
}

// expNegative returns exp(x) for x ≤ 0 with a relative error below 3e-7, as Cephes does: 2^n × exp(rest), where rest is
// at most half the logarithm of 2.
func expNegative(x float32) float32 {
	x = max(x, -87)
	shifted := float32(x*math.Log2E) + roundShift
	n := shifted - roundShift
	rest := x - float32(n*0.693359375)
	rest -= float32(n * -2.12194440e-4)

	series := float32(rest*1.9875691500e-4) + 1.3981999507e-3
	series = float32(rest*series) + 8.3334519073e-3
	series = float32(rest*series) + 4.1665795894e-2
	series = float32(rest*series) + 1.6666665459e-1
	series = float32(rest*series) + 5.0000001201e-1
	series = float32(float32(rest*rest)*series) + rest + 1

	// The last bits of a shifted number are its whole part; adding them to the exponent multiplies by 2^n.
	power := math.Float32bits(shifted) - math.Float32bits(roundShift) + 127
	return float32(series * math.Float32frombits(power<<23))
}

// lanes adds up values as vector instructions with 8 lanes do.
type lanes [8]float32

func (l *lanes) sum() float32 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

func sum(values []float32) float32 {
	var l lanes
	for i, value := range values {
		l[i%8] += value
	}
	return l.sum()
}

func squaredDistances(values []float32, mean float32) float32 {
	var l lanes
	for i, value := range values {
		distance := value - mean
		l[i%8] += float32(distance * distance)
	}
	return l.sum()
}

func add(values, addends []float32) {
	for i, addend := range addends {
		values[i] += addend
	}
}

func normalize(values, gains, biases []float32, mean, inverse float32) {
	for i, value := range values {
		values[i] = float32(float32((value-mean)*inverse)*gains[i]) + biases[i]
	}
}

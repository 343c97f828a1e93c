package kernel

import "golang.org/x/sys/cpu"

// Best returns the fastest loops that the processor supports.
func Best() Kernels {
	supported := Supported()
	return supported[len(supported)-1]
}

// Supported returns every version that the processor supports, the slowest first.
func Supported() []Kernels {
	supported := []Kernels{Plain()}
	if !cpu.X86.HasAVX2 {
		return supported
	}
	supported = append(supported, vectorized())

	hasVNNI := cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI
	if hasVNNI {
		wide := vectorized()
		wide.Name = "avx512vnni"
		wide.TileBytes = func(sums []int32, rows, packed []byte, inputs int) {
			checkBytes(sums, rows, packed, inputs)
			tileBytesVNNI(&sums[0], &rows[0], &packed[0], inputs)
		}
		wide.TileWords = func(sums []int32, sumStride int, rows []int16, rowStride int, packed []int16, inputs int) {
			checkWords(sums, sumStride, rows, rowStride, packed, inputs)
			tileWordsVNNI(&sums[0], sumStride, &rows[0], rowStride, &packed[0], inputs)
		}
		wide.GELU = func(values []float32) {
			geluAVX512(&values[0], length(len(values)))
		}
		wide.Exp = func(outputs []float32, values []int32, most int32, scale float32) {
			count := length(len(values))
			_ = outputs[count-1]
			expAVX512(&outputs[0], &values[0], count, most, scale)
		}
		supported = append(supported, wide)
	}
	return supported
}

// vectorized returns the loops for AVX2. Assembly doesn't check bounds, so these functions do.
func vectorized() Kernels {
	return Kernels{
		Name: "avx2",
		// Products of matrices.
		TileBytes: func(sums []int32, rows, packed []byte, inputs int) {
			checkBytes(sums, rows, packed, inputs)
			tileBytesAVX2(&sums[0], &rows[0], &packed[0], inputs)
		},
		TileWords: func(sums []int32, sumStride int, rows []int16, rowStride int, packed []int16, inputs int) {
			checkWords(sums, sumStride, rows, rowStride, packed, inputs)
			tileWordsAVX2(&sums[0], sumStride, &rows[0], rowStride, &packed[0], inputs)
		},

		// Between whole numbers and floating-point numbers.
		Dequantize: func(outputs []float32, sums, totals []int32, scales, biases []float32, zero int32, rowScale float32) {
			count := length(len(outputs))
			_, _, _, _ = sums[count-1], totals[count-1], scales[count-1], biases[count-1]
			dequantizeAVX2(&outputs[0], &sums[0], &totals[0], &scales[0], &biases[0], count, zero, rowScale)
		},
		Range: func(values []float32) (low, high float32) {
			return rangeAVX2(&values[0], length(len(values)))
		},
		QuantizeBytes: func(outputs []byte, values []float32, inverse float32, zero int32) {
			count := length(len(values))
			_ = outputs[count-1]
			quantizeBytesAVX2(&outputs[0], &values[0], count, inverse, zero)
		},
		QuantizeWords: func(outputs []int16, values []float32, inverse float32) {
			count := length(len(values))
			_ = outputs[count-1]
			quantizeWordsAVX2(&outputs[0], &values[0], count, inverse)
		},
		Magnitudes: func(magnitudes, values []float32) {
			count := length(len(values))
			_ = magnitudes[count-1]
			magnitudesAVX2(&magnitudes[0], &values[0], count)
		},

		// The activation, and the parts of a softmax.
		GELU: func(values []float32) {
			geluAVX2(&values[0], length(len(values)))
		},
		Max: func(values []int32) int32 {
			return maxAVX2(&values[0], length(len(values)))
		},
		Exp: func(outputs []float32, values []int32, most int32, scale float32) {
			count := length(len(values))
			_ = outputs[count-1]
			expAVX2(&outputs[0], &values[0], count, most, scale)
		},
		Sum: func(values []float32) float32 {
			return sumAVX2(&values[0], length(len(values)))
		},

		// The parts of a layer normalization; Sum is one, too.
		SquaredDistances: func(values []float32, mean float32) float32 {
			return squaredDistancesAVX2(&values[0], length(len(values)), mean)
		},
		Add: func(values, addends []float32) {
			count := length(len(addends))
			_ = values[count-1]
			addAVX2(&values[0], &addends[0], count)
		},
		Normalize: func(values, gains, biases []float32, mean, inverse float32) {
			count := length(len(values))
			_, _ = gains[count-1], biases[count-1]
			normalizeAVX2(&values[0], &gains[0], &biases[0], count, mean, inverse)
		},
	}
}

// length returns a length, which must be a multiple of Multiple.
func length(count int) int {
	if count <= 0 || count%Multiple != 0 {
		panic("kernel: unsupported length of a vector")
	}
	return count
}

func checkBytes(sums []int32, rows, packed []byte, inputs int) {
	if inputs <= 0 || inputs%4 != 0 {
		panic("kernel: unsupported number of inputs")
	}
	_, _, _ = sums[Rows*Outputs-1], rows[Rows*inputs-1], packed[Outputs*inputs-1]
}

func checkWords(sums []int32, sumStride int, rows []int16, rowStride int, packed []int16, inputs int) {
	if inputs <= 0 || inputs%2 != 0 || sumStride < 0 || rowStride < 0 {
		panic("kernel: unsupported number of inputs")
	}
	_, _, _ = sums[(Rows-1)*sumStride+Lanes-1], rows[(Rows-1)*rowStride+inputs-1], packed[Lanes*inputs-1]
}

//go:noescape
func tileBytesVNNI(sums *int32, rows, packed *byte, inputs int)

//go:noescape
func tileBytesAVX2(sums *int32, rows, packed *byte, inputs int)

//go:noescape
func tileWordsVNNI(sums *int32, sumStride int, rows *int16, rowStride int, packed *int16, inputs int)

//go:noescape
func tileWordsAVX2(sums *int32, sumStride int, rows *int16, rowStride int, packed *int16, inputs int)

//go:noescape
func dequantizeAVX2(
	outputs *float32, sums, totals *int32, scales, biases *float32, count int, zero int32, rowScale float32,
)

//go:noescape
func rangeAVX2(values *float32, count int) (low, high float32)

//go:noescape
func quantizeBytesAVX2(outputs *byte, values *float32, count int, inverse float32, zero int32)

//go:noescape
func quantizeWordsAVX2(outputs *int16, values *float32, count int, inverse float32)

//go:noescape
func magnitudesAVX2(magnitudes, values *float32, count int)

//go:noescape
func geluAVX2(values *float32, count int)

//go:noescape
func geluAVX512(values *float32, count int)

//go:noescape
func expAVX512(outputs *float32, values *int32, count int, most int32, scale float32)

//go:noescape
func maxAVX2(values *int32, count int) int32

//go:noescape
func expAVX2(outputs *float32, values *int32, count int, most int32, scale float32)

//go:noescape
func sumAVX2(values *float32, count int) float32

//go:noescape
func squaredDistancesAVX2(values *float32, count int, mean float32) float32

//go:noescape
func addAVX2(values, addends *float32, count int)

//go:noescape
func normalizeAVX2(values, gains, biases *float32, count int, mean, inverse float32)

package encoder

import (
	"bytes"
	"math"

	"github.com/freelancer-matching/service/internal/encoder/kernel"
	"github.com/freelancer-matching/service/internal/encoder/weights"
)

// epsilon keeps a layer normalization from dividing by zero.
const epsilon = 1e-12

// A layer has the parameters of a transformer layer, with what the kernels need besides.
type layer struct {
	*weights.Layer
	attention, output, expand, contract matrix
}

// A matrix has the sum of the weights of each output, by which zero points of inputs are taken out of the products.
type matrix struct {
	*weights.Matrix
	totals []int32
}

func newLayer(l *weights.Layer, k kernel.Kernels) layer {
	return layer{
		Layer:     l,
		attention: newMatrix(&l.Attention, k),
		output:    newMatrix(&l.Output, k),
		expand:    newMatrix(&l.Expand, k),
		contract:  newMatrix(&l.Contract, k),
	}
}

func newMatrix(m *weights.Matrix, k kernel.Kernels) matrix {
	ones := bytes.Repeat([]byte{1}, kernel.Rows*m.In)
	sums := make([]int32, kernel.Rows*kernel.Outputs)
	totals := make([]int32, m.Out)
	for output := 0; output < m.Out; output += kernel.Outputs {
		k.TileBytes(sums, ones, m.Packed[output*m.In:], m.In)
		copy(totals[output:], sums[:kernel.Outputs])
	}
	return matrix{m, totals}
}

// Buffers has the intermediate values of one text, in rows by token. It grows to 6 MB with a text of 512 tokens.
type buffers struct {
	tokens []int32
	count  int // tokens
	padded int // count, rounded up to whole tiles

	states, changes, wide []float32 // Hidden, Hidden and Intermediate values for each token

	inputs []byte // of the matrix that is being multiplied
	scales []float32
	zeros  []int32
	sums   []int32

	attention attentionBuffers
}

// resize makes room for a text with count tokens.
func (b *buffers) resize(s weights.Shape, count int) {
	b.count = count
	b.padded = (count + weights.Lanes - 1) / weights.Lanes * weights.Lanes

	b.states = grow(b.states, b.padded*s.Hidden)
	b.changes = grow(b.changes, b.padded*s.Hidden)
	b.wide = grow(b.wide, b.padded*max(s.Intermediate, 3*s.Hidden))
	b.inputs = grow(b.inputs, b.padded*max(s.Intermediate, s.Hidden))
	b.scales = grow(b.scales, b.padded)
	b.zeros = grow(b.zeros, b.padded)
	b.sums = grow(b.sums, kernel.Rows*kernel.Outputs)
	b.attention.resize(s, b.padded)
}

// grow returns a slice of a length, which is old if that is long enough. Its elements are arbitrary.
func grow[T any](old []T, length int) []T {
	if cap(old) < length {
		return make([]T, length)
	}
	return old[:length]
}

// embed sets the states to the embeddings of the tokens and their positions.
func (e *Encoder) embed(b *buffers) {
	const zero = 128
	m := e.model
	for i, token := range b.tokens {
		word := m.Words.Values[int(token)*Dimensions:][:Dimensions]
		position := m.Positions.Values[i*Dimensions:][:Dimensions]
		state := b.states[i*Dimensions:][:Dimensions]
		for d := range state {
			state[d] = float32(float32(int(word[d])-zero) * m.Words.Scale)
			state[d] += float32(float32(int(m.Segment.Values[d])-zero) * m.Segment.Scale)
			state[d] += float32(float32(int(position[d])-zero) * m.Positions.Scale)
		}
		e.normalize(state, m.EmbeddingNorm)
	}
}

// apply replaces the states of the first tokens with those after a layer.
func (e *Encoder) apply(l *layer, b *buffers, needed int) {
	e.multiply(b.wide, l.attention, b.states, b, b.count)
	e.attend(b.changes, b.wide, b, needed)
	e.multiply(b.wide, l.output, b.changes, b, needed)
	e.addNormalized(b.states, b.wide, l.AttentionNorm, needed)

	e.multiply(b.wide, l.expand, b.states, b, needed)
	e.kernels.GELU(b.wide[:needed*l.expand.Out])
	e.multiply(b.changes, l.contract, b.wide, b, needed)
	e.addNormalized(b.states, b.changes, l.OutputNorm, needed)
}

// multiply sets rows of outputs to the products of rows of inputs and a matrix.
func (e *Encoder) multiply(outputs []float32, m matrix, inputs []float32, b *buffers, rows int) {
	for r := range rows {
		b.scales[r], b.zeros[r] = e.quantize(b.inputs[r*m.In:][:m.In], inputs[r*m.In:][:m.In])
	}

	// The weights of a block of outputs stay in the first cache while all rows pass. Rows behind the last one fill a
	// tile; nothing reads their sums.
	for output := 0; output < m.Out; output += kernel.Outputs {
		packed := m.Packed[output*m.In:][:kernel.Outputs*m.In]
		totals, scales, biases := m.totals[output:], m.Scales[output:], m.Biases[output:]
		for first := 0; first < rows; first += kernel.Rows {
			e.kernels.TileBytes(b.sums, b.inputs[first*m.In:], packed, m.In)
			for r := first; r < min(first+kernel.Rows, rows); r++ {
				e.kernels.Dequantize(outputs[r*m.Out+output:][:kernel.Outputs], b.sums[(r-first)*kernel.Outputs:], totals,
					scales, biases, b.zeros[r], b.scales[r])
			}
		}
	}
}

// quantize sets each output to round(value / scale) + zero, so that the range of the values, extended to zero, fills a
// byte.
func (e *Encoder) quantize(outputs []byte, values []float32) (scale float32, zero int32) {
	const steps = 255
	low, high := e.kernels.Range(values)
	if low == high { // only zeros
		clear(outputs)
		return 0, 0
	}

	scale = (high - low) / steps
	zero = int32(math.RoundToEven(float64(-low / scale)))
	e.kernels.QuantizeBytes(outputs, values, 1/scale, zero)
	return scale, zero
}

// addNormalized adds changes to states and normalizes them, for the first tokens.
func (e *Encoder) addNormalized(states, changes []float32, n weights.Norm, needed int) {
	for i := range needed {
		state := states[i*Dimensions:][:Dimensions]
		e.kernels.Add(state, changes[i*Dimensions:][:Dimensions])
		e.normalize(state, n)
	}
}

func (e *Encoder) normalize(state []float32, n weights.Norm) {
	mean := e.kernels.Sum(state) / Dimensions
	variance := e.kernels.SquaredDistances(state, mean) / Dimensions
	e.kernels.Normalize(state, n.Gain, n.Bias, mean, 1/squareRoot(variance+epsilon))
}

// unit sets a vector to another one, scaled to length 1.
func (e *Encoder) unit(vector, state []float32) {
	length := squareRoot(e.kernels.SquaredDistances(state, 0))
	for i, value := range state {
		vector[i] = value / length
	}
}

// squareRoot returns the square root, which is correctly rounded everywhere.
func squareRoot(value float32) float32 {
	return float32(math.Sqrt(float64(value)))
}

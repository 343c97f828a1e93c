package encoder

import (
	"github.com/freelancer-matching/service/internal/encoder/kernel"
	"github.com/freelancer-matching/service/internal/encoder/weights"
)

// Limits of the whole numbers in attention. Products of queries and keys of up to 256 dimensions fit 32 bits, even the
// difference of two. The shares of a token add up to about wordLimit, so a weighted sum of values is below 2^31, too.
const (
	keyLimit  = 2047
	wordLimit = 32767
)

// AttentionBuffers has the intermediate values of attention.
type attentionBuffers struct {
	magnitudes []float32 // of each of the outputs for query, key and value
	words      []int16   // query, key and value of each token

	// Of one head: keys packed as a matrix from dimensions to tokens, and values as one from tokens to dimensions.
	keys, values []int16

	// Of one tile of tokens: their scores with every token, before and after exp, their shares, and weighted sums.
	scores []int32
	powers []float32
	shares []int16
	sums   []int32
}

func (a *attentionBuffers) resize(s weights.Shape, padded int) {
	a.magnitudes = grow(a.magnitudes, 3*s.Hidden)
	a.words = grow(a.words, padded*3*s.Hidden)
	a.keys = grow(a.keys, padded*s.Hidden/s.Heads)
	a.values = grow(a.values, padded*s.Hidden/s.Heads)
	a.scores = grow(a.scores, kernel.Rows*padded)
	a.powers = grow(a.powers, padded)
	a.shares = grow(a.shares, kernel.Rows*padded)
	a.sums = grow(a.sums, kernel.Rows*s.Hidden/s.Heads)
}

// attend sets outputs of the first tokens to the values of all tokens, weighted by how well their keys match the query.
func (e *Encoder) attend(outputs, projections []float32, b *buffers, needed int) {
	a := &b.attention
	size := Dimensions / e.model.Shape.Heads
	scales := e.quantizeProjections(projections, b)

	for head := range e.model.Shape.Heads {
		query, key, value := head*size, Dimensions+head*size, 2*Dimensions+head*size
		a.pack(b, key, value, size)

		scoreScale := float32(scales[query/size]*scales[key/size]) / squareRoot(float32(size))
		valueScale := scales[value/size] / wordLimit
		for first := 0; first < needed; first += kernel.Rows {
			e.score(a, first, query, size, b)
			for r := range min(kernel.Rows, needed-first) {
				e.share(a, r, scoreScale, b)
			}
			e.weigh(a, size, b)

			for r := range min(kernel.Rows, needed-first) {
				output := outputs[(first+r)*Dimensions+head*size:][:size]
				for d, sum := range a.sums[r*size:][:size] {
					output[d] = float32(float32(sum) * valueScale)
				}
			}
		}
	}
}

// quantizeProjections sets words to queries, keys and values as whole numbers. It returns their scales: those of the
// queries by head, then those of the keys and of the values.
func (e *Encoder) quantizeProjections(projections []float32, b *buffers) []float32 {
	const width = 3 * Dimensions
	a := &b.attention
	size := Dimensions / e.model.Shape.Heads

	clear(a.magnitudes)
	for i := range b.count {
		e.kernels.Magnitudes(a.magnitudes, projections[i*width:][:width])
	}

	scales := make([]float32, width/size)
	for part := range scales {
		limit := float32(keyLimit)
		if part*size >= 2*Dimensions {
			limit = wordLimit
		}

		_, most := e.kernels.Range(a.magnitudes[part*size:][:size])
		if most == 0 {
			most = 1 // any scale does for zeros
		}
		scales[part] = most / limit
		for i := range b.count {
			at := i*width + part*size
			e.kernels.QuantizeWords(a.words[at:][:size], projections[at:][:size], limit/most)
		}
	}
	return scales
}

// pack sets keys and values to those of a head, which begin at two places of a token's words. Tokens that fill a tile
// have zeros.
func (a *attentionBuffers) pack(b *buffers, key, value, size int) {
	const width = 3 * Dimensions
	clear(a.words[b.count*width : b.padded*width])
	for i := range b.padded {
		keys := a.words[i*width+key:][:size]
		block := a.keys[i/kernel.Lanes*kernel.Lanes*size:][:kernel.Lanes*size]
		lane := i % kernel.Lanes * 2
		for d := 0; d < size; d += 2 {
			block[d*kernel.Lanes+lane], block[d*kernel.Lanes+lane+1] = keys[d], keys[d+1]
		}
	}

	for i := 0; i < b.padded; i += 2 {
		even, odd := a.words[i*width+value:][:size], a.words[(i+1)*width+value:][:size]
		for first := 0; first < size; first += kernel.Lanes {
			pairs := a.values[first*b.padded+i*kernel.Lanes:][:2*kernel.Lanes]
			for lane := range kernel.Lanes {
				pairs[2*lane], pairs[2*lane+1] = even[first+lane], odd[first+lane]
			}
		}
	}
}

// score sets scores of a tile of tokens to the products of their queries and all keys.
func (e *Encoder) score(a *attentionBuffers, first, query, size int, b *buffers) {
	const width = 3 * Dimensions
	for token := 0; token < b.padded; token += kernel.Lanes {
		e.kernels.TileWords(a.scores[token:], b.padded, a.words[first*width+query:], width, a.keys[token*size:], size)
	}
}

// share sets the shares of a token of a tile to the softmax of its scores, as whole numbers.
func (e *Encoder) share(a *attentionBuffers, row int, scale float32, b *buffers) {
	scores := a.scores[row*b.padded:][:b.padded]

	// Tokens that fill a tile take no share, and must not change the maximum.
	for i := b.count; i < b.padded; i++ {
		scores[i] = scores[0]
	}
	e.kernels.Exp(a.powers, scores, e.kernels.Max(scores), scale)
	clear(a.powers[b.count:])

	e.kernels.QuantizeWords(a.shares[row*b.padded:][:b.padded], a.powers, wordLimit/e.kernels.Sum(a.powers))
}

// weigh sets sums of a tile of tokens to all values, weighted by their shares.
func (e *Encoder) weigh(a *attentionBuffers, size int, b *buffers) {
	for first := 0; first < size; first += kernel.Lanes {
		e.kernels.TileWords(a.sums[first:], size, a.shares, b.padded, a.values[first*b.padded:], b.padded)
	}
}

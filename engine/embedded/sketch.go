package embedded

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"freelancer-matching/internal/matching"
)

// A sketch is a vector in two bits a coordinate, from which its cosine with a query's vector is estimated many times
// faster than computed. The vector is rotated at random first, so that its coordinates are distributed much like normal
// ones, whatever the space; then each, in units of their root mean square, becomes one of the levels -1.5, -.5, .5 and
// 1.5, and
//
//	cosine(o, q) ≈ <levels of o, q> ÷ <levels of o, o>
//
// without bias, where the divisor is about the same for all. This is RaBitQ (Gao and Long, SIGMOD 2024) with a fast
// rotation. The higher bits, which are the signs, make a coarser estimate alone, in half the time. Of a space of more
// dimensions than maxCoordinates, so many of the rotated ones are sketched.
const (
	maxCoordinates = 256
	wordBits       = 64
	rotationRounds = 3
)

// rotation turns vectors of one space: sign flips at random and a Hadamard transform, three times. Sketches are stored,
// so the same numbers must come out of it for ever, or formatVersion go up.
type rotation struct {
	dimensions int
	flips      [rotationRounds][]float32 // 1 or -1 for each coordinate
}

func newRotation(dimensions int) *rotation {
	r := &rotation{dimensions: dimensions}
	size := max(wordBits, 1<<bits.Len(uint(dimensions-1))) // a power of two, to which vectors are padded with zeros
	source := rand.NewPCG(uint64(dimensions), 1)
	for round := range r.flips {
		r.flips[round] = make([]float32, size)
		for i := range r.flips[round] {
			r.flips[round][i] = float32(int(source.Uint64()>>63)*2 - 1)
		}
	}
	return r
}

// words is how many words of bits a sketch has, for each of its two bits a coordinate.
func (r *rotation) words() int { return min(len(r.flips[0]), maxCoordinates) / wordBits }

// turn is the rotated vector, whose coordinates have a mean square of 1; a vector of zeros stays one.
func (r *rotation) turn(v matching.Vector) []float32 {
	squares := squares(v)
	turned := make([]float32, len(r.flips[0]))
	if squares == 0 {
		return turned
	}
	for i, c := range v {
		turned[i] = float32(c)
	}
	for _, flips := range r.flips {
		for i := range turned {
			turned[i] *= flips[i]
		}
		hadamard(turned)
	}
	// Each transform made the vector longer by the root of its size.
	size := float64(len(turned))
	scale := float32(math.Sqrt(size / float64(squares) / math.Pow(size, rotationRounds)))
	for i := range turned {
		turned[i] *= scale
	}
	return turned
}

// squares is the square of a vector's length, by its numbers as they are.
func squares(v matching.Vector) int {
	sum := 0
	for _, c := range v {
		sum += int(c) * int(c)
	}
	return sum
}

// hadamard is the Walsh–Hadamard transform in place, without scaling. The size is a power of two.
func hadamard(v []float32) {
	for half := 1; half < len(v); half *= 2 {
		for start := 0; start < len(v); start += 2 * half {
			a, b := v[start:start+half], v[start+half:start+2*half]
			for i, x := range a {
				a[i], b[i] = x+b[i], x-b[i]
			}
		}
	}
}

// sketch is the two bits of the coordinates of a vector. For a vector of zeros they mean nothing.
func (r *rotation) sketch(v matching.Vector) (high, low []uint64) {
	high, low = make([]uint64, r.words()), make([]uint64, r.words())
	for i, x := range r.turn(v)[:r.words()*wordBits] {
		code := uint64(min(3, max(0, math.Floor(float64(x))+2)))
		high[i/wordBits] |= code >> 1 << (i % wordBits)
		low[i/wordBits] |= code & 1 << (i % wordBits)
	}
	return high, low
}

// rotations are those of the spaces of an index.
func rotations(spaces []matching.VectorSpace) []*rotation {
	turns := make([]*rotation, len(spaces))
	for i, space := range spaces {
		turns[i] = newRotation(space.Dimensions)
	}
	return turns
}

// planes are 64 coordinates of a rotated query as whole numbers of -8 to 7: bit i of planes[b] is bit b of number i.
type planes [4]uint64

// sum adds up the numbers of the coordinates that are set.
func (p *planes) sum(set uint64) int {
	return bits.OnesCount64(set&p[0]) + bits.OnesCount64(set&p[1])<<1 +
		bits.OnesCount64(set&p[2])<<2 - bits.OnesCount64(set&p[3])<<3
}

// sketchedQuery estimates the cosines of a query's vector with sketched ones.
type sketchedQuery struct {
	planes       []planes
	total        int      // sum of all numbers
	coarse, fine estimate // by the sums that signs, and levels, return
}

// estimate is how a sum tells a cosine.
type estimate struct {
	unit float64 // the cosine that a sum of 1 stands for; 0: the query is a vector of zeros
	// deviation is the standard deviation for a vector at a right angle to the query. For closer ones it is smaller.
	deviation float64
}

// Of a coordinate x with the standard normal distribution: the mean of |x|, and of x times its level. Divided by the
// mean of level², the square of each is what the signs, and the levels, keep of a vector.
const (
	signsProduct  = 0.7979
	levelsProduct = 0.8829
	keptBySigns   = signsProduct * signsProduct
	keptByLevels  = levelsProduct * levelsProduct / 0.8846
)

func (r *rotation) query(v matching.Vector) *sketchedQuery {
	coordinates := r.words() * wordBits
	sketched := float64(coordinates) / float64(len(r.flips[0]))
	q := &sketchedQuery{
		planes: make([]planes, r.words()),
		coarse: estimate{deviation: r.deviation(keptBySigns * sketched)},
		fine:   estimate{deviation: r.deviation(keptByLevels * sketched)},
	}
	turned, highest, square := r.turn(v)[:coordinates], float32(0), 0.0
	for _, x := range turned {
		highest = max(highest, x, -x)
		square += float64(x) * float64(x)
	}
	if highest == 0 {
		return q
	}
	step := highest / 7
	for i, x := range turned {
		number := int(math.Round(float64(x / step)))
		q.total += number
		for b := range q.planes[i/wordBits] {
			q.planes[i/wordBits][b] |= uint64(number>>b&1) << (i % wordBits)
		}
	}
	// Signs count as -1 and 1, and levels twice.
	q.coarse.unit = float64(step) / (square * signsProduct)
	q.fine.unit = float64(step) / (square * 2 * levelsProduct)
	return q
}

// deviation is the standard deviation of an estimate by a sketch that keeps so much of a vector (RaBitQ, theorem 3.2).
func (r *rotation) deviation(kept float64) float64 {
	return math.Sqrt((1 - kept) / kept / float64(max(1, r.dimensions-1)))
}

// signs is <signs, query> of one document.
func (q *sketchedQuery) signs(c *vectors, doc int) int {
	sum := -q.total
	for word := range q.planes {
		sum += 2 * q.planes[word].sum(c.high[word][doc])
	}
	return sum
}

// levels is twice <levels, query> of one document.
func (q *sketchedQuery) levels(c *vectors, doc int) int {
	sum := -3 * q.total
	for word := range q.planes {
		sum += 4*q.planes[word].sum(c.high[word][doc]) + 2*q.planes[word].sum(c.low[word][doc])
	}
	return sum
}

package vector

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/freelancer-matching/service/internal/matching"
)

// A sketch stores a vector in two bits per coordinate. Estimating a cosine from it is many times faster than computing
// the cosine. The vector is first rotated at random, so that its coordinates are nearly normally distributed in any
// space. Each coordinate, in units of their root mean square, is then rounded to one of the levels -1.5, -.5, .5 and
// 1.5, and
//
//	cosine(o, q) ≈ <levels of o, q> ÷ <levels of o, o>
//
// is an unbiased estimate whose divisor is about the same for all vectors. This is RaBitQ (Gao and Long, SIGMOD 2024)
// with a fast rotation. The high bits alone, which are the signs, give a coarser estimate in half the time. At most
// maxCoordinates of the rotated coordinates are sketched.
const (
	maxCoordinates = 256
	wordBits       = 64
	rotationRounds = 3
)

// A Rotation rotates vectors of one space by three rounds of random sign flips and a Hadamard transform. Because
// sketches are stored, any change to its results requires a new sectionfile.FormatVersion.
type Rotation struct {
	Dimensions int
	flips      [rotationRounds][]float32 // 1 or -1 for each coordinate
}

// newRotation returns the rotation of vectors with the given number of dimensions.
func newRotation(dimensions int) *Rotation {
	r := &Rotation{Dimensions: dimensions}
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

// words returns the number of 64-bit words for each of a sketch's two bits per coordinate.
func (r *Rotation) words() int { return min(len(r.flips[0]), maxCoordinates) / wordBits }

// rotate returns the rotated vector, scaled so that the mean square of its coordinates is 1. A zero vector stays zero.
func (r *Rotation) rotate(v matching.Vector) []float32 {
	squares := Squares(v)
	rotated := make([]float32, len(r.flips[0]))

	if squares == 0 {
		return rotated
	}

	for i, c := range v {
		rotated[i] = float32(c)
	}

	for _, flips := range r.flips {
		for i := range rotated {
			rotated[i] *= flips[i]
		}
		hadamard(rotated)
	}

	// Each transform multiplies the length of the vector by the square root of its size.
	size := float64(len(rotated))
	scale := float32(math.Sqrt(size / float64(squares) / math.Pow(size, rotationRounds)))
	for i := range rotated {
		rotated[i] *= scale
	}

	return rotated
}

// Squares returns the square of a vector's length.
func Squares(v matching.Vector) int {
	sum := 0
	for _, c := range v {
		sum += int(c) * int(c)
	}
	return sum
}

// hadamard applies the unscaled Walsh–Hadamard transform in place. The size must be a power of two.
func hadamard(v []float32) {
	for half := 1; half < len(v); half *= 2 {
		for start := 0; start < len(v); start += 2 * half {
			a := v[start : start+half]
			b := v[start+half : start+2*half]
			for i, x := range a {
				a[i], b[i] = x+b[i], x-b[i]
			}
		}
	}
}

// sketch returns the high and low bits of a vector's coordinates. Those of a zero vector are meaningless.
func (r *Rotation) sketch(v matching.Vector) (high, low []uint64) {
	high = make([]uint64, r.words())
	low = make([]uint64, r.words())
	for i, x := range r.rotate(v)[:r.words()*wordBits] {
		code := uint64(min(3, max(0, math.Floor(float64(x))+2)))
		high[i/wordBits] |= code >> 1 << (i % wordBits)
		low[i/wordBits] |= code & 1 << (i % wordBits)
	}
	return high, low
}

// NewRotations returns the rotations of the spaces of an index.
func NewRotations(spaces []matching.VectorSpace) []*Rotation {
	rotations := make([]*Rotation, len(spaces))
	for i, space := range spaces {
		rotations[i] = newRotation(space.Dimensions)
	}
	return rotations
}

// planes holds 64 coordinates of a rotated query as integers from -8 to 7: bit i of planes[b] is bit b of integer i.
type planes [4]uint64

// sum returns the sum of the integers whose bits in set are 1.
func (p *planes) sum(set uint64) int {
	return bits.OnesCount64(set&p[0]) + bits.OnesCount64(set&p[1])<<1 +
		bits.OnesCount64(set&p[2])<<2 - bits.OnesCount64(set&p[3])<<3
}

// A Query estimates the cosines between a query's vector and sketched vectors.
type Query struct {
	planes       []planes
	total        int      // sum of all integers
	Coarse, Fine Estimate // for the sums returned by signs and levels
}

// An Estimate converts a sum to a cosine.
type Estimate struct {
	Unit float64 // the cosine that corresponds to a sum of 1; 0 if the query is a zero vector
	// deviation is the standard deviation for a vector perpendicular to the query. It is smaller for closer vectors.
	Deviation float64
}

// signsProduct and levelsProduct are the means of |x| and of x times its level, for a coordinate x with the standard
// normal distribution. The shares of a vector that its signs and its levels keep are their squares, divided by the
// means of sign² and level².
const (
	signsProduct  = 0.7979
	levelsProduct = 0.8829
	keptBySigns   = signsProduct * signsProduct
	keptByLevels  = levelsProduct * levelsProduct / 0.8846
)

// Query prepares estimates of the cosines between v and sketched vectors.
func (r *Rotation) Query(v matching.Vector) *Query {
	coordinates := r.words() * wordBits
	sketched := float64(coordinates) / float64(len(r.flips[0]))
	q := &Query{
		planes: make([]planes, r.words()),
		Coarse: Estimate{Deviation: r.deviation(keptBySigns * sketched)},
		Fine:   Estimate{Deviation: r.deviation(keptByLevels * sketched)},
	}

	rotated := r.rotate(v)[:coordinates]
	highest := float32(0)
	square := 0.0
	for _, x := range rotated {
		highest = max(highest, x, -x)
		square += float64(x) * float64(x)
	}

	if highest == 0 {
		return q
	}
	step := highest / 7
	for i, x := range rotated {
		number := int(math.Round(float64(x / step)))
		q.total += number
		for b := range q.planes[i/wordBits] {
			q.planes[i/wordBits][b] |= uint64(number>>b&1) << (i % wordBits)
		}
	}

	// The sum of signs counts each as -1 or 1. The sum of levels is doubled, so that it is an integer.
	q.Coarse.Unit = float64(step) / (square * signsProduct)
	q.Fine.Unit = float64(step) / (square * 2 * levelsProduct)
	return q
}

// deviation returns the standard deviation of an estimate from a sketch that keeps the given share of a vector (RaBitQ,
// theorem 3.2).
func (r *Rotation) deviation(kept float64) float64 {
	return math.Sqrt((1 - kept) / kept / float64(max(1, r.Dimensions-1)))
}

// Signs returns <signs, query> of a document.
func (q *Query) Signs(c *Column, doc int) int {
	sum := -q.total
	for word := range q.planes {
		sum += 2 * q.planes[word].sum(c.high[word][doc])
	}
	return sum
}

// SignsReach reports whether signs returns at least enough for any of the documents from first to before end. Spaces of
// up to 64 dimensions, such as the built-in one, have a loop of their own, because a search asks this of most tiles.
func (q *Query) SignsReach(enough int, c *Column, first, end int) bool {
	if len(q.planes) == 1 {
		planes := q.planes[0]
		enough := enough + q.total
		for _, set := range c.high[0][first:end] {
			if 2*planes.sum(set) >= enough {
				return true
			}
		}
		return false
	}
	for doc := first; doc < end; doc++ {
		if q.Signs(c, doc) >= enough {
			return true
		}
	}
	return false
}

// Levels returns twice <levels, query> of a document.
func (q *Query) Levels(c *Column, doc int) int {
	sum := -3 * q.total
	for word := range q.planes {
		sum += 4*q.planes[word].sum(c.high[word][doc]) + 2*q.planes[word].sum(c.low[word][doc])
	}
	return sum
}

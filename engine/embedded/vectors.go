package embedded

import (
	"fmt"

	"freelancer-matching/internal/matching"
)

// vectors holds the vectors of one block in one space, with their sketches. A document without a vector and one that
// was replaced have zeros.
type vectors struct {
	values    []int8     // of all documents, one after the other
	squares   []uint32   // the square of each vector's length
	high, low [][]uint64 // by word of the sketch, then by document, so that reads are sequential
}

// newVectors returns the vectors of no documents, by space.
func newVectors(rotations []*rotation) []vectors {
	spaces := make([]vectors, len(rotations))
	for i, r := range rotations {
		spaces[i].high, spaces[i].low = make([][]uint64, r.words()), make([][]uint64, r.words())
	}
	return spaces
}

// newSizedVectors returns zeros for the given number of documents, by space.
func newSizedVectors(rotations []*rotation, documents int) []vectors {
	spaces := newVectors(rotations)
	for i, r := range rotations {
		v := &spaces[i]
		v.values = make([]int8, documents*r.dimensions)
		v.squares = make([]uint32, documents)
		for word := range v.high {
			v.high[word] = make([]uint64, documents)
			v.low[word] = make([]uint64, documents)
		}
	}
	return spaces
}

// add appends the vector of the next document.
func (c *vectors) add(v matching.Vector, r *rotation) {
	if v == nil {
		v = make(matching.Vector, r.dimensions)
	}
	c.values = append(c.values, v...)
	c.squares = append(c.squares, uint32(squares(v)))
	high, low := r.sketch(v)
	for word := range c.high {
		c.high[word] = append(c.high[word], high[word])
		c.low[word] = append(c.low[word], low[word])
	}
}

// at returns the vector of a document.
func (c *vectors) at(doc int) matching.Vector {
	dimensions := len(c.values) / len(c.squares)
	return c.values[doc*dimensions : (doc+1)*dimensions]
}

// erase sets the vector of a document to zeros.
func (c *vectors) erase(doc int) {
	clear(c.at(doc))
	for word := range c.high {
		c.high[word][doc] = 0
		c.low[word][doc] = 0
	}
	c.squares[doc] = 0
}

// reset removes all vectors and keeps their memory.
func (c *vectors) reset() {
	c.values, c.squares = c.values[:0], c.squares[:0]
	for word := range c.high {
		c.high[word], c.low[word] = c.high[word][:0], c.low[word][:0]
	}
}

// transfer writes or reads the vectors.
func (c *vectors) transfer(f *sections, name string) {
	section(f, name+" values", &c.values)
	section(f, name+" squares", &c.squares)
	for word := range c.high {
		section(f, fmt.Sprintf("%s high bits %d", name, word), &c.high[word])
		section(f, fmt.Sprintf("%s low bits %d", name, word), &c.low[word])
	}
}

// check returns an error unless there are vectors and sketches of the given number of documents.
func (c *vectors) check(name string, documents, dimensions int) error {
	ok := len(c.values) == documents*dimensions && len(c.squares) == documents
	for word := range c.high {
		ok = ok && len(c.high[word]) == documents && len(c.low[word]) == documents
	}
	if !ok {
		return fmt.Errorf("%s: want values and sketches of %d documents with %d dimensions", name, documents, dimensions)
	}
	return nil
}

// set copies the vector of a document of another block.
func (c *vectors) set(doc int, from *vectors, fromDoc int) {
	copy(c.at(doc), from.at(fromDoc))
	c.squares[doc] = from.squares[fromDoc]
	for word := range c.high {
		c.high[word][doc], c.low[word][doc] = from.high[word][fromDoc], from.low[word][fromDoc]
	}
}

// product returns the dot product of two vectors, of which b must not be shorter.
func product(a, b matching.Vector) (dot int) {
	for len(a) >= 8 && len(b) >= 8 {
		dot += int(a[0])*int(b[0]) + int(a[1])*int(b[1]) + int(a[2])*int(b[2]) + int(a[3])*int(b[3]) +
			int(a[4])*int(b[4]) + int(a[5])*int(b[5]) + int(a[6])*int(b[6]) + int(a[7])*int(b[7])
		a = a[8:]
		b = b[8:]
	}
	for i, value := range a {
		dot += int(value) * int(b[i])
	}
	return dot
}

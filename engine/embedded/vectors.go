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

func newVectors(rotations []*rotation) []vectors {
	spaces := make([]vectors, len(rotations))
	for i, r := range rotations {
		spaces[i].high, spaces[i].low = make([][]uint64, r.words()), make([][]uint64, r.words())
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

package embedded

import (
	"fmt"

	"freelancer-matching/internal/matching"
)

// vectors are those of one block in one space, with their sketches. A document without words, and one that was
// replaced, has zeros.
type vectors struct {
	values    []int8     // of one document after the other
	squares   []uint32   // the square of each vector's length
	high, low [][]uint64 // by word of the sketch, then by document: so one word of all documents is read in one go
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

// at is the vector of a document.
func (c *vectors) at(doc int) matching.Vector {
	dimensions := len(c.values) / len(c.squares)
	return c.values[doc*dimensions : (doc+1)*dimensions]
}

// erase makes the vector of a document zeros.
func (c *vectors) erase(doc int) {
	clear(c.at(doc))
	for word := range c.high {
		c.high[word][doc], c.low[word][doc] = 0, 0
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

// check reports whether there are vectors, and sketches, of so many documents.
func (c *vectors) check(name string, documents, dimensions int) error {
	fit := len(c.values) == documents*dimensions && len(c.squares) == documents
	for word := range c.high {
		fit = fit && len(c.high[word]) == documents && len(c.low[word]) == documents
	}
	if !fit {
		return fmt.Errorf("%s: values and sketches do not fit %d documents of %d dimensions", name, documents, dimensions)
	}
	return nil
}

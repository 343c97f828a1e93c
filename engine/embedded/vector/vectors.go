// Package vector stores the vectors of documents with sketches that estimate cosines, and divides them into topics.
package vector

import (
	"fmt"

	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// Column holds the vectors of one block in one space, with their sketches. A document without a vector and one that
// was replaced have zeros.
type Column struct {
	Values    []int8     // of all documents, one after the other
	Squares   []uint32   // the square of each vector's length
	high, low [][]uint64 // by word of the sketch, then by document, so that reads are sequential
}

// NewColumns returns the vectors of no documents, by space.
func NewColumns(rotations []*Rotation) []Column {
	spaces := make([]Column, len(rotations))
	for i, r := range rotations {
		spaces[i].high, spaces[i].low = make([][]uint64, r.words()), make([][]uint64, r.words())
	}
	return spaces
}

// NewSizedColumns returns zeros for the given number of documents, by space.
func NewSizedColumns(rotations []*Rotation, documents int) []Column {
	spaces := NewColumns(rotations)
	for i, r := range rotations {
		v := &spaces[i]
		v.Values = make([]int8, documents*r.Dimensions)
		v.Squares = make([]uint32, documents)
		for word := range v.high {
			v.high[word] = make([]uint64, documents)
			v.low[word] = make([]uint64, documents)
		}
	}
	return spaces
}

// Add appends the vector of the next document.
func (c *Column) Add(v matching.Vector, r *Rotation) {
	if v == nil {
		v = make(matching.Vector, r.Dimensions)
	}
	c.Values = append(c.Values, v...)
	c.Squares = append(c.Squares, uint32(Squares(v)))
	high, low := r.sketch(v)
	for word := range c.high {
		c.high[word] = append(c.high[word], high[word])
		c.low[word] = append(c.low[word], low[word])
	}
}

// At returns the vector of a document.
func (c *Column) At(doc int) matching.Vector {
	dimensions := len(c.Values) / len(c.Squares)
	return c.Values[doc*dimensions : (doc+1)*dimensions]
}

// Clear sets the vector of a document to zeros.
func (c *Column) Clear(doc int) {
	clear(c.At(doc))
	for word := range c.high {
		c.high[word][doc] = 0
		c.low[word][doc] = 0
	}
	c.Squares[doc] = 0
}

// Reset removes all vectors and keeps their memory.
func (c *Column) Reset() {
	c.Values, c.Squares = c.Values[:0], c.Squares[:0]
	for word := range c.high {
		c.high[word], c.low[word] = c.high[word][:0], c.low[word][:0]
	}
}

// Transfer writes or reads the vectors.
func (c *Column) Transfer(f *sectionfile.Sections, name string) {
	sectionfile.Transfer(f, name+" values", &c.Values)
	sectionfile.Transfer(f, name+" squares", &c.Squares)
	for word := range c.high {
		sectionfile.Transfer(f, fmt.Sprintf("%s high bits %d", name, word), &c.high[word])
		sectionfile.Transfer(f, fmt.Sprintf("%s low bits %d", name, word), &c.low[word])
	}
}

// Check returns an error unless there are vectors and sketches of the given number of documents.
func (c *Column) Check(name string, documents, dimensions int) error {
	ok := len(c.Values) == documents*dimensions && len(c.Squares) == documents
	for word := range c.high {
		ok = ok && len(c.high[word]) == documents && len(c.low[word]) == documents
	}
	if !ok {
		return fmt.Errorf("%s: want values and sketches of %d documents with %d dimensions", name, documents, dimensions)
	}
	return nil
}

// Copy copies the vector of a document of another block.
func (c *Column) Copy(doc int, from *Column, fromDoc int) {
	copy(c.At(doc), from.At(fromDoc))
	c.Squares[doc] = from.Squares[fromDoc]
	for word := range c.high {
		c.high[word][doc], c.low[word][doc] = from.high[word][fromDoc], from.low[word][fromDoc]
	}
}

// Product returns the dot product of two vectors, of which b must not be shorter.
func Product(a, b matching.Vector) (dot int) {
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

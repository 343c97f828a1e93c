package matching

import (
	"fmt"
	"math"
)

// MaxDimensions is the most that a vector space may have.
const MaxDimensions = 4096

// Vector is a text as a direction in a space where texts of like meaning lie close together: one whole number for each
// dimension, -127 to 127. Only the direction means anything, not the length. A vector of zeros, or nil, stands for a
// text without words; its cosine with any other is 0.
//
// Vectors are rounded to whole numbers before they reach an engine, so that every engine compares the same ones.
type Vector []int8

// VectorSpace is what one kind of vectors was made by. Vectors can be compared only within one space.
type VectorSpace struct {
	Model      string `json:"model"`      // name and version
	Dimensions int    `json:"dimensions"` // 1 to MaxDimensions
	// Floor is the cosine, below 1, up to which texts have nothing in common, as models differ.
	Floor float64 `json:"floor"`
}

// Cosine is how closely two vectors of the same space agree, -1 to 1: 1 for the same direction.
func Cosine(a, b Vector) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	var dot, aa, bb int
	for i, x := range a {
		y := b[i]
		dot += int(x) * int(y)
		aa += int(x) * int(x)
		bb += int(y) * int(y)
	}
	if dot == 0 {
		return 0
	}
	return float64(dot) / math.Sqrt(float64(aa)*float64(bb))
}

// Check reports what is wrong with a space that an index is to have; nil when nothing is.
func (s VectorSpace) Check() error {
	if s.Dimensions < 1 || s.Dimensions > MaxDimensions {
		return fmt.Errorf("vectors of %q: %d dimensions, want 1 to %d", s.Model, s.Dimensions, MaxDimensions)
	}
	if !(s.Floor < 1) {
		return fmt.Errorf("vectors of %q: a floor of %v, want less than 1", s.Model, s.Floor)
	}
	return nil
}

// Holds reports why v cannot belong to this space; nil when it can. A nil vector belongs to every space.
func (s VectorSpace) Holds(v Vector) error {
	if v != nil && len(v) != s.Dimensions {
		return fmt.Errorf("vector of %d dimensions, want the %d of %q", len(v), s.Dimensions, s.Model)
	}
	return nil
}

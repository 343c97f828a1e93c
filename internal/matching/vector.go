package matching

import (
	"fmt"
	"math"
)

// MaxDimensions is the largest number of dimensions of a vector space.
const MaxDimensions = 4096

// Vector is the meaning of a text as a direction: one integer per dimension, -127 to 127. Its length means nothing. A
// nil vector, or one of zeros, stands for a text without words; its cosine with any other vector is 0. Integers make
// every engine compute the same cosines.
type Vector []int8

// VectorSpace identifies the model that produced a vector. Only vectors of the same space are comparable.
type VectorSpace struct {
	Model      string `json:"model"`      // name and version
	Dimensions int    `json:"dimensions"` // 1 to MaxDimensions
	// Floor is the mean cosine, below 1, of two texts that have nothing in common. It differs between models.
	Floor float64 `json:"floor"`
	// Texts is the version of the texts whose vectors an index has, such as which parts of a freelancer they contain. 0 is
	// the first one.
	Texts int `json:"texts,omitempty"`
}

// Cosine returns the cosine of the angle between two vectors of the same space, -1 to 1.
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

// Check returns an error if the space is invalid.
func (s VectorSpace) Check() error {
	if s.Dimensions < 1 || s.Dimensions > MaxDimensions {
		return fmt.Errorf("vectors of %q: %d dimensions, want 1 to %d", s.Model, s.Dimensions, MaxDimensions)
	}
	if !(s.Floor < 1) {
		return fmt.Errorf("vectors of %q: a floor of %v, want less than 1", s.Model, s.Floor)
	}
	return nil
}

// Holds returns an error if v can't belong to this space. A nil vector belongs to every space.
func (s VectorSpace) Holds(v Vector) error {
	if v != nil && len(v) != s.Dimensions {
		return fmt.Errorf("vector of %d dimensions, want the %d of %q", len(v), s.Dimensions, s.Model)
	}
	return nil
}

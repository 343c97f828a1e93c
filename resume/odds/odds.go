package odds

import (
	"math"
)

// A Candidate is one possible value of a field. Every field that can be read in more than one way is chosen like this:
// collect candidates, describe each by features, take the one with the highest score, and convert its score to a
// probability (Calibration).
type Candidate[T any] struct {
	Value    T
	Source   string // where the value is from, such as "label" or "first lines"
	Features []Feature
	Score    float64 // sum of the weights of the features that apply
}

// A Feature is a statement about a candidate. Its weight is positive if the statement speaks for the candidate. Weights
// are on the scale of log odds: a total of 0 means that the candidate is as likely to be wrong as right, and 3 that 19
// of 20 such candidates are right. Tables fitted to files correct what the weights get wrong.
type Feature struct {
	name    string
	Applies bool
	Weight  float64
}

// NewCandidate returns a candidate with its score. It keeps only the features that apply.
func NewCandidate[T any](value T, source string, features ...Feature) Candidate[T] {
	c := Candidate[T]{Value: value, Source: source}
	for _, f := range features {
		if f.Applies {
			c.Features = append(c.Features, f)
			c.Score += f.Weight
		}
	}
	return c
}

// A Choice is the best of the candidates for a field.
type Choice[T any] struct {
	Candidate[T]
	Margin float64 // to the best candidate with another value; +Inf without such a candidate
}

// Choose returns the candidate with the highest score, the first one among equals. ok is false if there are no
// candidates. same reports whether two values are the same for the reader, so that the same name in the header and in
// the footer is no rival to itself; nil means that all values differ.
func Choose[T any](all []Candidate[T], same func(a, b T) bool) (best Choice[T], ok bool) {
	best.Margin = math.Inf(1)
	for i, c := range all {
		if i == 0 || c.Score > best.Score {
			best.Candidate = c
		}
	}
	own := len(all) > 0 // the winner itself is no rival
	for _, c := range all {
		switch {
		case own && c.Score == best.Score:
			own = false
		case same == nil || !same(best.Value, c.Value):
			best.Margin = min(best.Margin, best.Score-c.Score)
		}
	}
	return best, len(all) > 0
}

// Strength returns what the confidence in a choice is computed from: the score, or the margin if a rival is so close
// that the choice between the two is the greater doubt.
func (c Choice[T]) Strength() float64 { return min(c.Score, c.Margin) }

// Sum returns the total weight of the features that apply. Fields with a single candidate, and entries made of several
// choices, compute their strength with it.
func Sum(features ...Feature) float64 {
	total := 0.0
	for _, f := range features {
		if f.Applies {
			total += f.Weight
		}
	}
	return total
}

// If returns a feature that counts if it applies.
func If(name string, applies bool, weight float64) Feature { return Feature{name, applies, weight} }

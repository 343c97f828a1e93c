package fields

import "math"

// A candidate is one possible value of a field. Every field that can be read in more than one way is chosen like this:
// collect candidates, describe each by features, take the one with the highest score, and convert its score to a
// probability (calibration.go).
type candidate[T any] struct {
	value    T
	source   string // where the value is from, such as "label" or "first lines"
	features []feature
	score    float64 // sum of the weights of the features that apply
}

// A feature is a statement about a candidate. Its weight is positive if the statement speaks for the candidate. Weights
// are on the scale of log odds: a total of 0 means that the candidate is as likely to be wrong as right, and 3 that 19
// of 20 such candidates are right. Tables fitted to files correct what the weights get wrong.
type feature struct {
	name    string
	applies bool
	weight  float64
}

// newCandidate returns a candidate with its score. It keeps only the features that apply.
func newCandidate[T any](value T, source string, features ...feature) candidate[T] {
	c := candidate[T]{value: value, source: source}
	for _, f := range features {
		if f.applies {
			c.features = append(c.features, f)
			c.score += f.weight
		}
	}
	return c
}

// A choice is the best of the candidates for a field.
type choice[T any] struct {
	candidate[T]
	margin float64 // to the best candidate with another value; +Inf without such a candidate
}

// choose returns the candidate with the highest score, the first one among equals. ok is false if there are no
// candidates. same reports whether two values are the same for the reader, so that the same name in the header and in
// the footer is no rival to itself; nil means that all values differ.
func choose[T any](all []candidate[T], same func(a, b T) bool) (best choice[T], ok bool) {
	best.margin = math.Inf(1)
	for i, c := range all {
		if i == 0 || c.score > best.score {
			best.candidate = c
		}
	}
	own := len(all) > 0 // the winner itself is no rival
	for _, c := range all {
		switch {
		case own && c.score == best.score:
			own = false
		case same == nil || !same(best.value, c.value):
			best.margin = min(best.margin, best.score-c.score)
		}
	}
	return best, len(all) > 0
}

// strength returns what the confidence in a choice is computed from: the score, or the margin if a rival is so close
// that the choice between the two is the greater doubt.
func (c choice[T]) strength() float64 { return min(c.score, c.margin) }

// sum returns the total weight of the features that apply. Fields with a single candidate, and entries made of several
// choices, compute their strength with it.
func sum(features ...feature) float64 {
	total := 0.0
	for _, f := range features {
		if f.applies {
			total += f.weight
		}
	}
	return total
}

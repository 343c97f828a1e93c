package engine

import (
	"math"

	"freelancer-matching/internal/matching"
)

// Document is a freelancer as indexed: the record, and what was found out about it before it reached the engine.
type Document struct {
	Freelancer matching.Freelancer
	Skills     []Skill  // each id once, with its strongest evidence; never Sibling
	Families   []string // ids of the families of all Skills with evidence Implied or Listed, each once
	Terms      []string // analysed words of title, skills and description, with repetition
	// Vectors are one for each of Spec.Vectors, in that order.
	Vectors []Vector
}

// Vector is a text as a direction in a space where texts of like meaning lie close together: one whole number for each
// dimension, -127 to 127. Only the direction means anything, not the length. A vector of zeros, or nil, stands for a text without
// words; its cosine with any other is 0.
//
// Vectors are rounded to whole numbers before they reach an engine, so that every engine compares the same ones.
type Vector []int8

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

// Skill is one skill of a document.
type Skill struct {
	ID       string
	Evidence matching.Evidence
}

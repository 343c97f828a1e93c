package eval

import (
	"maps"
	"math"
	"slices"

	"freelancer-matching/internal/matching"
)

// Candidate is a freelancer in the answer to a brief.
type Candidate struct {
	ID       string
	Score    float64 // 0 to 1
	Level    matching.Level
	Features []matching.Feature // those in force, where the answer was explained
}

// Mix is the weighted mean of the features, 0 to 1: the score before the profile's curve.
func (c *Candidate) Mix() float64 {
	sum := 0.
	for _, f := range c.Features {
		sum += f.Weight * f.Value
	}
	return sum
}

// Answers are the candidates of each brief, best first.
type Answers map[string][]Candidate

// Run is the ids of the answers.
func (a Answers) Run() Run {
	run := Run{}
	for brief, candidates := range a {
		for _, c := range candidates {
			run[brief] = append(run[brief], c.ID)
		}
	}
	return run
}

// Features are the names of the features that are in force in any answer, in the order of the alphabet.
func (a Answers) Features() []string {
	names := map[string]bool{}
	for _, candidates := range a {
		for _, c := range candidates {
			for _, f := range c.Features {
				names[f.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Spread is how far the values of a feature are apart within an answer: their standard deviation, averaged over the
// answers in which the feature is in force; 0 where there are none. Weight times spread is what a feature can do to an
// order.
func (a Answers) Spread(feature string) float64 {
	total, answers := 0., 0
	for _, brief := range slices.Sorted(maps.Keys(a)) {
		var n, sum, squares float64
		for _, c := range a[brief] {
			for _, f := range c.Features {
				if f.Name == feature {
					n++
					sum += f.Value
					squares += f.Value * f.Value
				}
			}
		}
		if n > 0 {
			total += math.Sqrt(max(0, squares/n-sum*sum/n/n))
			answers++
		}
	}
	return total / float64(max(1, answers))
}

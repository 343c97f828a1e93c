package eval

import (
	"maps"
	"math"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// Candidate is a freelancer in the answer to a brief.
type Candidate struct {
	ID       string
	Score    float64 // 0 to 1
	Level    matching.Level
	Features []matching.Feature // the features used for the score; empty unless the request asked for an explanation
}

// Mix returns the weighted mean of the features, 0 to 1: the score before the profile's curve is applied.
func (c *Candidate) Mix() float64 {
	sum := 0.
	for _, f := range c.Features {
		sum += f.Weight * f.Value
	}
	return sum
}

// Answers holds the candidates of each brief by brief ID, best first.
type Answers map[string][]Candidate

// Run returns the ranked candidate IDs of each brief.
func (a Answers) Run() Run {
	run := Run{}
	for brief, candidates := range a {
		for _, c := range candidates {
			run[brief] = append(run[brief], c.ID)
		}
	}
	return run
}

// Features returns the sorted names of all features used in at least one answer.
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

// Spread returns the standard deviation of a feature's values within an answer, averaged over the answers that use the
// feature. It returns 0 if no answer does. A feature's weight times its spread shows how much it can change the order.
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

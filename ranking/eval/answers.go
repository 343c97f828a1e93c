package eval

import (
	"maps"
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

// Package embeddedtest has the documents that tests of the embedded engine index.
package embeddedtest

import (
	"fmt"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// Spaces returns the vector spaces of small documents.
func Spaces() []matching.VectorSpace {
	return []matching.VectorSpace{{Model: "narrow", Dimensions: 3}, {Model: "wide", Dimensions: 70}}
}

// Document returns document i of an index built by fill.
func Document(i int) *engine.Document {
	return &engine.Document{
		Freelancer: matching.Freelancer{
			ID:      fmt.Sprintf("id-%d", i),
			Signals: matching.Signals{Rating: matching.Some(float64(i%50) / 10)},
		},
		Terms:         []string{"every", fmt.Sprintf("term-%d", i%7), fmt.Sprintf("term-%d", i%7)},
		Skills:        []engine.Skill{{ID: fmt.Sprintf("skill-%d", i%3), Evidence: matching.Listed}},
		UnknownSkills: []string{fmt.Sprintf("word-%d", i%3)},
		JobTitles:     []string{fmt.Sprintf("title-%d", i%3)},
		Families:      []string{"family"},
		Vectors:       []matching.Vector{{int8(i % 100), 1, -2}, nil},
	}
}

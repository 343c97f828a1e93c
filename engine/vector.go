package engine

import (
	"fmt"

	"freelancer-matching/internal/matching"
)

// CheckVectors reports why an index of these spaces cannot hold d; nil when it can.
func (d *Document) CheckVectors(spaces []matching.VectorSpace) error {
	if len(d.Vectors) != len(spaces) {
		return fmt.Errorf("document %q: %d vectors, want %d, one for each space", d.Freelancer.ID, len(d.Vectors), len(spaces))
	}
	for i, space := range spaces {
		if err := space.Holds(d.Vectors[i]); err != nil {
			return fmt.Errorf("document %q: %w", d.Freelancer.ID, err)
		}
	}
	return nil
}

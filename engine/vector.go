package engine

import (
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
)

// CheckVectors returns an error if d does not have exactly one valid vector for each of the spaces.
func (d *Document) CheckVectors(spaces []matching.VectorSpace) error {
	if len(d.Vectors) != len(spaces) {
		return fmt.Errorf("document %q: vector count is %d, want %d (one for each space)",
			d.Freelancer.ID, len(d.Vectors), len(spaces))
	}
	for i, space := range spaces {
		if err := space.Holds(d.Vectors[i]); err != nil {
			return fmt.Errorf("document %q: %w", d.Freelancer.ID, err)
		}
	}
	return nil
}

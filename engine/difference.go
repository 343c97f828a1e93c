package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// Difference says how new documents, made with the given mapping, version of the taxonomy and vector spaces, would
// differ from those of the index, or returns "" if they wouldn't. Documents that differ must not be in one index.
func (i Info) Difference(mapping, taxonomy string, spaces []matching.VectorSpace) string {
	switch {
	case i.Mapping != mapping:
		return fmt.Sprintf("the mapping changed from %s to %s", i.Mapping, mapping)
	case i.Taxonomy != taxonomy:
		return fmt.Sprintf("the taxonomy changed from %s to %s", i.Taxonomy, taxonomy)
	case !slices.EqualFunc(i.Vectors, spaces, sameSpace):
		return fmt.Sprintf("the vectors changed from %s to %s", Models(i.Vectors), Models(spaces))
	default:
		return ""
	}
}

// sameSpace reports whether two vector spaces are the same. Floors are measured and vary slightly from run to run.
func sameSpace(a, b matching.VectorSpace) bool {
	return a.Model == b.Model && a.Dimensions == b.Dimensions && a.Texts == b.Texts && math.Abs(a.Floor-b.Floor) < .01
}

// Models names the models of vector spaces.
func Models(spaces []matching.VectorSpace) string {
	if len(spaces) == 0 {
		return "no model"
	}
	names := make([]string, len(spaces))
	for i, s := range spaces {
		names[i] = fmt.Sprintf("%s (%d dimensions)", s.Model, s.Dimensions)
		if s.Texts > 0 {
			names[i] = fmt.Sprintf("%s (%d dimensions, texts %d)", s.Model, s.Dimensions, s.Texts)
		}
	}
	return strings.Join(names, " and ")
}

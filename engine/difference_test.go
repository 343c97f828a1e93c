package engine_test

import (
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestInfo_Difference(t *testing.T) {
	space := matching.VectorSpace{Model: "small", Dimensions: 2, Floor: .1, Texts: 2}
	old := space
	near := space
	far := space
	old.Texts = 0
	near.Floor = .105
	far.Floor = .2
	for _, c := range []struct {
		name              string
		mapping, taxonomy string
		space             matching.VectorSpace // of the index
		want              string
	}{
		{"nothing", "m", "t", space, ""},
		{"mapping", "n", "t", space, "the mapping changed from n to m"},
		{"taxonomy", "m", "s", space, "the taxonomy changed from s to t"},
		{"rounding of a floor", "m", "t", near, ""},
		{
			"floor", "m", "t", far,
			"the vectors changed from small (2 dimensions, texts 2) to small (2 dimensions, texts 2)",
		},
		{"texts", "m", "t", old, "the vectors changed from small (2 dimensions) to small (2 dimensions, texts 2)"},
	} {
		info := engine.Info{Mapping: c.mapping, Taxonomy: c.taxonomy, Vectors: []matching.VectorSpace{c.space}}
		if got := info.Difference("m", "t", []matching.VectorSpace{space}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

package matching_test

import (
	"math"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestCosine(t *testing.T) {
	long := make(matching.Vector, matching.MaxDimensions)
	longer := make(matching.Vector, matching.MaxDimensions)
	opposite := make(matching.Vector, matching.MaxDimensions)
	for i := range long {
		long[i] = 127
		longer[i] = 126
		opposite[i] = -127
	}

	for _, c := range []struct {
		name string
		a, b matching.Vector
		want float64
	}{
		{"equal", matching.Vector{3, -4}, matching.Vector{3, -4}, 1},
		{"same direction", matching.Vector{1, 2}, matching.Vector{10, 20}, 1},
		{"opposite", matching.Vector{1, 2}, matching.Vector{-2, -4}, -1},
		{"right angle", matching.Vector{1, 0}, matching.Vector{0, 9}, 0},
		{"60 degrees", matching.Vector{1, 1, 0}, matching.Vector{0, 1, 1}, .5},
		{"one dimension", matching.Vector{5}, matching.Vector{-127}, -1},
		{"largest", long, longer, 1},
		{"largest, opposite", long, opposite, -1},
		{"nil", nil, matching.Vector{1}, 0},
		{"both nil", nil, nil, 0},
		{"zeros", matching.Vector{0, 0}, matching.Vector{1, 1}, 0},
		{"both zeros", matching.Vector{0, 0}, matching.Vector{0, 0}, 0},
		{"different dimensions", matching.Vector{1, 1}, matching.Vector{1, 1, 1}, 0},
	} {
		for _, got := range []float64{matching.Cosine(c.a, c.b), matching.Cosine(c.b, c.a)} {
			if math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%s: Cosine = %v, want %v", c.name, got, c.want)
			}
		}
	}
}

func TestVectorSpace_Check(t *testing.T) {
	for _, c := range []struct {
		name  string
		space matching.VectorSpace
		want  string // in the error; "" for none
	}{
		{"negative dimensions", matching.VectorSpace{Model: "m", Dimensions: -1}, "want 1 to 4096"},
		{"no dimensions", matching.VectorSpace{Model: "m"}, "0 dimensions"},
		{"one dimension", matching.VectorSpace{Model: "m", Dimensions: 1}, ""},
		{"most dimensions", matching.VectorSpace{Model: "m", Dimensions: 4096}, ""},
		{
			"too many dimensions",
			matching.VectorSpace{Model: "m", Dimensions: 4097},
			`vectors of "m": 4097 dimensions, want 1 to 4096`,
		},
		{"floor 1", matching.VectorSpace{Model: "m", Dimensions: 2, Floor: 1}, "want less than 1"},
		{"infinite floor", matching.VectorSpace{Model: "m", Dimensions: 2, Floor: math.Inf(1)}, "want less than 1"},
		{"floor NaN", matching.VectorSpace{Model: "m", Dimensions: 2, Floor: math.NaN()}, "want less than 1"},
		{"floor just below 1", matching.VectorSpace{Model: "m", Dimensions: 2, Floor: math.Nextafter(1, 0)}, ""},
		{"negative floor", matching.VectorSpace{Model: "m", Dimensions: 2, Floor: -2}, ""},
	} {
		err := c.space.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
	}
}

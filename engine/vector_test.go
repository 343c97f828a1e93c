package engine_test

import (
	"math"
	"strings"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

func TestCosine(t *testing.T) {
	long := make(matching.Vector, matching.MaxDimensions)
	longer := make(matching.Vector, matching.MaxDimensions)
	opposite := make(matching.Vector, matching.MaxDimensions)
	for i := range long {
		long[i], longer[i], opposite[i] = 127, 126, -127
	}
	for _, c := range []struct {
		name string
		a, b matching.Vector
		want float64
	}{
		{"the same", matching.Vector{3, -4}, matching.Vector{3, -4}, 1},
		{"another length", matching.Vector{1, 2}, matching.Vector{10, 20}, 1},
		{"opposite", matching.Vector{1, 2}, matching.Vector{-2, -4}, -1},
		{"right angle", matching.Vector{1, 0}, matching.Vector{0, 9}, 0},
		{"60 degrees", matching.Vector{1, 1, 0}, matching.Vector{0, 1, 1}, .5},
		{"one dimension", matching.Vector{5}, matching.Vector{-127}, -1},
		{"as long as can be", long, longer, 1},
		{"as long as can be, opposite", long, opposite, -1},
		{"nil", nil, matching.Vector{1}, 0},
		{"both nil", nil, nil, 0},
		{"zeros", matching.Vector{0, 0}, matching.Vector{1, 1}, 0},
		{"both zeros", matching.Vector{0, 0}, matching.Vector{0, 0}, 0},
		{"other dimensions", matching.Vector{1, 1}, matching.Vector{1, 1, 1}, 0},
	} {
		for _, got := range []float64{matching.Cosine(c.a, c.b), matching.Cosine(c.b, c.a)} {
			if math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

func TestSemanticClause_Closeness(t *testing.T) {
	for _, c := range []struct{ floor, ceiling, cosine, want float64 }{
		{.2, .6, .1, 0},
		{.2, .6, .2, 0},
		{.2, .6, .3, .25},
		{.2, .6, .6, 1},
		{.2, .6, 1, 1},
		{-1, 1, -1, 0},
		{-1, 1, 0, .5},
		{.99, 2, 1, .01 / 1.01},
	} {
		clause := engine.SemanticClause{Floor: c.floor, Ceiling: c.ceiling}
		if got := clause.Closeness(c.cosine); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("closeness of %v between %v and %v = %v, want %v", c.cosine, c.floor, c.ceiling, got, c.want)
		}
	}
}

func TestSemanticClause_Check(t *testing.T) {
	spaces := []matching.VectorSpace{{Model: "small", Dimensions: 2}, {Model: "large", Dimensions: 3}}
	for _, c := range []struct {
		name   string
		clause engine.SemanticClause
		spaces []matching.VectorSpace
		want   string // "": no error
	}{
		{"the first space", engine.SemanticClause{Vector: matching.Vector{1, 2}, Ceiling: 1}, spaces, ""},
		{"the second space", engine.SemanticClause{Space: 1, Vector: matching.Vector{1, 2, 3}, Ceiling: 1}, spaces, ""},
		{"a brief without words", engine.SemanticClause{Space: 1, Ceiling: 1}, spaces, ""},
		{"no spaces", engine.SemanticClause{Ceiling: 1}, nil, "no vectors: load the data again"},
		{"a space too many", engine.SemanticClause{Space: 2, Ceiling: 1}, spaces, "space 2, want one of 0 to 1"},
		{"a negative space", engine.SemanticClause{Space: -1, Ceiling: 1}, spaces, "space -1"},
		{
			"another space's vector",
			engine.SemanticClause{Vector: matching.Vector{1, 2, 3}, Ceiling: 1},
			spaces,
			`vector of 3 dimensions, want the 2 of "small"`,
		},
		{"floor and ceiling alike", engine.SemanticClause{Floor: .5, Ceiling: .5}, spaces, "floor 0.5, want less than the ceiling, 0.5"},
		{"no number", engine.SemanticClause{Floor: math.NaN(), Ceiling: 1}, spaces, "floor NaN"},
	} {
		wantText(t, c.name, c.clause.Check(c.spaces), c.want)
	}
}

func TestDocument_CheckVectors(t *testing.T) {
	spaces := []matching.VectorSpace{{Model: "small", Dimensions: 2}, {Model: "large", Dimensions: 3}}
	for _, c := range []struct {
		name    string
		vectors []matching.Vector
		spaces  []matching.VectorSpace
		want    string
	}{
		{"as the spaces want", []matching.Vector{{1, 2}, {1, 2, 3}}, spaces, ""},
		{"without words", []matching.Vector{nil, nil}, spaces, ""},
		{"neither spaces nor vectors", nil, nil, ""},
		{"vectors without spaces", []matching.Vector{{1}}, nil, `document "ada": 1 vectors, want 0`},
		{"spaces without vectors", nil, spaces, `document "ada": 0 vectors, want 2`},
		{"in the other order", []matching.Vector{{1, 2, 3}, {1, 2}}, spaces, `document "ada": vector of 3 dimensions, want the 2 of "small"`},
	} {
		d := engine.Document{Freelancer: matching.Freelancer{ID: "ada"}, Vectors: c.vectors}
		wantText(t, c.name, d.CheckVectors(c.spaces), c.want)
	}
}

func TestVectorSpace_Check(t *testing.T) {
	for dimensions, want := range map[int]string{
		-1: "want 1 to 4096", 0: "0 dimensions", 1: "", 4096: "", 4097: `vectors of "m": 4097 dimensions, want 1 to 4096`,
	} {
		wantText(t, "space", matching.VectorSpace{Model: "m", Dimensions: dimensions}.Check(), want)
	}
	for _, floor := range []float64{1, 1.5, math.Inf(1), math.NaN()} {
		wantText(t, "floor", matching.VectorSpace{Model: "m", Dimensions: 2, Floor: floor}.Check(), "want less than 1")
	}
	for _, floor := range []float64{-2, 0, math.Nextafter(1, 0)} {
		wantText(t, "floor", matching.VectorSpace{Model: "m", Dimensions: 2, Floor: floor}.Check(), "")
	}
}

// wantText wants an error with this text, or none where the text is "".
func wantText(t *testing.T, name string, err error, text string) {
	t.Helper()
	if (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %v, want %q", name, err, text)
	}
}

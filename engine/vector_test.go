package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

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
			t.Errorf("Closeness(%v) with floor %v, ceiling %v = %v, want %v", c.cosine, c.floor, c.ceiling, got, c.want)
		}
	}
}

func TestQuery_Check(t *testing.T) {
	spaces := []matching.VectorSpace{{Model: "small", Dimensions: 2}, {Model: "large", Dimensions: 3}}
	for _, c := range []struct {
		name   string
		clause engine.SemanticClause
		spaces []matching.VectorSpace
		want   string // in the error; "" for none
	}{
		{"first space", engine.SemanticClause{Vector: matching.Vector{1, 2}, Ceiling: 1}, spaces, ""},
		{"second space", engine.SemanticClause{Space: 1, Vector: matching.Vector{1, 2, 3}, Ceiling: 1}, spaces, ""},
		{"no vector", engine.SemanticClause{Space: 1, Ceiling: 1}, spaces, ""},
		{"no spaces", engine.SemanticClause{Ceiling: 1}, nil, "no vectors: load the data again"},
		{"space out of range", engine.SemanticClause{Space: 2, Ceiling: 1}, spaces, "space 2 does not exist, want 0 to 1"},
		{"negative space", engine.SemanticClause{Space: -1, Ceiling: 1}, spaces, "space -1"},
		{
			"vector of another space",
			engine.SemanticClause{Vector: matching.Vector{1, 2, 3}, Ceiling: 1},
			spaces,
			`vector of 3 dimensions, want the 2 of "small"`,
		},
		{
			"floor equal to ceiling",
			engine.SemanticClause{Floor: .5, Ceiling: .5},
			spaces,
			"floor 0.5 is not below the ceiling 0.5",
		},
		{"largest closeness for hits", engine.SemanticClause{Ceiling: 1, Hit: .99}, spaces, ""},
		{"closeness for hits of 1", engine.SemanticClause{Ceiling: 1, Hit: 1}, spaces, "1 for hits"},
		{"negative closeness for hits", engine.SemanticClause{Ceiling: 1, Hit: -.1}, spaces, "-0.1 for hits"},
		{"NaN", engine.SemanticClause{Floor: math.NaN(), Ceiling: 1}, spaces, "floor NaN"},
	} {
		checkError(t, c.name, (&engine.Query{Semantic: &c.clause}).Check(c.spaces), c.want)
		if c.clause.Ceiling == 1 && c.clause.Floor == 0 && c.clause.Hit == 0 {
			compare := &engine.CompareClause{Space: c.clause.Space, Vector: c.clause.Vector}
			checkError(t, c.name+", compared", (&engine.Query{Compare: compare}).Check(c.spaces), c.want)
		}
	}

	checkError(t, "no clauses", (&engine.Query{}).Check(nil), "")
}

func TestDocument_CheckVectors(t *testing.T) {
	spaces := []matching.VectorSpace{{Model: "small", Dimensions: 2}, {Model: "large", Dimensions: 3}}
	for _, c := range []struct {
		name    string
		vectors []matching.Vector
		spaces  []matching.VectorSpace
		want    string
	}{
		{"one valid vector for each space", []matching.Vector{{1, 2}, {1, 2, 3}}, spaces, ""},
		{"nil vectors", []matching.Vector{nil, nil}, spaces, ""},
		{"no spaces and no vectors", nil, nil, ""},
		{"vectors without spaces", []matching.Vector{{1}}, nil, `document "ada": vector count is 1, want 0`},
		{"spaces without vectors", nil, spaces, `document "ada": vector count is 0, want 2`},
		{
			"wrong order",
			[]matching.Vector{{1, 2, 3}, {1, 2}},
			spaces,
			`document "ada": vector of 3 dimensions, want the 2 of "small"`,
		},
	} {
		d := engine.Document{Freelancer: matching.Freelancer{ID: "ada"}, Vectors: c.vectors}
		checkError(t, c.name, d.CheckVectors(c.spaces), c.want)
	}
}

// checkError checks that err contains text, or is nil if text is "".
func checkError(t *testing.T, name string, err error, text string) {
	t.Helper()
	if (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("%s: got error %v, want %q", name, err, text)
	}
}

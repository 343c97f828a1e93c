package enginetest

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// plane is a space of two dimensions, in which a cosine is easily seen.
var plane = matching.VectorSpace{Model: "plane", Dimensions: 2}

func testVectorHits(t *testing.T, o Options) {
	s := serveVectors(t, o.New(t)(), "index", []matching.VectorSpace{plane},
		document("same", vectors(matching.Vector{100, 0})),
		document("near", vectors(matching.Vector{80, 60}), signals(func(s *matching.Signals) { s.Rating = matching.Some(4.0) })),
		document("right angle", vectors(matching.Vector{0, 5})),
		document("opposite", vectors(matching.Vector{-1, 0})),
		document("zeros", vectors(matching.Vector{0, 0}), terms("x")),
		document("nil", vectors(nil), skill("go", matching.Listed)))
	clause := func(floor, ceiling float64) engine.Query {
		return engine.Query{
			Semantic: &engine.SemanticClause{Vector: matching.Vector{50, 0}, Weight: 1, Floor: floor, Ceiling: ceiling},
			Size:     10,
		}
	}
	everyone, rated, mixed, zeros := clause(0, 1), clause(0, 1), clause(.5, 1), clause(-.5, 1)
	everyone.MatchAll = true
	rated.Filters.MinRating = matching.Some(3.0)
	mixed.Terms = []engine.Term{{Text: "x", Weight: 1}}
	mixed.Skills = []engine.SkillClause{{ID: "go", Weight: 2}}
	mixed.Credit = credit
	zeros.Semantic.Vector = nil
	weightless := clause(0, 1)
	weightless.Semantic.Weight = 0
	for _, c := range []struct {
		name string
		q    engine.Query
		want []string
	}{
		{"closeness above 0, without a word or skill in common", clause(0, 1), []string{"same", "near"}},
		{"a cosine at the floor has no closeness", clause(.8, 1), []string{"same"}},
		{"just below, it has", clause(.7999, 1), []string{"same", "near"}},
		{"all are above the floor", clause(-1.1, 1), []string{"same", "near", "right angle", "zeros", "nil", "opposite"}},
		{"from the ceiling on, all are as close", clause(.1, .5), []string{"same", "near"}},
		{"filters", rated, []string{"near"}},
		{"everyone", everyone, []string{"same", "near", "right angle", "opposite", "zeros", "nil"}},
		{"words and skills make hits too", mixed, []string{"nil", "same", "near", "zeros"}},
		{"a clause that weighs nothing", weightless, []string{"same", "near"}},
		{"a brief without words", zeros, []string{"same", "near", "right angle", "opposite", "zeros", "nil"}},
	} {
		if diff := cmp.Diff(c.want, found(t, s, &c.q)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// testVectorOrder has cosines of 1, .6, 0 and -1 in one space, and of the others in the second.
func testVectorOrder(t *testing.T, o Options) {
	wide := matching.VectorSpace{Model: "wide", Dimensions: 300}
	unit := func(dimension int) matching.Vector {
		v := make(matching.Vector, wide.Dimensions)
		v[dimension] = 7
		return v
	}
	s := serveVectors(t, o.New(t)(), "index", []matching.VectorSpace{plane, wide},
		document("a", vectors(matching.Vector{60, 80}, unit(299)), terms("x")),
		document("b", vectors(matching.Vector{127, 0}, unit(0))),
		document("c", vectors(matching.Vector{-127, 0}, nil)),
		document("d", vectors(nil, unit(299))))
	hit := func(id string, retrieval, cosine float64) engine.Hit {
		return engine.Hit{ID: id, Retrieval: retrieval, Cosine: cosine, Evidence: []matching.Evidence{}}
	}
	for _, c := range []struct {
		name string
		of   engine.SemanticClause
		want []engine.Hit
	}{
		{
			"the first space",
			engine.SemanticClause{Vector: matching.Vector{1, 0}, Weight: 2, Floor: .2, Ceiling: 1},
			[]engine.Hit{hit("b", 2, 1), hit("a", 1, .6), hit("c", 0, -1), hit("d", 0, 0)},
		},
		{
			"the second space",
			engine.SemanticClause{Space: 1, Vector: unit(299), Weight: .5, Floor: .2, Ceiling: .9},
			[]engine.Hit{hit("a", .5, 1), hit("d", .5, 1), hit("b", 0, 0), hit("c", 0, 0)},
		},
	} {
		page := search(t, s, &engine.Query{Semantic: &c.of, MatchAll: true, Size: 10})
		for i := range page.Hits {
			page.Hits[i].Retrieval = math.Round(page.Hits[i].Retrieval*1e6) / 1e6
			page.Hits[i].Cosine = math.Round(page.Hits[i].Cosine*1e9) / 1e9
		}
		if diff := cmp.Diff(c.want, page.Hits); diff != "" {
			t.Errorf("%s: hits (-want +got):\n%s", c.name, diff)
		}
	}
}

func testVectorReplaced(t *testing.T, o Options) {
	s := serveVectors(t, o.New(t)(), "index", []matching.VectorSpace{plane},
		document("a", vectors(matching.Vector{1, 0})), document("b", vectors(matching.Vector{1, 1})),
		document("a", vectors(matching.Vector{0, 1})))
	clause := &engine.SemanticClause{Vector: matching.Vector{1, 0}, Weight: 1, Ceiling: 1}
	if diff := cmp.Diff([]string{"b"}, found(t, s, &engine.Query{Semantic: clause, Size: 10})); diff != "" {
		t.Errorf("search (-want +got):\n%s", diff)
	}
	everyone := found(t, s, &engine.Query{Semantic: clause, MatchAll: true, Size: 10})
	if diff := cmp.Diff([]string{"b", "a"}, everyone); diff != "" {
		t.Errorf("everyone (-want +got):\n%s", diff)
	}
}

func testVectorErrors(t *testing.T, o Options) {
	e := o.New(t)()
	wantText := func(doing string, err error, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: error %v, want one that says %q", doing, err, text)
			}
		}
	}
	for _, c := range []struct {
		name    string
		vectors []matching.Vector
		says    []string
	}{
		{"too few", nil, []string{`"a"`, "0 vectors", "want 1"}},
		{"too many", []matching.Vector{{1, 2}, {1, 2}}, []string{`"a"`, "2 vectors", "want 1"}},
		{"another dimension", []matching.Vector{{1, 2, 3}}, []string{`"a"`, "3 dimensions", "want the 2"}},
	} {
		bulk := create(t, e, "index", plane)
		wantText("add "+c.name, bulk.Add(t.Context(), document("a", vectors(c.vectors...))), c.says...)
		if _, err := bulk.Close(t.Context()); err == nil {
			t.Errorf("close after %s: no error", c.name)
		}
		if err := e.Drop(t.Context(), "index"); err != nil {
			t.Fatal(err)
		}
	}
	for _, dimensions := range []int{0, matching.MaxDimensions + 1} {
		s := spec(t, "endless")
		s.Vectors = []matching.VectorSpace{{Model: "endless", Dimensions: dimensions}}
		wantText("create", e.Create(t.Context(), s), "endless", "want 1 to 4096")
	}

	without := serve(t, e, "without", document("a"))
	with := serveVectors(t, e, "with", []matching.VectorSpace{plane}, document("a", vectors(nil)))
	for _, c := range []struct {
		name     string
		snapshot engine.Snapshot
		clause   engine.SemanticClause
		says     []string
	}{
		{"an index without vectors", without, engine.SemanticClause{Ceiling: 1}, []string{"no vectors", "load the data again"}},
		{"a space too many", with, engine.SemanticClause{Space: 1, Ceiling: 1}, []string{"space 1", "want one of 0 to 0"}},
		{"a space below 0", with, engine.SemanticClause{Space: -1, Ceiling: 1}, []string{"space -1"}},
		{"another dimension", with, engine.SemanticClause{Vector: matching.Vector{1}, Ceiling: 1}, []string{"1 dimensions", "want the 2"}},
		{"no room between floor and ceiling", with, engine.SemanticClause{Floor: 1, Ceiling: 1}, []string{"floor 1"}},
	} {
		for _, size := range []int{0, 10} {
			_, err := c.snapshot.Search(t.Context(), &engine.Query{Semantic: &c.clause, Size: size})
			wantText("search "+c.name, err, c.says...)
			if errors.Is(err, engine.ErrNotFound) {
				t.Errorf("search %s: %v is taken for a missing index", c.name, err)
			}
		}
	}
}

func testVectorSpaces(t *testing.T, o Options) {
	e := o.New(t)()
	spaces := []matching.VectorSpace{plane, {Model: "wide, version 2", Dimensions: 384}}
	unfinished := create(t, e, "unfinished", spaces...)
	defer unfinished.Abort()
	s := serveVectors(t, e, "index", spaces,
		document("a", vectors(matching.Vector{1, 2}, nil)), document("b", vectors(nil, nil)))
	infos, err := e.Indexes(t.Context())
	if err != nil || len(infos) != 2 {
		t.Fatalf("indexes = %v, %v; want two", infos, err)
	}
	inspected, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range append(infos, s.Info(), inspected.Info()) {
		if diff := cmp.Diff(spaces, info.Vectors); diff != "" {
			t.Errorf("vector spaces of %s (-want +got):\n%s", info.Name, diff)
		}
	}
	n := 0
	for _, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("scan found %d, want 2", n)
	}
}

// cloud makes the vectors of one space as real texts have them: in clusters, with near duplicates, the first dimensions
// saying most, and some texts without words.
type cloud struct {
	rng     *rand.Rand
	centres [][]float64
	last    matching.Vector
}

func newCloud(rng *rand.Rand, dimensions int) *cloud {
	c := &cloud{rng: rng}
	for range 40 {
		centre := make([]float64, dimensions)
		for i := range centre {
			centre[i] = c.noise(i)
		}
		c.centres = append(c.centres, centre)
	}
	return c
}

// noise is one coordinate of a random direction.
func (c *cloud) noise(dimension int) float64 {
	return c.rng.NormFloat64() / (1 + float64(dimension)/16)
}

func (c *cloud) space() matching.VectorSpace {
	return matching.VectorSpace{Model: "cloud", Dimensions: len(c.centres[0])}
}

func (c *cloud) vector() matching.Vector {
	switch c.rng.IntN(20) {
	case 0:
		return nil
	case 1:
		return make(matching.Vector, len(c.centres[0]))
	case 2, 3:
		return c.last
	}
	centre, spread := c.centres[c.rng.IntN(len(c.centres))], .2+.6*c.rng.Float64()
	v := make(matching.Vector, len(centre))
	for i := range v {
		v[i] = int8(math.Round(min(127, max(-127, 40*(centre[i]+spread*c.noise(i))))))
	}
	c.last = v
	return v
}

func randomSemantic(rng *rand.Rand, clouds []*cloud) *engine.SemanticClause {
	c := &engine.SemanticClause{Space: rng.IntN(len(clouds)), Weight: rng.Float64(), Floor: .6 * rng.Float64()}
	c.Ceiling = c.Floor + .1 + .4*rng.Float64()
	c.Vector = clouds[c.Space].vector()
	if rng.IntN(10) == 0 {
		c.Floor = -rng.Float64()
	}
	if rng.IntN(20) == 0 {
		c.Weight = 0
	}
	return c
}

package enginetest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// plane is a space of two dimensions, where cosines are easy to see.
var plane = matching.VectorSpace{Model: "plane", Dimensions: 2}

// testVectorHits searches by meaning. The brief points along the first axis, so the cosine of a document is the first
// component of its vector, scaled to length 1: 1 for the same direction, .8 nearby, 0 at a right angle, -1 opposite. A
// vector of zeros, or none, has a cosine of 0 with everything.
//
// Closeness rises from 0 at the floor to 1 at the ceiling. A document is a hit by meaning if its closeness is above the
// limit Hit, 0 by default, and otherwise only by a common word or skill, or if everything matches.
func testVectorHits(t *testing.T, o Options) {
	s := serveVectors(t, o.New(t)(), "index", []matching.VectorSpace{plane},
		document("same", vectors(matching.Vector{100, 0})),
		document("near", vectors(matching.Vector{80, 60}),
			signals(func(s *matching.Signals) { s.Rating = matching.Some(4.0) })),
		document("right angle", vectors(matching.Vector{0, 5})),
		document("opposite", vectors(matching.Vector{-1, 0})),
		document("zeros", vectors(matching.Vector{0, 0}), terms("x")),
		document("nil", vectors(nil), skill("go", matching.Listed)))

	// query returns a query by meaning, changed by the given functions.
	query := func(floor, ceiling float64, with ...func(*engine.Query)) engine.Query {
		q := engine.Query{
			Semantic: &engine.SemanticClause{Vector: matching.Vector{50, 0}, Weight: 1, Floor: floor, Ceiling: ceiling},
			Size:     10,
		}
		for _, change := range with {
			change(&q)
		}
		return q
	}
	limit := func(closeness float64) func(*engine.Query) {
		return func(q *engine.Query) { q.Semantic.Hit = closeness }
	}
	matchAll := func(q *engine.Query) { q.MatchAll = true }
	onlyRated := func(q *engine.Query) { q.Filters.MinRating = matching.Some(3.0) }
	weightless := func(q *engine.Query) { q.Semantic.Weight = 0 }
	withoutVector := func(q *engine.Query) { q.Semantic.Vector = nil }
	wordsAndSkills := func(q *engine.Query) { // finds zeros by a word and nil by a skill
		q.Terms = []engine.Term{{Text: "x", Weight: 1}}
		q.Skills = []engine.SkillClause{{ID: "go", Weight: 2}}
		q.Credit = credit
	}

	// Hits of the same score come in the order of their ids.
	for _, c := range []struct {
		name string
		q    engine.Query
		want []string
	}{
		{"closeness above 0 without a common word or skill", query(0, 1), []string{"same", "near"}},
		{"cosine at the floor", query(.8, 1), []string{"same"}},
		{"cosine just above the floor", query(.7999, 1), []string{"same", "near"}},
		{"all cosines above the floor", query(-1.1, 1), []string{"same", "near", "nil", "right angle", "zeros", "opposite"}},
		{"cosines above the ceiling are equal", query(.1, .5), []string{"near", "same"}},
		{"filters", query(0, 1, onlyRated), []string{"near"}},
		{"match all", query(0, 1, matchAll), []string{"same", "near", "nil", "opposite", "right angle", "zeros"}},
		{"hits by words and skills as well", query(.5, 1, wordsAndSkills), []string{"nil", "same", "near", "zeros"}},
		{"closeness at the limit for hits", query(0, 1, limit(.8)), []string{"same"}},
		{"closeness above the limit for hits", query(0, 1, limit(.79)), []string{"same", "near"}},
		{
			"the limit does not concern hits by words and skills", query(0, 1, wordsAndSkills, limit(.9)),
			[]string{"nil", "same", "zeros"},
		},
		{"weight 0", query(0, 1, weightless), []string{"near", "same"}},
		{
			"brief without a vector", query(-.5, 1, withoutVector),
			[]string{"near", "nil", "opposite", "right angle", "same", "zeros"},
		},
	} {
		if diff := cmp.Diff(c.want, hitIDs(t, s, &c.q)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}

	// Four documents answer the query, two of them by their meaning only, however many of them the caller needs.
	mixed := query(.5, 1, wordsAndSkills)
	mixed.Window = 10
	for _, size := range []int{1, 3, 9, 10, 20} {
		mixed.Size = size
		if page := search(t, s, &mixed); page.Matching != 4 {
			t.Errorf("size %d: %d documents match, want 4", size, page.Matching)
		}
	}
}

// testVectorOrder has cosines of 1, .6, 0 and -1 in the first space, and of 1, 1, 0 and 0 in the second.
func testVectorOrder(t *testing.T, o Options) {
	wide := matching.VectorSpace{Model: "wide", Dimensions: 300}
	unit := func(dimension int) matching.Vector {
		v := make(matching.Vector, wide.Dimensions)
		v[dimension] = 7
		return v
	}

	// Documents c and d lack one of the vectors, and a missing vector has a cosine of 0 with everything.
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
			"first space",
			engine.SemanticClause{Vector: matching.Vector{1, 0}, Weight: 2, Floor: .2, Ceiling: 1},
			[]engine.Hit{hit("b", 2, 1), hit("a", 1, .6), hit("c", 0, -1), hit("d", 0, 0)},
		},
		{
			"second space",
			engine.SemanticClause{Space: 1, Vector: unit(299), Weight: .5, Floor: .2, Ceiling: .9},
			[]engine.Hit{hit("a", .5, 1), hit("d", .5, 1), hit("b", 0, 0), hit("c", 0, 0)},
		},
	} {
		page := search(t, s, &engine.Query{Semantic: &c.of, MatchAll: true, Size: 10})
		// Engines round differently, in single or double precision.
		for i := range page.Hits {
			page.Hits[i].Retrieval = math.Round(page.Hits[i].Retrieval*1e6) / 1e6
			page.Hits[i].Cosine = math.Round(page.Hits[i].Cosine*1e9) / 1e9
		}

		if diff := cmp.Diff(c.want, page.Hits); diff != "" {
			t.Errorf("%s: hits (-want +got):\n%s", c.name, diff)
		}
	}
}

// testVectorCompare compares hits with a vector of another space. That changes neither the hits nor their order, which
// the semantic clause finds in the first space. A missing vector has a cosine of 0 with every other.
func testVectorCompare(t *testing.T, o Options) {
	const first, second = 0, 1
	s := serveVectors(t, o.New(t)(), "index", []matching.VectorSpace{first: plane, second: plane},
		document("a", vectors(matching.Vector{9, 0}, matching.Vector{5, 0})),
		document("b", vectors(matching.Vector{60, 80}, matching.Vector{0, 100})),
		document("c", vectors(nil, matching.Vector{60, -80}), terms("x")),    // found by its term
		document("d", vectors(matching.Vector{0, 1}, matching.Vector{0, 1}))) // no hit: at a right angle

	query := func(compare *engine.CompareClause) *engine.Query {
		return &engine.Query{
			Terms:    []engine.Term{{Text: "x", Weight: 1}},
			Semantic: &engine.SemanticClause{Space: first, Vector: matching.Vector{1, 0}, Weight: 1, Ceiling: 1},
			Compare:  compare,
			Size:     10,
		}
	}

	wantHits := hitIDs(t, s, query(nil))
	for _, c := range []struct {
		name    string
		compare engine.CompareClause
		want    map[string]float64
	}{
		{
			"second space",
			engine.CompareClause{Space: second, Vector: matching.Vector{0, 3}},
			map[string]float64{"a": 0, "b": 1, "c": -.8},
		},
		{
			"first space",
			engine.CompareClause{Space: first, Vector: matching.Vector{2, 0}},
			map[string]float64{"a": 1, "b": .6, "c": 0},
		},
		{
			"no vector",
			engine.CompareClause{Space: second},
			map[string]float64{"a": 0, "b": 0, "c": 0},
		},
	} {
		compared := map[string]float64{}
		hits := []string{}
		for _, hit := range search(t, s, query(&c.compare)).Hits {
			compared[hit.ID] = math.Round(hit.Compared*1e9) / 1e9
			hits = append(hits, hit.ID)
		}

		if diff := cmp.Diff(c.want, compared); diff != "" {
			t.Errorf("%s: compared (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(wantHits, hits); diff != "" {
			t.Errorf("%s: hits (-without +with):\n%s", c.name, diff)
		}
	}

	// A clause that doesn't fit the index is an error of the caller, not a query without hits.
	for _, c := range []engine.CompareClause{{Space: 2}, {Space: -1}, {Vector: matching.Vector{1}}} {
		_, err := s.Search(t.Context(), &engine.Query{Compare: &c, Size: 10})
		if err == nil || !strings.Contains(err.Error(), "compare clause") {
			t.Errorf("%+v: got error %v, want one about the compare clause", c, err)
		}
	}
}

func testVectorReplaced(t *testing.T, o Options) {
	s := serveVectors(t, o.New(t)(), "index", []matching.VectorSpace{plane},
		document("a", vectors(matching.Vector{1, 0})), document("b", vectors(matching.Vector{1, 1})),
		document("a", vectors(matching.Vector{0, 1})))
	clause := &engine.SemanticClause{Vector: matching.Vector{1, 0}, Weight: 1, Ceiling: 1}
	if diff := cmp.Diff([]string{"b"}, hitIDs(t, s, &engine.Query{Semantic: clause, Size: 10})); diff != "" {
		t.Errorf("search (-want +got):\n%s", diff)
	}
	all := hitIDs(t, s, &engine.Query{Semantic: clause, MatchAll: true, Size: 10})
	if diff := cmp.Diff([]string{"b", "a"}, all); diff != "" {
		t.Errorf("match all (-want +got):\n%s", diff)
	}
}

func testVectorErrors(t *testing.T, o Options) {
	e := o.New(t)()
	checkText := func(operation string, err error, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: got error %v, want one containing %q", operation, err, text)
			}
		}
	}

	// One document with wrong vectors ends the whole load: all others would be wrong, too.
	for _, c := range []struct {
		name    string
		vectors []matching.Vector
		wantErr []string
	}{
		{"too few", nil, []string{`"a"`, "vector count is 0", "want 1"}},
		{"too many", []matching.Vector{{1, 2}, {1, 2}}, []string{`"a"`, "vector count is 2", "want 1"}},
		{"wrong dimensions", []matching.Vector{{1, 2, 3}}, []string{`"a"`, "3 dimensions", "want the 2"}},
	} {
		bulk := create(t, e, "index", plane)
		checkText("add "+c.name, bulk.Add(t.Context(), document("a", vectors(c.vectors...))), c.wantErr...)
		if _, err := bulk.Close(t.Context()); err == nil {
			t.Errorf("close after %s: no error", c.name)
		}

		if err := e.Drop(t.Context(), "index"); err != nil {
			t.Fatal(err)
		}
	}

	for _, dimensions := range []int{0, matching.MaxDimensions + 1} {
		s := spec(t, "invalid")
		s.Vectors = []matching.VectorSpace{{Model: "invalid", Dimensions: dimensions}}
		checkText("create", e.Create(t.Context(), s), "invalid", "want 1 to 4096")
	}

	without := serve(t, e, "without", document("a"))
	with := serveVectors(t, e, "with", []matching.VectorSpace{plane}, document("a", vectors(nil)))
	for _, c := range []struct {
		name     string
		snapshot engine.Snapshot
		clause   engine.SemanticClause
		wantErr  []string
	}{
		{"an index without vectors", without, engine.SemanticClause{Ceiling: 1}, []string{"no vectors"}},
		{"a missing space", with, engine.SemanticClause{Space: 1, Ceiling: 1}, []string{"space 1", "want 0 to 0"}},
		{"a negative space", with, engine.SemanticClause{Space: -1, Ceiling: 1}, []string{"space -1"}},
		{
			"wrong dimensions", with,
			engine.SemanticClause{Vector: matching.Vector{1}, Ceiling: 1},
			[]string{"1 dimensions", "want the 2"},
		},
		{"a floor equal to the ceiling", with, engine.SemanticClause{Floor: 1, Ceiling: 1}, []string{"floor 1"}},
	} {
		// A query without hits is checked as well, since an engine may answer it without searching.
		for _, size := range []int{0, 10} {
			_, err := c.snapshot.Search(t.Context(), &engine.Query{Semantic: &c.clause, Size: size})
			checkText("search "+c.name, err, c.wantErr...)
			if errors.Is(err, engine.ErrNotFound) {
				t.Errorf("search %s: %v must not wrap ErrNotFound", c.name, err)
			}
		}
	}
}

func testVectorSpaces(t *testing.T, o Options) {
	e := o.New(t)()
	spaces := []matching.VectorSpace{plane, {Model: "wide, version 2", Dimensions: 384}}
	incomplete := create(t, e, "incomplete", spaces...)
	defer incomplete.Abort()

	s := serveVectors(t, e, "index", spaces,
		document("a", vectors(matching.Vector{1, 2}, nil)), document("b", vectors(nil, nil)))
	infos, err := e.Indexes(t.Context())
	if err != nil || len(infos) != 2 {
		t.Fatalf("indexes = %v, %v; want two", infos, err)
	}

	opened, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	for _, info := range append(infos, s.Info(), opened.Info()) {
		if diff := cmp.Diff(spaces, info.Vectors); diff != "" {
			t.Errorf("vector spaces of %s (-want +got):\n%s", info.Name, diff)
		}
	}

	if diff := cmp.Diff([]string{"a", "b"}, scanIDs(t, e, "index")); diff != "" {
		t.Errorf("scan (-want +got):\n%s", diff)
	}
}

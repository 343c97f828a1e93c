//go:build integration

package elastic_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// serve indexes documents, and returns a snapshot of the index and a scorer of the documents.
func serve(
	t *testing.T, o elastic.Options, spaces []matching.VectorSpace, documents ...*engine.Document,
) (engine.Snapshot, *bruteforce.Scorer) {
	t.Helper()
	e := openEngine(t, o)
	spec := spec(t, "index")
	spec.Vectors = spaces
	fill(t, e, spec, slices.Values(documents))
	if _, err := e.PointAlias(t.Context(), match.Alias, "index"); err != nil {
		t.Fatal(err)
	}
	return open(t, o), bruteforce.New(spec.Mapping.BM25, documents)
}

func worded(id string, terms ...string) *engine.Document {
	return &engine.Document{Freelancer: matching.Freelancer{ID: id}, Terms: terms}
}

// The text score is the contract's BM25: Elasticsearch's own is larger by the factor k1+1 and uses the same rounded
// lengths.
func TestSearch_TextScore(t *testing.T) {
	var documents []*engine.Document
	for length := 1; length <= 300; length++ {
		terms := strings.Fields("x" + strings.Repeat(" y", length-1))
		documents = append(documents, worded(fmt.Sprint(length), terms...))
	}

	documents = append(documents, worded("0"))
	o := testOptions(t)
	s, b := serve(t, o, nil, documents...)
	q := &engine.Query{
		Terms: []engine.Term{{Text: "x", Weight: 2, Reference: true}, {Text: "y", Weight: .5}}, TextWeight: 1, Size: 400,
	}
	want, reference := b.Search(q)
	exact := map[string]float64{}
	for _, hit := range want {
		exact[hit.ID] = hit.Text
	}

	page := search(t, s, q)
	if len(page.Hits) != 300 || math.Abs(page.Reference-reference) > 1e-12 {
		t.Fatalf("got %d hits, reference %v; want 300, %v", len(page.Hits), page.Reference, reference)
	}

	for _, hit := range page.Hits {
		if math.Abs(hit.Text/exact[hit.ID]-1) > 1e-6 {
			t.Errorf("length %s: text score %v, want %v", hit.ID, hit.Text, exact[hit.ID])
		}
	}
}

// An index of three shards answers like one of a single shard: document frequencies and the mean length are computed
// over the whole index, and the nearest vectors of all shards are found.
func TestSearch_Shards(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	plane := []matching.VectorSpace{{Model: "plane", Dimensions: 2}}
	var documents []*engine.Document
	for i := range 400 {
		d := worded(fmt.Sprint("id-", i))
		for range 1 + rng.IntN(20) {
			d.Terms = append(d.Terms, fmt.Sprint("t", int(30*rng.Float64()*rng.Float64())))
		}
		d.Vectors = []matching.Vector{{int8(rng.IntN(255) - 127), int8(rng.IntN(255) - 127)}}
		documents = append(documents, d)
	}

	o := testOptions(t)
	o.Shards, o.Window = 3, 100
	s, b := serve(t, o, plane, documents...)
	stats, err := s.Statistics(t.Context(), nil)
	if err != nil || stats.Documents != 400 {
		t.Errorf("statistics = %+v, %v; want 400 documents", stats, err)
	}

	found, wanted := 0, 0
	for range 40 {
		q := &engine.Query{TextWeight: .5, Size: 10}
		for _, i := range rng.Perm(30)[:1+rng.IntN(5)] {
			q.Terms = append(q.Terms, engine.Term{Text: fmt.Sprint("t", i), Weight: rng.Float64(), Reference: rng.IntN(2) == 0})
		}

		if rng.IntN(2) == 0 {
			v := matching.Vector{100, int8(rng.IntN(100))}
			q.Semantic = &engine.SemanticClause{Vector: v, Weight: .5, Floor: .5, Ceiling: 1}
		}

		want, reference := b.Search(q)
		exact := map[string]bruteforce.Scored{}
		for _, hit := range want {
			exact[hit.ID] = hit
		}

		page := search(t, s, q)
		if math.Abs(page.Reference-reference) > 1e-9 {
			t.Errorf("reference %v, want %v", page.Reference, reference)
		}
		last := math.Inf(1)
		for _, hit := range page.Hits {
			want := exact[hit.ID]
			textError := math.Abs(hit.Text - want.Text)
			scoreError := math.Abs(hit.Retrieval - want.Retrieval)
			if textError > 1e-5*want.MaxText+1e-6 || scoreError > 1e-5 {
				t.Errorf("%s: text %v, score %v; want %v, %v", hit.ID, hit.Text, hit.Retrieval, want.Text, want.Retrieval)
			}

			last = want.Retrieval
		}

		for _, hit := range want[:min(10, len(want))] {
			if wanted++; hit.Retrieval > last-1e-5 {
				found++
			}
		}

		if len(page.Hits) != min(10, len(want)) {
			t.Errorf("got %d hits, want %d", len(page.Hits), min(10, len(want)))
		}
	}

	if float64(found) < .99*float64(wanted) {
		t.Errorf("found %d of the %d best, want 99%%", found, wanted)
	}
}

// If a brief of one word finds hundreds of freelancers that differ only in their rating, the window is widened enough
// to find the best of them.
func TestSearch_WidensWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var documents []*engine.Document
	for i := range 900 {
		d := worded(fmt.Sprintf("id-%03d", i), "excel", "expert")
		d.Freelancer.Rating = matching.Some(5 * rng.Float64())
		documents = append(documents, d)
	}

	o := testOptions(t)
	o.Window = 100
	s, b := serve(t, o, nil, documents...)
	q := &engine.Query{
		Terms: []engine.Term{{Text: "excel", Weight: 1, Reference: true}}, TextWeight: .5, Size: 10,
		Quality: func(s matching.Signals) float64 { return .1 * s.Rating.Value / 5 },
	}

	best, _ := b.Search(q)
	var want, got []string
	for _, hit := range best[:250] {
		want = append(want, hit.ID)
	}

	q.Size = 250 // the window without widening
	for _, hit := range search(t, s, q).Hits {
		got = append(got, hit.ID)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the best 250 of 900 (-want +got):\n%s", diff)
	}
	q.Size = 1
	if hits := search(t, s, q).Hits; len(hits) != 1 || hits[0].ID != want[0] {
		t.Errorf("size 1: got %+v, want %s", hits, want[0])
	}
}

// A search by vectors succeeds even if no document has a vector, or there are no documents.
func TestSearch_FewVectors(t *testing.T) {
	spaces := []matching.VectorSpace{{Model: "plane", Dimensions: 2}, {Model: "line", Dimensions: 1}}
	clause := &engine.SemanticClause{Space: 1, Vector: matching.Vector{1}, Weight: 1, Ceiling: 1}
	for name, c := range map[string]struct {
		documents []*engine.Document
		want      []string
	}{
		"no documents": {nil, []string{}},
		"no vectors": {[]*engine.Document{
			{Freelancer: matching.Freelancer{ID: "a"}, Vectors: []matching.Vector{{1, 0}, nil}},
		}, []string{}},
		"one vector": {[]*engine.Document{
			{Freelancer: matching.Freelancer{ID: "a"}, Vectors: []matching.Vector{{1, 0}, {0}}},
			{Freelancer: matching.Freelancer{ID: "b"}, Vectors: []matching.Vector{nil, {3}}},
		}, []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := serve(t, testOptions(t), spaces, c.documents...)
			got := []string{}
			for _, hit := range search(t, s, &engine.Query{Semantic: clause, Size: 10}).Hits {
				got = append(got, hit.ID)
			}

			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
		})
	}
}

// A document whose cosine equals the floor is no hit; one that is slightly above it is.
func TestSearch_CosineAtTheFloor(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	spaces := []matching.VectorSpace{{Model: "space", Dimensions: 3}}
	var documents []*engine.Document
	for i := range 50 {
		d := worded(fmt.Sprint(i))
		d.Vectors = []matching.Vector{{int8(1 + rng.IntN(127)), int8(rng.IntN(127)), int8(rng.IntN(127))}}
		documents = append(documents, d)
	}

	s, b := serve(t, testOptions(t), spaces, documents...)
	query := matching.Vector{127, 31, 64}
	for _, d := range documents[:20] {
		at := matching.Cosine(query, d.Vectors[0])
		for _, floor := range []float64{at, math.Nextafter(at, -1), at - 1e-6} {
			clause := &engine.SemanticClause{Vector: query, Weight: 1, Floor: floor, Ceiling: 2}
			q := &engine.Query{Semantic: clause, Size: 100}
			want, _ := b.Search(q)
			got := map[string]bool{}
			for _, hit := range search(t, s, q).Hits {
				got[hit.ID] = true
			}

			for _, hit := range want {
				if !got[hit.ID] && hit.Cosine-floor > 1e-6 { // the resolution of Elasticsearch
					t.Errorf("floor %v: %s with cosine %v is missing", floor, hit.ID, hit.Cosine)
				}
				delete(got, hit.ID)
			}

			if len(got) > 0 {
				t.Errorf("floor %v: unexpected hits %v", floor, got)
			}
		}
	}
}

// Scores are exact with very large and very small weights too.
func TestSearch_ExtremeWeights(t *testing.T) {
	with := worded("with", "x", "y")
	with.Skills = []engine.Skill{{ID: "go", Evidence: matching.Listed}}
	s, b := serve(t, testOptions(t), nil, with, worded("word", "x"), worded("other", "y", "y", "z"), worded("none", "z"))
	for _, weight := range []float64{0, 1e-9, 1, 1e9} {
		for _, text := range []float64{0, .2, 1e6} {
			for _, reference := range []bool{false, true} {
				q := &engine.Query{
					Terms:      []engine.Term{{Text: "x", Weight: weight, Reference: reference}, {Text: "y", Weight: 1}},
					Skills:     []engine.SkillClause{{ID: "go", Weight: 1}},
					TextWeight: text, Credit: [matching.Listed + 1]float64{0, .2, .4, .6, .8, 1}, Size: 10,
				}

				want, _ := b.Search(q)
				page := search(t, s, q)
				if len(page.Hits) != len(want) {
					t.Errorf("%v: got %d hits, want %d", q, len(page.Hits), len(want))
					continue
				}

				for i, hit := range page.Hits {
					if math.Abs(hit.Retrieval-want[i].Retrieval) > 1e-5*max(1, text) {
						t.Errorf("%v, text weight %v: hit %d is %s with score %v, want %s with %v",
							q, text, i, hit.ID, hit.Retrieval, want[i].ID, want[i].Retrieval)
					}
				}
			}
		}
	}
}

// Searching a dropped index returns ErrNotFound, and so does opening its alias afterwards.
func TestSearch_DroppedIndex(t *testing.T) {
	o := testOptions(t)
	s, _ := serve(t, o, nil, worded("a", "x"))
	ask(t, "DELETE", o.URLs[0]+"/"+o.Prefix+"index", "")
	for _, q := range []*engine.Query{
		{Terms: []engine.Term{{Text: "new", Weight: 1}}, Size: 1}, {MatchAll: true, Size: 1},
	} {
		if _, err := s.Search(t.Context(), q); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("search: got error %v, want ErrNotFound", err)
		}
	}
	if _, err := s.Fetch(t.Context(), []string{"a"}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("fetch: got error %v, want ErrNotFound", err)
	}
	if _, err := openEngine(t, o).Open(t.Context(), match.Alias); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("open: got error %v, want ErrNotFound", err)
	}
}

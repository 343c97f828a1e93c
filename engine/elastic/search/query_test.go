package search

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/document"
	"github.com/freelancer-matching/service/internal/matching"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

// TestPlan_Golden checks the text of the search. The contract suite checks the answers to it.
func TestPlan_Golden(t *testing.T) {
	credit := [matching.Listed + 1]float64{0, .25, .5, .75, .75, 1}
	for name, q := range map[string]*engine.Query{
		"words-and-skills": {
			Terms: []engine.Term{{Text: "react", Weight: 2, Reference: true}, {Text: "zürich", Weight: 1}},
			Skills: []engine.SkillClause{
				{ID: "react", Family: "frontend-frameworks", Weight: .25}, {ID: "seo", Weight: .125},
			},
			TextWeight: .25, Credit: credit, Size: 10,
		},
		"required-skills": {
			Terms: []engine.Term{{Text: "go", Weight: 1, Reference: true}},
			Skills: []engine.SkillClause{
				{ID: "go", Weight: .25, Required: true},
				{ID: "kubernetes", Family: "orchestration", Weight: .25, Required: true},
				{ID: "seo", Weight: .125},
			},
			TextWeight: .5, Credit: credit, Discount: matching.Discount{Some: .05, Related: .25, None: .5}, Size: 10,
		},
		"filters": {
			Terms: []engine.Term{{Text: "go", Weight: 1}},
			Filters: engine.Filters{
				Available: matching.Some(false), MinRating: matching.Some(4.5), MinExperience: matching.Some(0.0),
				MaxHourlyRate: matching.Some(80.0), MustHave: []string{"go", "sql"}, ExcludeSkills: []string{"php"},
				RateLimit: matching.Some(matching.RateLimit{Unknown: 50, Beginner: 40, Expert: 62.5, ExpertYears: 10}),
				Labels:    [][]string{{"country:AT", "country:DE"}, nil}, AvailableBy: matching.Some(20_000),
				IDs: []string{"a", "b"}, ExcludeIDs: []string{"b"},
			},
			Size: 10,
		},
		"meaning": {
			Terms: []engine.Term{{Text: "go", Weight: 1, Reference: true}},
			Semantic: &engine.SemanticClause{
				Space: 1, Vector: matching.Vector{1, -2, 127}, Weight: .5, Floor: .25, Ceiling: .75,
			},
			Filters: engine.Filters{MinRating: matching.Some(4.0)},
			Size:    10,
		},
		"meaning-alone": {
			Semantic: &engine.SemanticClause{Vector: matching.Vector{1, 0}, Weight: .5, Floor: .25, Ceiling: .75}, Size: 10,
		},
		"meaning-below-a-right-angle": {
			Semantic: &engine.SemanticClause{Vector: matching.Vector{1, 0}, Weight: .5, Floor: -2, Ceiling: .75}, Size: 10,
		},
		"match-all": {MatchAll: true, Size: 500},
		"nothing":   {Size: 10},
	} {
		t.Run(name, func(t *testing.T) {
			p := &plan{
				query: q, shards: 1, reference: .5, window: max(q.Size, DefaultWindow), bm25Factor: 4, slope: .25, nearBonus: 2,
			}
			got, err := json.MarshalIndent(p.search(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}

			compareGolden(t, name+".json", string(got)+"\n")
		})
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; create it with -update", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; rewrite it with -update):\n%s", path, diff)
	}
}

// The clauses that a document matches for a skill, those of its strongest evidence and of its family, add up to the
// credit for that evidence.
func TestPlan_SkillClausesAddUp(t *testing.T) {
	for _, credit := range [][matching.Listed + 1]float64{
		{}, {0, .3, .5, .7, .9, 1}, {0, .3, .3, .3, .3, .3}, {0, 0, 0, 0, 0, 1}, {0, .4, .4, .5, .5, 1},
	} {
		for _, family := range []string{"", "frontend"} {
			clause := engine.SkillClause{ID: "react", Family: family, Weight: .5}
			p := &plan{query: &engine.Query{Credit: credit, Skills: []engine.SkillClause{clause}}}

			for e := matching.InText; e <= matching.Listed; e++ {
				of := &document.Columns{Skills: []engine.Skill{{ID: "react", Evidence: e}}}
				if e >= matching.Implied {
					of.Families = []string{"frontend"}
				}
				got := p.skillSum(of, clause, e)
				want := .5 * credit[e]
				if diff := got - want; diff < -1e-12 || diff > 1e-12 {
					t.Errorf("credit %v, family %q, evidence %v: the clauses add up to %v, want %v", credit, family, e, got, want)
				}
			}
		}
	}
}

func TestPlan_NearLimits(t *testing.T) {
	c := &engine.SemanticClause{Vector: matching.Vector{1}, Ceiling: 1}
	for _, window := range []int{1, 10, 200, maxWindow} {
		p := &plan{query: &engine.Query{Semantic: c}, shards: 3, window: window}
		knn := p.near(nil)["knn"].(object)
		k := knn["k"].(int)
		visits := knn["num_candidates"].(int)
		size := p.search()["size"].(int)
		if k < 1 || k > visits || visits > maxWindow || size < min(3*k, maxWindow) || size > maxWindow {
			t.Errorf("window %d: size %d, k %d, num_candidates %d; want at most %d", window, size, k, visits, maxWindow)
		}
	}
}

package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// even holds the weights that rank the synthetic answers.
var even = Weights{"skills": 1. / 3, "text": 1. / 3, "semantic": 1. / 3}

// synthetic returns answers with grades computed from known weights of three features plus a little noise.
func synthetic(briefs int, truth Weights) (Answers, Judgments) {
	rng := rand.New(rand.NewPCG(1, 1))
	answers := Answers{}
	judgments := Judgments{}
	for b := range briefs {
		brief := fmt.Sprintf("b%02d", b)
		judgments[brief] = map[string]Grade{}
		for i := range 60 {
			c := Candidate{ID: fmt.Sprintf("f%02d", i)}
			suits := .05 * rng.NormFloat64()
			for _, name := range []string{"skills", "text", "semantic"} {
				value := rng.Float64()
				c.Features = append(c.Features, matching.Feature{Name: name, Value: value, Weight: even[name]})
				suits += truth[name] * value
			}

			answers[brief] = append(answers[brief], c)
			judgments[brief][c.ID] = Grade(max(0, min(3, math.Floor((suits-.4)*8))))
		}
	}

	return answers, judgments
}

func TestGrid_RecoversTheTrueWeights(t *testing.T) {
	tests := []struct {
		name  string
		truth Weights
	}{
		{"one dominant weight", Weights{"skills": .2, "text": .6, "semantic": .2}},
		{"one zero weight", Weights{"skills": .5, "text": .5, "semantic": 0}},
		{"equal weights", Weights{"skills": .34, "text": .33, "semantic": .33}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answers, judgments := synthetic(24, test.truth)
			mixes := Simplex([]string{"skills", "text", "semantic"}, 1, .05, nil)
			g := NewGrid(answers, even, mixes, .1, judgments, nil)
			choice := g.Choose(g.Briefs())
			if !slices.Contains(choice.Near, choice.Place) {
				t.Errorf("Near does not contain the chosen place: %+v", choice)
			}

			best := g.Report(choice.Best).Mean(NDCG10).Mean
			fitted := g.Report(choice.Place).Mean(NDCG10).Mean
			if fitted > best {
				t.Errorf("Best is %v, but %v has a higher nDCG@10", g.Weights(choice.Best), g.Weights(choice.Place))
			}

			chosen := g.Weights(choice.Place)
			for name, w := range test.truth {
				if math.Abs(chosen[name]-w) > .1 {
					t.Errorf("chose %v, want about %v", chosen, test.truth)
				}
			}

			crossed, folds := g.CrossValidate(Folds(g.Briefs(), 6))
			if got := crossed.Mean(NDCG10).Mean; math.Abs(got-fitted) > .02 {
				t.Errorf("nDCG@10 is %.3f cross-validated, but %.3f on the fitted briefs", got, fitted)
			}

			for _, fold := range folds {
				for _, brief := range fold.Briefs {
					if diff := cmp.Diff(g.Report(fold.Place).Result(brief), crossed.Result(brief)); diff != "" {
						t.Errorf("%s was not measured with the weights of its fold:\n%s", brief, diff)
					}
				}
			}
		})
	}
}

// A single lucky place doesn't beat a broad optimum.
func TestGrid_PrefersTheBestNeighborhood(t *testing.T) {
	g := &Grid{}
	for place, ndcg := range []float64{.1, .1, .9, .1, .1, .6, .7, .6} {
		g.weights = append(g.weights, Weights{"skills": float64(place) / 10})
		r := Result{NDCG10: matching.Some(ndcg)}
		g.reports = append(g.reports, &Report{briefs: []string{"b"}, results: map[string]Result{"b": r}})
		g.neighbors = append(g.neighbors, []int{max(0, place-1), place, min(7, place+1)})
	}
	if diff := cmp.Diff(Choice{Best: 2, Place: 6, Near: []int{6, 7}}, g.Choose([]string{"b"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The choice for a fold must not depend on the grades of the fold's own briefs.
func TestGrid_CrossValidationIgnoresHeldOutGrades(t *testing.T) {
	answers, judgments := synthetic(12, Weights{"skills": .6, "text": .3, "semantic": .1})
	mixes := Simplex([]string{"skills", "text", "semantic"}, 1, .1, nil)
	before := NewGrid(answers, even, mixes, .1, judgments, nil)
	folds := Folds(before.Briefs(), 2)
	for _, brief := range folds[1] {
		for id, grade := range judgments[brief] {
			judgments[brief][id] = Excellent - grade
		}
	}
	after := NewGrid(answers, even, mixes, .1, judgments, nil)
	_, first := before.CrossValidate(folds)
	_, second := after.CrossValidate(folds)
	if first[1].Place != second[1].Place {
		t.Errorf("chose %v, but %v after the held-out grades changed", mixes[first[1].Place], mixes[second[1].Place])
	}
	if first[0].Place == second[0].Place {
		t.Errorf("chose %v from the grades and from the reversed grades", mixes[first[0].Place])
	}
}

func TestRerank(t *testing.T) {
	features := func(skills, text float64) []matching.Feature {
		return []matching.Feature{{Name: "skills", Value: skills, Weight: .6}, {Name: "text", Value: text, Weight: .4}}
	}
	only := func(text float64) []matching.Feature {
		return []matching.Feature{{Name: "text", Value: text, Weight: 1}}
	}
	answers := Answers{
		"b1": {
			{ID: "ann", Features: features(1, 0)},
			{ID: "cem", Features: features(0, 1)},
			{ID: "bob", Features: features(0, 1)},
		},
		"b2": {{ID: "dia", Features: only(.1)}, {ID: "eva", Features: only(.2)}},
	}

	tests := []struct {
		factors Weights
		want    Run
	}{
		{nil, Run{"b1": {"ann", "bob", "cem"}, "b2": {"eva", "dia"}}},
		{Weights{"text": 1.4}, Run{"b1": {"ann", "bob", "cem"}, "b2": {"eva", "dia"}}},
		{Weights{"text": 1.6}, Run{"b1": {"bob", "cem", "ann"}, "b2": {"eva", "dia"}}},
		{Weights{"skills": .5}, Run{"b1": {"bob", "cem", "ann"}, "b2": {"eva", "dia"}}},
		{Weights{"text": 0}, Run{"b1": {"ann", "bob", "cem"}, "b2": {"dia", "eva"}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, answers.Rerank(test.factors)); diff != "" {
			t.Errorf("factors %v (-want +got):\n%s", test.factors, diff)
		}
	}
}

func TestSimplex(t *testing.T) {
	got := Simplex([]string{"skills", "text", "semantic"}, .4, .1, Weights{"skills": .15})
	want := []Weights{
		{"skills": .2, "text": 0, "semantic": .2},
		{"skills": .2, "text": .1, "semantic": .1},
		{"skills": .2, "text": .2, "semantic": 0},
		{"skills": .3, "text": 0, "semantic": .1},
		{"skills": .3, "text": .1, "semantic": 0},
		{"skills": .4, "text": 0, "semantic": 0},
	}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Simplex([]string{"skills", "text"}, .4, .1, Weights{"text": .5}); got != nil {
		t.Errorf("floor above the sum: got %v, want nil", got)
	}
}

func TestFolds(t *testing.T) {
	briefs := []string{"a", "b", "c", "d", "e", "f", "g"}
	folds := Folds(briefs, 3)
	if len(folds) != 3 {
		t.Fatalf("%d folds", len(folds))
	}

	for _, fold := range folds {
		if len(fold) < 2 || len(fold) > 3 {
			t.Errorf("uneven folds: %v", folds)
		}
	}

	if diff := cmp.Diff(briefs, slices.Sorted(slices.Values(slices.Concat(folds...)))); diff != "" {
		t.Errorf("want every brief in exactly one fold:\n%s", diff)
	}

	if diff := cmp.Diff(folds, Folds(briefs, 3)); diff != "" {
		t.Errorf("the second call differs:\n%s", diff)
	}

	if got := Folds(briefs, 100); len(got) != len(briefs) {
		t.Errorf("more folds than briefs: %v", got)
	}
}

package match_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// apply changes the live index, as an account does that corrects a record.
func (w *world) apply(f matching.Freelancer) {
	w.t.Helper()
	prepared, err := w.loader.Prepare(w.t.Context(), []matching.Freelancer{f})
	if err != nil {
		w.t.Fatal(err)
	}
	outcomes, err := w.engine.Apply(w.t.Context(), match.Alias, []engine.Change{{ID: f.ID, Document: prepared[0]}})
	if err == nil {
		err = outcomes[0].Err
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) alternatives(b matching.Brief, id string) []matching.Alternative {
	w.t.Helper()
	b.Limit = 10
	list, isSupported, err := w.service.Alternatives(w.t.Context(), &b, id)
	if err != nil || !isSupported {
		w.t.Fatalf("supported %v, %v", isSupported, err)
	}
	return list
}

// clusterPeople returns people for a brief about React, Kubernetes and Go, of whom each knows some of them.
func clusterPeople() []matching.Freelancer {
	skills := [][]string{
		{"React"}, {"React", "Go"}, {"React", "Kubernetes"}, {"React", "Kubernetes", "Go"}, {"Go"}, {"Kubernetes"},
	}
	all := make([]matching.Freelancer, 60)
	for i := range all {
		f := reactDevelopers(60)[i]
		f.Skills = skills[i%len(skills)]
		all[i] = f
	}
	return all
}

// An alternative has the rank and the score that the freelancer gets once the record is changed.
func TestAlternatives_AreExact(t *testing.T) {
	people := clusterPeople()
	brief := matching.Brief{
		RequiredSkills: []string{"React", "Kubernetes", "Go"}, JobTitle: "React developer",
		Budget:       matching.Some(matching.Budget{Low: 20, High: 30, Kind: matching.BudgetHourly}),
		TimelineDays: matching.Some(10),
	}

	tried := 0
	for _, i := range []int{1, 18, 24, 37, 59} {
		w := newWorld(t, people...)
		f := people[i]
		before := w.explain(brief, f.ID)
		list := w.alternatives(brief, f.ID)
		if len(list) == 0 {
			t.Errorf("%s: no alternatives", f.ID)
		}

		for _, a := range list {
			tried++
			changed := f
			changed.Skills = slices.Clone(f.Skills)
			switch {
			case strings.HasPrefix(a.With, "with "):
				names := strings.NewReplacer("with ", "", " and ", ", ").Replace(a.With)
				changed.Skills = append(changed.Skills, strings.Split(names, ", ")...)
			case a.With == "at 30 USD an hour":
				changed.HourlyRate = matching.Some(30.0)
			case a.With == "if available from the start":
				changed.Availability = matching.Some(true)
			default:
				t.Fatalf("%s: alternative %q", f.ID, a.With)
			}

			w.apply(changed)
			after := w.explain(brief, f.ID)
			want := matching.Alternative{With: a.With, Rank: after.Rank.Value, Total: after.Total, Score: after.Match.Score}
			if diff := cmp.Diff(want, a); diff != "" {
				t.Errorf("%s (-after the change +alternative):\n%s", f.ID, diff)
			}
			if a.Rank >= before.Rank.Value {
				t.Errorf("%s: %q leads from rank %d to %d", f.ID, a.With, before.Rank.Value, a.Rank)
			}
			w.apply(f)
		}

		// Nothing is stored.
		if after := w.explain(brief, f.ID); after.Rank != before.Rank || after.Match.Score != before.Match.Score {
			t.Errorf("%s: rank %v before and %v after", f.ID, before.Rank, after.Rank)
		}
	}
	if tried < 7 {
		t.Errorf("only %d alternatives were checked", tried)
	}
}

// Somebody whom filters exclude would pass them first; filters that no change of the kinds tried can pass are lifted.
func TestAlternatives_OfExcluded(t *testing.T) {
	w := newWorld(t, clusterPeople()...)
	for _, c := range []struct {
		name, id string
		filters  matching.Filters
		want     string
	}{
		{"rate", "f018", matching.Filters{MaxHourlyRate: matching.Some(25.5)}, "at 25 USD an hour"},
		{"skill", "f018", matching.Filters{MustHaveSkills: []string{"golang"}}, "with Go"},
		{"availability", "f019", matching.Filters{Available: matching.Some(true)}, "if available from the start"},
		{
			"several", "f019",
			matching.Filters{
				Countries: []string{"AT"}, MinRating: matching.Some(5.0), Available: matching.Some(true),
			},
			"if available from the start and without the filters countries and min rating",
		},
		{"ids", "f018", matching.Filters{ExcludeIDs: []string{"f018"}}, "without the filter exclude ids"},
	} {
		list := w.alternatives(matching.Brief{RequiredSkills: []string{"React", "Go"}, Filters: c.filters}, c.id)
		if len(list) == 0 || list[0].With != c.want || list[0].Rank < 1 || list[0].Total < list[0].Rank {
			t.Errorf("%s: %+v, want %q first", c.name, list, c.want)
		}
	}
}

// Somebody who shares nothing with the brief would be a match with a skill.
func TestAlternatives_WithoutOverlap(t *testing.T) {
	baker := matching.Freelancer{ID: "b", JobTitle: "Baker", Skills: []string{"Baking"}}
	w := newWorld(t, append(clusterPeople(), baker)...)
	list := w.alternatives(matching.Brief{RequiredSkills: []string{"React"}}, "b")
	if len(list) != 1 || list[0].With != "with React" {
		t.Errorf("%+v", list)
	}
}

func TestAlternatives_Unknown(t *testing.T) {
	w := newWorld(t, clusterPeople()...)
	brief := matching.Brief{RequiredSkills: []string{"React"}, Limit: 10}
	_, _, err := w.service.Alternatives(t.Context(), &brief, "nobody")
	if matching.CodeOf(err) != matching.CodeFreelancerUnknown {
		t.Errorf("%v", err)
	}
}

// The best is left as they are: no change leads to a better rank.
func TestAlternatives_OfTheBest(t *testing.T) {
	w := newWorld(t, clusterPeople()...)
	brief := matching.Brief{RequiredSkills: []string{"React", "Go"}}
	answer := w.match(brief)
	if list := w.alternatives(brief, answer.Matches[0].Freelancer.ID); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

// The encoder compares the profile as it would be.
func TestAlternatives_WithEncoder(t *testing.T) {
	w := newWorld(t, clusterPeople()...)
	e := &encoder{cosines: map[string]float64{}}
	for i, f := range clusterPeople() {
		e.cosines[f.ID] = .6 + float64(i)/200
	}
	w.withEncoder(e)
	brief := matching.Brief{RequiredSkills: []string{"React", "Kubernetes"}, JobTitle: "React developer"}
	list := w.alternatives(brief, "f018")
	if len(list) == 0 {
		t.Fatal("no alternatives")
	}

	changed := clusterPeople()[18]
	changed.Skills = append(changed.Skills, "Kubernetes")
	w.apply(changed)
	if after := w.explain(brief, "f018"); after.Rank.Value != list[0].Rank || after.Match.Score != list[0].Score {
		t.Errorf("rank %v and score %v after the change, alternative %+v", after.Rank, after.Match.Score, list[0])
	}
}

// Order has the people of Match in its order.
func TestOrder_AgreesWithMatch(t *testing.T) {
	w := newWorld(t, clusterPeople()...)
	for _, brief := range []matching.Brief{
		{RequiredSkills: []string{"React"}, Limit: 60},
		{RequiredSkills: []string{"React", "Go"}, Limit: 10, Offset: 5, Weights: map[string]float64{"text": 0}},
		{JobTitle: "Beekeeper", Limit: 10},
	} {
		got, err := w.service.Order(t.Context(), &brief)
		if err != nil || !slices.Equal(got, ids(w.match(brief))) {
			t.Errorf("%+v: %v, %v", brief, got, err)
		}
	}
}

package match_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func (w *world) explain(b matching.Brief, id string) *matching.Standing {
	w.t.Helper()
	if b.Limit == 0 {
		b.Limit = 10
	}
	standing, err := w.service.Explain(w.t.Context(), &b, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return standing
}

// reactDevelopers returns freelancers who know React, each with more experience and a higher rate than the last.
func reactDevelopers(n int) []matching.Freelancer {
	all := make([]matching.Freelancer, n)
	for i := range all {
		all[i] = matching.Freelancer{
			ID: fmt.Sprintf("f%03d", i), Name: "Ada", JobTitle: "React developer", Skills: []string{"React"},
			Signals: known(20+float64(i), 4.5, float64(i%20), i%7, i%2 == 0),
		}
	}
	return all
}

func TestExplain_AgreesWithMatch(t *testing.T) {
	w := newWorld(t, reactDevelopers(40)...)
	b := matching.Brief{
		RequiredSkills: []string{"React"}, Complexity: matching.ComplexityMedium,
		Budget: matching.Some(matching.Budget{Low: 100, High: 4000}), Explain: true, Limit: 100,
	}

	answer := w.match(b)
	b.Explain, b.Limit = false, 5
	for i, m := range answer.Matches {
		got := w.explain(b, m.Freelancer.ID)
		if got.Rank != matching.Some(i+1) || got.Total != 40 || got.Match.Score != m.Score || len(got.ExcludedBy) > 0 {
			t.Errorf("%s: rank %v of %d, score %v, excluded by %v; want rank %d, score %v", m.Freelancer.ID, got.Rank,
				got.Total, got.Match.Score, got.ExcludedBy, i+1, m.Score)
		}

		if fmt.Sprint(got.Match.Explanation) != fmt.Sprint(m.Explanation) {
			t.Errorf("%s: explanation %v, want %v", m.Freelancer.ID, got.Match.Explanation, m.Explanation)
		}

		want := matching.Some(matching.ShownMatch{Rank: 5, Score: answer.Matches[4].Score})
		if got.LastShown != want {
			t.Errorf("%s: last shown %v, want %v", m.Freelancer.ID, got.LastShown, want)
		}
	}
}

// Matches are counted up to a window. The rank and the total are not.
func TestExplain_BeyondTheWindow(t *testing.T) {
	const all = 530
	w := newWorld(t, reactDevelopers(all)...)
	b := matching.Brief{RequiredSkills: []string{"React"}, Limit: 3}
	seen := map[int]bool{}
	for i := range all {
		if i%10 > 0 {
			continue
		}
		got := w.explain(b, fmt.Sprintf("f%03d", i))
		if !got.Rank.Known || got.Rank.Value < 1 || got.Rank.Value > all || seen[got.Rank.Value] || got.Total != all {
			t.Errorf("f%03d: rank %v of %d", i, got.Rank, got.Total)
		}
		seen[got.Rank.Value] = true
	}
}

func TestExplain_ExcludedBy(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{
			ID: "a", JobTitle: "React developer", Skills: []string{"React"}, Signals: known(52.5, 4.1, 1, 3, false),
			Details: matching.Details{Country: "PT"},
		},
		matching.Freelancer{ID: "b", JobTitle: "Baker", Skills: []string{"Baking"}},
		matching.Freelancer{ID: "c", JobTitle: "React developer", Skills: []string{"React", "Go"}},
	)

	brief := matching.Brief{RequiredSkills: []string{"React"}}
	for _, c := range []struct {
		name, id string
		filters  matching.Filters
		want     string
	}{
		{"nothing", "a", matching.Filters{}, ""},
		{"no overlap", "b", matching.Filters{}, "no_overlap: none"},
		{"rate", "a", matching.Filters{MaxHourlyRate: matching.Some(40.0)}, "max_hourly_rate: 52.5 USD"},
		{"unknown rate", "c", matching.Filters{MaxHourlyRate: matching.Some(40.0)}, "max_hourly_rate: unknown"},
		{
			"several", "a",
			matching.Filters{
				MinRating: matching.Some(4.5), MinExperience: matching.Some(3.0), Available: matching.Some(true),
				Countries: []string{"DE", "AT"},
			},
			"countries: PT; available: not available; min_rating: 4.1; min_experience: 1 year",
		},
		{"skills", "a", matching.Filters{MustHaveSkills: []string{"React", "golang"}}, "must_have_skills: lacks Go"},
		{"a skill too many", "a", matching.Filters{ExcludeSkills: []string{"golang", "React"}}, "exclude_skills: has React"},
		{"ids", "a", matching.Filters{IDs: []string{"c"}}, "ids: the ID a"},
		{"excluded", "a", matching.Filters{ExcludeIDs: []string{"a"}}, "exclude_ids: the ID a"},
		{"ids with it", "a", matching.Filters{IDs: []string{"a", "c"}}, ""},
	} {
		brief.Filters = c.filters
		standing := w.explain(brief, c.id)
		var got []string
		for _, e := range standing.ExcludedBy {
			got = append(got, e.Filter+": "+e.Actual.Or("unknown"))
			if e.Wanted == "" {
				t.Errorf("%s: no description of %s", c.name, e.Filter)
			}
		}

		if strings.Join(got, "; ") != c.want || standing.Rank.Known != (c.want == "") {
			t.Errorf("%s: rank %v, excluded by %q, want %q", c.name, standing.Rank, got, c.want)
		}

		if standing.Match.Freelancer.ID != c.id || standing.Match.Explanation == nil {
			t.Errorf("%s: match %+v", c.name, standing.Match)
		}
	}
}

// Above the floor of the limits, what all features lack adds up to what the score lacks.
func TestExplain_Shortfalls(t *testing.T) {
	w := newWorld(t, reactDevelopers(20)...)
	standing := w.explain(matching.Brief{RequiredSkills: []string{"React"}, Description: "A React shop"}, "f003")
	sum := standing.Match.Score
	for i, s := range standing.Shortfalls {
		sum += s.Points
		if f := standing.Match.Explanation[i]; f.Name != s.Feature || f.Value == 1 && s.Points != 0 {
			t.Errorf("feature %s has the value %v and lacks %v of %s", f.Name, f.Value, s.Points, s.Feature)
		}
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("score and what the features lack add up to %v", sum)
	}
}

func TestExplain_Errors(t *testing.T) {
	brief := &matching.Brief{RequiredSkills: []string{"React"}, Limit: 3}
	if _, err := newWorld(t).service.Explain(t.Context(), brief, "f1"); matching.CodeOf(err) !=
		matching.CodeFreelancerUnknown {
		t.Errorf("without data: %v", err)
	}
	w := newWorld(t, reactDevelopers(2)...)
	for _, id := range []string{"", "nobody", strings.Repeat("é", 500)} {
		if _, err := w.service.Explain(t.Context(), brief, id); matching.CodeOf(err) != matching.CodeFreelancerUnknown {
			t.Errorf("%.20q: %v", id, err)
		}
	}
	unknown := *brief
	unknown.Profile = "cheap"
	if _, err := w.service.Explain(t.Context(), &unknown, "f000"); matching.CodeOf(err) != matching.CodeInvalid {
		t.Errorf("unknown profile: %v", err)
	}
}

func TestMatch_ExplainsContradictedSkills(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", JobTitle: "Plumber", Skills: []string{"Plumbing", "Kubernetes"}})
	answer := w.match(matching.Brief{RequiredSkills: []string{"Kubernetes"}, Explain: true})
	const want = "1 of 1 required skill (listed, but nothing in title or description supports it: Kubernetes)"
	if got := fmt.Sprint(answer.Matches[0].Explanation); !strings.Contains(got, want) {
		t.Errorf("explanation %s, want %q", got, want)
	}
}

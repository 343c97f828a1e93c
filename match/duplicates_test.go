package match_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// The three names of drawings are one demand, so that somebody with one of them meets it, and two of three aren't twice
// as much as AutoCAD.
func TestMatch_NearDuplicatesCountOnce(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "both", JobTitle: "Engineer", Skills: []string{"2D Drafting", "AutoCAD"}},
		matching.Freelancer{ID: "drawing", JobTitle: "Engineer", Skills: []string{"2D Drawing"}},
		matching.Freelancer{ID: "neither", JobTitle: "Engineer"},
	)
	brief := matching.Brief{
		JobTitle: "Engineer", RequiredSkills: []string{"2D Drafting", "2D Drawing", "2D Layout", "AutoCAD"}, Explain: true,
	}
	a := w.match(brief)

	type result struct {
		Matched, Missing []string
		Kept             []matching.Adjustment
	}
	got := map[string]result{}
	for _, m := range a.Matches {
		got[m.Freelancer.ID] = result{m.MatchedSkills, m.MissingSkills, m.Adjustments}
	}
	want := map[string]result{
		"both": {[]string{"2D Drafting", "AutoCAD"}, []string{}, nil},
		"drawing": {
			[]string{"2D Drawing"},
			[]string{"AutoCAD"},
			[]matching.Adjustment{{Factor: .95, Reason: "lacks some of the required skills"}},
		},
	}
	delete(got, "neither")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skills and adjustments (-want +got):\n%s", diff)
	}

	all := &matching.AllRequiredSkills{
		Skills: 2, Freelancers: 1,
		Message: "1 of 3 freelancers have all 2 required skills, of which near-duplicates count once",
	}
	if diff := cmp.Diff(all, a.AllRequiredSkills); diff != "" {
		t.Errorf("all required skills (-want +got):\n%s", diff)
	}
	if m := a.RequiredSkills[0].Message; !strings.HasSuffix(m, "; counts once with 2D Drawing") {
		t.Errorf("the message about 2D Drafting is %q", m)
	}
	if s := find(t, a, "both").Explanation[0].Summary; !strings.Contains(s, "counts once with") {
		t.Errorf("the summary is %q", s)
	}

	slices.Reverse(brief.RequiredSkills)
	if diff := cmp.Diff(scores(a), scores(w.match(brief))); diff != "" {
		t.Errorf("skills in another order change scores (-as listed +reversed):\n%s", diff)
	}
}

// scores returns the scores of an answer by freelancer.
func scores(a *matching.Answer) map[string]float64 {
	of := map[string]float64{}
	for _, m := range a.Matches {
		of[m.Freelancer.ID] = m.Score
	}
	return of
}

// Skills that imply one another, tools of one family, and languages are demands by themselves.
func TestMatch_SkillsThatAreNoDuplicates(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "somebody", JobTitle: "Developer"})
	for _, required := range [][]string{
		{"React Native", "React"},
		{"MySQL", "PostgreSQL"},
		{"Swift", "SwiftUI"},
		{"Translation", "English"},
		{"Data Entry", "Data Visualization"},
		{"Frontend Development", "Backend Development"},
		{"HTML", "CSS"},
	} {
		all := w.match(matching.Brief{RequiredSkills: required}).AllRequiredSkills
		if all == nil || all.Skills != 2 {
			t.Errorf("%v count as one", required)
		}
	}
}

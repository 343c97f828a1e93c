package match_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// A misspelled skill is matched as what it certainly means, and the answer says so. The client's spelling is kept.
func TestMatch_CorrectsMisspelledSkills(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "k8s", JobTitle: "Engineer", Skills: []string{"Kubernetes", "Python"}},
		matching.Freelancer{ID: "other", JobTitle: "Engineer", Skills: []string{"Figma"}},
	)

	a := w.match(matching.Brief{
		RequiredSkills: []string{"Kuberntes", "<b>Figam</b>"}, NiceToHaveSkills: []string{"Pyhton"},
		Filters: matching.Filters{MustHaveSkills: []string{"Kuberntes"}},
	})

	m := find(t, a, "k8s")
	if diff := cmp.Diff([]string{"Kuberntes"}, m.MatchedSkills); diff != "" {
		t.Errorf("matched skills (-want +got):\n%s", diff)
	}

	if len(a.Matches) != 1 {
		t.Errorf("%d matches pass the misspelled filter, want 1", len(a.Matches))
	}

	var got []string
	for _, u := range a.UnknownSkills {
		got = append(got, u.Skill+" > "+u.CorrectedTo)
	}

	want := []string{"Kuberntes > Kubernetes", "<b>Figam</b> > Figma", "Pyhton > Python"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unknown skills (-want +got):\n%s", diff)
	}

	right := w.match(matching.Brief{RequiredSkills: []string{"Kubernetes", "Figma"}, NiceToHaveSkills: []string{"Python"}})
	if r := find(t, right, "k8s"); r.Score != m.Score {
		t.Errorf("score %v, want %v as for the right spelling", m.Score, r.Score)
	}
}

// A name that freelancers list, too, is the name of something else.
func TestMatch_DoesNotCorrectWhatFreelancersList(t *testing.T) {
	people := []matching.Freelancer{{ID: "lists", Skills: []string{"Kuberntes"}}}
	for i := range 19 {
		people = append(people, matching.Freelancer{ID: fmt.Sprint(i), Skills: []string{"Kubernetes"}})
	}
	a := newWorld(t, people...).match(matching.Brief{RequiredSkills: []string{"kuberntes"}})
	if got := a.UnknownSkills[0].CorrectedTo; got != "" {
		t.Errorf("corrected to %s, although 1 of 20 freelancers lists the name", got)
	}
	if m := find(t, a, "lists"); len(m.MatchedSkills) != 1 {
		t.Errorf("the freelancer who lists the name doesn't match: %+v", m)
	}
	people = append(people, matching.Freelancer{ID: "one more", Skills: []string{"Kubernetes"}})
	a = newWorld(t, people...).match(matching.Brief{RequiredSkills: []string{"kuberntes"}})
	if got := a.UnknownSkills[0].CorrectedTo; got != "Kubernetes" {
		t.Errorf("corrected to %q, want Kubernetes: 1 freelancer misspells it, and 20 don't", got)
	}
}

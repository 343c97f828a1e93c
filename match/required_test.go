package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestMatch_CountsRequiredSkills(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "react", Skills: []string{"ReactJS"}, Signals: known(40, 5, 5, 10, true)},
		matching.Freelancer{ID: "next", Skills: []string{"Next.js"}, Signals: known(90, 5, 5, 10, true)},
		matching.Freelancer{ID: "title", JobTitle: "React developer"},
		matching.Freelancer{ID: "text", JobTitle: "Developer", Description: "I build shops with Vue and Kubernetes."},
		matching.Freelancer{ID: "potter", Skills: []string{"Kiln loading"}},
	)

	cheap := matching.Filters{MaxHourlyRate: matching.Some(50.)}
	some := matching.Some[int]
	for _, c := range []struct {
		name  string
		brief matching.Brief
		want  []matching.RequiredSkill
	}{
		{
			"listed, implied, in the title and in the description",
			matching.Brief{RequiredSkills: []string{"React", "k8s", "Golang"}, NiceToHaveSkills: []string{"Vue"}},
			[]matching.RequiredSkill{
				{Skill: "React", Freelancers: 3, Message: "3 of 5 freelancers have React"},
				{Skill: "k8s", Freelancers: 1, Message: "1 of 5 freelancers have k8s"},
				{Skill: "Golang", Message: "0 of 5 freelancers have Golang"},
			},
		},
		{
			"unknown to the taxonomy",
			matching.Brief{RequiredSkills: []string{"kiln loading", "kiln unloading"}},
			[]matching.RequiredSkill{
				{Skill: "kiln loading", Freelancers: 1, Message: "1 of 5 freelancers list kiln loading"},
				{Skill: "kiln unloading", Message: "0 of 5 freelancers list kiln unloading"},
			},
		},
		{
			"with filters",
			matching.Brief{RequiredSkills: []string{"React", "Kubernetes"}, Filters: cheap},
			[]matching.RequiredSkill{
				{
					Skill: "React", Freelancers: 3, PassingFilters: some(1),
					Message: "3 of 5 freelancers have React; 1 of them pass the filters",
				},
				{
					Skill: "Kubernetes", Freelancers: 1, PassingFilters: some(0),
					Message: "1 of 5 freelancers have Kubernetes; 0 of them pass the filters",
				},
			},
		},
		{
			"with filters, and nobody has it",
			matching.Brief{RequiredSkills: []string{"Go"}, Filters: cheap},
			[]matching.RequiredSkill{{Skill: "Go", PassingFilters: some(0), Message: "0 of 5 freelancers have Go"}},
		},
		{
			"filters that nobody passes",
			matching.Brief{RequiredSkills: []string{"React"}, Filters: matching.Filters{MaxHourlyRate: matching.Some(1.)}},
			[]matching.RequiredSkill{{
				Skill: "React", Freelancers: 3, PassingFilters: some(0),
				Message: "3 of 5 freelancers have React; 0 of them pass the filters",
			}},
		},
		{"derived", matching.Brief{Description: "A shop with React"}, nil},
		{"only nice to have", matching.Brief{Description: "A shop", NiceToHaveSkills: []string{"React"}}, nil},
	} {
		if diff := cmp.Diff(c.want, w.match(c.brief).RequiredSkills); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// If nobody has a required skill, everybody's level says so.
func TestMatch_NobodyHasTheSkill(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "bi", JobTitle: "Power BI developer for backend services", Skills: []string{"Power BI"}},
		matching.Freelancer{ID: "editor", JobTitle: "Book editor", Skills: []string{"Proofreading"}},
	)
	const description = "Developer for a backend service"
	before := w.match(matching.Brief{Description: description, NiceToHaveSkills: []string{"Go"}})
	if m := find(t, before, "bi"); m.Level == matching.LevelWeak {
		t.Fatalf("without a required skill, the level is %s already", m.Level)
	}
	a := w.match(matching.Brief{Description: description, RequiredSkills: []string{"Go"}, Explain: true})
	for _, m := range a.Matches {
		want := []matching.Adjustment{{Factor: .35, Reason: "has none of the required skills"}}
		if diff := cmp.Diff(want, m.Adjustments); m.Level != matching.LevelWeak || diff != "" {
			t.Errorf("%s is %s, adjustments (-want +got):\n%s", m.Freelancer.ID, m.Level, diff)
		}
	}
}

func TestMatch_RelatedSkillKeepsMore(t *testing.T) {
	for _, c := range []struct{ wanted, related string }{
		{"Phone support", "Call center"},
		{"Excel", "Spreadsheets"},
		{"Google Sheets", "Excel"},
		{"Screenwriting", "Scriptwriting"},
		{"Django", "Flask"},
	} {
		w := newWorld(t,
			matching.Freelancer{ID: "able", Skills: []string{c.wanted}},
			matching.Freelancer{ID: "related", Skills: []string{c.related}},
		)

		a := w.match(matching.Brief{RequiredSkills: []string{c.wanted}, Explain: true})
		m := find(t, a, "related")
		want := []matching.Adjustment{{Factor: .7, Reason: "has none of the required skills, but a related one"}}
		if diff := cmp.Diff(want, m.Adjustments); diff != "" {
			t.Errorf("%s for %s: adjustments (-want +got):\n%s", c.related, c.wanted, diff)
		}
	}
}

// Somebody who has all required skills is before somebody who has some of them and is otherwise a little better.
func TestMatch_AllSkillsBeforeSome(t *testing.T) {
	signals := known(40, 5, 4.5, 10, true)
	better := known(40, 5, 4.9, 40, true)
	w := newWorld(t,
		matching.Freelancer{ID: "some", JobTitle: "Go developer", Skills: []string{"Go"}, Signals: better},
		matching.Freelancer{ID: "all", JobTitle: "Go developer", Skills: []string{"Go", "Kubernetes"}, Signals: signals},
	)
	a := w.match(matching.Brief{RequiredSkills: []string{"Go", "Kubernetes"}, Explain: true})
	want := []matching.Adjustment{{Factor: .95, Reason: "lacks some of the required skills"}}
	if diff := cmp.Diff(want, find(t, a, "some").Adjustments); diff != "" || a.Matches[0].Freelancer.ID != "all" {
		t.Errorf("%s is first; adjustments (-want +got):\n%s", a.Matches[0].Freelancer.ID, diff)
	}

	a = w.match(matching.Brief{RequiredSkills: []string{"Go", "Kubernetes", "Fortran"}, Explain: true})
	if got := find(t, a, "some").Adjustments; got != nil {
		t.Errorf("nobody has Fortran: got adjustments %v", got)
	}
}

// The rule for required skills protects freelancers who have all of them. If there are none, it would only push down
// people of the trade who don't list the client's tools.
func TestMatch_NobodyHasAllSkills(t *testing.T) {
	operator := matching.Freelancer{ID: "operator", JobTitle: "Operator", Skills: []string{"Go", "Kubernetes"}}
	w := newWorld(t,
		matching.Freelancer{ID: "go", JobTitle: "Backend developer", Skills: []string{"Go"}},
		matching.Freelancer{ID: "k8s", JobTitle: "Administrator", Skills: []string{"Kubernetes"}},
		matching.Freelancer{ID: "neither", JobTitle: "Backend developer"},
	)
	brief := matching.Brief{JobTitle: "Backend developer", RequiredSkills: []string{"Go", "Kubernetes"}, Explain: true}
	if m := find(t, w.match(brief), "neither"); len(m.Adjustments) > 0 {
		t.Errorf("nobody has both skills: got adjustments %v, want none", m.Adjustments)
	}
	w = newWorld(t, operator, matching.Freelancer{ID: "neither", JobTitle: "Backend developer"})
	if m := find(t, w.match(brief), "neither"); len(m.Adjustments) != 1 {
		t.Errorf("one freelancer has both skills: got adjustments %v, want one", m.Adjustments)
	}
}

func TestMatch_CountsAllRequiredSkills(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "a", Skills: []string{"Go", "Kubernetes"}},
		matching.Freelancer{ID: "b", Skills: []string{"Go", "Kubernetes"}},
		matching.Freelancer{ID: "c", Skills: []string{"Go"}},
	)
	for _, c := range []struct {
		name     string
		required []string
		want     *matching.AllRequiredSkills
	}{
		{"some have both", []string{"Go", "Kubernetes"}, &matching.AllRequiredSkills{
			Skills: 2, Freelancers: 2, Message: "2 of 3 freelancers have all 2 required skills; 2 have Kubernetes",
		}},
		{"nobody has the third", []string{"Go", "Kubernetes", "Fortran"}, &matching.AllRequiredSkills{
			Skills: 3, Message: "0 of 3 freelancers have all 3 required skills; 2 have Kubernetes",
		}},
		{"somebody has one", []string{"Go", "Fortran"}, &matching.AllRequiredSkills{
			Skills: 2, Message: "0 of 3 freelancers have all 2 required skills; 3 have Go",
		}},
		{"a single skill", []string{"Go"}, nil},
	} {
		got := w.match(matching.Brief{RequiredSkills: c.required}).AllRequiredSkills
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

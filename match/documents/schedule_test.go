package documents

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/labels"
)

func TestPrepare_LabelsAndSchedule(t *testing.T) {
	p := newPreparer(t)
	for _, c := range []struct {
		name  string
		f     matching.Freelancer
		from  matching.Optional[int]
		hours matching.Optional[float64]
	}{
		{
			"a date",
			matching.Freelancer{Details: matching.Details{AvailableFrom: "1970-02-01", HoursPerWeek: matching.Some(33.33)}},
			matching.Some(31), matching.Some(33.3),
		},
		{
			"a date of someone available or not",
			matching.Freelancer{
				Details: matching.Details{AvailableFrom: "1970-02-01"},
				Signals: matching.Signals{Availability: matching.Some(false)},
			},
			matching.Some(31),
			matching.Optional[float64]{},
		},
		{
			"available now",
			matching.Freelancer{
				Details: matching.Details{HoursPerWeek: matching.Some(0.0)},
				Signals: matching.Signals{Availability: matching.Some(true)},
			},
			matching.Some(0),
			matching.Optional[float64]{},
		},
		{
			"not available now",
			matching.Freelancer{Signals: matching.Signals{Availability: matching.Some(false)}},
			matching.Optional[int]{},
			matching.Optional[float64]{},
		},
		{"unknown", matching.Freelancer{}, matching.Optional[int]{}, matching.Optional[float64]{}},
	} {
		documents, err := p.Prepare(t.Context(), []matching.Freelancer{c.f})
		if err != nil {
			t.Fatal(err)
		}

		if got := documents[0].Schedule; got.From != c.from || got.HoursPerWeek != c.hours {
			t.Errorf("%s: schedule %v, want from %v and %v hours", c.name, got, c.from, c.hours)
		}

		if diff := cmp.Diff(labels.Of(&c.f), documents[0].Labels); diff != "" {
			t.Errorf("%s: labels (-want +got):\n%s", c.name, diff)
		}
	}
}

// Skills names the skills of a document with their evidence. Those that only the record's languages have are left out.
func TestSkills(t *testing.T) {
	f := &matching.Freelancer{
		JobTitle: "React developer", Skills: []string{"Next.js", "Yak shaving"}, Description: "I test with Cypress.",
		Details: matching.Details{Languages: []matching.SpokenLanguage{{Tag: "de"}}},
	}
	got := map[string]NamedSkill{}
	for _, s := range newPreparer(t).Skills(f) {
		got[s.Name] = s
	}

	for _, want := range []NamedSkill{
		{"Next.js", true, matching.Listed},
		{"Yak shaving", true, matching.Listed},
		{"React", false, matching.Implied},
		{"Cypress", false, matching.InText},
	} {
		if got[want.Name] != want {
			t.Errorf("%s: %+v, want %+v", want.Name, got[want.Name], want)
		}
	}
	if _, has := got["German"]; has {
		t.Error("a language is a skill")
	}
}

package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// A language that the text demands is a required skill: the response counts its speakers, and they come first. Somebody
// whose languages are unknown stays among the matches.
func TestMatch_DemandsLanguages(t *testing.T) {
	spoken := func(tag string) matching.Details {
		return matching.Details{Languages: []matching.SpokenLanguage{{Tag: tag}}}
	}
	w := newWorld(t,
		matching.Freelancer{ID: "unknown", JobTitle: "Voice actor", Skills: []string{"Voice Over", "Narration"}},
		matching.Freelancer{ID: "record", JobTitle: "Voice actor", Skills: []string{"Voice Over"}, Details: spoken("fr-CA")},
		matching.Freelancer{ID: "skill", JobTitle: "Voice actor", Skills: []string{"Voice Over", "French"}},
		matching.Freelancer{ID: "german", JobTitle: "Voice actor", Skills: []string{"Voice Over"}, Details: spoken("de")},
	)

	counted := func(because string) matching.RequiredSkill {
		return matching.RequiredSkill{
			Skill: "French", Freelancers: 2, Because: []string{because}, Message: "2 of 4 freelancers have French",
		}
	}
	voices := matching.RequiredSkill{Skill: "Voice over", Freelancers: 4, Message: "4 of 4 freelancers have Voice over"}
	for _, c := range []struct {
		name  string
		brief matching.Brief
		want  []matching.RequiredSkill
		all   string
	}{
		{
			"without a list of skills",
			matching.Brief{Description: "Female French voice for a film"},
			[]matching.RequiredSkill{counted("Female French voice")},
			"",
		},
		{
			"beside listed skills",
			matching.Brief{Description: "We need a native French speaker for a film", RequiredSkills: []string{"Voice over"}},
			[]matching.RequiredSkill{voices, counted("native French speaker")},
			"2 of 4 freelancers have all 2 required skills; 2 have French",
		},
		{
			"by a word for its speakers",
			matching.Brief{Description: "Looking for a francophone voice actor"},
			[]matching.RequiredSkill{counted("francophone voice actor")},
			"",
		},
		{
			"implied by a listed skill",
			matching.Brief{Description: "We need a native French speaker", RequiredSkills: []string{"French translation"}},
			[]matching.RequiredSkill{
				{Skill: "French translation", Message: "0 of 4 freelancers have French translation"},
			},
			"",
		},
		{
			"English in an English brief",
			matching.Brief{Description: "Fluent English is required. Voice over for a film."},
			nil, "",
		},
		{"not of the person", matching.Brief{Description: "Voice over for our French customers"}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.brief.Limit = 10
			answer := w.match(c.brief)
			if diff := cmp.Diff(c.want, answer.RequiredSkills); diff != "" {
				t.Errorf("required skills (-want +got):\n%s", diff)
			}
			all := ""
			if answer.AllRequiredSkills != nil {
				all = answer.AllRequiredSkills.Message
			}
			if all != c.all {
				t.Errorf("all required skills: %q, want %q", all, c.all)
			}

			demanded := len(c.want) > 0 && c.want[len(c.want)-1].Because != nil
			if !demanded {
				return
			}
			got := ids(answer)
			if len(got) != 4 || sorted(got[:2]) != "record skill" {
				t.Errorf("order %v, want those with French first, and nobody left out", got)
			}
		})
	}
}

// Without the discount for lacking all listed skills, a language would make up for the trade.
func TestMatch_LanguageIsNoTrade(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "voice", JobTitle: "Voice actor", Skills: []string{"Voice Over"}},
		matching.Freelancer{ID: "plumber", JobTitle: "Plumber for a film studio", Skills: []string{"French", "Plumbing"}},
	)
	answer := w.match(matching.Brief{
		Description: "We need a native French speaker for a film", RequiredSkills: []string{"Voice over"}, Limit: 10,
	})
	if diff := cmp.Diff([]string{"voice", "plumber"}, ids(answer)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

package match_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestMatch_Understood(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "potter", JobTitle: "Potter", Description: "Glazed stoneware bowls for restaurants"},
		matching.Freelancer{ID: "other", JobTitle: "Singer", Description: "Weddings and funerals"},
	)
	for _, test := range []struct {
		text string
		want matching.Optional[float64]
	}{
		{"Potter: glazed stoneware bowls", matching.Some(1.)},
		{"Potter: glazed vorpal bowls", matching.Some(.75)},
		{"Stoneware frumious bandersnatch", matching.Some(.33)},
		{"Kubernetes", matching.Some(1.)}, // nobody has the skill, but it is one
		{"+++", matching.Optional[float64]{}},
	} {
		answer := w.match(matching.Brief{Description: test.text})
		if answer.Understood != test.want {
			t.Errorf("%q: understood %v, want %v", test.text, answer.Understood, test.want)
		}
	}
}

// Invented words change neither the order nor the fit, but if most words of a brief are invented, no match is
// excellent.
func TestMatch_NothingIsExcellentForUnknownWords(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{
			ID: "react", JobTitle: "React developer", Skills: []string{"React"},
			Description: "React developer for dashboards. React dashboards, charts and more dashboards.",
			Signals:     known(20, 5, 10, 100, true),
		},
		matching.Freelancer{ID: "singer", JobTitle: "Singer", Description: "Weddings and funerals"},
	)
	brief := matching.Brief{
		JobTitle: "React developer", Description: "Dashboards and charts.", RequiredSkills: []string{"React"},
	}

	plain := w.match(brief).Matches[0]
	if plain.Freelancer.ID != "react" || plain.Level != matching.LevelExcellent {
		t.Errorf("first match %s is %s, want react to be excellent", plain.Freelancer.ID, plain.Level)
	}

	brief.Description += " Frumious bandersnatch, slithy toves, mimsy borogoves."
	invented := w.match(brief)
	first := invented.Matches[0]
	if first.Fit < .65 || first.Level != matching.LevelStrong {
		t.Errorf("with invented words: %s with a fit of %v, want strong with one of at least .65", first.Level, first.Fit)
	}

	note := slices.IndexFunc(invented.Skipped, func(s matching.Skipped) bool { return s.Feature == matching.SkippedLevel })
	if want := fmt.Sprintf("only %.0f percent of the words of the brief occur in the data or name a skill, "+
		"so no match is excellent", 100*invented.Understood.Value); note < 0 || invented.Skipped[note].Reason != want {
		t.Errorf("skipped %v, want %q", invented.Skipped, want)
	}
}

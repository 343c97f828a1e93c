package match

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/match/headline"
	"github.com/freelancer-matching/service/taxonomy"
)

var loadTaxonomy = sync.OnceValues(taxonomy.Load)

// knownSkills returns the taxonomy, which is loaded once for all tests.
func knownSkills(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	skills, err := loadTaxonomy()
	if err != nil {
		t.Fatal(err)
	}
	return skills
}

func TestDemand_ShortText(t *testing.T) {
	skills := func(n int) (all []requirement) {
		for i := range n {
			name := string(rune('a' + i%26))
			all = append(all, requirement{id: name + string(rune('0'+i/26)), name: "as written", canonical: name})
		}
		return all
	}

	brief := matching.Brief{JobTitle: "Pilot wanted", Description: "Steer ships\nSoon."}
	tests := []struct {
		name    string
		brief   matching.Brief
		skills  []requirement // required skills first
		nice    int
		derived bool
		want    string
	}{
		{"all parts", brief, skills(3), 0, false, "Pilot wanted. Steer ships. Steer ships. a, b, c"},
		{
			"listed skills ordered by id", brief,
			[]requirement{{id: "2", canonical: "z"}, {id: "1", canonical: "y"}},
			0, false,
			"Pilot wanted. Steer ships. Steer ships. y, z",
		},
		{
			"derived skills in the order of the text", brief,
			[]requirement{{id: "2", canonical: "z"}, {id: "1", canonical: "y"}},
			0, true,
			"Pilot wanted. Steer ships. Steer ships. z, y",
		},
		{"nice-to-have skills are left out", brief, skills(3), 2, false, "Pilot wanted. Steer ships. Steer ships. a"},
		{
			"first derived skills only", brief,
			skills(derivedShortSkills + 1),
			0, true,
			"Pilot wanted. Steer ships. Steer ships. a, b, c, d, e",
		},
		{"no title", matching.Brief{Description: brief.Description}, nil, 0, false, "Steer ships. Steer ships"},
		{"skills only", matching.Brief{}, skills(1), 0, false, "a"},
		{"empty", matching.Brief{}, nil, 0, false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := demand{
				skills: test.skills, required: len(test.skills) - test.nice, derived: test.derived,
				headline: headline.Of(test.brief.Description, knownSkills(t)),
			}
			if got := d.shortText(&test.brief); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}

	d := demand{skills: skills(documents.MaxSkills + 9), required: documents.MaxSkills + 9}
	if got := d.shortText(&matching.Brief{}); strings.Count(got, ", ") != documents.MaxSkills-1 {
		t.Errorf("%q: want %d skills", got, documents.MaxSkills)
	}
}

func TestSplitWords(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"Logo,  for a café", []string{"Logo,", "for", "a", "café"}},
		{"使用React和TypeScript开发，熟悉C++", []string{"使用", "React", "和", "TypeScript", "开发", "熟悉", "C++"}},
		{"需要标志。", []string{"需要标志"}},
		{"日本", []string{"日本"}},
		{" \t", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, splitWords(test.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

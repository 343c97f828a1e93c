package wishes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/wishes"
	"github.com/freelancer-matching/service/taxonomy"
)

func TestReader_Read(t *testing.T) {
	skills, err := taxonomy.Load()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := wishes.New(skills)
	if err != nil {
		t.Fatal(err)
	}

	const description = "React developer, no WordPress, Vue is a plus"
	tests := []struct {
		name  string
		brief matching.Brief
		want  wishes.Wishes
		rest  string // the description without exclusions; "" if it stays the same
	}{
		{
			"excluded and optional",
			matching.Brief{Description: description},
			wishes.Wishes{Excluded: []string{"wordpress"}, Optional: []string{"vue-js"}, Because: []string{"no WordPress"}},
			"React developer,             , Vue is a plus",
		},
		{
			"the title asks for what the description excludes",
			matching.Brief{JobTitle: "WordPress expert", Description: description},
			wishes.Wishes{Optional: []string{"vue-js"}, Because: []string{"no WordPress"}},
			"React developer,             , Vue is a plus",
		},
		{"neither", matching.Brief{Description: "React developer with Vue"}, wishes.Wishes{}, ""},
		{"empty", matching.Brief{}, wishes.Wishes{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rest, got := reader.Read(&test.brief, analysis.English)
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if test.rest == "" {
				test.rest = test.brief.Description
			}
			if rest.Description != test.rest || rest.JobTitle != test.brief.JobTitle {
				t.Errorf("the rest is %q and %q", rest.JobTitle, rest.Description)
			}
		})
	}
}

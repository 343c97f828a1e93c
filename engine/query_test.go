package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

func TestUnknownLabels(t *testing.T) {
	for _, c := range []struct {
		name      string
		set, want []string
	}{
		{"value", []string{"country:DE", "country:FR"}, []string{"country:?"}},
		{"value with detail", []string{"lang:de/B2", "lang:de/C1"}, []string{"lang:?", "lang:de/?"}},
		{"several kinds", []string{"lang:de", "verified:yes"}, []string{"lang:?", "verified:?"}},
		{"no kind", []string{"DE"}, nil},
		{"empty", nil, nil},
	} {
		if diff := cmp.Diff(c.want, engine.UnknownLabels(c.set)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestQuery_Discounts(t *testing.T) {
	for _, c := range []struct {
		name     string
		discount float64
		required []bool
		evidence []matching.Evidence
		want     bool
	}{
		{"none of the required skills", .5, []bool{true, true, false}, []matching.Evidence{0, 0, matching.Listed}, true},
		{"only a related skill", .5, []bool{true}, []matching.Evidence{matching.Sibling}, true},
		{"one required skill", .5, []bool{true, true}, []matching.Evidence{0, matching.InText}, false},
		{"nothing required", .5, []bool{false}, []matching.Evidence{0}, false},
		{"no skills", .5, nil, nil, false},
		{"no discount", 0, []bool{true}, []matching.Evidence{0}, false},
	} {
		q := engine.Query{Discount: c.discount}
		for _, required := range c.required {
			q.Skills = append(q.Skills, engine.SkillClause{Required: required})
		}

		if got := q.Discounts(c.evidence); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFilters_String(t *testing.T) {
	for _, c := range []struct {
		filters engine.Filters
		want    string
	}{
		{engine.Filters{}, ""},
		{
			engine.Filters{
				MaxHourlyRate: matching.Some(50.0), MustHave: []string{"go", "sql"},
				Labels: [][]string{{"country:AT"}, {"lang:a", "lang:b", "lang:c", "lang:d", "lang:e", "lang:f"}},
				IDs:    []string{},
			},
			"rate<=50 has go,sql label country:AT label lang:a|lang:b|lang:c|lang:d|+2 0 ids",
		},
		{
			engine.Filters{AvailableBy: matching.Some(20_000), ExcludeIDs: []string{"a"}},
			"from<=day 20000 without 1 ids",
		},
	} {
		if got := c.filters.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

package coverage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestCounts(t *testing.T) {
	pilot := matching.Freelancer{ID: "a", JobTitle: "Pilot", Skills: []string{"Ships"}}
	baker := matching.Freelancer{ID: "b", JobTitle: "Baker", Details: matching.Details{Country: "DE"}}
	all := coverage.Counts{}
	for _, f := range []matching.Freelancer{pilot, pilot, baker, baker} {
		all.Add(coverage.Known(&f))
	}

	known := func(c *coverage.Counts) map[string]int {
		nonzero := map[string]int{"freelancers": c.Freelancers}
		for field, n := range c.ByField() {
			if n != 0 {
				nonzero[field] = n
			}
		}
		return nonzero
	}
	one := coverage.Of(1, map[string]int{"job_title": 1})
	for _, c := range []struct {
		name string
		got  *coverage.Counts
		want map[string]int
	}{
		{"all", &all, map[string]int{"freelancers": 4, "job_title": 4, "skills": 2, "country": 2}},
		{"from a map", coverage.Of(4, all.ByField()), known(&all)},
		{"without one", all.Without(one), map[string]int{"freelancers": 3, "job_title": 3, "skills": 2, "country": 2}},
		{"half of them", all.Scaled(2), map[string]int{"freelancers": 2, "job_title": 2, "skills": 1, "country": 1}},
		{"less two", all.Less(2), map[string]int{"freelancers": 2, "job_title": 2, "skills": 1, "country": 1}},
	} {
		if diff := cmp.Diff(c.want, known(c.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

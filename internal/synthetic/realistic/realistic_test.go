package realistic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic/realistic"
)

func TestFreelancers_DependOnlyOnTheSeed(t *testing.T) {
	g, err := realistic.New()
	if err != nil {
		t.Fatal(err)
	}

	first := slices.Collect(g.Freelancers(20, 7))
	longer := slices.Collect(g.Freelancers(40, 7))
	if diff := cmp.Diff(first, longer[:20]); diff != "" {
		t.Errorf("a longer run starts differently (-first +longer):\n%s", diff)
	}
	if cmp.Equal(first, slices.Collect(g.Freelancers(20, 8))) {
		t.Error("another seed gives the same freelancers")
	}
}

func TestBriefs_AreAsLongAsRealOnes(t *testing.T) {
	g, err := realistic.New()
	if err != nil {
		t.Fatal(err)
	}

	var words, skills []int
	for b := range g.Briefs(1) {
		words = append(words, len(strings.Fields(b.Description)))
		skills = append(skills, len(b.RequiredSkills))
		if len(words) == 400 {
			break
		}
	}

	slices.Sort(words)
	slices.Sort(skills)
	if median := words[200]; median < 110 || median > 130 {
		t.Errorf("the median brief has %d words, want 110 to 130", median)
	}
	if median := skills[200]; median < 5 || median > 9 {
		t.Errorf("the median brief has %d skills, want 5 to 9", median)
	}
}

// Most profiles list skills without a description, as on marketplaces.
func TestFreelancers_LeaveOutAsMuchAsRealOnes(t *testing.T) {
	g, err := realistic.New()
	if err != nil {
		t.Fatal(err)
	}

	share := func(has func(f *matching.Freelancer) bool) float64 {
		n := 0
		for f := range g.Freelancers(1000, 1) {
			if has(&f) {
				n++
			}
		}
		return float64(n) / 1000
	}
	for _, c := range []struct {
		name      string
		has       func(f *matching.Freelancer) bool
		low, high float64
	}{
		{"a description", func(f *matching.Freelancer) bool { return f.Description != "" }, .25, .5},
		{"a title", func(f *matching.Freelancer) bool { return f.JobTitle != "" }, .6, .8},
		{"skills", func(f *matching.Freelancer) bool { return len(f.Skills) > 0 }, .9, 1},
		{"a rating", func(f *matching.Freelancer) bool { return f.Rating.Known }, .5, .75},
	} {
		if got := share(c.has); got < c.low || got > c.high {
			t.Errorf("%.2f have %s, want %.2f to %.2f", got, c.name, c.low, c.high)
		}
	}
}

package engine_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
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

func TestQuery_Score(t *testing.T) {
	const none, related, has = matching.NoEvidence, matching.Sibling, matching.InText
	bend := engine.Bend{From: .4, To: .2}
	for _, c := range []struct {
		name     string
		required []bool
		evidence []matching.Evidence
		sum      float64
		want     float64
	}{
		{"none of the required skills", []bool{true, true, false}, []matching.Evidence{none, none, has}, 1, .5},
		{"only a related skill", []bool{true, false}, []matching.Evidence{related, none}, 1, .7},
		{"one of two", []bool{true, true}, []matching.Evidence{none, has}, 1, .95},
		{"one of two, and a related one", []bool{true, true}, []matching.Evidence{related, has}, 1, .95},
		{"all of them", []bool{true, true, false}, []matching.Evidence{has, has, none}, 1, 1},
		{"nothing required", []bool{false}, []matching.Evidence{none}, 1, 1},
		{"no skills", nil, nil, 1, 1},
		{"above the bend", []bool{true}, []matching.Evidence{none}, .7, .3},
		{"below the bend", []bool{true}, []matching.Evidence{none}, .2, .05},
	} {
		q := engine.Query{Bend: bend, Discount: matching.Discount{Some: .1, Related: .3, None: .5}}
		for _, required := range c.required {
			q.Skills = append(q.Skills, engine.SkillClause{Required: required})
		}

		if got := q.Score(c.sum, c.evidence); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestQuery_Demands has two near-duplicates, of which one is enough, and another skill.
func TestQuery_Demands(t *testing.T) {
	const none, text, listed = matching.NoEvidence, matching.InText, matching.Listed
	q := engine.Query{
		Discount: matching.Discount{Some: .1, Related: .3, None: .5},
		Skills: []engine.SkillClause{
			{ID: "2d-drafting", Weight: .4, Required: true, Demand: 1},
			{ID: "autocad", Weight: .6, Required: true},
			{ID: "2d-drawing", Weight: .4, Required: true, Demand: 1},
		},
	}
	q.Credit[text], q.Credit[listed] = .5, 1

	if diff := cmp.Diff([][]int{{0, 2}, {1}}, q.Demands()); diff != "" {
		t.Errorf("demands (-want +got):\n%s", diff)
	}

	for _, c := range []struct {
		evidence     []matching.Evidence
		skills, kept float64
	}{
		{[]matching.Evidence{listed, listed, none}, 1, 1},
		{[]matching.Evidence{none, listed, text}, .8, 1},
		{[]matching.Evidence{text, none, listed}, .4, .95},
		{[]matching.Evidence{none, listed, none}, .6, .95},
		{[]matching.Evidence{none, none, none}, 0, .5},
	} {
		if got := q.SkillScore(c.evidence); math.Abs(got-c.skills) > 1e-12 {
			t.Errorf("%v: the skills add %v, want %v", c.evidence, got, c.skills)
		}
		if got := q.Score(1, c.evidence); math.Abs(got-c.kept) > 1e-12 {
			t.Errorf("%v: a sum of 1 becomes %v, want %v", c.evidence, got, c.kept)
		}
	}
}

func TestBend_Inverse(t *testing.T) {
	for _, b := range []engine.Bend{{}, {From: .5, To: .5}, {From: .4, To: .1}} {
		for _, x := range []float64{-.1, 0, .2, .4, .7, 1, 1.2} {
			if got := b.Inverse(b.At(x)); math.Abs(got-x) > 1e-12 {
				t.Errorf("%v: the inverse of the value at %v is %v", b, x, got)
			}
		}
	}
}

func TestQuery_CheckRejectsBendAndDiscount(t *testing.T) {
	for _, q := range []engine.Query{
		{Bend: engine.Bend{From: .2, To: .4}},
		{Bend: engine.Bend{From: 1, To: .4}},
		{Bend: engine.Bend{From: .4}},
		{Discount: matching.Discount{Some: .5, Related: .4, None: .5}},
		{Discount: matching.Discount{Related: .4, None: .3}},
		{Discount: matching.Discount{Some: -.1}},
		{Discount: matching.Discount{None: 1.1}},
	} {
		if err := q.Check(nil); err == nil {
			t.Errorf("no error for %v and %v", q.Bend, q.Discount)
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

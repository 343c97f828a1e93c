package ranking_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

func TestScore_DiscountsMissingRequiredSkills(t *testing.T) {
	p := load(t, "")
	required := []ranking.Requirement{{Name: "Go", Count: 5}, {Name: "Kubernetes", Count: 5}, {Name: "SQL", Nice: true}}
	misspelled := []ranking.Requirement{{Name: "Go", Count: 5}, {Name: "Kubernets"}}
	unknown := []ranking.Requirement{{Name: "Gho"}, {Name: "Kubernets"}}
	for _, c := range []struct {
		name     string
		skills   []ranking.Requirement
		derived  bool
		nobody   bool    // has all required skills
		weight   float64 // of skills
		evidence string  // of the skills
		want     float64 // share of the score that is left
	}{
		{"none", required, false, false, .2, "---", .35},
		{"only a nice-to-have skill", required, false, false, .2, "--L", .35},
		{"only related skills", required, false, false, .2, "RR-", .7},
		{"only one related skill", required, false, false, .2, "-R-", .7},
		{"one of two", required, false, false, .2, "L--", .95},
		{"one of two, in the description", required, false, false, .2, "-D-", .95},
		{"one of two, and a related one", required, false, false, .2, "RD-", .95},
		{"all", required, false, false, .2, "LL-", 1},
		{"all, in title and description", required, false, false, .2, "TD-", 1},
		{"all that anybody has", misspelled, false, false, .2, "L-", 1},
		{"none of those that anybody has", misspelled, false, false, .2, "--", .35},
		{"only a related one of those that anybody has", misspelled, false, false, .2, "R-", .7},
		{"none, as everybody", unknown, false, false, .2, "--", .35},
		{"skills derived from the text", required, true, false, .2, "---", 1},
		{"nothing required", required[2:], false, false, .2, "-", 1},
		{"nobody has all required skills", required, false, true, .2, "---", 1},
		{"skills without weight", required, false, false, 0, "---", 1},
	} {
		profile, faults := p.WithWeights(map[string]float64{"skills": c.weight})
		if len(faults) > 0 {
			t.Fatal(faults)
		}

		s := profile.Scorer(ranking.Request{
			Skills: c.skills, Derived: c.derived, NobodyHasAll: c.nobody, HasText: true,
		})
		candidate := ranking.Candidate{Text: .8, Evidence: evidence(c.evidence)}
		e := s.Explain(&candidate)
		full := 0.
		for _, f := range e.Features {
			full += f.Weight * f.Value
		}

		if math.Abs(e.Score-c.want*full) > 2e-6 {
			t.Errorf("%s: the score is %v of %v, want a share of %v", c.name, e.Score, full, c.want)
		}

		var want []matching.Adjustment
		switch c.want {
		case .35:
			want = append(want, matching.Adjustment{Factor: c.want, Reason: "has none of the required skills"})
		case .7:
			reason := "has none of the required skills, but a related one"
			want = append(want, matching.Adjustment{Factor: c.want, Reason: reason})
		case .95:
			want = append(want, matching.Adjustment{Factor: c.want, Reason: "lacks some of the required skills"})
		}

		if diff := cmp.Diff(want, e.Adjustments); diff != "" {
			t.Errorf("%s: adjustments (-want +got):\n%s", c.name, diff)
		}
	}
}

// A budget that everybody meets changes no score above the floor, whatever somebody lacks.
func TestScore_DiscountComesAfterTheLimits(t *testing.T) {
	p := load(t, "")
	r := ranking.Request{
		Skills: []ranking.Requirement{{Name: "Go", Count: 5}}, HasText: true,
		Corpus: ranking.Corpus{RateMedian: matching.Some(9.)},
	}
	limited := r
	limited.Budget = matching.Some(matching.Budget{High: 1e6, Kind: matching.BudgetHourly})
	for _, e := range []string{"-", "R", "L"} {
		c := ranking.Candidate{Text: .8, Evidence: evidence(e)}
		if free, within := p.Scorer(r).Score(&c), p.Scorer(limited).Score(&c); math.Abs(free-within) > 1.5e-6 {
			t.Errorf("evidence %q scores %v without a budget and %v within it", e, free, within)
		}
	}
}

// A freelancer without any required skill, and without a related one, is never before one with all of them, whatever
// their other features and evidence, unless the other features of the first are worth more than 2.85 times as much, or
// those of the second give less than the floor.
func TestScore_AllRequiredSkillsBeatNoneUnlessTheRestIsMuchBetter(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		if len(r.Skills) == 0 || r.Skills[0].Nice || r.Derived {
			return
		}

		able := randomCandidate(rng, r)
		unable := randomCandidate(rng, r)
		for i, skill := range r.Skills {
			if !skill.Nice {
				able.Evidence[i] = matching.InText + matching.Evidence(rng.IntN(4))
				unable.Evidence[i] = matching.NoEvidence
			}
		}

		rest := func(e ranking.Explained) (score float64) {
			sum := 0.
			for _, f := range e.Features[1:] {
				sum += f.Weight * f.Value
			}
			return limited(p, e, sum)
		}

		s := p.Scorer(r)
		a := s.Explain(&able)
		u := s.Explain(&unable)
		limits := slices.ContainsFunc(a.Features, func(f matching.Feature) bool {
			return f.Name == "budget" || f.Name == "timeline"
		})
		if limits && rest(a) < p.Limits.Floor {
			return
		}

		if 2.85*rest(a) > rest(u)+1e-5 && a.Score < u.Score {
			t.Errorf("%+v scores %v, %+v scores %v", able, a.Score, unable, u.Score)
		}
	})
}

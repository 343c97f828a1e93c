package ranking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/ranking"
)

func TestScore_DiscountsNoneOfTheRequiredSkills(t *testing.T) {
	p := load(t, "")
	required := []ranking.Requirement{{Name: "Go", Count: 5}, {Name: "Kubernetes", Count: 5}, {Name: "SQL", Nice: true}}
	for _, c := range []struct {
		name     string
		skills   []ranking.Requirement
		derived  bool
		nobody   bool    // has all required skills
		weight   float64 // of skills
		evidence string  // of Go, Kubernetes and SQL
		want     float64 // share of the score that is left
	}{
		{"none", required, false, false, .2, "---", .4},
		{"only a nice-to-have skill", required, false, false, .2, "--L", .4},
		{"only related skills", required, false, false, .2, "RR-", .4},
		{"one of two", required, false, false, .2, "L--", 1},
		{"one of two, in the description", required, false, false, .2, "-D-", 1},
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
		if c.want < 1 {
			want = append(want, matching.Adjustment{Factor: c.want, Reason: "has none of the required skills"})
		}

		if diff := cmp.Diff(want, e.Adjustments); diff != "" {
			t.Errorf("%s: adjustments (-want +got):\n%s", c.name, diff)
		}
	}
}

// A freelancer with none of the required skills is never before one with all of them, whatever their other features and
// evidence, unless the other features of the first are worth more than 2.5 times as much.
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
				unable.Evidence[i] = matching.Evidence(rng.IntN(2))
			}
		}

		rest := func(e ranking.Explained) (sum float64) {
			for _, f := range e.Features[1:] {
				sum += f.Weight * f.Value
			}
			return sum
		}

		s := p.Scorer(r)
		a := s.Explain(&able)
		u := s.Explain(&unable)
		if 2.5*rest(a) > rest(u)+1e-5 && a.Score < u.Score {
			t.Errorf("%+v scores %v, %+v scores %v", able, a.Score, unable, u.Score)
		}
	})
}

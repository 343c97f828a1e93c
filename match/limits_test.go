package match

import (
	"iter"
	"math"
	"slices"
	"testing"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/synthetic"
	"freelancer-matching/ranking"
)

// limitsSize is the number of freelancers in the tests of budget and timeline. Every third one has an unknown rate.
const limitsSize = 3000

// newLimitsService returns a service and briefs without a budget or a timeline, for work of 100 hours.
func newLimitsService(t *testing.T) (*Service, []matching.Brief) {
	t.Helper()
	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}

	var people iter.Seq[matching.Freelancer] = func(yield func(matching.Freelancer) bool) {
		n := 0
		for f := range generator.Freelancers(limitsSize, 1) {
			if n++; n%3 == 0 {
				f.HourlyRate = matching.Optional[float64]{}
			}
			if !yield(f) {
				return
			}
		}
	}

	s, _ := newServiceOf(t, people)
	var briefs []matching.Brief
	for b := range generator.Briefs(7) {
		b.Budget = matching.Optional[matching.Budget]{}
		b.TimelineDays = matching.Optional[int]{}
		b.Complexity, b.EffortHours = "", matching.Some(100.)
		b.Filters = matching.Filters{}
		b.Limit = 100
		if briefs = append(briefs, b); len(briefs) == 25 {
			return s, briefs
		}
	}

	return s, briefs
}

// matches returns the matches of a brief.
func (s *Service) matchesOf(t *testing.T, b matching.Brief) []matching.Match {
	t.Helper()
	answer, err := s.Match(t.Context(), &b)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Matches
}

// median returns the middle of the known values of matches, and the share of matches with a value.
func median(matches []matching.Match, value func(*matching.Match) matching.Optional[float64]) float64 {
	var known []float64
	for i := range matches {
		if v := value(&matches[i]); v.Known {
			known = append(known, v.Value)
		}
	}
	slices.Sort(known)
	return known[len(known)/2]
}

func costOf(m *matching.Match) matching.Optional[float64] { return m.Estimate.Cost }
func daysOf(m *matching.Match) matching.Optional[float64] { return m.Estimate.Days }

// withBudget returns the brief with a budget for the whole work.
func withBudget(b matching.Brief, high float64) matching.Brief {
	b.Budget = matching.Some(matching.Budget{High: high})
	return b
}

// checkLevels requires that nobody above 5 times the limit is strong, and nobody above 2 times is excellent.
func checkLevels(
	t *testing.T, matches []matching.Match, limit float64, value func(*matching.Match) matching.Optional[float64],
) {
	t.Helper()
	for i := range matches {
		m := &matches[i]
		ratio := value(m).Value / limit
		if ratio > 2 && m.Level == matching.LevelExcellent || ratio > 5 && m.Level == matching.LevelStrong {
			t.Errorf("%s is %s at %.1f times the limit", m.Freelancer.ID, m.Level, ratio)
		}
	}
}

func TestMatch_BudgetMovesLevelsAndOrder(t *testing.T) {
	s, briefs := newLimitsService(t)
	for _, profile := range []string{"", "economy"} {
		moved := 0
		unknown := 0
		first := 0
		within := 0
		possible := 0
		for _, b := range briefs {
			b.Profile = profile
			free := s.matchesOf(t, b)
			usual := median(free, costOf)

			tight := s.matchesOf(t, withBudget(b, usual/10))
			checkLevels(t, tight, usual/10, costOf)
			for i := range min(10, len(tight)) {
				first++
				if tight[i].Freelancer.ID != free[i].Freelancer.ID {
					moved++
				}

				if !tight[i].Estimate.Cost.Known {
					unknown++
				}
			}

			// Among good freelancers, those within the budget come first.
			affordable := 0
			for i := range free {
				cost := free[i].Estimate.Cost
				if cost.Known && cost.Value <= usual/2 && free[i].Score >= s.level(t, profile).Strong {
					affordable++
				}
			}

			half := s.matchesOf(t, withBudget(b, usual/2))
			checkLevels(t, half, usual/2, costOf)
			for i := range min(affordable, 10, len(half)) {
				possible++
				if cost := half[i].Estimate.Cost; cost.Known && cost.Value <= 1.2*usual/2 {
					within++
				}
			}
		}

		t.Logf("profile %q: of %d first matches, a tenth of the cost moves %d, and %d have no rate; "+
			"%d of %d places for good freelancers within half of the cost", profile, first, moved, unknown, within, possible)
		if 2*moved < first {
			t.Errorf("profile %q: a tenth of the cost moves %d of %d first matches", profile, moved, first)
		}

		if 4*unknown > first { // a third of all freelancers have no rate
			t.Errorf("profile %q: %d of %d first matches have no rate, though money is short", profile, unknown, first)
		}

		if 5*within < 4*possible {
			t.Errorf("profile %q: %d of %d places are within the budget", profile, within, possible)
		}
	}
}

// level returns the limits of the levels of a profile.
func (s *Service) level(t *testing.T, profile string) ranking.LevelScores {
	t.Helper()
	p, err := ranking.Load(profile)
	if err != nil {
		t.Fatal(err)
	}
	return p.Levels
}

func TestMatch_TimelineMovesLevels(t *testing.T) {
	s, briefs := newLimitsService(t)
	for _, b := range briefs {
		usual := median(s.matchesOf(t, b), daysOf)
		for _, share := range []float64{.1, .3, .5} {
			b.TimelineDays = matching.Some(max(1, int(usual*share)))
			checkLevels(t, s.matchesOf(t, b), float64(b.TimelineDays.Value), daysOf)
		}
	}
}

// A budget that everybody meets changes neither order nor scores, except below the floor and without required skills.
func TestMatch_GenerousBudgetChangesNothing(t *testing.T) {
	s, briefs := newLimitsService(t)
	floor := s.floor(t)
	for _, b := range briefs {
		lacking := func(m matching.Match) bool {
			return m.Score < floor || len(m.MatchedSkills) == 0 && len(m.MissingSkills) > 0
		}
		free := slices.DeleteFunc(s.matchesOf(t, b), lacking)
		generous := slices.DeleteFunc(s.matchesOf(t, withBudget(b, 1e6)), lacking)
		for i := range min(len(free), len(generous)) {
			was := free[i]
			is := generous[i]
			if is.Freelancer.ID != was.Freelancer.ID || math.Abs(is.Score-was.Score) > 2e-6 {
				t.Errorf("place %d: %s %v with a generous budget, %s %v without one", i+1,
					is.Freelancer.ID, is.Score, was.Freelancer.ID, was.Score)
			}
		}
	}
}

// floor returns the score below which the default profile bends scores of briefs with a budget.
func (s *Service) floor(t *testing.T) float64 {
	t.Helper()
	p, err := ranking.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return p.LimitsFloor
}

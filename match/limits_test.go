package match

import (
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/ranking"
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
	b.Budget = matching.Some(matching.Budget{High: high, Kind: matching.BudgetFixed})
	return b
}

// checkLevels requires that a limit changes neither fit nor level of anybody, and that the price is named.
func checkLevels(t *testing.T, free, limited []matching.Match, budget matching.Optional[float64]) {
	t.Helper()
	before := map[string]*matching.Match{}
	for i := range free {
		before[free[i].Freelancer.ID] = &free[i]
	}

	for i := range limited {
		m := &limited[i]
		if was := before[m.Freelancer.ID]; was != nil && (was.Level != m.Level || math.Abs(was.Fit-m.Fit) > 2e-6) {
			t.Errorf("%s is %s (%v) with a limit, %s (%v) without", m.Freelancer.ID, m.Level, m.Fit, was.Level, was.Fit)
		}

		if m.Score > m.Fit+2e-6 && m.Fit >= .15 {
			t.Errorf("%s has a score of %v above its fit of %v", m.Freelancer.ID, m.Score, m.Fit)
		}

		want := matching.PriceVerdict("")
		if cost := m.Estimate.Cost; budget.Known {
			switch {
			case !cost.Known:
				want = matching.PriceUnknown
			case cost.Value <= budget.Value:
				want = matching.PriceWithin
			default:
				want = matching.PriceOver
			}
		}
		if m.Price.Verdict != want {
			t.Errorf("%s costs %v of %v and is %q, want %q", m.Freelancer.ID, m.Estimate.Cost, budget, m.Price.Verdict, want)
		}
	}
}

func TestMatch_BudgetMovesOrderAndNotLevels(t *testing.T) {
	s, briefs := newLimitsService(t)
	for _, profile := range []string{"", "economy"} {
		moved := 0
		unknown := 0
		first := 0
		within := 0
		withinFree := 0
		possible := 0
		for _, b := range briefs {
			b.Profile = profile
			free := s.matchesOf(t, b)
			usual := median(free, costOf)

			tight := s.matchesOf(t, withBudget(b, usual/10))
			checkLevels(t, free, tight, matching.Some(usual/10))
			for i := range min(10, len(tight)) {
				first++
				if cost := tight[i].Estimate.Cost; !cost.Known {
					unknown++
				} else if tight[i].Freelancer.ID != free[i].Freelancer.ID {
					moved++
				}
			}

			// Good freelancers within the budget move up.
			affordable := 0
			for i := range free {
				cost := free[i].Estimate.Cost
				if cost.Known && cost.Value <= usual/2 && free[i].Score >= s.level(t, profile).Strong {
					affordable++
				}
			}

			half := s.matchesOf(t, withBudget(b, usual/2))
			checkLevels(t, free, half, matching.Some(usual/2))
			for i := range min(affordable, 10, len(half)) {
				possible++
				if cost := half[i].Estimate.Cost; cost.Known && cost.Value <= 1.2*usual/2 {
					within++
				}
				if cost := free[i].Estimate.Cost; cost.Known && cost.Value <= 1.2*usual/2 {
					withinFree++
				}
			}
		}

		t.Logf("profile %q: of %d first matches, a tenth of the cost moves %d, and %d have no rate; "+
			"%d of %d places for good freelancers within half of the cost", profile, first, moved, unknown, within, possible)
		if 4*moved > first {
			t.Errorf("profile %q: a budget that nobody can meet moves %d of %d first matches", profile, moved, first)
		}

		if 5*unknown > 2*first { // a third of all freelancers have no rate
			t.Errorf("profile %q: %d of %d first matches have no rate, though money is short", profile, unknown, first)
		}

		if within < 2*withinFree || within == 0 {
			t.Errorf("profile %q: %d of %d places are within the budget, %d without one", profile, within, possible, withinFree)
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

func TestMatch_TimelineLeavesLevels(t *testing.T) {
	s, briefs := newLimitsService(t)
	for _, b := range briefs {
		free := s.matchesOf(t, b)
		usual := median(free, daysOf)
		for _, share := range []float64{.1, .3, .5} {
			b.TimelineDays = matching.Some(max(1, int(usual*share)))
			checkLevels(t, free, s.matchesOf(t, b), matching.Optional[float64]{})
		}
	}
}

// A budget that everybody meets changes neither order nor scores, except below the floor.
func TestMatch_GenerousBudgetChangesNothing(t *testing.T) {
	s, briefs := newLimitsService(t)
	floor := s.floor(t)
	for _, b := range briefs {
		low := func(m matching.Match) bool {
			return m.Score < floor
		}
		free := slices.DeleteFunc(s.matchesOf(t, b), low)
		generous := slices.DeleteFunc(s.matchesOf(t, withBudget(b, 1e6)), low)
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
	return p.Limits.Floor
}

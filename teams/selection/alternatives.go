package selection

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// The budgets of cheaper alternatives, as shares of the cost of the best team.
const (
	cheaper  = .8
	cheapest = .6
)

// Alternatives returns up to limit teams, the best first, none of which another one exceeds in fit, cost and start
// together; and what the search for the best team says. Each is the best team under a tighter limit on the budget, on
// the start, or with another number of people in the largest role: so nobody exceeds it in fit at its cost.
func (p *Problem) Alternatives(ctx context.Context, limit int) ([]Team, Result) {
	first := p.Best(ctx)
	if !first.Found || limit <= 1 {
		return first.teams(), first
	}

	teams := first.teams()
	for _, question := range p.questions(&first.Team) {
		question.MaxSteps = p.MaxSteps / 4 // all of them together take as long as the first
		if other := question.Best(ctx); other.Found {
			teams = append(teams, other.Team)
		}
	}

	teams = front(teams)
	return teams[:min(limit, len(teams))], first
}

func (r *Result) teams() []Team {
	if !r.Found {
		return nil
	}
	return []Team{r.Team}
}

// questions returns the problem with tighter limits, which the best team doesn't keep.
func (p *Problem) questions(best *Team) (others []Problem) {
	if best.Cost > 0 {
		for _, share := range []float64{cheaper, cheapest} {
			other := *p
			other.Budget = share * best.Cost
			others = append(others, other)
		}
	}

	earliest := p.earliest()
	if earliest.Known && (!best.Wait.Known || earliest.Value < best.Wait.Value) {
		other := *p
		other.MaxWait = earliest
		others = append(others, other)
	}

	if other, ok := p.otherNumber(best); ok {
		others = append(others, other)
	}
	return others
}

// earliest returns the first day on which each role has enough people who are known to be free, even if roles compete
// for them.
func (p *Problem) earliest() (wait matching.Optional[int]) {
	for i := range p.Roles {
		var waits []int
		for j := range p.Roles[i].Candidates {
			if c := &p.Roles[i].Candidates[j]; c.Wait.Known {
				waits = append(waits, c.Wait.Value)
			}
		}
		if len(waits) < p.Roles[i].Min {
			return matching.Optional[int]{}
		}
		slices.Sort(waits)
		wait = matching.Some(max(wait.Value, waits[p.Roles[i].Min-1]))
	}
	return wait
}

// otherNumber returns the problem with another number of people than the best team has in the role with most hours.
func (p *Problem) otherNumber(best *Team) (other Problem, ok bool) {
	largest := -1
	for i := range p.Roles {
		isOpen := p.Roles[i].Min < p.Roles[i].Max
		if isOpen && (largest < 0 || p.Roles[i].Share > p.Roles[largest].Share) {
			largest = i
		}
	}
	if largest < 0 {
		return Problem{}, false
	}

	other = *p
	other.Roles = slices.Clone(p.Roles)
	role := &other.Roles[largest]
	if n := len(best.Members[largest]); n < role.Max {
		role.Min = n + 1
	} else {
		role.Max = n - 1
	}
	return other, true
}

// front returns the teams that no other one exceeds, by falling fit.
func front(teams []Team) (kept []Team) {
	slices.SortStableFunc(teams, func(a, b Team) int {
		return cmp.Or(-compareWithin(a.Fit, b.Fit, fitRounding), compareWithin(a.price(), b.price(), costRounding),
			cmp.Compare(a.start(), b.start()))
	})
	for i := range teams {
		isExceeded := slices.ContainsFunc(kept, func(other Team) bool {
			return other.price() <= teams[i].price()+costRounding && other.start() <= teams[i].start()
		})
		if !isExceeded {
			kept = append(kept, teams[i])
		}
	}
	return kept
}

func compareWithin(a, b, rounding float64) int {
	if math.Abs(a-b) <= rounding {
		return 0
	}
	return cmp.Compare(a, b)
}

// price returns the cost of a team. An unknown one is no argument for it.
func (t *Team) price() float64 {
	if t.UnknownCosts > 0 {
		return math.Inf(1)
	}
	return t.Cost
}

// start returns the wait of a team. An unknown one is no argument for it.
func (t *Team) start() float64 {
	if !t.Wait.Known {
		return math.Inf(1)
	}
	return float64(t.Wait.Value)
}

package selection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func testWeights() Weights {
	return Weights{Members: .6, Skills: .2, Zones: .1, Languages: .05, Time: .05}
}

// randomProblem returns a problem with up to three roles. Some people are candidates for several of them.
func randomProblem(r *rand.Rand) *Problem {
	p := &Problem{
		Skills: r.IntN(6), Budget: math.Inf(1), Days: math.Inf(1), Weights: testWeights(), MaxSteps: math.MaxInt,
		Roles: make([]Role, 1+r.IntN(3)),
	}
	if r.IntN(4) > 0 {
		p.Budget = 50 + 300*r.Float64()
	}
	if r.IntN(2) == 0 {
		p.Days = 1 + 30*r.Float64()
	}
	if r.IntN(4) == 0 {
		p.MaxWait = matching.Some(r.IntN(20))
	}

	for i := range p.Roles {
		role := &p.Roles[i]
		role.Share = 1 / float64(len(p.Roles))
		role.Min = 1 + r.IntN(2)
		role.Max = role.Min + r.IntN(2)
		for j := range r.IntN(7) {
			c := randomCandidate(r, p.Skills)
			c.ID = fmt.Sprint(i, "-", j)
			if r.IntN(3) == 0 {
				c.ID = fmt.Sprint("shared-", j) // at most once in each role
			}
			role.Candidates = append(role.Candidates, c)
		}
	}
	return p
}

// randomCandidate draws from few values, so that teams tie.
func randomCandidate(r *rand.Rand, skills int) Candidate {
	c := Candidate{Fit: float64(r.IntN(11)) / 10, Skills: r.Uint64() & (1<<skills - 1)}
	if r.IntN(5) > 0 {
		c.Cost = matching.Some(float64(10 * r.IntN(20)))
	}
	if r.IntN(5) > 0 {
		c.Days = matching.Some(float64(r.IntN(40)))
	}
	if r.IntN(5) > 0 {
		c.Wait = matching.Some(r.IntN(30))
	}
	if r.IntN(5) > 0 {
		c.Languages = matching.Some(r.Uint64() & 7)
	}
	if r.IntN(5) > 0 {
		c.Offset = matching.Some(60*(r.IntN(26)-12) + 15*r.IntN(2))
	}
	return c
}

// allTeams calls each with every team of different people within the limits of a problem.
func allTeams(p *Problem, each func(Team)) {
	members := make([][]int, len(p.Roles))
	var fill func(role int)
	fill = func(role int) {
		if role == len(p.Roles) {
			if team := p.Evaluate(slices.Clone(members)); keepsLimits(p, &team) {
				each(team)
			}
			return
		}
		for set := range 1 << len(p.Roles[role].Candidates) {
			var chosen []int
			for i := range p.Roles[role].Candidates {
				if set>>i&1 == 1 {
					chosen = append(chosen, i)
				}
			}
			if n := len(chosen); n < p.Roles[role].Min || n > p.Roles[role].Max {
				continue
			}
			members[role] = chosen
			fill(role + 1)
		}
	}
	fill(0)
}

func keepsLimits(p *Problem, t *Team) bool {
	seen := map[string]bool{}
	for role, chosen := range t.Members {
		for _, c := range chosen {
			id := p.Roles[role].Candidates[c].ID
			if seen[id] {
				return false
			}
			seen[id] = true
		}
	}
	if p.MaxWait.Known && (!t.Wait.Known || t.Wait.Value > p.MaxWait.Value) {
		return false
	}
	if t.UnknownCosts > 0 && !math.IsInf(p.Budget, 1) {
		return false
	}
	return t.Cost <= p.Budget+costRounding
}

// better reports whether a team is better than another one: in fit, or among equals in cost.
func better(a, b *Team) bool {
	if math.Abs(a.Fit-b.Fit) > fitRounding {
		return a.Fit > b.Fit
	}
	return a.Cost < b.Cost-costRounding
}

func TestBest_IsTheBestOfAllTeams(t *testing.T) {
	for seed := range uint64(1500) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 1)))
		var best *Team
		allTeams(p, func(team Team) {
			if best == nil || better(&team, best) {
				best = &team
			}
		})

		got := p.Best(t.Context())
		if !got.Exact {
			t.Fatalf("seed %d: the search without a limit isn't exact", seed)
		}
		if got.Found != (best != nil) {
			t.Fatalf("seed %d: found is %v; brute force found %v", seed, got.Found, best)
		}
		if !got.Found {
			continue
		}
		if !keepsLimits(p, &got.Team) {
			t.Fatalf("seed %d: %+v exceeds a limit, or has a person twice", seed, got.Team)
		}
		if better(best, &got.Team) || better(&got.Team, best) || math.Abs(got.Bound-best.Fit) > fitRounding {
			t.Fatalf("seed %d: got %+v with bound %v, want %+v", seed, got.Team, got.Bound, best)
		}
	}
}

func TestBest_BoundsWhatALimitedSearchMisses(t *testing.T) {
	limited := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := randomProblem(r)
		best := math.Inf(-1)
		allTeams(p, func(team Team) { best = max(best, team.Fit) })

		p.MaxSteps = r.IntN(40)
		got := p.Best(t.Context())
		if !got.Exact {
			limited++
		}
		if best > got.Bound+fitRounding {
			t.Fatalf("seed %d: the bound is %v, but a team has %v", seed, got.Bound, best)
		}
		if got.Exact && got.Found && got.Team.Fit < best-fitRounding {
			t.Fatalf("seed %d: %v counts as exact, but a team has %v", seed, got.Team.Fit, best)
		}
		if got.Found && !keepsLimits(p, &got.Team) {
			t.Fatalf("seed %d: %+v exceeds a limit, or has a person twice", seed, got.Team)
		}
	}
	if limited < 100 {
		t.Errorf("%d searches reached the limit; want at least 100", limited)
	}
}

func TestBest_EndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := randomProblem(rand.New(rand.NewPCG(1, 1)))
	p.Roles[0].Candidates = []Candidate{{ID: "a", Fit: .5}, {ID: "b", Fit: .6}}
	if got := p.Best(ctx); got.Exact || got.Found || got.Bound <= 0 {
		t.Errorf("got %+v, want nothing but a bound", got)
	}
}

func TestAlternatives_AreOnTheParetoFront(t *testing.T) {
	several := 0
	for seed := range uint64(1000) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 3)))
		teams, first := p.Alternatives(t.Context(), 5)
		if len(teams) > 1 {
			several++
		}
		if first.Found != (len(teams) > 0) || first.Found && first.Team.Fit > teams[0].Fit+fitRounding {
			t.Fatalf("seed %d: got %+v, and %+v as the best", seed, teams, first)
		}

		// A team that fits better costs more or starts later.
		allTeams(p, func(other Team) {
			for i := range teams {
				isBetter := other.Fit > teams[i].Fit+fitRounding && other.price() < teams[i].price()-costRounding
				if isBetter && other.start() < teams[i].start() {
					t.Fatalf("seed %d: %+v exceeds %+v", seed, other, teams[i])
				}
			}
		})
		for i := range teams {
			for j := range i {
				if teams[j].price() <= teams[i].price() && teams[j].start() <= teams[i].start() {
					t.Fatalf("seed %d: %+v exceeds %+v", seed, teams[j], teams[i])
				}
			}
		}
	}
	if several < 100 {
		t.Errorf("%d problems had several teams; want at least 100", several)
	}
}

// one returns a problem with one role for two people.
func one(candidates ...Candidate) *Problem {
	return &Problem{
		Roles:  []Role{{Share: 1, Min: len(candidates), Max: len(candidates), Candidates: candidates}},
		Budget: math.Inf(1), Days: 20, Weights: testWeights(), MaxSteps: math.MaxInt,
	}
}

func TestEvaluate(t *testing.T) {
	berlin := Candidate{
		ID: "berlin", Fit: .8, Cost: matching.Some(400.), Days: matching.Some(60.), Wait: matching.Some(10),
		Skills: 0b01, Languages: matching.Some[uint64](0b011), Offset: matching.Some(60),
	}
	mumbai := Candidate{
		ID: "mumbai", Fit: .6, Cost: matching.Some(200.), Days: matching.Some(40.), Wait: matching.Some(0),
		Skills: 0b10, Languages: matching.Some[uint64](0b110), Offset: matching.Some(330),
	}

	p := one(berlin, mumbai)
	p.Skills = 4
	got := p.Evaluate([][]int{{0, 1}})
	want := Team{
		Members: [][]int{{0, 1}}, Parts: Parts{Members: .7, Skills: .5, Zones: 3.5 / 8, Languages: 1, Time: .5},
		Cost: 300, Wait: matching.Some(10), Finish: matching.Some(40.), Overlap: matching.Some(3.5),
		Languages: matching.Some[uint64](0b010), Skills: 0b11,
	}
	want.Fit = .6*.7 + .2*.5 + .1*3.5/8 + .05 + .05*.5
	round := cmp.Transformer("round", func(f float64) int { return int(math.Round(1e9 * f)) })
	if diff := cmp.Diff(want, got, round); diff != "" {
		t.Errorf("team (-want +got):\n%s", diff)
	}
}

func TestEvaluate_ClaimsNothingAboutUnknownFacts(t *testing.T) {
	p := one(Candidate{ID: "a", Fit: 1}, Candidate{ID: "b", Fit: 1, Offset: matching.Some(0)})
	got := p.Evaluate([][]int{{0, 1}})
	want := Parts{Members: 1, Skills: 1, Zones: neutral, Languages: neutral, Time: 1}
	if diff := cmp.Diff(want, got.Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got.UnknownCosts != 2 || got.Wait.Known || got.Finish.Known || got.Overlap.Known || got.Languages.Known {
		t.Errorf("got %+v, want everything unknown", got)
	}
}

func TestEvaluate_ComparesClocksAcrossTheDateLine(t *testing.T) {
	for _, c := range []struct {
		a, b int
		want float64
	}{
		{0, 0, 8}, {720, -660, 7}, {345, 360, 7.75}, {-480, 0, 0}, {-480, 480, 0}, {840, -720, 6},
	} {
		p := one(Candidate{ID: "a", Offset: matching.Some(c.a)}, Candidate{ID: "b", Offset: matching.Some(c.b)})
		if got := p.Evaluate([][]int{{0, 1}}).Overlap; got != matching.Some(c.want) {
			t.Errorf("offsets %d and %d: got %v hours, want %v", c.a, c.b, got, c.want)
		}
	}
}

// BenchmarkAlternatives chooses from 50 candidates for each of three roles, one or two people for each.
func BenchmarkAlternatives(b *testing.B) {
	for _, roles := range []int{3, 6} {
		b.Run(fmt.Sprintf("roles=%d", roles), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			problems := make([]*Problem, 50)
			for i := range problems {
				problems[i] = largeProblem(r, roles)
			}
			steps, exact := 0, 0
			for i := 0; b.Loop(); i++ {
				_, result := problems[i%len(problems)].Alternatives(b.Context(), 5)
				steps += result.Steps
				if result.Exact {
					exact++
				}
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
			b.ReportMetric(float64(exact)/float64(b.N), "exact/op")
		})
	}
}

func largeProblem(r *rand.Rand, roles int) *Problem {
	p := &Problem{Skills: 3 * roles, Budget: 4000, Days: 40, Weights: testWeights(), MaxSteps: 60_000}
	for i := range roles {
		role := Role{Share: 1 / float64(roles), Min: 1, Max: 2}
		for j := range 50 {
			c := Candidate{
				ID: fmt.Sprint(i, "-", j), Fit: .85 - .3*math.Sqrt(float64(j)/50) + .02*r.Float64(),
				Cost: matching.Some((500 + 3000*r.Float64()) / float64(roles)), Days: matching.Some(5 + 40*r.Float64()),
				Skills: (r.Uint64() | r.Uint64()) & 7 << (3 * i), Languages: matching.Some(1 | r.Uint64()&30),
				Offset: matching.Some(60 * (r.IntN(14) - 5)),
			}
			if r.IntN(2) == 0 {
				c.Wait = matching.Some(r.IntN(30))
			}
			role.Candidates = append(role.Candidates, c)
		}
		p.Roles = append(p.Roles, role)
	}
	return p
}

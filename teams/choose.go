package teams

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/plaintext"
	"github.com/freelancer-matching/service/teams/selection"
)

// A choosing is the search for the teams of an answer, with what the numbers of its problem mean.
type choosing struct {
	service   *Service
	plan      *Plan
	answer    *Answer
	start     int // the first day of the work, since 1970-01-01
	skills    []string
	skillBits map[string]uint64 // by the ID of the skill
	languages []string
	offsets   map[string]matching.Optional[int] // by time zone
	problem   selection.Problem
}

// choose sets the teams of an answer, or the reason why there are none.
func (s *Service) choose(ctx context.Context, plan *Plan, answer *Answer) {
	c := &choosing{
		service: s, plan: plan, answer: answer, skillBits: make(map[string]uint64),
		offsets: make(map[string]matching.Optional[int]),
	}
	today := matching.DayOf(s.now())
	c.start = max(today, plan.Request.Brief.StartDay.Or(today))
	c.numberSkills()

	for i := range answer.Roles {
		role := &answer.Roles[i]
		people := role.people()
		if len(role.Candidates) < people.min {
			answer.Reason = ReasonNoCandidates
			answer.Message = fmt.Sprintf("The role %s needs %s, and has %s.", role.Title, personCount(people.min),
				plural(len(role.Candidates), "candidate"))
			return
		}
	}

	c.pose()
	teams, first := c.search(ctx)
	answer.Search = Search{Exact: first.Exact, Bound: round(first.Bound), Steps: first.Steps}
	if !first.Found {
		c.explainNone(ctx, first.Exact)
		return
	}
	answer.Search.Gap = round(max(0, first.Bound-first.Team.Fit))

	for i := range teams {
		answer.Teams = append(answer.Teams, c.team(&teams[i]))
	}
	for i := range answer.Teams {
		answer.Teams[i].Summary = summary(answer, i)
	}
	c.offerSwaps(&teams[0])
}

// people is how many people fill a role.
type people struct{ min, max int }

func (r *Role) people() people {
	switch {
	case len(r.Members) > 0:
		return people{len(r.Members), len(r.Members)}
	case r.People.Known:
		return people{r.People.Value, r.People.Value}
	default:
		return people{1, openPeople}
	}
}

// search returns the teams for the problem. If nobody can be compared with the budget, it is left out, and a note says
// so.
func (c *choosing) search(ctx context.Context) ([]selection.Team, selection.Result) {
	teams, first := c.problem.Alternatives(ctx, c.plan.Request.Limit)
	if first.Found || math.IsInf(c.problem.Budget, 1) {
		return teams, first
	}

	for i := range c.answer.Roles {
		role := &c.answer.Roles[i]
		if role.WithoutRate == len(role.Candidates) {
			c.problem.Budget = math.Inf(1)
			c.answer.Notes = append(c.answer.Notes, fmt.Sprintf(
				"No candidate of the role %s has a known cost, so teams weren't compared with the budget.", role.Title))
			return c.problem.Alternatives(ctx, c.plan.Request.Limit)
		}
	}
	return teams, first
}

// explainNone sets why there is no team.
func (c *choosing) explainNone(ctx context.Context, exact bool) {
	c.answer.Reason = ReasonNoTeam
	c.answer.Message = "The candidates can't fill all roles, because nobody may fill two."
	if !exact {
		c.answer.Message = "The search found no team in its time. Ask for fewer roles, or set the number of people."
	}
	if math.IsInf(c.problem.Budget, 1) {
		return
	}

	// Without weights, all teams fit equally, and the search returns the cheapest.
	cheapest := c.problem
	cheapest.Weights = selection.Weights{}
	cheapest.Budget = math.MaxFloat64
	if found := cheapest.Best(ctx); found.Found {
		cost := math.Round(100*found.Team.Cost) / 100
		c.answer.Reason = ReasonBudget
		c.answer.Cheapest = matching.Some(cost)
		c.answer.Message = fmt.Sprintf("The cheapest team costs %s, which is more than the budget of %s.",
			c.money(cost), c.money(c.problem.Budget))
	}
}

// numberSkills gives each required skill a bit.
func (c *choosing) numberSkills() {
	for i := range c.answer.Roles {
		for _, name := range c.answer.Roles[i].Skills {
			for _, id := range c.ids(name) {
				if c.skillBits[id] == 0 && len(c.skills) < maxSkills {
					c.skillBits[id] = 1 << len(c.skills)
					c.skills = append(c.skills, name)
				}
			}
		}
	}
}

// ids returns the IDs of the skills that a name means, such as two for "iOS/Android".
func (c *choosing) ids(name string) (ids []string) {
	for _, r := range c.service.taxonomy.ResolveAll(plaintext.Of(name)) {
		ids = append(ids, r.ID)
	}
	return ids
}

// pose sets the problem.
func (c *choosing) pose() {
	brief := &c.plan.Request.Brief
	c.problem = selection.Problem{
		Skills: len(c.skills), Budget: math.Inf(1), Days: math.Inf(1), Weights: c.service.weights, MaxSteps: maxSteps,
	}
	chosen := true
	for i := range c.answer.Roles {
		chosen = chosen && len(c.answer.Roles[i].Members) > 0
	}

	// A client who has chosen everybody wants to know what the team is like, even if it is too expensive.
	if c.answer.Budget.Known && !chosen {
		c.problem.Budget = c.answer.Budget.Value
	}
	if brief.TimelineDays.Known {
		c.problem.Days = float64(brief.TimelineDays.Value)
	}

	for i := range c.answer.Roles {
		role := &c.answer.Roles[i]
		n := role.people()
		posed := selection.Role{Share: role.Share, Min: n.min, Max: n.max}
		for j := range role.Candidates {
			posed.Candidates = append(posed.Candidates, c.candidate(&role.Candidates[j]))
		}
		c.problem.Roles = append(c.problem.Roles, posed)
	}
}

// offset returns the offset of a time zone from UTC in minutes on the first day of the work.
func (c *choosing) offset(zone string) matching.Optional[int] {
	if _, ok := c.offsets[zone]; !ok {
		minutes, known := c.service.zones.Offset(zone, time.Unix(int64(c.start)*24*60*60, 0))
		c.offsets[zone] = matching.Optional[int]{Value: minutes, Known: known}
	}
	return c.offsets[zone]
}

// candidate returns a candidate as the search sees them.
func (c *choosing) candidate(m *Candidate) selection.Candidate {
	posed := selection.Candidate{
		ID: m.Freelancer.ID, Fit: m.Fit, Cost: m.Cost, Days: m.Estimate.Days, Wait: c.wait(&m.Freelancer),
		Skills: c.skillsOf(&m.Match), Offset: c.offset(m.Freelancer.TimeZone),
	}

	if len(m.Freelancer.Languages) > 0 {
		posed.Languages.Known = true
	}
	for _, spoken := range m.Freelancer.Languages {
		base, _, _ := strings.Cut(spoken.Tag, "-")
		i := slices.Index(c.languages, base)
		if i < 0 && len(c.languages) < selection.MaxSkills {
			i = len(c.languages)
			c.languages = append(c.languages, base)
		}
		if i >= 0 {
			posed.Languages.Value |= 1 << i
		}
	}
	return posed
}

// wait returns how many days after the start of the work a freelancer is free.
func (c *choosing) wait(f *matching.Freelancer) matching.Optional[int] {
	if day, ok := matching.Day(f.AvailableFrom); ok {
		return matching.Some(max(0, day-c.start))
	}
	if f.Availability.Known && f.Availability.Value {
		return matching.Some(0)
	}
	return matching.Optional[int]{}
}

// skillsOf returns the required skills that a match has: skills of the role by any evidence, and skills of other roles
// if the freelancer lists them or a skill that implies them.
func (c *choosing) skillsOf(m *matching.Match) (skills uint64) {
	for _, name := range m.MatchedSkills {
		for _, id := range c.ids(name) {
			skills |= c.skillBits[id]
		}
	}
	for _, name := range m.Freelancer.Skills {
		for _, r := range c.service.taxonomy.ResolveAll(name, m.Freelancer.Skills...) {
			skills |= c.skillBits[r.ID]
			skill, _ := c.service.taxonomy.Skill(r.ID)
			for _, implied := range skill.Implies {
				skills |= c.skillBits[implied]
			}
		}
	}
	return skills
}

// skillNames returns the names of the required skills in a set.
func (c *choosing) skillNames(skills uint64) (names []string) {
	for i, name := range c.skills {
		if skills>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return names
}

// money returns an amount with its currency.
func (c *choosing) money(amount float64) string {
	return strings.TrimSpace(fmt.Sprintf("%.0f %s", amount, c.answer.Currency))
}

func round(x float64) float64 { return math.Round(1e6*x) / 1e6 }

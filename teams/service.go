package teams

import (
	"cmp"
	"context"
	_ "embed" // for the weights
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/zones"
	"github.com/freelancer-matching/service/taxonomy"
	"github.com/freelancer-matching/service/teams/selection"
)

const (
	// compared is the number of candidates of each role among whom teams are chosen.
	compared = 50
	// maxSkills limits the required skills of a team, so that they fit into a set of bits.
	maxSkills = selection.MaxSkills
	// maxSteps limits the search for the best team to some 6 ms. The searches for alternatives take as long together.
	maxSteps = 40_000
	// openPeople is the highest number of people in a role whose number the client leaves open.
	openPeople = 2
)

//go:embed data/weights.json
var weightsFile []byte

// A Matcher finds freelancers for the brief of a role; see match.Service.
type Matcher interface {
	Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
}

// A Service finds teams. It is safe for concurrent use.
type Service struct {
	matcher  Matcher
	taxonomy *taxonomy.Taxonomy
	zones    *zones.Zones
	names    *roleNames
	weights  selection.Weights
	now      func() time.Time
}

// New returns a service. The taxonomy must be the matcher's.
func New(matcher Matcher, known *taxonomy.Taxonomy, now func() time.Time) (*Service, error) {
	names, err := readRoleNames(rolesFile)
	if err != nil {
		return nil, err
	}
	s := &Service{matcher: matcher, taxonomy: known, zones: zones.New(), names: names, now: now}

	if err := json.Unmarshal(weightsFile, &s.weights); err != nil {
		return nil, fmt.Errorf("weights.json: %w", err)
	}
	if sum := s.weights.Sum(); math.Abs(sum-1) > 1e-9 {
		return nil, errors.New("weights.json: the weights don't add up to 1")
	}
	return s, nil
}

// Plan returns the roles of a request with their hours. If the client left either open, it reads the brief with one
// match. It returns the errors of the Matcher.
func (s *Service) Plan(ctx context.Context, r *Request) (*Plan, error) {
	plan := &Plan{Request: r, Proposed: len(r.Roles) == 0}
	for _, role := range r.Roles {
		plan.Roles = append(plan.Roles, PlannedRole{Role: role})
	}

	if plan.Proposed || plan.lacksHours() && !r.Brief.EffortHours.Known {
		brief := r.Brief
		brief.Filters = matching.Filters{}
		brief.Limit = 1
		brief.Offset = 0
		if plan.Proposed {
			brief.RequiredSkills = nil // match derives skills from the text only if none are listed
		}
		if brief.Budget.Known {
			brief.Budget.Value.Kind = matching.BudgetFixed
		}

		read, err := s.matcher.Match(ctx, &brief)
		if err != nil {
			return nil, err
		}
		plan.Effort = read.Effort
		if plan.Proposed {
			plan.Roles, plan.Notes = s.propose(&r.Brief, read)
		}
	}

	plan.divide()
	return plan, nil
}

// lacksHours reports whether the client left the hours of a role open.
func (p *Plan) lacksHours() bool {
	for i := range p.Roles {
		if !p.Roles[i].Hours.Known {
			return true
		}
	}
	return false
}

// divide sets the hours of roles without any: they share what the others leave of the whole work equally. It sets the
// shares of all roles, too.
func (p *Plan) divide() {
	whole := p.Request.Brief.EffortHours
	if !whole.Known && p.Effort != nil {
		whole = matching.Some(p.Effort.Typical)
	}

	given, open := 0., 0
	for i := range p.Roles {
		given += p.Roles[i].Hours.Value
		if !p.Roles[i].Hours.Known {
			open++
		}
	}

	// If the given hours use up the whole, the others get as many as these roles have on average.
	if open > 0 && whole.Known {
		each := (whole.Value - given) / float64(open)
		if each <= 0 {
			each = given / float64(len(p.Roles)-open)
		}
		p.Notes = append(p.Notes, fmt.Sprintf("The hours of %s are an assumption: roles without hours share what is left "+
			"of the whole work equally.", plural(open, "role")))
		for i := range p.Roles {
			if !p.Roles[i].Hours.Known {
				p.Roles[i].Hours = matching.Some(each)
			}
		}
	}

	sum := 0.
	for i := range p.Roles {
		sum += p.Roles[i].Hours.Value
	}
	for i := range p.Roles {
		p.Roles[i].Share = 1 / float64(len(p.Roles))
		if sum > 0 && !p.lacksHours() {
			p.Roles[i].Share = p.Roles[i].Hours.Value / sum
		}
	}
}

// Find returns the teams for a plan. It makes one match for each role, one after the other. Errors in the brief that
// only the Matcher finds, such as an unknown currency, are its *matching.Error.
func (s *Service) Find(ctx context.Context, plan *Plan) (*Answer, error) {
	answer := &Answer{Proposed: plan.Proposed, Effort: plan.Effort, Notes: plan.Notes}
	if budget := plan.Request.Brief.Budget; budget.Known {
		answer.Budget = matching.Some(budget.Value.High)
	}

	for i := range plan.Roles {
		role, found, err := s.fillRole(ctx, plan, i)
		if err != nil {
			return nil, err
		}
		answer.Currency = found.Currency
		answer.DataCurrency = found.DataCurrency
		answer.Conversion = found.Conversion
		answer.Roles = append(answer.Roles, role)
		if found.Reason == matching.ReasonNoData {
			answer.Reason = ReasonNoData
			answer.Message = "No freelancers are loaded."
		}
	}

	if answer.Reason == "" {
		s.choose(ctx, plan, answer)
	}
	for i := range answer.Roles {
		role := &answer.Roles[i]
		role.Candidates = append(role.Candidates, role.others...)
		slices.SortStableFunc(role.Candidates, func(a, b Candidate) int { return cmp.Compare(a.Rank, b.Rank) })
		role.Candidates = role.Candidates[:min(len(role.Candidates), plan.Request.Candidates)]
		role.others = nil
	}
	return answer, nil
}

// fillRole matches the brief of a role, and returns the role with its candidates and the answer. If the client has
// chosen the people of the role and asks for candidates, it looks for the chosen among the matches. A second match
// finds those who are not among the best, or whom the filters exclude.
func (s *Service) fillRole(ctx context.Context, plan *Plan, i int) (FilledRole, *matching.Answer, error) {
	role := &plan.Roles[i]
	brief := s.roleBrief(plan, i)

	var filled FilledRole
	isChosen := len(role.Members) > 0
	if !isChosen || plan.Request.Candidates > 0 {
		found, err := s.matcher.Match(ctx, brief)
		if err != nil {
			return FilledRole{}, nil, err
		}
		filled = filledRole(role, found)
		if !isChosen || len(filled.Candidates) == len(role.Members) {
			return filled, found, nil
		}
	}

	brief.Filters = matching.Filters{IDs: role.Members}
	found, err := s.matcher.Match(ctx, brief)
	if err != nil {
		return FilledRole{}, nil, err
	}
	chosen := filledRole(role, found)
	for j := range chosen.Candidates {
		member := &chosen.Candidates[j]
		isSame := func(c Candidate) bool { return c.Freelancer.ID == member.Freelancer.ID }
		if k := slices.IndexFunc(filled.Candidates, isSame); k >= 0 {
			member.Rank = filled.Candidates[k].Rank
		} else {
			member.Rank += len(filled.Candidates) + len(filled.others) // after those who were found without being chosen
		}
	}
	chosen.others = filled.others
	return chosen, found, nil
}

// roleBrief returns the brief of a role: the client's, with the title, the skills, the hours and the share of the
// budget of the role. The whole text stays, because it says what the work is about.
func (s *Service) roleBrief(plan *Plan, i int) *matching.Brief {
	role := &plan.Roles[i]
	brief := plan.Request.Brief
	if brief.JobTitle != "" && brief.JobTitle != role.Title {
		brief.Description = brief.JobTitle + ".\n" + brief.Description
	}
	brief.JobTitle = role.Title
	brief.RequiredSkills = role.Skills
	brief.EffortHours = role.Hours
	brief.Limit = compared
	brief.Offset = 0

	if brief.Budget.Known {
		brief.Budget.Value = matching.Budget{
			Low: role.Share * brief.Budget.Value.Low, High: role.Share * brief.Budget.Value.High, Kind: matching.BudgetFixed,
		}
	}
	return &brief
}

// filledRole returns a role with the candidates that match found. If the client has chosen its people, they are the
// only candidates.
func filledRole(role *PlannedRole, found *matching.Answer) FilledRole {
	filled := FilledRole{
		PlannedRole: *role, Considered: found.Considered, UnknownSkills: found.UnknownSkills,
	}
	for i := range found.Matches {
		cost := found.Matches[i].Estimate.Cost
		if !role.Hours.Known {
			cost = matching.Optional[float64]{} // it would be of work of an unknown size
		}

		candidate := Candidate{Match: found.Matches[i], Rank: i + 1, Cost: cost}
		if len(role.Members) > 0 && !slices.Contains(role.Members, candidate.Freelancer.ID) {
			filled.others = append(filled.others, candidate)
			continue
		}
		if !cost.Known {
			filled.WithoutRate++
		}
		filled.Candidates = append(filled.Candidates, candidate)
	}
	filled.Compared = len(filled.Candidates)
	return filled
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

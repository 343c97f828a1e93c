package wire

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/teams"
)

// The limits of a request for teams. openapi.yaml documents them.
const (
	MaxRoles       = 6
	maxRoleTitle   = 100 // characters
	maxRoleSkills  = 20
	maxTeamSkills  = 50 // of all roles
	maxRolePeople  = 4
	defaultTeams   = 4
	maxTeams       = 6
	maxCandidates  = 20
	maxCandidateID = 200 // characters
)

// TeamsRequest is the body of POST /teams: a brief like that of POST /match, with the roles of the team.
type TeamsRequest struct {
	Description      string             `json:"description,omitempty"`
	RequiredSkills   []string           `json:"required_skills,omitempty"`
	BudgetRange      []float64          `json:"budget_range,omitempty"` // for the whole work of all roles
	BudgetType       *string            `json:"budget_type,omitempty"`  // fixed, or absent
	Complexity       *string            `json:"complexity,omitempty"`
	Timeline         *int               `json:"timeline,omitempty"`
	StartDate        *string            `json:"start_date,omitempty"`
	JobTitle         string             `json:"job_title,omitempty"`
	NiceToHaveSkills []string           `json:"nice_to_have_skills,omitempty"`
	Currency         *string            `json:"currency,omitempty"`
	EffortHours      *float64           `json:"effort_hours,omitempty"` // of all roles
	Filters          MatchFilters       `json:"filters,omitzero"`
	Weights          map[string]float64 `json:"weights,omitempty"`
	Profile          string             `json:"profile,omitempty"`
	Roles            []TeamRole         `json:"roles,omitempty"`
	Limit            *int               `json:"limit,omitempty"`      // of teams
	Candidates       *int               `json:"candidates,omitempty"` // of each role in the response
	Explain          bool               `json:"explain,omitempty"`
	Details          bool               `json:"details,omitempty"`
}

// A TeamRole is a role in a request.
type TeamRole struct {
	Title          string   `json:"title,omitempty"`
	RequiredSkills []string `json:"required_skills,omitempty"`
	People         *int     `json:"people,omitempty"`
	Hours          *float64 `json:"hours,omitempty"`
	Members        []string `json:"members,omitempty"` // IDs of freelancers
}

// Teams validates the request and returns it for the service, which must not use it if there are errors in faults.
func (r *TeamsRequest) Teams(plan apikey.Plan, faults *validate.Faults) *teams.Request {
	roles := r.checkRoles(faults)
	validate.Within(faults, "candidates", r.Candidates, 0, maxCandidates)
	validate.Within(faults, "limit", r.Limit, 1, maxTeams)
	if r.BudgetType != nil && *r.BudgetType != string(matching.BudgetFixed) {
		faults.Add("budget_type", "unknown_value", "budget_type must be fixed, because a team has one budget for the whole "+
			"work; got %s. To limit hourly rates, send filters.max_hourly_rate.", validate.Quote(*r.BudgetType))
	}

	request := MatchRequest{
		Description: r.Description, RequiredSkills: r.RequiredSkills, BudgetRange: r.BudgetRange, Complexity: r.Complexity,
		Timeline: r.Timeline, StartDate: r.StartDate, JobTitle: r.JobTitle, NiceToHaveSkills: r.NiceToHaveSkills,
		Currency: r.Currency, EffortHours: r.EffortHours, Filters: r.Filters, Weights: r.Weights, Profile: r.Profile,
		Explain: r.Explain, Details: r.Details,
	}
	if len(r.Roles) > 0 {
		if len(r.RequiredSkills) > 0 {
			faults.Add("required_skills", "unexpected", "required_skills must be absent if there are roles; list them there.")
		}
		request.RequiredSkills = []string{"roles"} // a brief may consist of roles alone
	}

	brief := request.Brief(plan, faults)
	brief.RequiredSkills = r.RequiredSkills
	return &teams.Request{
		Brief: *brief, Roles: roles, Limit: valueOr(r.Limit, defaultTeams), Candidates: valueOr(r.Candidates, 0),
	}
}

// checkRoles returns the roles of a request.
func (r *TeamsRequest) checkRoles(faults *validate.Faults) (roles []teams.Role) {
	if n := len(r.Roles); n > MaxRoles {
		faults.Add("roles", "too_many", "roles must have at most %d entries; got %d.", MaxRoles, n)
		return nil
	}

	skills := 0
	seen := make(map[string]bool)
	for i := range r.Roles {
		role := &r.Roles[i]
		field := validate.Index("roles", i)
		role.check(faults, field)
		role.checkMembers(faults, validate.Join(field, "members"), seen)
		skills += len(role.RequiredSkills)
		roles = append(roles, teams.Role{
			Title: role.Title, Skills: role.RequiredSkills, People: Optional(role.People), Hours: Optional(role.Hours),
			Members: slices.Clip(role.Members),
		})
	}
	if skills > maxTeamSkills {
		faults.Add("roles", "too_many", "The roles must have at most %d required skills together; got %d.", maxTeamSkills,
			skills)
	}
	return roles
}

func (r *TeamRole) check(faults *validate.Faults, field string) {
	title := validate.Join(field, "title")
	validate.MaxCharacters(faults, title, r.Title, maxRoleTitle)
	if !faults.In(title) && !strings.ContainsFunc(r.Title, isLetterOrNumber) {
		faults.Add(title, "required", "%s must contain a letter or a digit.", title)
	}
	validate.Texts(faults, validate.Join(field, "required_skills"), r.RequiredSkills, maxRoleSkills, maxSkill)

	people := validate.Join(field, "people")
	validate.Within(faults, people, r.People, 1, maxRolePeople)
	if r.People != nil && len(r.Members) > 0 {
		faults.Add(people, "unexpected", "%s must be absent if there are members, who are its people.", people)
	}

	hours := validate.Join(field, "hours")
	validate.Within(faults, hours, r.Hours, 0, maxEffort)
	if r.Hours != nil && *r.Hours == 0 {
		faults.Add(hours, "too_small", "%s must be more than 0 and at most %d; got 0.", hours, maxEffort)
	}
}

// checkMembers checks the people whom the client has chosen for a role. The IDs seen so far can't be chosen again.
func (r *TeamRole) checkMembers(faults *validate.Faults, field string, seen map[string]bool) {
	if n := len(r.Members); n > maxRolePeople {
		faults.Add(field, "too_many", "%s must have at most %d entries; got %d.", field, maxRolePeople, n)
		return
	}
	for i, id := range r.Members {
		entry := validate.Index(field, i)
		switch {
		case id == "" || utf8.RuneCountInString(id) > maxCandidateID:
			faults.Add(entry, "invalid", "%s must be the ID of a freelancer, of 1 to %d characters.", entry, maxCandidateID)
		case seen[id]:
			faults.Add(entry, "duplicate", "%s is a member already; nobody can be in a team twice.", entry)
		}
		seen[id] = true
	}
}

// TeamsAnswer is the response of POST /teams.
type TeamsAnswer = Answer[Teams]

// Teams are the teams for a brief.
type Teams struct {
	Proposed bool         `json:"proposed"` // the roles come from the words of the brief
	Roles    []FilledRole `json:"roles"`
	Teams    []Team       `json:"teams"`
	Search   teams.Search `json:"search"`
	Reason   string       `json:"reason,omitempty"`  // why there is no team
	Message  string       `json:"message,omitempty"` // the reason as a sentence

	CheapestCost       matching.Optional[float64] `json:"cheapest_cost,omitzero"`
	Budget             matching.Optional[float64] `json:"budget"`
	Effort             *matching.Effort           `json:"effort,omitempty"`
	Notes              []string                   `json:"notes"`
	Currency           string                     `json:"currency,omitempty"`
	HourlyRateCurrency string                     `json:"hourly_rate_currency,omitempty"`
	ExchangeRate       *matching.Conversion       `json:"exchange_rate,omitempty"`
}

// A FilledRole is a role in a response.
type FilledRole struct {
	Title          string                     `json:"title"`
	RequiredSkills []string                   `json:"required_skills"`
	Because        []string                   `json:"because"`
	People         matching.Optional[int]     `json:"people"` // null: one or two
	Hours          matching.Optional[float64] `json:"hours"`
	Share          float64                    `json:"share"`
	Considered     int                        `json:"considered"`
	Compared       int                        `json:"compared"`
	WithoutRate    int                        `json:"without_rate"`
	UnknownSkills  []matching.UnknownSkill    `json:"unknown_skills"`
	Candidates     []TeamCandidate            `json:"candidates"`
}

// A TeamCandidate is a candidate of a role.
type TeamCandidate struct {
	Match Match                      `json:"match"`
	Rank  int                        `json:"rank"`
	Cost  matching.Optional[float64] `json:"cost"` // of all hours of the role
	Swap  *TeamSwap                  `json:"swap,omitempty"`
}

// A TeamSwap is what the first team would be with a candidate in the place of a member.
type TeamSwap struct {
	Replaces     string                      `json:"replaces"` // ID of the member
	Fit          float64                     `json:"fit"`
	Cost         matching.Optional[float64]  `json:"cost"`
	WithinBudget matching.Optional[bool]     `json:"within_budget"`
	Missing      []string                    `json:"missing_skills"`
	Languages    matching.Optional[[]string] `json:"languages"`
	OverlapHours matching.Optional[float64]  `json:"overlap_hours"`
	StartDate    NullableString              `json:"start_date"`
	Days         matching.Optional[float64]  `json:"days"`
}

// A Team is one of the teams.
type Team struct {
	Summary      string                      `json:"summary"`
	Members      []TeamMember                `json:"members"`
	Fit          float64                     `json:"fit"`
	Parts        []teams.Part                `json:"parts"`
	Cost         matching.Optional[float64]  `json:"cost"`
	UnknownRates int                         `json:"unknown_rates"`
	WithinBudget matching.Optional[bool]     `json:"within_budget"`
	Missing      []string                    `json:"missing_skills"`
	Languages    matching.Optional[[]string] `json:"languages"`
	OverlapHours matching.Optional[float64]  `json:"overlap_hours"`
	StartDate    NullableString              `json:"start_date"`
	Days         matching.Optional[float64]  `json:"days"`
	Weakest      string                      `json:"weakest_point"`
	Warnings     []string                    `json:"warnings"`
}

// A TeamMember is a person in a team.
type TeamMember struct {
	Role   int                        `json:"role"` // index in roles
	Title  string                     `json:"role_title"`
	Match  Match                      `json:"match"`
	Rank   int                        `json:"rank"`
	Hours  matching.Optional[float64] `json:"hours"`
	Days   matching.Optional[float64] `json:"days"`
	Cost   matching.Optional[float64] `json:"cost"`
	Brings []string                   `json:"brings"`
}

// NewTeams returns the teams as clients see them.
func NewTeams(r *teams.Request, a *teams.Answer, form UnknownForm) Teams {
	shown := func(m *matching.Match) Match {
		match := newMatch(m, form)
		if r.Brief.Details {
			match.Details = newDetails(&m.Freelancer.Details)
		}
		return match
	}

	answer := Teams{
		Proposed: a.Proposed, Roles: []FilledRole{}, Teams: []Team{}, Search: a.Search, Reason: a.Reason, Message: a.Message,
		CheapestCost: a.Cheapest, Budget: a.Budget, Effort: a.Effort, Notes: OrEmpty(a.Notes), Currency: a.Currency,
		HourlyRateCurrency: a.DataCurrency, ExchangeRate: a.Conversion,
	}
	for i := range a.Roles {
		answer.Roles = append(answer.Roles, newFilledRole(&a.Roles[i], shown))
	}
	for i := range a.Teams {
		answer.Teams = append(answer.Teams, newTeam(&a.Teams[i], a.Roles, shown))
	}
	return answer
}

func newFilledRole(r *teams.FilledRole, shown func(*matching.Match) Match) FilledRole {
	role := FilledRole{
		Title: r.Title, RequiredSkills: OrEmpty(r.Skills), Because: OrEmpty(r.Because), People: r.People, Hours: r.Hours,
		Share: r.Share, Considered: r.Considered, Compared: r.Compared, WithoutRate: r.WithoutRate,
		UnknownSkills: []matching.UnknownSkill{}, Candidates: []TeamCandidate{},
	}
	if n := len(r.Members); n > 0 {
		role.People = matching.Some(n)
	}
	for _, u := range r.UnknownSkills {
		u.Suggestions = OrEmpty(u.Suggestions)
		role.UnknownSkills = append(role.UnknownSkills, u)
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		role.Candidates = append(role.Candidates, TeamCandidate{
			Match: shown(&c.Match), Rank: c.Rank, Cost: c.Cost, Swap: newTeamSwap(c.Swap),
		})
	}
	return role
}

// newTeamSwap returns a swap as clients see it, or nil without one.
func newTeamSwap(s *teams.Swap) *TeamSwap {
	if s == nil {
		return nil
	}
	return &TeamSwap{
		Replaces: s.Replaces, Fit: s.Team.Fit, Cost: s.Team.Cost, WithinBudget: s.Team.WithinBudget,
		Missing: OrEmpty(s.Team.Missing), Languages: s.Team.Languages, OverlapHours: s.Team.OverlapHours,
		StartDate: startDate(&s.Team), Days: s.Team.Days,
	}
}

// startDate returns the first day on which all members are free, or null if it is unknown.
func startDate(t *teams.Team) NullableString {
	if !t.Start.Known {
		return ""
	}
	return NullableString(matching.Date(t.Start.Value))
}

func newTeam(t *teams.Team, roles []teams.FilledRole, shown func(*matching.Match) Match) Team {
	team := Team{
		Summary: t.Summary, Members: []TeamMember{}, Fit: t.Fit, Parts: t.Parts, Cost: t.Cost, UnknownRates: t.UnknownRates,
		WithinBudget: t.WithinBudget, Missing: OrEmpty(t.Missing), Languages: t.Languages, OverlapHours: t.OverlapHours,
		StartDate: startDate(t), Days: t.Days, Weakest: t.Weakest, Warnings: OrEmpty(t.Warnings),
	}
	for i := range t.Members {
		m := &t.Members[i]
		team.Members = append(team.Members, TeamMember{
			Role: m.Role, Title: roles[m.Role].Title, Match: shown(&m.Match), Rank: m.Rank, Hours: m.Hours, Days: m.Days,
			Cost: m.Cost, Brings: OrEmpty(m.Brings),
		})
	}
	return team
}

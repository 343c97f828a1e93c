package teams

import "github.com/freelancer-matching/service/internal/matching"

// A Request is a brief for several people.
type Request struct {
	// Brief has the budget of the whole team, for the whole work. Its page is ignored.
	Brief matching.Brief
	Roles []Role // proposed from the brief if there are none
	Limit int    // the number of teams, at least 1
	// Candidates is the number of candidates of each role in the answer, besides the members of teams. Roles whose people
	// the client has chosen have candidates, too.
	Candidates int
}

// A Role is a part of the work.
type Role struct {
	Title  string
	Skills []string // required
	// People is the number of people who share the hours equally. If it is unknown, teams have one or two.
	People matching.Optional[int]
	Hours  matching.Optional[float64] // at an average pace
	// Members holds the IDs of the people who fill the role, if the client has chosen them.
	Members []string
}

// A Plan is a request whose roles and hours are known.
type Plan struct {
	Request  *Request
	Roles    []PlannedRole
	Proposed bool // the roles come from the words of the brief, not from the client
	// Effort is the size of the whole work, if it was estimated or given for the whole.
	Effort *matching.Effort
	Notes  []string // what was assumed or left out, in sentences
}

// A PlannedRole is a role with its hours.
type PlannedRole struct {
	Role
	Because []string // the words of the brief that a proposed role rests on
	Share   float64  // of all hours, 0 to 1
}

// An Answer has the teams for a plan.
type Answer struct {
	Roles    []FilledRole
	Proposed bool
	Teams    []Team // the best first; none of them exceeds another in fit, cost and start together
	Search   Search
	Reason   string // why there is no team: one of the constants below; "" if there is one
	Message  string // the reason as a sentence
	// Cheapest is the cost of the cheapest team, if the budget allows none.
	Cheapest matching.Optional[float64]
	Budget   matching.Optional[float64] // for all members together
	Effort   *matching.Effort
	Notes    []string

	Currency     string // of every amount but hourly rates; "" if it is unknown
	DataCurrency string // of hourly rates
	Conversion   *matching.Conversion
}

// The values of Answer.Reason.
const (
	ReasonNoData       = "no_data"       // nothing is loaded
	ReasonNoCandidates = "no_candidates" // a role has fewer candidates than people
	ReasonBudget       = "budget"        // every team costs more than the budget
	ReasonNoTeam       = "no_team"       // the people can't fill all roles, or the search found no team in its time
)

// A Search says what the search for the best team has shown.
type Search struct {
	Exact bool    `json:"exact"` // no other choice among the candidates fits better
	Bound float64 `json:"bound"` // no other choice has a higher fit than this
	Gap   float64 `json:"gap"`   // between the bound and the fit of the first team
	Steps int     `json:"steps"`
}

// A FilledRole is a role with its candidates.
type FilledRole struct {
	PlannedRole
	Considered    int                     // matches of the role's brief, counted up to a limit
	Compared      int                     // the best of them, who were compared in teams
	WithoutRate   int                     // of the compared
	UnknownSkills []matching.UnknownSkill // unknown to the taxonomy
	Candidates    []Candidate             // the best first

	others []Candidate // matches of a role whose people the client has chosen, who aren't among them
}

// A Candidate is a match of a role.
type Candidate struct {
	matching.Match
	Rank int                        // in the role, from 1
	Cost matching.Optional[float64] // of all hours of the role, in Answer.Currency
	// Swap is what the first team would be with the candidate in it. It is nil for its members, and without a team.
	Swap *Swap
}

// A Swap is a team in which one person takes the place of another in the same role.
type Swap struct {
	Replaces string // the ID of the member who leaves: of several in a role, the one with whom the team loses least
	Team     Team
}

// A Team fills all roles.
type Team struct {
	Members []Member // by role
	Fit     float64  // 0 to 1; the sum of the contributions
	Parts   []Part
	Cost    matching.Optional[float64] // of the members with a rate; unknown if nobody has one
	// UnknownRates is the number of members without a rate, whose cost is not in Cost.
	UnknownRates int
	WithinBudget matching.Optional[bool]     // unknown without a budget, and if a rate is unknown that could exceed it
	Missing      []string                    // the required skills that nobody is known to have
	Languages    matching.Optional[[]string] // in common; unknown if somebody's languages are
	OverlapHours matching.Optional[float64]  // of the working days; unknown if a time zone is
	Start        matching.Optional[int]      // the first day on which all are free, since 1970-01-01
	Days         matching.Optional[float64]  // from the start of the work to its end
	Weakest      string                      // the weakest point as a sentence
	Warnings     []string                    // everything else that a client should know, as sentences
	Summary      string                      // who the team is, and how it differs from the first one
}

// A Member is a person in a team.
type Member struct {
	Candidate
	Role   int                        // index of the role
	Hours  matching.Optional[float64] // of the person's part
	Days   matching.Optional[float64] // that the part takes
	Cost   matching.Optional[float64] // of the part
	Brings []string                   // the required skills that the person has, of all roles
}

// A Part is a part of a team's fit.
type Part struct {
	Name         string  `json:"part"`
	Value        float64 `json:"value"`        // 0 to 1
	Weight       float64 `json:"weight"`       // the weights add up to 1
	Contribution float64 `json:"contribution"` // value × weight
	Summary      string  `json:"summary"`
}

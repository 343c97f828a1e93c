package selection

import (
	"math"
	"math/bits"

	"github.com/freelancer-matching/service/internal/matching"
)

// MaxSkills is the largest number of different skills, and of different languages, of a problem.
const MaxSkills = 64

// A Problem asks for a team. Its slices aren't changed.
type Problem struct {
	Roles  []Role
	Skills int // the number of required skills, at most MaxSkills; candidates refer to them by bits
	// Budget is the most that all members may cost; +Inf without a limit. With a limit, nobody of unknown cost is chosen.
	Budget float64
	Days   float64 // calendar days from the start of the work to its deadline; +Inf without a deadline
	// MaxWait is the latest day, counted from the start of the work, on which every member is known to be free.
	MaxWait matching.Optional[int]
	Weights Weights
	// MaxSteps limits how many times a search adds a candidate to a team. A step takes some 150 ns.
	MaxSteps int
}

// A Role is a part of the work for Min to Max people, who share its hours equally.
type Role struct {
	Share      float64 // of all hours of the work; the shares of all roles add up to 1
	Min, Max   int     // 1 <= Min <= Max
	Candidates []Candidate
}

// A Candidate is a person who could fill a role. The same person may be a candidate for several roles.
type Candidate struct {
	ID        string
	Fit       float64                    // in the role, 0 to 1
	Cost      matching.Optional[float64] // of all hours of the role
	Days      matching.Optional[float64] // calendar days that all hours of the role take
	Wait      matching.Optional[int]     // days from the start of the work until the person is free, at least 0
	Skills    uint64                     // the required skills of the team that the person has
	Languages matching.Optional[uint64]
	Offset    matching.Optional[int] // of the time zone from UTC, in minutes
}

// Weights are the shares of the parts of a team's fit. They add up to 1.
type Weights struct {
	Members   float64 // the mean fit of the members in their roles, weighted by hours
	Skills    float64 // the share of the required skills that somebody in the team has
	Zones     float64 // the common part of the working days
	Languages float64 // a common language
	Time      float64 // whether the work ends before the deadline
}

// Sum returns the sum of the weights.
func (w *Weights) Sum() float64 { return w.fit(Parts{1, 1, 1, 1, 1}) }

// Parts are the values behind a team's fit, 0 to 1.
type Parts struct{ Members, Skills, Zones, Languages, Time float64 }

// fit returns the weighted sum of the parts.
func (w *Weights) fit(p Parts) float64 {
	return w.Members*p.Members + w.Skills*p.Skills + w.Zones*p.Zones + w.Languages*p.Languages + w.Time*p.Time
}

// A Team fills all roles of a problem.
type Team struct {
	Members [][]int // by role, indexes of candidates in ascending order
	Parts   Parts
	Fit     float64 // 0 to 1
	Cost    float64 // of the members whose cost is known
	// UnknownCosts is the number of the other members.
	UnknownCosts int
	Wait         matching.Optional[int]     // until everybody is free, in days; unknown if any is
	Finish       matching.Optional[float64] // when the last member is done, in days; unknown if any is
	Overlap      matching.Optional[float64] // common hours of the working days; unknown if a time zone is
	Languages    matching.Optional[uint64]  // in common; unknown if somebody's languages are
	Skills       uint64                     // that somebody has
}

const (
	workday = 8 // hours, from the same local hour everywhere
)

// neutral is the value of a part that depends on an unknown fact.
const neutral = .5

// A day holds a bit for each quarter of an hour in UTC.
type day [2]uint64

// A state is what the members chosen so far have in common, and what they cost. Except for members and skills, no part
// of the fit rises when somebody is added, so a search can bound it.
type state struct {
	members          float64 // the sum of the fits, weighted by hours
	skills           uint64
	hours            day    // that belong to everybody's working day
	languages        uint64 // that everybody speaks
	cost             float64
	onTime           float64
	finish           float64
	wait             int
	unknownZone      bool
	unknownLanguages bool
	unknownWait      bool
	unknownFinish    bool
	unknownCosts     int
}

func start() state {
	return state{hours: day{1<<48 - 1, 1<<48 - 1}, languages: math.MaxUint64, onTime: 1}
}

// add returns the state with one more of people members who share a role.
func (s state) add(p *Problem, r *Role, c *Candidate, people int) state {
	part := 1 / float64(people)
	s.members += r.Share * part * c.Fit
	s.skills |= c.Skills

	if c.Cost.Known {
		s.cost += c.Cost.Value * part
	} else {
		s.unknownCosts++
	}

	if c.Offset.Known {
		hours := workdayOf(c.Offset.Value)
		s.hours[0] &= hours[0]
		s.hours[1] &= hours[1]
	} else {
		s.unknownZone = true
	}
	if c.Languages.Known {
		s.languages &= c.Languages.Value
	} else {
		s.unknownLanguages = true
	}

	s.wait = max(s.wait, c.Wait.Value)
	s.unknownWait = s.unknownWait || !c.Wait.Known
	s.unknownFinish = s.unknownFinish || !c.Wait.Known || !c.Days.Known

	// An unknown day counts as the first one: the answer names the people whose dates aren't known.
	finish := float64(c.Wait.Value) + c.Days.Value*part
	s.finish = max(s.finish, finish)
	if finish > p.Days {
		s.onTime = min(s.onTime, p.Days/finish)
	}
	return s
}

// workdayOf returns the working day at an offset from UTC in minutes, which begins at 9 o'clock.
func workdayOf(offset int) (hours day) {
	const (
		half   = 12 * 4 // quarters of an hour in each word
		length = workday * 4
	)
	first := (9*4 - offset/15 + 4*half) % (2 * half)
	word := first / half
	from := first % half

	hours[word] = (1<<length - 1) << from & (1<<half - 1)
	hours[1-word] = (1<<length - 1) >> min(length, half-from)
	return hours
}

// overlap returns the hours in common of those whose zones are known.
func (s *state) overlap() float64 {
	return float64(bits.OnesCount64(s.hours[0])+bits.OnesCount64(s.hours[1])) / 4
}

// parts returns the values of the fit, if these people have the given skills.
func (s *state) parts(p *Problem, skills uint64) Parts {
	parts := Parts{Members: s.members, Skills: 1, Zones: min(1, s.overlap()/workday), Languages: 1, Time: s.onTime}
	if p.Skills > 0 {
		parts.Skills = float64(bits.OnesCount64(skills)) / float64(p.Skills)
	}
	if s.unknownZone {
		parts.Zones = min(parts.Zones, neutral)
	}

	switch {
	case s.languages == 0:
		parts.Languages = 0
	case s.unknownLanguages:
		parts.Languages = neutral
	}
	return parts
}

// Evaluate returns the team with the given members: for each role, different indexes of candidates in ascending order.
func (p *Problem) Evaluate(members [][]int) Team {
	s := start()
	for i, chosen := range members {
		role := &p.Roles[i]
		for _, c := range chosen {
			s = s.add(p, role, &role.Candidates[c], len(chosen))
		}
	}

	t := Team{
		Members: members, Parts: s.parts(p, s.skills), Cost: s.cost, UnknownCosts: s.unknownCosts, Skills: s.skills,
		Wait:      matching.Optional[int]{Value: s.wait, Known: !s.unknownWait},
		Finish:    matching.Optional[float64]{Value: s.finish, Known: !s.unknownFinish},
		Overlap:   matching.Optional[float64]{Value: min(workday, s.overlap()), Known: !s.unknownZone},
		Languages: matching.Optional[uint64]{Value: s.languages, Known: !s.unknownLanguages},
	}
	t.Fit = p.Weights.fit(t.Parts)
	return t
}

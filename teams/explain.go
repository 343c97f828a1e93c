package teams

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/teams/selection"
)

// fullPart is the value of a part from which on it is worth no warning.
const fullPart = .995

// team returns a team as clients see it.
func (c *choosing) team(chosen *selection.Team) Team {
	t := Team{
		Fit: round(chosen.Fit), UnknownRates: chosen.UnknownCosts, OverlapHours: chosen.Overlap,
		Missing: c.skillNames(^chosen.Skills),
	}
	for i, members := range chosen.Members {
		for _, j := range members {
			t.Members = append(t.Members, c.member(i, j, len(members)))
		}
	}

	if chosen.UnknownCosts < len(t.Members) {
		t.Cost = matching.Some(math.Round(100*chosen.Cost) / 100)
	}
	if chosen.Wait.Known {
		t.Start = matching.Some(c.start + chosen.Wait.Value)
	}
	if chosen.Finish.Known {
		t.Days = matching.Some(math.Round(10*chosen.Finish.Value) / 10)
	}
	if chosen.Languages.Known {
		t.Languages = matching.Some([]string{})
		for i, language := range c.languages {
			if chosen.Languages.Value>>i&1 == 1 {
				t.Languages.Value = append(t.Languages.Value, language)
			}
		}
	}
	t.WithinBudget = c.withinBudget(&t)

	t.Parts = c.parts(chosen, &t)
	weakest := slices.MaxFunc(t.Parts, func(a, b Part) int {
		return cmp.Compare(a.Weight*(1-a.Value), b.Weight*(1-b.Value))
	})
	t.Weakest = weakest.Summary
	if weakest.Value >= fullPart {
		t.Weakest = "Nothing stands out: every part of the fit is at its highest."
	}
	for _, part := range t.Parts {
		if part.Value < fullPart && part.Name != weakest.Name && part.Name != partMembers {
			t.Warnings = append(t.Warnings, part.Summary)
		}
	}
	t.Warnings = append(t.Warnings, c.warnings(&t)...)
	return t
}

// member returns a candidate of a role as one of several people who share it.
func (c *choosing) member(role, candidate, people int) Member {
	found := &c.answer.Roles[role].Candidates[candidate]
	part := 1 / float64(people)
	share := func(whole matching.Optional[float64], digits float64) matching.Optional[float64] {
		whole.Value = math.Round(digits*whole.Value*part) / digits
		return whole
	}
	return Member{
		Candidate: *found, Role: role, Hours: share(found.Estimate.Hours, 10), Days: share(found.Estimate.Days, 10),
		Cost: share(found.Cost, 100), Brings: c.skillNames(c.problem.Roles[role].Candidates[candidate].Skills),
	}
}

// withinBudget reports whether a team is within the budget, as far as rates are known.
func (c *choosing) withinBudget(t *Team) matching.Optional[bool] {
	budget := c.answer.Budget
	if !budget.Known {
		return matching.Optional[bool]{}
	}
	within := t.Cost.Value <= budget.Value+.005
	isCertain := t.UnknownRates == 0 || !within
	return matching.Optional[bool]{Value: within && isCertain, Known: isCertain}
}

// The names of the parts of a team's fit.
const (
	partMembers   = "members"
	partSkills    = "skills"
	partZones     = "time_zones"
	partLanguages = "languages"
	partTime      = "time"
)

// parts returns the parts of a team's fit, with what is worst in each.
func (c *choosing) parts(chosen *selection.Team, t *Team) []Part {
	p := &chosen.Parts
	w := &c.problem.Weights
	parts := []Part{
		{partMembers, p.Members, w.Members, 0, c.leastMember(t)},
		{partSkills, p.Skills, w.Skills, 0, skillsSentence(t)},
		{partZones, p.Zones, w.Zones, 0, zonesSentence(t)},
		{partLanguages, p.Languages, w.Languages, 0, languagesSentence(t)},
		{partTime, p.Time, w.Time, 0, c.timeSentence(t)},
	}
	for i := range parts {
		parts[i].Contribution = round(parts[i].Value * parts[i].Weight)
		parts[i].Value = round(parts[i].Value)
	}
	return parts
}

// leastMember describes the member who fits their role least.
func (c *choosing) leastMember(t *Team) string {
	least := slices.MinFunc(t.Members, func(a, b Member) int { return cmp.Compare(a.Fit, b.Fit) })
	sentence := fmt.Sprintf("%s fits the role %s with %.2f", name(&least), c.answer.Roles[least.Role].Title, least.Fit)
	if len(t.Members) > 1 {
		sentence += ", the least in the team"
	}
	if len(least.MissingSkills) > 0 {
		sentence += ", and lacks " + phrase.Join(least.MissingSkills, "and")
	}
	return sentence + "."
}

func skillsSentence(t *Team) string {
	if len(t.Missing) == 0 {
		return "Together, the members have every required skill."
	}
	return "Nobody is known to have " + phrase.Join(t.Missing, "and") + "."
}

func zonesSentence(t *Team) string {
	if len(t.Members) == 1 {
		return "One person needs no common working hours."
	}
	if !t.OverlapHours.Known {
		return "The working hours in common are unknown, because the time zone of " +
			phrase.Join(t.namesWhere(func(m *Member) bool { return m.Freelancer.TimeZone == "" }), "and") + " is."
	}
	return fmt.Sprintf("The working days of all members have %s in common.",
		hours(t.OverlapHours.Value))
}

func languagesSentence(t *Team) string {
	switch {
	case !t.Languages.Known:
		silent := t.namesWhere(func(m *Member) bool { return len(m.Freelancer.Languages) == 0 })
		return "A language in common isn't certain, because the languages of " + phrase.Join(silent, "and") +
			" are unknown."
	case len(t.Languages.Value) == 0:
		return "The members have no language in common."
	default:
		names := make([]string, len(t.Languages.Value))
		for i, tag := range t.Languages.Value {
			names[i] = display.English.Languages().Name(language.Make(tag))
		}
		return "All members speak " + phrase.Join(names, "and") + "."
	}
}

// timeSentence compares the end of the work with the deadline.
func (c *choosing) timeSentence(t *Team) string {
	deadline := c.plan.Request.Brief.TimelineDays
	switch {
	case !deadline.Known:
		return "The brief has no deadline."
	case !t.Days.Known:
		return "When the work ends isn't certain, because not all dates and hours are known."
	case t.Days.Value > float64(deadline.Value):
		return fmt.Sprintf("The work ends after %.0f days, and the deadline is after %d.", t.Days.Value, deadline.Value)
	default:
		return fmt.Sprintf("The work ends after %.0f days, before the deadline after %d.", t.Days.Value, deadline.Value)
	}
}

// warnings returns what no part of the fit says.
func (c *choosing) warnings(t *Team) (warnings []string) {
	if unpriced := t.namesWhere(func(m *Member) bool { return !m.Cost.Known }); len(unpriced) > 0 {
		warnings = append(warnings, "The cost of "+phrase.Join(unpriced, "and")+" is unknown and not in the total.")
	}
	if t.WithinBudget.Known && !t.WithinBudget.Value {
		warnings = append(warnings, fmt.Sprintf("The team costs %s more than the budget.",
			c.money(t.Cost.Value-c.answer.Budget.Value)))
	}
	unknownDate := func(m *Member) bool { return !c.wait(&m.Freelancer).Known }
	if undated := t.namesWhere(unknownDate); len(undated) > 0 {
		warnings = append(warnings, "From when "+phrase.Join(undated, "and")+" can work is unknown.")
	}
	return warnings
}

// namesWhere returns the names of the members for whom is reports true.
func (t *Team) namesWhere(is func(*Member) bool) (names []string) {
	for i := range t.Members {
		if is(&t.Members[i]) {
			names = append(names, name(&t.Members[i]))
		}
	}
	return names
}

// summary says who a team is, and what it gains and loses compared with the first one.
func summary(answer *Answer, i int) string {
	t := &answer.Teams[i]
	sentence := personCount(len(t.Members)) + " with " + experience(t)
	if i == 0 {
		return sentence + ": the best fit."
	}

	first := &answer.Teams[0]
	differences := []string{fmt.Sprintf("%.3f less fit", first.Fit-t.Fit)}
	if t.Cost.Known && first.Cost.Known && t.UnknownRates == 0 && first.UnknownRates == 0 {
		saved := first.Cost.Value - t.Cost.Value
		word := "cheaper"
		if saved < 0 {
			word = "more expensive"
		}
		differences = append(differences,
			strings.Join(strings.Fields(fmt.Sprintf("%.0f %s %s", math.Abs(saved), answer.Currency, word)), " "))
	}
	if t.Start.Known && first.Start.Known && t.Start.Value != first.Start.Value {
		days := first.Start.Value - t.Start.Value
		word := "earlier"
		if days < 0 {
			days = -days
			word = "later"
		}
		differences = append(differences, plural(days, "day")+" "+word)
	}
	return sentence + ": " + strings.Join(differences, ", ") + " than the first team."
}

// experience lists the members' years of experience, by which readers tell seniors from juniors.
func experience(t *Team) string {
	years := make([]string, len(t.Members))
	for i := range t.Members {
		years[i] = "unknown"
		if e := t.Members[i].Freelancer.Experience; e.Known {
			years[i] = fmt.Sprintf("%.0f", e.Value)
		}
	}
	if len(years) == 1 && years[0] == "1" {
		return "1 year of experience"
	}
	return phrase.Join(years, "and") + " years of experience"
}

// name returns the name of a member, or the ID.
func name(m *Member) string { return cmp.Or(m.Freelancer.Name, m.Freelancer.ID) }

func personCount(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

func hours(h float64) string {
	if h == 1 {
		return "1 hour"
	}
	return fmt.Sprintf("%g hours", h)
}

package playground

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A swap is somebody else for a seat, with what the first team gains and loses by them.
type swap struct {
	teamPerson
	For     string // who leaves, if several people share the seat
	Team    string // value of the button: the IDs of the whole team
	Fit     difference
	Cost    difference
	Changes []difference // everything else
}

// A difference is what is better or worse than in the first team.
type difference struct {
	Text  string
	Class string // gain or loss, or "" if it is neither
}

// newDifference returns a difference that is a gain if better is positive.
func newDifference(text string, better float64) difference {
	switch {
	case better > 0:
		return difference{text, "gain"}
	case better < 0:
		return difference{text, "loss"}
	default:
		return difference{Text: text}
	}
}

// An alternative is one of the teams in the comparison.
type alternative struct {
	Label   string // what is better about it
	Changes []string
	Fit     figure
	Cost    figure
	Start   figure
	Days    figure
	Missing []string
	Team    string // value of the button that chooses the team; "" for the first one
}

// A figure is a number of a team, and how it differs from the first team's.
type figure struct {
	Value      string
	Difference difference
}

// newSwap returns a candidate of role i with what the first team gains and loses by them. names has the names of the
// role's people, by ID.
func (t *teamAnswer) newSwap(i int, c *wire.TeamCandidate, names map[string]string) swap {
	first := t.First()
	s := swap{
		teamPerson: t.person(&c.Match),
		Fit:        t.fitDifference(c.Swap.Fit, first),
		Cost:       t.costDifference(c.Swap.Cost, first),
		Team:       encodeMembers(t.idsOf(first, i, c.Swap.Replaces, c.Match.Freelancer.ID)),
	}
	if len(names) > 1 {
		s.For = names[c.Swap.Replaces]
	}

	for _, skill := range except(c.Swap.Missing, first.Missing) {
		s.Changes = append(s.Changes, difference{"loses " + skill, "loss"})
	}
	for _, skill := range except(first.Missing, c.Swap.Missing) {
		s.Changes = append(s.Changes, difference{"adds " + skill, "gain"})
	}
	if d := startDifference(string(c.Swap.StartDate), string(first.StartDate)); d.Text != "" {
		s.Changes = append(s.Changes, d)
	}
	if was, is := first.OverlapHours, c.Swap.OverlapHours; was.Known && is.Known && was.Value != is.Value {
		s.Changes = append(s.Changes, newDifference(
			page.Decimal(1, is.Value)+" h together, not "+page.Decimal(1, was.Value), is.Value-was.Value))
	}
	if was, is := first.Languages, c.Swap.Languages; was.Known && is.Known && len(was.Value) > 0 && len(is.Value) == 0 {
		s.Changes = append(s.Changes, difference{"no common language", "loss"})
	}
	if c.Swap.WithinBudget.Known && !c.Swap.WithinBudget.Value && t.Over == "" {
		s.Changes = append(s.Changes, difference{"over budget", "loss"})
	}
	return s
}

// except returns the items of a list that another one lacks.
func except(list, others []string) (rest []string) {
	for _, item := range list {
		if !slices.Contains(others, item) {
			rest = append(rest, item)
		}
	}
	return rest
}

// idsOf returns the IDs of a team's members by role. In one role, somebody takes the place of somebody else.
func (t *teamAnswer) idsOf(team *wire.Team, role int, leaves, comes string) [][]string {
	ids := make([][]string, len(t.Roles))
	for i := range team.Members {
		m := &team.Members[i]
		id := m.Match.Freelancer.ID
		if m.Role == role && id == leaves {
			id = comes
		}
		ids[m.Role] = append(ids[m.Role], id)
	}
	return ids
}

// fitDifference compares a fit with the first team's.
func (t *teamAnswer) fitDifference(fit float64, first *wire.Team) difference {
	by := math.Round(1000*(fit-first.Fit)) / 1000
	return newDifference(signed(by, fmt.Sprintf("%.3f", math.Abs(by))), by)
}

// costDifference compares a cost with the first team's. Unknown rates make totals incomparable.
func (t *teamAnswer) costDifference(cost matching.Optional[float64], first *wire.Team) difference {
	if !cost.Known || !first.Cost.Known || first.UnknownRates > 0 {
		return difference{Text: "–"}
	}
	by := math.Round(cost.Value - first.Cost.Value)
	return newDifference(signed(by, page.Decimal(0, math.Abs(by))), -by)
}

// signed returns the digits of a number with its sign, or ±0.
func signed(n float64, digits string) string {
	switch {
	case n > 0:
		return "+" + digits
	case n < 0:
		return "−" + digits
	default:
		return "±0"
	}
}

// startDifference compares two dates. The difference is empty without one, or if a date is unknown.
func startDifference(date, first string) difference {
	a, err := time.Parse(page.DateLayout, date)
	b, otherErr := time.Parse(page.DateLayout, first)
	days := int(a.Sub(b).Hours() / 24)
	switch {
	case err != nil || otherErr != nil || days == 0:
		return difference{}
	case days < 0:
		return difference{page.Plural(-days, "day", "days") + " earlier", "gain"}
	default:
		return difference{page.Plural(days, "day", "days") + " later", "loss"}
	}
}

// newAlternative returns team i for the comparison.
func (t *teamAnswer) newAlternative(i int) alternative {
	team, first := &t.Teams.Teams[i], t.First()
	a := alternative{
		Label:   "Best fit",
		Fit:     figure{Value: fmt.Sprintf("%.2f", team.Fit)},
		Cost:    figure{Value: t.costOf(team)},
		Start:   figure{Value: readableDate(string(team.StartDate))},
		Missing: team.Missing,
	}
	if team.Days.Known {
		a.Days.Value = page.Plural(int(math.Ceil(team.Days.Value)), "day", "days")
	}
	if i == 0 {
		a.Changes = t.line(team)
		return a
	}

	a.Team = encodeMembers(t.idsOf(team, -1, "", ""))
	a.Label = t.labelOf(team)
	a.Changes = t.changes(team)
	a.Fit.Difference = t.fitDifference(team.Fit, first)
	if team.UnknownRates == 0 {
		a.Cost.Difference = t.costDifference(team.Cost, first)
	}
	a.Start.Difference = startDifference(string(team.StartDate), string(first.StartDate))
	if team.Days.Known && first.Days.Known {
		by := math.Ceil(team.Days.Value) - math.Ceil(first.Days.Value)
		a.Days.Difference = newDifference(signed(by, page.Decimal(0, math.Abs(by))), -by)
	}
	return a
}

// labelOf says in a few words what is better about a team than about the first one, or how it differs.
func (t *teamAnswer) labelOf(team *wire.Team) string {
	first := t.First()
	var words []string
	if t.costDifference(team.Cost, first).Class == "gain" && team.UnknownRates == 0 {
		words = append(words, "cheaper")
	}
	if startDifference(string(team.StartDate), string(first.StartDate)).Class == "gain" {
		words = append(words, "earlier")
	}
	switch n := len(team.Members) - len(first.Members); {
	case n > 0:
		words = append(words, page.Plural(n, "more person", "more people"))
	case n < 0:
		words = append(words, page.Plural(-n, "person fewer", "people fewer"))
	}
	if len(words) == 0 {
		return "Other people"
	}
	return page.Title(strings.Join(words, ", "))
}

// line returns who the members of a team are, in short.
func (t *teamAnswer) line(team *wire.Team) (people []string) {
	for i := range team.Members {
		people = append(people, shortPerson(&team.Members[i].Match))
	}
	return people
}

// shortPerson returns a name with the years of experience, by which readers tell seniors from juniors.
func shortPerson(m *wire.Match) string {
	name := cmp.Or(m.Freelancer.Name, m.Freelancer.ID)
	if years := yearsOf(m); years != "" {
		name += " (" + years + ")"
	}
	return name
}

// changes says for each role who comes and who leaves, compared with the first team.
func (t *teamAnswer) changes(team *wire.Team) (changes []string) {
	for i := range t.Roles {
		come := peopleOf(team, i)
		leave := peopleOf(t.First(), i)
		if slices.Equal(come, leave) {
			continue
		}
		both := func(name string) bool { return slices.Contains(come, name) && slices.Contains(leave, name) }
		in := slices.DeleteFunc(slices.Clone(come), both)
		out := slices.DeleteFunc(slices.Clone(leave), both)

		text := t.Roles[i].Title + ": "
		switch {
		case len(in) == 0:
			text += "without " + phrase.Join(out, "and")
		case len(out) == 0:
			text += "also " + phrase.Join(in, "and")
		default:
			text += phrase.Join(in, "and") + " instead of " + phrase.Join(out, "and")
		}
		changes = append(changes, text)
	}
	return changes
}

// peopleOf returns the people of a role in a team.
func peopleOf(team *wire.Team, role int) (people []string) {
	for i := range team.Members {
		if m := &team.Members[i]; m.Role == role {
			people = append(people, shortPerson(&m.Match))
		}
	}
	return people
}

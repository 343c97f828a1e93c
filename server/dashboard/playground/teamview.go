package playground

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// teamAnswer is the answer to a brief for several people.
type teamAnswer struct {
	wire.Teams
	TookMS  float64
	Project *openProject // that was saved from the answer; nil for none

	Deadline     string // days until the deadline; "" if the brief has none
	Start        string // of the first team, as people write dates; "" if unknown
	Required     int    // the number of required skills
	Covered      int    // of them, what the first team has
	Spent        int    // the cost of the first team in percent of the budget, at most 100
	Left         string // what is left of the budget; "" if that is unknown, or if nothing is
	Over         string // by how much the first team exceeds the budget; "" if it doesn't
	Seats        []seat
	Alternatives []alternative
	KeepsSome    bool // somebody is kept
	Exactness    string
	Cheaper      string // value of the button that sets the budget to the cheapest team's; "" for none
}

// A seat is a role of the first team with its people, and with others who could take their place.
type seat struct {
	N           int // from 1
	Title       string
	Hours       string   // "" if unknown
	Because     []string // words of the brief
	Members     []seatMember
	Keep        string // value of the field that keeps the people
	Kept        bool
	Swaps       []swap
	Unsupported []string // unknown skills, with what may be meant
}

// Field returns the name of the field that keeps the people.
func (s seat) Field() string { return page.RoleField(s.N, "members") }

// Names returns the names of the people.
func (s seat) Names() string {
	names := make([]string, len(s.Members))
	for i := range s.Members {
		names[i] = s.Members[i].Name
	}
	return phrase.Join(names, "and")
}

// teamPerson is somebody in a team, or offered for one.
type teamPerson struct {
	Name, URL, JobTitle string
	Facts               []string // years of experience, rate
}

// A seatMember is a person of the first team.
type seatMember struct {
	teamPerson
	Cost   string // "" if unknown
	Work   string // hours; "" if unknown
	Brings []string
	Lacks  []string // of the skills of the role
}

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

// teamResult returns the page of the answer to a brief for several people.
func (h *teamHandler) teamResult(v *page.Visit, r *results.Result) (page.Page, error) {
	var answer wire.TeamsAnswer
	var shown playgroundView
	if err := shown.load(h.client, r, &answer); err != nil {
		return page.Page{}, err
	}

	// Proposed roles become roles of the form, which can be changed, kept and sent again.
	isAnswered := shown.Failure == nil
	if isAnswered && answer.Data.Proposed {
		r.Form.Del("required_skills")
		var roles []roleForm
		for _, role := range answer.Data.Roles {
			roles = append(roles, roleForm{title: role.Title, skills: joinFitting(role.RequiredSkills)})
		}
		setRoles(r.Form, roles)
	}

	p, view, err := h.teamPage(v, r.Form)
	if err != nil {
		return p, err
	}
	if err := view.load(h.client, r, &wire.TeamsAnswer{}); err != nil {
		return p, err
	}
	p.Faults = view.faults
	joinBudget(p.Faults)
	view.Terms = teamTerms(r.Form)

	if isAnswered {
		view.Answer = newTeamAnswer(&answer, r.Form)
		if view.Answer.Project, err = h.openProject(v.Context(), r); err != nil {
			return p, err
		}
	}
	return p, nil
}

// teamTerms returns what a brief asks for besides roles and the budget, which the page shows elsewhere.
func teamTerms(form url.Values) []BriefChip {
	terms := maps.Clone(form)
	terms.Del("budget_low")
	terms.Del("budget_high")
	return append(termChips(terms, false, ""), filterChips(terms)...)
}

func newTeamAnswer(a *wire.TeamsAnswer, form url.Values) *teamAnswer {
	view := &teamAnswer{Teams: a.Data, TookMS: a.TookMS, Deadline: form.Get("timeline")}
	if a.Data.CheapestCost.Known {
		view.Cheaper = change("budget_high", plainNumber(math.Ceil(a.Data.CheapestCost.Value)))
	}
	if len(a.Data.Teams) == 0 {
		return view
	}

	first := &a.Data.Teams[0]
	view.Start = readableDate(string(first.StartDate))
	view.countSkills(first)
	view.setBudget(first)
	view.Exactness = exactness(&a.Data)
	for i := range a.Data.Roles {
		s := view.newSeat(i, form)
		view.KeepsSome = view.KeepsSome || s.Kept
		view.Seats = append(view.Seats, s)
	}
	if len(a.Data.Teams) > 1 {
		for i := range a.Data.Teams {
			view.Alternatives = append(view.Alternatives, view.newAlternative(i))
		}
	}
	return view
}

// countSkills counts the different required skills.
func (t *teamAnswer) countSkills(first *wire.Team) {
	seen := map[string]bool{}
	for _, role := range t.Roles {
		for _, skill := range role.RequiredSkills {
			seen[strings.ToLower(skill)] = true
		}
	}
	t.Required = len(seen)
	t.Covered = max(0, t.Required-len(first.Missing))
}

// setBudget compares the cost of the first team with the budget.
func (t *teamAnswer) setBudget(first *wire.Team) {
	if !t.Budget.Known || !first.Cost.Known {
		return
	}
	left := t.Budget.Value - first.Cost.Value
	t.Spent = 100
	if left >= 0 && t.Budget.Value > 0 {
		t.Spent = int(math.Round(100 * first.Cost.Value / t.Budget.Value))
	}
	switch {
	case left < -.005:
		t.Over = money(0, -left, t.Currency)
	case first.UnknownRates == 0:
		t.Left = money(0, left, t.Currency)
	}
}

// Total returns the cost of the first team.
func (t *teamAnswer) Total() string { return t.costOf(&t.Teams.Teams[0]) }

// costOf returns the cost of a team, as far as it is known, or "".
func (t *teamAnswer) costOf(team *wire.Team) string {
	switch {
	case !team.Cost.Known:
		return ""
	case team.UnknownRates > 0:
		return "from " + money(0, team.Cost.Value, t.Currency)
	default:
		return money(0, team.Cost.Value, t.Currency)
	}
}

// First returns the team that fits best.
func (t *teamAnswer) First() *wire.Team { return &t.Teams.Teams[0] }

// CommonLanguages returns the names of the languages that the members of the first team share, or why there are none.
func (t *teamAnswer) CommonLanguages() string {
	spoken := t.First().Languages
	switch {
	case !spoken.Known:
		return "Language not certain"
	case len(spoken.Value) == 0:
		return "No common language"
	}
	names := make([]string, len(spoken.Value))
	for i, tag := range spoken.Value {
		names[i] = page.SpokenName(tag)
	}
	return phrase.Join(names, "and")
}

// exactness says how good the search for the first team was.
func exactness(a *wire.Teams) string {
	compared := 0
	for i := range a.Roles {
		compared = max(compared, a.Roles[i].Compared)
	}
	switch {
	case !slices.ContainsFunc(a.Roles, func(r wire.FilledRole) bool { return r.Compared > len(a.Teams[0].Members) }):
		return ""
	case a.Search.Exact:
		return fmt.Sprintf("No other choice among the best %d of each role fits better.", compared)
	default:
		return fmt.Sprintf("The search ended early: another choice could fit better by up to %.3f.", a.Search.Gap)
	}
}

// newSeat returns the role i of the first team.
func (t *teamAnswer) newSeat(i int, form url.Values) seat {
	role := &t.Roles[i]
	s := seat{N: i + 1, Title: role.Title, Because: role.Because, Hours: hoursText(role.Hours)}

	var ids []string
	names := map[string]string{}
	for j := range t.First().Members {
		m := &t.First().Members[j]
		if m.Role != i {
			continue
		}
		ids = append(ids, m.Match.Freelancer.ID)
		member := seatMember{
			teamPerson: t.person(&m.Match), Work: hoursText(m.Hours), Brings: m.Brings, Lacks: m.Match.MissingSkills,
		}
		if m.Cost.Known {
			member.Cost = money(0, m.Cost.Value, t.Currency)
		}
		names[m.Match.Freelancer.ID] = member.Name
		s.Members = append(s.Members, member)
	}

	s.Keep = encodeMembers(ids)
	s.Kept = form.Get(s.Field()) != ""
	for j := range role.Candidates {
		if c := &role.Candidates[j]; c.Swap != nil {
			s.Swaps = append(s.Swaps, t.newSwap(i, c, names))
		}
	}
	for _, u := range role.UnknownSkills {
		text := "“" + u.Skill + "” is no known skill"
		if len(u.Suggestions) > 0 {
			text += "; did you mean " + phrase.Join(u.Suggestions, "or") + "?"
		}
		s.Unsupported = append(s.Unsupported, text)
	}
	return s
}

func hoursText(hours matching.Optional[float64]) string {
	if !hours.Known {
		return ""
	}
	return page.Decimal(0, hours.Value) + " h"
}

// person returns who somebody is.
func (t *teamAnswer) person(m *wire.Match) teamPerson {
	f := &m.Freelancer
	p := teamPerson{Name: cmp.Or(f.Name, f.ID), URL: page.FreelancerURL(f.ID), JobTitle: f.JobTitle}
	if years := yearsOf(m); years != "" {
		p.Facts = append(p.Facts, years)
	}
	if rate, _ := terms(m, t.HourlyRateCurrency); rate != "" {
		p.Facts = append(p.Facts, strings.Replace(rate, " per hour", "/h", 1))
	} else {
		p.Facts = append(p.Facts, "no rate")
	}
	return p
}

// yearsOf returns the years of somebody's experience, or "" if they are unknown.
func yearsOf(m *wire.Match) string {
	if slices.Contains(m.UnknownFields, "experience") {
		return ""
	}
	return page.Years(math.Round(m.Freelancer.Experience))
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

// readableDate returns a date as people write it, or "" if it is unknown.
func readableDate(date string) string {
	day, err := time.Parse(page.DateLayout, date)
	if err != nil {
		return ""
	}
	return day.Format("Jan 2, 2006")
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

// Percent returns a share as a whole number.
func (t *teamAnswer) Percent(share float64) int { return int(math.Round(100 * share)) }

// PartLabel returns the label of a part of the fit.
func (t *teamAnswer) PartLabel(name string) string {
	return map[string]string{
		"members": "People in their roles", "skills": "Required skills", "time_zones": "Common hours",
		"languages": "Common language", "time": "Deadline",
	}[name]
}

// saveProject saves the brief of a result as a project, with the people of the first team.
func (h *teamHandler) saveProject(v *page.Visit) error {
	r, err := h.savedResult(v)
	if err == nil && (r.Kind != results.Team || r.Status != http.StatusOK) {
		err = results.ErrNotFound
	}
	if err != nil {
		return err
	}
	var answer wire.TeamsAnswer
	if err := decodeResponse(r.Response, &answer); err != nil {
		return err
	}
	if len(answer.Data.Teams) == 0 {
		return results.ErrNotFound
	}

	var people []projects.Person
	for i := range answer.Data.Teams[0].Members {
		m := &answer.Data.Teams[0].Members[i]
		people = append(people, projects.Person{
			Freelancer: m.Match.Freelancer.ID, State: projects.Shortlisted, Match: projects.Match{
				Request: answer.RequestID, Rank: m.Rank, Score: m.Match.Score, Has: m.Match.MatchedSkills,
				Lacks: m.Match.MissingSkills,
			},
		})
	}
	saved, err := h.Projects.Create(v.Context(), v.By(), projects.Project{
		Account: v.Account.ID, Name: cmp.Or(r.Title, projects.DefaultName),
		Brief: projects.Brief{Form: briefFields(r.Form), Result: r.ID, Currency: answer.Data.Currency},
	}, people)
	switch {
	case errors.Is(err, projects.ErrFull):
		v.Notice(projectsFull())
		return v.Redirect(resultsPath + r.ID)
	case err != nil:
		return err
	}

	v.Notice("Saved as the project “" + saved.Name + "” with the people of the team.")
	return v.Redirect(page.Root + "/projects/" + saved.ID)
}

package playground

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/phrase"
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

// readableDate returns a date as people write it, or "" if it is unknown.
func readableDate(date string) string {
	day, err := time.Parse(page.DateLayout, date)
	if err != nil {
		return ""
	}
	return day.Format("Jan 2, 2006")
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

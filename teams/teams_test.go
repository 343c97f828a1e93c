package teams

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/taxonomy"
)

// today returns the day of all tests.
func today() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

// A fakeMatcher answers the brief of each role, by its title, with these people, in their order.
type fakeMatcher struct {
	people map[string][]matching.Freelancer
	fits   map[string]float64 // by ID; .5 for others
	read   matching.Answer    // to the brief without a role
	briefs []*matching.Brief
	hidden []matching.Freelancer // for any role, found by their IDs only
}

func (f *fakeMatcher) Match(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
	f.briefs = append(f.briefs, b)
	people, ok := f.people[b.JobTitle]
	if !ok {
		return &f.read, nil
	}

	if b.Filters.IDs != nil {
		people = slices.Concat(people, f.hidden)
	}
	answer := &matching.Answer{Considered: len(people), Currency: "USD", DataCurrency: "USD"}
	for i := range people {
		p := people[i]
		if b.Filters.IDs != nil && !slices.Contains(b.Filters.IDs, p.ID) {
			continue
		}
		m := matching.Match{Freelancer: p, Fit: .5}
		if fit, ok := f.fits[p.ID]; ok {
			m.Fit = fit
		}
		for _, skill := range b.RequiredSkills {
			if slices.Contains(p.Skills, skill) {
				m.MatchedSkills = append(m.MatchedSkills, skill)
			} else {
				m.MissingSkills = append(m.MissingSkills, skill)
			}
		}
		m.Estimate = matching.Estimate{
			Hours: b.EffortHours, Days: matching.Some(b.EffortHours.Value / 40 * 7), Currency: "USD",
			Cost: matching.Optional[float64]{Value: b.EffortHours.Value * p.HourlyRate.Value, Known: p.HourlyRate.Known},
		}
		answer.Matches = append(answer.Matches, m)
	}
	return answer, nil
}

func newTestService(t *testing.T, m Matcher) *Service {
	t.Helper()
	known, err := taxonomy.Load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m, known, today)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func find(t *testing.T, m Matcher, r *Request) *Answer {
	t.Helper()
	s := newTestService(t, m)
	plan, err := s.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Find(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// person returns a freelancer in Berlin who speaks English.
func person(id string, rate, years float64, skills ...string) matching.Freelancer {
	f := matching.Freelancer{ID: id, Name: strings.ToUpper(id), Skills: skills}
	f.HourlyRate = matching.Some(rate)
	f.Experience = matching.Some(years)
	f.Availability = matching.Some(true)
	f.TimeZone = "Europe/Berlin"
	f.Languages = []matching.SpokenLanguage{{Tag: "en"}}
	return f
}

func shop() *fakeMatcher {
	ann := person("ann", 100, 12, "Go", "PostgreSQL")
	bob := person("bob", 30, 3, "Go")
	cat := person("cat", 80, 9, "React")
	dan := person("dan", 40, 4, "React")
	dan.TimeZone = "America/Los_Angeles"
	return &fakeMatcher{
		people: map[string][]matching.Freelancer{"Back end": {ann, bob, dan}, "Front end": {cat, dan, ann}},
		fits:   map[string]float64{"ann": .9, "bob": .6, "cat": .8, "dan": .7},
	}
}

func shopRequest() *Request {
	return &Request{
		Brief: matching.Brief{
			Description: "An online shop", Budget: matching.Some(matching.Budget{Low: 5000, High: 20_000}),
			TimelineDays: matching.Some(60),
		},
		Roles: []Role{
			{Title: "Back end", Skills: []string{"Go", "PostgreSQL"}, Hours: matching.Some(100.), People: matching.Some(1)},
			{Title: "Front end", Skills: []string{"React"}, Hours: matching.Some(100.), People: matching.Some(1)},
		},
		Limit: 4, Candidates: 2,
	}
}

// idsOf returns the IDs of the members of each team.
func idsOf(answer *Answer) (ids []string) {
	for _, team := range answer.Teams {
		var members []string
		for _, m := range team.Members {
			members = append(members, m.Freelancer.ID)
		}
		ids = append(ids, strings.Join(members, " "))
	}
	return ids
}

func TestFind(t *testing.T) {
	matcher := shop()
	answer := find(t, matcher, shopRequest())
	if got := idsOf(answer); got[0] != "ann cat" || len(got) < 2 {
		t.Fatalf("got the teams %q, want ann cat and others", got)
	}
	if !answer.Search.Exact || answer.Search.Gap != 0 {
		t.Errorf("got the search %+v, want an exact one", answer.Search)
	}

	best := &answer.Teams[0]
	if best.Cost != matching.Some(18_000.) || best.WithinBudget != matching.Some(true) ||
		best.OverlapHours != matching.Some(8.) || len(best.Missing) > 0 || best.UnknownRates != 0 {
		t.Errorf("got %+v", best)
	}
	if diff := cmp.Diff([]string{"Go", "PostgreSQL"}, best.Members[0].Brings); diff != "" {
		t.Errorf("the first member's skills (-want +got):\n%s", diff)
	}
	if want := "CAT fits the role Front end with 0.80, the least in the team."; best.Weakest != want {
		t.Errorf("weakest point %q, want %q", best.Weakest, want)
	}
	if want := "2 people with 12 and 9 years of experience: the best fit."; best.Summary != want {
		t.Errorf("summary %q, want %q", best.Summary, want)
	}

	sum := 0.
	for _, part := range best.Parts {
		sum += part.Contribution
	}
	if d := sum - best.Fit; d > 1e-5 || d < -1e-5 {
		t.Errorf("the contributions add up to %v, and the fit is %v", sum, best.Fit)
	}
	for i := range answer.Roles {
		if len(answer.Roles[i].Candidates) != 2 {
			t.Errorf("%s lists %d candidates, want 2", answer.Roles[i].Title, len(answer.Roles[i].Candidates))
		}
	}

	// Each role is matched with its part of the hours and of the budget.
	brief := matcher.briefs[0]
	if brief.EffortHours != matching.Some(100.) || brief.Budget.Value.High != 10_000 || brief.Limit != compared {
		t.Errorf("the first role's brief is %+v", brief)
	}
}

func TestFind_SaysWhyThereIsNoTeam(t *testing.T) {
	request := shopRequest()
	request.Brief.Budget.Value.High = 6000
	answer := find(t, shop(), request)
	want := "The cheapest team costs 7000 USD, which is more than the budget of 6000 USD."
	if answer.Reason != ReasonBudget || answer.Message != want || answer.Cheapest != matching.Some(7000.) {
		t.Errorf("got %q, %q, %v", answer.Reason, answer.Message, answer.Cheapest)
	}

	request = shopRequest()
	request.Roles[0].People = matching.Some(4)
	answer = find(t, shop(), request)
	if want := "The role Back end needs 4 people, and has 3 candidates."; answer.Message != want {
		t.Errorf("got %q, want %q", answer.Message, want)
	}

	// The same person can't fill both roles.
	matcher := shop()
	matcher.people["Back end"] = matcher.people["Back end"][:1]
	matcher.people["Front end"] = matcher.people["Back end"]
	if answer = find(t, matcher, shopRequest()); answer.Reason != ReasonNoTeam {
		t.Errorf("got the reason %q, want %q", answer.Reason, ReasonNoTeam)
	}
}

func TestFind_EvaluatesTheChosenTeam(t *testing.T) {
	request := shopRequest()
	request.Brief.Budget.Value.High = 10_000
	request.Roles[0].Members = []string{"ann"}
	request.Roles[1].Members = []string{"dan"}
	answer := find(t, shop(), request)
	if diff := cmp.Diff([]string{"ann dan"}, idsOf(answer)); diff != "" {
		t.Fatalf("teams (-want +got):\n%s", diff)
	}

	team := &answer.Teams[0]
	if team.WithinBudget != matching.Some(false) || team.OverlapHours != matching.Some(0.) {
		t.Errorf("got %+v", team)
	}
	for _, want := range []string{
		"The team costs 4000 USD more than the budget.", "The working days of all members have 0 hours in common.",
	} {
		if !slices.Contains(append(team.Warnings, team.Weakest), want) {
			t.Errorf("%q is missing from %q and %q", want, team.Weakest, team.Warnings)
		}
	}
}

// A client who has chosen everybody sees others for each role, and what the team would be with them.
func TestFind_OffersSwaps(t *testing.T) {
	request := shopRequest()
	request.Candidates = 3
	request.Roles[0].Members = []string{"bob"}
	request.Roles[1].Members = []string{"cat"}
	matcher := shop()
	answer := find(t, matcher, request)
	if diff := cmp.Diff([]string{"bob cat"}, idsOf(answer)); diff != "" {
		t.Fatalf("teams (-want +got):\n%s", diff)
	}
	if len(matcher.briefs) != 2 {
		t.Errorf("%d matches for two roles whose people are among the best", len(matcher.briefs))
	}

	var got []string
	for _, role := range answer.Roles {
		for _, c := range role.Candidates {
			line := fmt.Sprint(c.Rank, " ", c.Freelancer.ID)
			if c.Swap != nil {
				team := c.Swap.Team
				line += fmt.Sprintf(" for %s: %v, missing %v", c.Swap.Replaces, team.Cost.Value, team.Missing)
			}
			got = append(got, line)
		}
	}
	want := []string{
		"1 ann for bob: 18000, missing []", "2 bob", "3 dan for bob: 12000, missing [Go PostgreSQL]",
		"1 cat", "2 dan for cat: 7000, missing [PostgreSQL]", "3 ann for cat: 13000, missing [React]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}

// People whom the client chose needn't pass the filters, nor be among the best of their role.
func TestFind_OffersSwapsForSomebodyFarBelow(t *testing.T) {
	request := shopRequest()
	request.Roles[0].Members = []string{"eve"}
	matcher := shop()
	matcher.hidden = []matching.Freelancer{person("eve", 10, 1, "Go")}
	answer := find(t, matcher, request)
	if got := idsOf(answer); len(got) == 0 || got[0] != "eve ann" {
		t.Fatalf("got the teams %q, want eve ann first", got)
	}

	back := &answer.Roles[0]
	if len(back.Candidates) != 2 || back.Candidates[1].Swap == nil || back.Candidates[1].Swap.Replaces != "eve" {
		t.Errorf("candidates %+v", back.Candidates)
	}
	if rank := answer.Teams[0].Members[0].Rank; rank != 4 {
		t.Errorf("eve has the rank %d, want the one after the three others", rank)
	}
}

// Of two people who share a role, the one with whom the team loses least leaves.
func TestFind_SwapsOneOfTwo(t *testing.T) {
	request := shopRequest()
	request.Candidates = 3
	request.Roles[0].Members = []string{"ann", "bob"}
	answer := find(t, shop(), request)
	dan := answer.Roles[0].Candidates[2]
	if dan.Freelancer.ID != "dan" || dan.Swap == nil || dan.Swap.Replaces != "bob" {
		t.Errorf("got %+v, want dan in the place of bob", dan)
	}
}

func TestFind_InventsNoFacts(t *testing.T) {
	matcher := shop()
	for _, role := range []string{"Back end", "Front end"} {
		for i := range matcher.people[role] {
			f := &matcher.people[role][i]
			*f = matching.Freelancer{ID: f.ID, Name: f.Name, Skills: f.Skills}
		}
	}
	answer := find(t, matcher, shopRequest())
	team := &answer.Teams[0]
	isUnknown := !team.Cost.Known && !team.WithinBudget.Known && !team.Start.Known && !team.Days.Known &&
		!team.OverlapHours.Known && !team.Languages.Known && team.UnknownRates == 2
	if !isUnknown {
		t.Errorf("got %+v, want everything unknown", team)
	}
	if len(answer.Notes) != 1 || len(team.Warnings) != 4 {
		t.Errorf("got the notes %q and the warnings %q", answer.Notes, team.Warnings)
	}
}

func TestFind_SplitsARoleThatIsOpen(t *testing.T) {
	request := shopRequest()
	request.Roles[0].People = matching.Optional[int]{}
	request.Brief.Budget.Value.High = 15_000 // too little for ann and cat
	answer := find(t, shop(), request)
	if ids := idsOf(answer); !slices.Contains(ids, "ann bob cat") {
		t.Errorf("got the teams %q, want one in which ann and bob share a role", ids)
	}
	for _, team := range answer.Teams {
		if team.Cost.Value > 15_000 {
			t.Errorf("%+v exceeds the budget", team)
		}
	}
}

func TestPlan_DividesTheHours(t *testing.T) {
	request := shopRequest()
	request.Brief.EffortHours = matching.Some(300.)
	request.Roles[1].Hours = matching.Optional[float64]{}
	plan, err := newTestService(t, shop()).Plan(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Roles[1]; got.Hours != matching.Some(200.) || got.Share != 200./300 || len(plan.Notes) != 1 {
		t.Errorf("got %+v and the notes %q", got, plan.Notes)
	}
}

func TestPlan_ProposesRoles(t *testing.T) {
	brief := matching.Brief{
		JobTitle: "Used bikes",
		Description: "We need a back end in Go with PostgreSQL, a front end in React and TypeScript, and screens in Figma. " +
			"Docker is nice to have. Our code is on GitHub.",
		RequiredSkills: []string{"SEO"},
	}
	matcher := &fakeMatcher{read: matching.Answer{
		DerivedSkills: []string{"Go", "PostgreSQL", "React"}, NiceToHaveSkills: []string{"Docker"},
		Effort: &matching.Effort{Typical: 200},
	}}
	plan, err := newTestService(t, matcher).Plan(t.Context(), &Request{Brief: brief})
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for _, role := range plan.Roles {
		got = append(got, fmt.Sprintf("%s: %s (%s) %v hours", role.Title, strings.Join(role.Skills, ", "),
			strings.Join(role.Because, ", "), role.Hours))
	}
	want := []string{
		"Marketing specialist: SEO (SEO) 50 hours",
		"Back-end developer: Go, PostgreSQL (Go, PostgreSQL) 50 hours",
		"Front-end developer: React, TypeScript (React, TypeScript) 50 hours",
		"Designer: Figma (Figma) 50 hours",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	if want := "No proposed role requires GitHub, because every role may use such tools."; plan.Notes[0] != want {
		t.Errorf("got the notes %q, want %q first", plan.Notes, want)
	}
	if !plan.Proposed || matcher.briefs[0].RequiredSkills != nil {
		t.Error("the roles don't count as proposed, or match didn't derive the skills of the text")
	}
}

func TestPlan_ProposesOneRoleWithoutSkills(t *testing.T) {
	brief := matching.Brief{JobTitle: "Helper", Description: "Please help us."}
	plan, err := newTestService(t, &fakeMatcher{}).Plan(t.Context(), &Request{Brief: brief})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Roles) != 1 || plan.Roles[0].Title != "Helper" || len(plan.Notes) != 1 || plan.Roles[0].Hours.Known {
		t.Errorf("got %+v", plan)
	}
}

func TestRoleNames_AreOfTheTaxonomy(t *testing.T) {
	known, err := taxonomy.Load()
	if err != nil {
		t.Fatal(err)
	}
	names, err := readRoleNames(rolesFile)
	if err != nil {
		t.Fatal(err)
	}

	families, categories := map[string]bool{}, map[string]bool{}
	for skill := range known.Skills() {
		families[skill.Family] = true
		categories[skill.Category] = true
	}
	for id := range names.bySkill {
		if _, ok := known.Skill(id); !ok {
			t.Errorf("there is no skill %s", id)
		}
	}
	for family := range names.byFamily {
		if !families[family] {
			t.Errorf("there is no family %s", family)
		}
	}
	for category := range names.byCategory {
		if !categories[category] {
			t.Errorf("there is no category %s", category)
		}
	}
}

func TestFind_IgnoresAnEmptyListOfMembers(t *testing.T) {
	request := shopRequest()
	request.Roles[0].Members = []string{}
	if got := idsOf(find(t, shop(), request)); len(got) == 0 || got[0] != "ann cat" {
		t.Errorf("got the teams %q, want ann cat first", got)
	}
}

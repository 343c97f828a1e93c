package api

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/teams"
)

const teamsPath = "/api/v1/teams"

// A fakeTeams plans the roles of a request, or two if it has none, and answers with one team.
type fakeTeams struct {
	planned *teams.Request
	err     error
}

func (f *fakeTeams) Plan(_ context.Context, r *teams.Request) (*teams.Plan, error) {
	f.planned = r
	plan := &teams.Plan{Request: r, Proposed: len(r.Roles) == 0}
	roles := r.Roles
	if plan.Proposed {
		roles = []teams.Role{{Title: "Developer"}, {Title: "Designer"}}
	}
	for _, role := range roles {
		plan.Roles = append(plan.Roles, teams.PlannedRole{Role: role, Share: 1 / float64(len(roles))})
	}
	return plan, f.err
}

func (f *fakeTeams) Find(_ context.Context, plan *teams.Plan) (*teams.Answer, error) {
	answer := &teams.Answer{Proposed: plan.Proposed, Search: teams.Search{Exact: true}, Currency: "EUR"}
	candidate := teams.Candidate{Match: fullAnswer().Matches[0], Rank: 3}
	swap := &teams.Swap{Replaces: "f7", Team: teams.Team{Fit: .5, Missing: []string{"Go"}, Cost: matching.Some(99.)}}
	for _, role := range plan.Roles {
		other := candidate
		other.Swap = swap
		candidates := []teams.Candidate{candidate, other}
		answer.Roles = append(answer.Roles, teams.FilledRole{PlannedRole: role, Candidates: candidates})
	}
	answer.Teams = []teams.Team{{
		Members: []teams.Member{{Candidate: candidate, Cost: matching.Some(120.5)}}, Weakest: "Nobody knows Go.",
		Start: matching.Some(20_000), Languages: matching.Some([]string{"en"}), Parts: []teams.Part{{Name: "members"}},
	}}
	return answer, nil
}

func TestTeams(t *testing.T) {
	finder := &fakeTeams{}
	c := call{
		path: teamsPath + "?unknown=null", status: 200,
		body: `{"budget_range":[100,900],"budget_type":"fixed","roles":[` +
			`{"title":"Developer","required_skills":["Go"],"hours":40},{"title":"Designer","people":2},` +
			`{"title":"Writer","members":["w1","w2"]}],"candidates":3,"details":true}`,
		change: func(f *fixture) { f.Teams = finder },
		want: []string{
			`"proposed":false`, `"people":2`, `"start_date":"2024-10-04"`, `"languages":["en"]`, `"overlap_hours":null`,
			`"weakest_point":"Nobody knows Go."`, `"warnings":[]`, `"rank":3`, `"cost":120.5`, `"details":{`,
			`"search":{"exact":true,"bound":0,"gap":0,"steps":0}`,
			`"swap":{"replaces":"f7","fit":0.5,"cost":99,"within_budget":null,"missing_skills":["Go"],"languages":null,` +
				`"overlap_hours":null,"start_date":null,"days":null}`,
		},
	}
	w, f := c.send(t)

	want := []teams.Role{
		{Title: "Developer", Skills: []string{"Go"}, Hours: matching.Some(40.)},
		{Title: "Designer", People: matching.Some(2)},
		{Title: "Writer", Members: []string{"w1", "w2"}},
	}
	if diff := cmp.Diff(want, finder.planned.Roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	planned := finder.planned
	if planned.Limit != 4 || planned.Candidates != 3 || planned.Brief.Budget.Value.High != 900 {
		t.Errorf("got the request %+v", planned)
	}

	// Each of the three roles counts, but the request is one in the usage of its key.
	if len(f.usage.requests) != 1 || f.usage.requests[0].Operation != "teams" {
		t.Errorf("usage %+v", f.usage.requests)
	}
	if left := w.Header().Get(limits.HeaderRemaining); left != "997" {
		t.Errorf("%s of 1000 requests left, want 997", left)
	}
}

func TestTeams_ChargesProposedRoles(t *testing.T) {
	c := call{
		path: teamsPath, status: 200, body: `{"description":"a shop"}`, want: []string{`"proposed":true`},
		change: func(f *fixture) { f.Teams = &fakeTeams{} },
	}
	w, _ := c.send(t)
	if left := w.Header().Get(limits.HeaderRemaining); left != "998" {
		t.Errorf("%s of 1000 requests left, want 998", left)
	}
}

func TestTeams_Errors(t *testing.T) {
	for _, c := range []call{
		{name: "no brief", body: `{}`, status: 422, want: []string{`"field":"description"`}},
		{
			name: "skills twice", body: `{"required_skills":["Go"],"roles":[{"title":"Developer"}]}`, status: 422,
			want: []string{`"field":"required_skills","code":"unexpected"`},
		},
		{name: "no title", body: `{"roles":[{"title":" "}]}`, status: 422, want: []string{`"field":"roles[0].title"`}},
		{
			name: "people", body: `{"roles":[{"title":"a","people":5}]}`, status: 422,
			want: []string{`"field":"roles[0].people"`},
		},
		{
			name: "people and members", body: `{"roles":[{"title":"a","people":1,"members":["x"]}]}`, status: 422,
			want: []string{`"field":"roles[0].people","code":"unexpected"`},
		},
		{
			name: "a member twice", body: `{"roles":[{"title":"a","members":["x"]},{"title":"b","members":["x"]}]}`, status: 422,
			want: []string{`"field":"roles[1].members[0]","code":"duplicate"`},
		},
		{
			name: "no hours", body: `{"roles":[{"title":"a","hours":0}]}`, status: 422,
			want: []string{`"field":"roles[0].hours"`},
		},
		{
			name: "many roles", body: `{"roles":[{"title":"a"},{"title":"a"},{"title":"a"},{"title":"a"},{"title":"a"},` +
				`{"title":"a"},{"title":"a"}]}`, status: 422, want: []string{`"field":"roles","code":"too_many"`},
		},
		{name: "limit", body: `{"description":"a","limit":7}`, status: 422, want: []string{`"field":"limit"`}},
		{
			name: "hourly", body: `{"description":"a","budget_type":"hourly"}`, status: 422,
			want: []string{`"field":"budget_type"`, "budget_type must be fixed", "send filters.max_hourly_rate"},
		},
		{name: "number", body: `{"roles":7}`, status: 422, code: validate.CodeWrongType},
		{
			name: "currency", body: `{"description":"a","currency":"EUR"}`, status: 422, code: matching.CodeInvalid,
			change: func(f *fixture) {
				f.Teams = &fakeTeams{err: matching.Invalid([]matching.FieldError{{Field: "currency", Code: "x", Message: "No."}})}
			},
		},
	} {
		c.path = teamsPath
		t.Run(c.name, func(t *testing.T) { c.send(t) })
	}
}

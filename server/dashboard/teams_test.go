package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/server/api/wire"
)

const teamsPage = "/dashboard/teams"

// teamsExample returns an example response of POST /teams in which somebody is offered for the first role.
func teamsExample(t *testing.T) string {
	t.Helper()
	const offer = `"candidates":[{"match":{"freelancer":{"id":"x1","name":"Xenia <b>Ray","skills":[],"experience":4},` +
		`"matched_skills":["PHP"],"missing_skills":["MySQL"],"unknown_fields":["hourly_rate"],"level":"fair",` +
		`"estimate":{}},"rank":2,"cost":1000,"swap":{"replaces":"f1927","fit":0.5,"cost":2000,"within_budget":true,` +
		`"missing_skills":["MySQL"],"languages":["en"],"overlap_hours":4,"start_date":"2030-01-09","days":20}}]`
	return strings.Replace(exampleOf(t, "/api/v1/teams", "roles_answer"), `"candidates":[]`, offer, 1)
}

func TestTeams_SendsTheBrief(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, teamsExample(t)
	b.play(teamsPage, "key", key.ID, "description", "A shop", "budget_high", "4000-9000 USD", "timeline", "two weeks",
		"start_date", "2030-01-07", "role1_title", "Developer", "role1_required_skills", "PHP, MySQL", "role1_people", "2",
		"role1_hours", "10 days", "role2_title", "", "role3_title", "Designer", "role3_people", "1",
		"role3_members", `["f7"]`).expect(t, http.StatusOK)
	expectRequest(t, w, `{"description":"A shop","budget_range":[4000,9000],"timeline":14,"start_date":"2030-01-07",
		"roles":[{"title":"Developer","required_skills":["PHP","MySQL"],"people":2,"hours":80},
			{"title":"Designer","members":["f7"]}],"candidates":6}`)
	if w.api.path != "POST /api/v1/teams" || w.api.key.ID != key.ID {
		t.Errorf("%s with the key %s", w.api.path, w.api.key.ID)
	}

	// Without roles, the skills of the brief are those that roles are proposed for.
	b.play(teamsPage, "key", key.ID, "job_title", "Shop", "required_skills", "React, Go").expect(t, http.StatusOK)
	expectRequest(t, w, `{"job_title":"Shop","required_skills":["React","Go"],"candidates":6}`)
}

func TestTeams_ShowsTheTeam(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, teamsExample(t)
	a := b.play(teamsPage, "key", key.ID, "description", "A shop", "timeline", "60",
		"role1_title", "Web developer", "role2_title", "Designer", "role2_members", `["f7"]`).
		expect(t, http.StatusOK, "Recommended team", "Vania Hanik", "Weakest point.", "Other teams", "Best fit",
			"instead of Vania Hanik", "Xenia <b>Ray", "4 years · no rate", "loses MySQL", "Swap in Xenia",
			"No other choice among the best 50 of each role fits better.")
	if strings.Contains(a.body, "Xenia <b>") {
		t.Error("a name is markup")
	}
	for _, want := range []string{
		`value="[[&#34;x1&#34;],`, `name="role1_members" value="[&#34;f1927&#34;]"`, `href="/dashboard/freelancers/f1927"`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}

	// A button has the people of the whole team, who are kept then.
	b.play(teamsPage, "key", key.ID, "description", "A shop", "role1_title", "Web developer", "role2_title", "Designer",
		"team", `[["x1"],["f2","f3"]]`).expect(t, http.StatusOK, "Keep Vania Hanik")
	expectRequest(t, w, `{"description":"A shop","roles":[{"title":"Web developer","members":["x1"]},
		{"title":"Designer","members":["f2","f3"]}],"candidates":6}`)
	b.post(teamsPage, "key", key.ID, "role1_title", "a", "team", `[["x1"],["f2"]]`).expect(t, http.StatusBadRequest)
}

// Proposed roles fill in the form, so that they can be changed and their people kept.
func TestTeams_FillsInProposedRoles(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = strings.Replace(teamsExample(t), `"proposed":false`, `"proposed":true`, 1)
	a := b.play(teamsPage, "key", key.ID, "description", "A shop", "required_skills", "PHP").expect(t, http.StatusOK)
	for _, want := range []string{`name="role1_title"`, `value="Web developer"`, `value="PHP, MySQL"`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the form lacks %s", want)
		}
	}
	if strings.Contains(a.body, `name="required_skills"`) {
		t.Error("the form has roles and skills of the brief, which the API rejects together")
	}
}

func TestTeams_ShowsFaultsAtTheirFields(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	a := b.post(teamsPage, "key", key.ID, "budget_high", "50 USD/h", "timeline", "soon", "role1_title", "!",
		"role1_hours", "many", "role2_title", "Writer", "role2_people", "some")
	a.expect(t, http.StatusUnprocessableEntity, "Enter the price of the whole work, not per hour",
		"Enter a time such as 10 days or two weeks", "Title of role 1 must contain a letter or a digit.",
		"Hours of role 1: Enter a size such as 40 hours or 5 days.", "People in role 2: Enter a whole number.")
	if w.api.path != "" {
		t.Error("the brief was sent")
	}

	// Faults that the API finds appear in the same way.
	w.api.failAt("roles[0].required_skills[1]", "too_long", "roles[0].required_skills[1] must be shorter.")
	b.play(teamsPage, "key", key.ID, "role1_title", "a", "role1_required_skills", "x, y").
		expect(t, http.StatusOK, "Skills of role 1 must be shorter.")
}

// Roles are added and removed without a search.
func TestTeams_EditsRoles(t *testing.T) {
	w := newWorld(t)
	b, _ := player(t, w)
	edit := teamsPage + "/form"
	a := b.post(edit, "job_title", "Cook", "required_skills", "Baking", "edit", "add").expect(t, http.StatusOK)
	if !strings.Contains(a.body, `value="Baking"`) || strings.Contains(a.body, `name="required_skills"`) {
		t.Error("the first role lacks the skills of the brief, or the brief still has them")
	}

	a = b.post(edit, "role1_title", "Cook", "role2_title", "Waiter", "role2_members", `["f1","f2"]`, "edit", "remove:1").
		expect(t, http.StatusOK, "Keep 2 people")
	if strings.Contains(a.body, `value="Cook"`) || !strings.Contains(a.body, `name="role1_title"`) {
		t.Error("the first role wasn't removed")
	}
	a = b.post(edit, "role1_title", "Cook", "edit", "clear").expect(t, http.StatusOK, "Roles are proposed")
	if strings.Contains(a.body, `name="role1_title"`) {
		t.Error("the roles weren't removed")
	}
	b.post(edit, "role1_title", "Cook", "edit", "remove:2").expect(t, http.StatusBadRequest)

	roles := []string{"edit", "add"}
	for n := range wire.MaxRoles {
		roles = append(roles, "role"+string(rune('1'+n))+"_title", "a")
	}
	if a = b.post(edit, roles...); strings.Contains(a.body, "role7_title") || strings.Contains(a.text(), "Add a role") {
		t.Error("there is a seventh role")
	}
	if w.api.path != "" {
		t.Error("a brief was sent")
	}
}

func TestTeams_SaysWhyThereIsNone(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","data":{"proposed":false,"roles":[],"teams":[],"search":{},"reason":"budget",
		"message":"The cheapest team costs 700 EUR.","cheapest_cost":699.5,"budget":500,"notes":[],"currency":"EUR"}}`
	a := b.play(teamsPage, "key", key.ID, "role1_title", "Cook", "budget_high", "500").
		expect(t, http.StatusOK, "No team", "The cheapest team costs 700 EUR.", "Raise the budget to 700 EUR")
	if !strings.Contains(a.body, `value="budget_high=700"`) {
		t.Error("no button raises the budget")
	}
	b.play(teamsPage, "key", key.ID, "role1_title", "Cook", "budget_high", "500", "set", "budget_high=700").
		expect(t, http.StatusOK)
	expectRequest(t, w, `{"budget_range":[0,700],"roles":[{"title":"Cook"}],"candidates":6}`)
}

// The brief of a match comes along, and a team becomes a project.
func TestTeams_FromAMatchToAProject(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.play2(t, "key", key.ID, "job_title", "Used bikes", "budget_high", "50", "budget_type", "hourly")
	id := path[strings.LastIndexByte(path, '/')+1:]
	a := b.get(teamsPage+"?from="+id).expect(t, http.StatusOK, "Compose team")
	hasBudget := strings.Contains(a.body, `name="budget_high" type="text" value`)
	if !strings.Contains(a.body, `value="Used bikes"`) || hasBudget {
		t.Error("the title is missing, or a rate per hour became the budget of a team")
	}
	b.get(teamsPage+"?from=nothing").expect(t, http.StatusNotFound)

	w.api.body = teamsExample(t)
	location := b.post(teamsPage, "key", key.ID, "job_title", "Used bikes", "role1_title", "Web developer",
		"role2_title", "Designer").expect(t, http.StatusSeeOther).location
	saved := b.post(location+"/team").expect(t, http.StatusSeeOther).location
	b.get(saved).expect(t, http.StatusOK, "Used bikes", "with the people of the team")
	b.get(location).expect(t, http.StatusOK, "Open project")
	w.as(w.stranger).post(location+"/team").expect(t, http.StatusNotFound)
	b.post(path+"/team").expect(t, http.StatusNotFound)
}

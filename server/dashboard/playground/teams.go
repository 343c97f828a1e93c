package playground

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A teamHandler serves the page on which a team is composed for a brief.
type teamHandler struct{ *client }

const (
	teamsPath = "/api/v1/teams"
	teamsPage = page.Root + "/teams"
	// fromField is the parameter with the ID of a match result, whose brief fills in the form.
	fromField = "from"
	// offered is the number of candidates of each role, of whom those outside the team are offered for a swap.
	offered = 6
)

// teamView is the page about teams.
type teamView struct {
	playgroundView
	Currencies currencyChoice
	Roles      []roleRow
	Full       bool // no role can be added
	More       bool // the section with further conditions starts open

	Terms  []BriefChip // the brief in a few words
	Answer *teamAnswer // nil before a brief was sent, and after an error
}

// A roleRow is a role in the form.
type roleRow struct {
	N    int    // from 1
	Kept int    // the number of people who are kept in the role
	Keep string // value of the field that keeps them
}

// Field returns the name of a field of the role.
func (r roleRow) Field(name string) string { return page.RoleField(r.N, name) }

// PeopleChoices returns how many people a role can have.
func (roleRow) PeopleChoices() []page.Option {
	return page.Options("", "1 or 2", "1", "1", "2", "2", "3", "3", "4", "4")
}

// Complexities returns the choices for the complexity of the work.
func (teamView) Complexities() []page.Option { return matchView{}.Complexities() }

// EffortUnits returns what the size of the work can be given in.
func (teamView) EffortUnits() []page.Option { return matchView{}.EffortUnits() }

// sampleTeamForm returns a form with a sample brief for several people.
func sampleTeamForm() url.Values {
	return url.Values{
		"job_title": {"Online shop for used bikes"},
		"description": {"We need a shop front end in React and TypeScript, a back end in Node.js with PostgreSQL, and a " +
			"designer who draws the screens in Figma. Buyers filter bikes by size and reserve one for two days."},
		"budget_high": {"15000"},
		"timeline":    {"60"},
	}
}

// roleForm is a role as the form has it.
type roleForm struct{ title, skills, people, hours, keep string }

// roleFields returns the fields of a role with their names.
func (r *roleForm) fields() map[string]*string {
	return map[string]*string{
		"title": &r.title, "required_skills": &r.skills, "people": &r.people, "hours": &r.hours, "members": &r.keep,
	}
}

func (r *roleForm) isEmpty() bool { return strings.TrimSpace(r.title+r.skills+r.hours+r.keep) == "" }

// takeRoles returns the roles of a form, and removes their fields.
func takeRoles(form url.Values) (roles []roleForm) {
	for n := 1; n <= wire.MaxRoles; n++ {
		var role roleForm
		exists := false
		for name, value := range role.fields() {
			field := page.RoleField(n, name)
			exists = exists || form.Has(field)
			*value = form.Get(field)
			form.Del(field)
		}
		if exists {
			roles = append(roles, role)
		}
	}
	return roles
}

// setRoles adds the fields of roles to a form.
func setRoles(form url.Values, roles []roleForm) {
	for i := range roles {
		for name, value := range roles[i].fields() {
			form.Set(page.RoleField(i+1, name), *value)
		}
	}
}

// withoutEmpty returns the roles in which something is filled in.
func withoutEmpty(roles []roleForm) (filled []roleForm) {
	for _, role := range roles {
		if !role.isEmpty() {
			filled = append(filled, role)
		}
	}
	return filled
}

func (h *teamHandler) teamPage(v *page.Visit, form url.Values) (page.Page, *teamView, error) {
	shared, err := h.playgroundView(v, results.Team)
	view := &teamView{playgroundView: shared}
	view.Currencies.Data, view.Currencies.Others = h.Currencies(v.Context())
	for n := 1; form.Has(page.RoleField(n, "title")); n++ {
		keep := form.Get(page.RoleField(n, "members"))
		members, _ := decodeMembers(keep)
		view.Roles = append(view.Roles, roleRow{N: n, Keep: keep, Kept: len(members)})
	}
	view.Full = len(view.Roles) == wire.MaxRoles
	for _, name := range []string{
		"nice_to_have_skills", "complexity", "effort_hours", "available", "min_rating", "min_experience", "max_hourly_rate",
		"countries", "languages", "time_zone", "within_hours", "must_have_skills", "exclude_skills",
	} {
		view.More = view.More || form.Get(name) != ""
	}
	return page.Page{Template: "teams", Title: "Teams", Section: "teams", Form: form, Data: view}, view, err
}

// showForm shows the form: empty, with a sample, or with the brief of a match.
func (h *teamHandler) showForm(v *page.Visit) error {
	form := url.Values{}
	if v.Request.FormValue("sample") != "" {
		form = sampleTeamForm()
	}
	if id := v.Request.FormValue(fromField); id != "" {
		brief, found, err := h.matchOfResult(v, id)
		if err != nil {
			return err
		}
		if !found {
			return page.ErrNotFound
		}
		form = teamForm(brief)
	}

	p, _, err := h.teamPage(v, form)
	if err != nil {
		return err
	}
	return v.OK(p)
}

// teamForm returns the form with the brief of a match. A rate per hour is no budget of a team.
func teamForm(brief url.Values) url.Values {
	form := briefFields(brief)
	if form.Get("budget_type") == string(matching.BudgetHourly) {
		form.Del("budget_high")
		form.Del("budget_low")
	}
	for _, name := range []string{"budget_type", "limit", "profile", "offset"} {
		form.Del(name)
	}
	return form
}

// editForm changes the roles of the form as the pressed button says, and shows it again. Nothing is searched.
func (h *teamHandler) editForm(v *page.Visit) error {
	form := v.Request.PostForm
	roles := takeRoles(form)
	action, index, _ := strings.Cut(v.Value("edit"), ":")
	form.Del("edit")

	switch action {
	case "add":
		// Skills of the brief are for proposed roles. Listed roles have their own.
		if len(roles) == 0 {
			roles = append(roles, roleForm{title: v.Value("job_title"), skills: v.Value("required_skills")})
			form.Del("required_skills")
		} else if len(roles) < wire.MaxRoles {
			roles = append(roles, roleForm{})
		}
	case "remove":
		i, err := strconv.Atoi(index)
		if err != nil || i < 1 || i > len(roles) {
			return page.ErrBadForm
		}
		roles = append(roles[:i-1:i-1], roles[i:]...)
	case "clear":
		roles = nil
	}
	setRoles(form, roles)

	p, _, err := h.teamPage(v, form)
	if err != nil {
		return err
	}
	return v.OK(p)
}

// decodeMembers returns the IDs in a field that keeps the people of a role.
func decodeMembers(text string) (ids []string, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &ids)
	}
	return ids, err
}

// encodeMembers returns IDs as a field holds them.
func encodeMembers(ids any) string {
	text, err := json.Marshal(ids)
	if err != nil {
		return "" // strings always can be encoded
	}
	return string(text)
}

// applyTeam keeps the people whom a pressed button names, in all roles. A button that swaps a person or chooses an
// alternative has the IDs of the whole team.
func applyTeam(form url.Values, roles []roleForm) error {
	text := form.Get("team")
	form.Del("team")
	if text == "" {
		return nil
	}

	var team [][]string
	if err := json.Unmarshal([]byte(text), &team); err != nil || len(team) != len(roles) {
		return page.ErrBadForm
	}
	for i := range roles {
		roles[i].keep = encodeMembers(team[i])
	}
	return nil
}

// play sends the brief in the form to the API, with what the pressed button changes in it.
func (h *teamHandler) play(v *page.Visit) error {
	applyButtons(v)
	form := v.Request.PostForm
	roles := takeRoles(form)
	if err := applyTeam(form, roles); err != nil {
		return err
	}
	roles = withoutEmpty(roles)
	setRoles(form, roles)

	f := &briefReader{FormReader: page.FormReader{Visit: v}}
	f.dataCurrency, _ = h.Currencies(v.Context())
	request := f.teamsRequest(roles)
	if len(f.Faults) == 0 {
		title := cmp.Or(request.JobTitle, request.Description)
		if title == "" && len(roles) > 0 {
			title = roles[0].title
		}
		return h.client.play(v, call{kind: results.Team, title: title, path: teamsPath, body: request})
	}

	f.addAPIFaults(func(plan apikey.Plan, faults *validate.Faults) { request.Teams(plan, faults) })
	p, view, err := h.teamPage(v, form)
	if err != nil {
		return err
	}
	view.reject("the brief was not sent", f.Faults)
	p.Faults = view.faults
	joinBudget(p.Faults)
	return v.Show(http.StatusUnprocessableEntity, p)
}

// joinBudget moves faults of a range to the only field for the budget.
func joinBudget(faults *page.Faults) {
	faults.Rename("budget_low", "budget_high")
	faults.Rename("budget_type", "budget_high")
}

// teamsRequest returns the request that the form describes.
func (f *briefReader) teamsRequest(roles []roleForm) wire.TeamsRequest {
	r := wire.TeamsRequest{
		Description:      f.Value("description"),
		JobTitle:         f.Value("job_title"),
		NiceToHaveSkills: page.SplitList(f.Value("nice_to_have_skills")),
		Complexity:       f.Text("complexity"),
		EffortHours:      f.hours("effort_hours", "effort_unit"),
		Timeline:         f.days("timeline"),
		StartDate:        f.Text("start_date"),
		Filters:          f.matchFilters(),
		Candidates:       new(offered),
	}
	if len(roles) == 0 {
		r.RequiredSkills = page.SplitList(f.Value("required_skills"))
	}

	var brief wire.MatchRequest
	f.budget(&brief)
	r.BudgetRange = brief.BudgetRange
	if f.Value("budget_type") == string(matching.BudgetHourly) {
		f.AddFault("budget_high", "enter the price of the whole work, not per hour; “Max. rate” limits hourly rates")
	}
	for _, field := range []string{"budget_low", "budget_type"} {
		removeField(f.Visit, field)
	}
	r.Currency = f.Text("currency") // an amount may name it

	for i := range roles {
		r.Roles = append(r.Roles, f.role(i+1, &roles[i]))
	}
	return r
}

// role returns the nth role of the request. Its members replace the number of people.
func (f *briefReader) role(n int, role *roleForm) wire.TeamRole {
	r := wire.TeamRole{
		Title:          strings.TrimSpace(role.title),
		RequiredSkills: page.SplitList(role.skills),
		People:         f.Integer(page.RoleField(n, "people")),
		Hours:          f.hours(page.RoleField(n, "hours"), page.RoleField(n, "unit")),
	}
	members, err := decodeMembers(role.keep)
	if err != nil {
		f.AddFault(page.RoleField(n, "members"), "choose the people on the page of a team")
	}
	if len(members) > 0 {
		r.Members = members
		r.People = nil
	}
	return r
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
	saved, isSaved, err := h.createProject(v, &r, projects.Brief{Currency: answer.Data.Currency}, people)
	if err != nil {
		return err
	}
	if !isSaved {
		return v.Redirect(resultsPath + r.ID)
	}
	v.Notice("Saved as the project “" + saved.Name + "” with the people of the team.")
	return v.Redirect(page.Root + "/projects/" + saved.ID)
}

package playground

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// projectField is the hidden field of a brief's form that names the project for which it is matched again.
const projectField = "project"

// openProject is the project that people of a result are added to.
type openProject struct {
	ID, Name string
	Result   string                    // ID of the result that it was saved from
	States   map[string]projects.State // of its people, by ID
}

// URL returns the address of the project's page.
func (p *openProject) URL() string { return page.Root + "/projects/" + p.ID }

// mark returns the word for the state of somebody in the project, or "" for those who are only shortlisted or not in
// it.
func (p *openProject) mark(freelancer string) string {
	if state := p.States[freelancer]; state != projects.Shortlisted {
		return string(state)
	}
	return ""
}

// openProject returns the project for which the brief of a result was matched again, or else the one that was saved
// from it, or nil without either.
func (h *client) openProject(ctx context.Context, r *results.Result) (*openProject, error) {
	id := r.Form.Get(projectField)
	if id == "" && r.ID == "" { // a result that isn't saved
		return nil, nil //nolint:nilnil // most results have no project
	}
	if id == "" {
		var err error
		id, err = h.Projects.OfResult(ctx, r.Account, r.ID)
		if errors.Is(err, projects.ErrNotFound) {
			return nil, nil //nolint:nilnil // most results have no project
		}
		if err != nil {
			return nil, err
		}
	}

	p, people, err := h.Projects.Find(ctx, r.Account, id)
	if errors.Is(err, projects.ErrNotFound) { // deleted since
		return nil, nil //nolint:nilnil // see above
	}
	if err != nil {
		return nil, err
	}

	open := &openProject{ID: p.ID, Name: p.Name, Result: p.Brief.Result, States: map[string]projects.State{}}
	for _, person := range people {
		open.States[person.Freelancer] = person.State
	}
	return open, nil
}

// addProject adds the open project to an answer, and keeps it in the form, so that it stays open when the brief is
// changed.
func (h *client) addProject(v *page.Visit, r *results.Result, answer *answerView) (err error) {
	if answer.Project, err = h.openProject(v.Context(), r); err != nil {
		return err
	}
	r.Form.Del(projectField)
	if answer.Project == nil {
		return nil
	}
	r.Form.Set(projectField, answer.Project.ID)
	for i := range answer.Cards {
		_, answer.Cards[i].Chosen = answer.Project.States[answer.Cards[i].Freelancer.ID]
	}
	return nil
}

// setProject shows the state of the person in the open project, which may be nil.
func (p *profileView) setProject(project *openProject) {
	p.InProject = project
	if project != nil {
		_, p.Chosen = project.States[p.Freelancer.ID]
		p.Mark = cmp.Or(project.mark(p.Freelancer.ID), p.Mark)
	}
}

// setProject shows the state of the person in the open project, which may be nil.
func (r *listRow) setProject(project *openProject) {
	if project != nil {
		r.Mark = cmp.Or(project.mark(r.Freelancer.ID), r.Mark)
	}
}

// briefFields returns the fields of a form that describe the brief.
func briefFields(form url.Values) url.Values {
	brief := maps.Clone(form)
	for _, name := range []string{"key", "offset", "view", "use", "lift", "replace", projectField} {
		brief.Del(name)
	}
	maps.DeleteFunc(brief, func(_ string, values []string) bool { return len(values) == 0 || values[0] == "" })
	return brief
}

// personOf returns the person on a card, as a project keeps them.
func personOf(r *results.Result, request string, c *card, state projects.State) projects.Person {
	return projects.Person{Freelancer: c.Freelancer.ID, State: state, Match: projects.Match{
		Request: request, Result: r.ID, Rank: c.Rank, Score: c.Score, Has: c.MatchedSkills, Lacks: c.MissingSkills,
	}}
}

// saveProject saves the brief of a result as a project, with the people whom the form names.
func (h *profileHandler) saveProject(v *page.Visit) error {
	r, err := h.savedMatches(v)
	if err != nil {
		return err
	}
	answer, err := h.savedAnswer(&r)
	if err != nil {
		return err
	}

	var people []projects.Person
	for _, id := range v.Request.PostForm["people"] {
		if i := slices.IndexFunc(answer.Cards, hasID(id)); i >= 0 {
			people = append(people, personOf(&r, answer.RequestID, &answer.Cards[i], projects.Shortlisted))
		}
	}

	brief := projects.Brief{Hourly: answer.hourly(), Currency: answer.Currency}
	saved, isSaved, err := h.createProject(v, &r, brief, people)
	if err != nil {
		return err
	}
	if isSaved {
		v.Notice("Saved as the project “" + saved.Name + "”. Your shortlist is kept there.")
	}
	return v.Redirect(resultsPath + r.ID)
}

// createProject saves the brief of a result as a project with people. If the account can't have another one, it tells
// the user so, and isSaved is false.
func (h *client) createProject(
	v *page.Visit, r *results.Result, brief projects.Brief, people []projects.Person,
) (saved projects.Project, isSaved bool, err error) {
	brief.Form = briefFields(r.Form)
	brief.Result = r.ID
	saved, err = h.Projects.Create(v.Context(), v.By(), projects.Project{
		Account: v.Account.ID, Name: cmp.Or(r.Title, projects.DefaultName), Brief: brief,
	}, people)
	if errors.Is(err, projects.ErrFull) {
		v.Notice(projectsFull())
		return saved, false, nil
	}
	return saved, err == nil, err
}

// projectsFull returns the notice that an account can't have another project.
func projectsFull() string {
	return "The project wasn’t saved: the account already has " +
		page.Plural(projects.MaxProjects, "project", "projects") + ". Delete one first."
}

// hourly reports whether the budget of the brief is for an hour.
func (a *answerView) hourly() bool { return a.Budget != nil && a.Budget.Type == matching.BudgetHourly }

// remarkOf returns what a user must know about a change of a project that wasn't made, or the error if it is another
// one. Somebody else may have removed the person or deleted the project meanwhile, which needs no remark.
func remarkOf(err error) (string, error) {
	switch {
	case errors.Is(err, projects.ErrNotFound):
		return "", nil
	case errors.Is(err, projects.ErrKept):
		return "The person stays in the project, because the note or the state there would be lost. " +
			"Remove the person on the page of the project.", nil
	case errors.Is(err, projects.ErrFull):
		return "The person wasn't added to the project, which already has " +
			page.Plural(projects.MaxPeople, "person", "people") + ".", nil
	default:
		return "", err
	}
}

// shortlist adds a person to the open project, or removes them.
func (h *profileHandler) shortlist(v *page.Visit) error {
	r, answer, i, err := h.savedPerson(v)
	if err != nil {
		return err
	}
	project, err := h.openProject(v.Context(), &r)
	if err != nil {
		return err
	}
	if project == nil {
		return projects.ErrNotFound
	}

	id := answer.Cards[i].Freelancer.ID
	if v.Value("on") == "" {
		err = h.Projects.Unlist(v.Context(), r.Account, project.ID, id)
	} else {
		err = h.Projects.Add(v.Context(), r.Account, project.ID,
			personOf(&r, answer.RequestID, &answer.Cards[i], projects.Shortlisted))
	}
	remark, err := remarkOf(err)
	if err != nil {
		return err
	}
	if remark != "" {
		v.Notice(remark)
	}

	switch v.Value("back") {
	case "script":
		// The script loads the page again to show the notice.
		status := http.StatusNoContent
		if remark != "" {
			status = http.StatusConflict
		}
		v.Writer.WriteHeader(status)
		return nil
	case "list":
		return v.Redirect(selectURL(r.ID, id))
	default:
		return v.Redirect(profileURL(r.ID, id))
	}
}

// followOutcome brings the open project in step with an event about a person of its brief. It returns what the user
// must know about a change that wasn't made.
func (h *client) followOutcome(
	ctx context.Context, r *results.Result, request string, c *card, outcome events.Type,
) (remark string, err error) {
	project, err := h.openProject(ctx, r)
	if err != nil || project == nil {
		return "", err
	}

	id := c.Freelancer.ID
	before, listed := project.States[id]
	state := projects.Contacted
	if outcome == events.Hired {
		state = projects.Hired
	}
	goesBack := state == projects.Contacted && (before == projects.Interested || before == projects.Hired)

	switch {
	case outcome == events.Rejected && listed:
		err = h.Projects.Unlist(ctx, r.Account, project.ID, id)
	case outcome == events.Rejected:
	case listed && goesBack:
		return "The state in the project is still " + string(before) + ".", nil
	case listed:
		err = h.Projects.SetState(ctx, r.Account, project.ID, id, state)
	default:
		err = h.Projects.Add(ctx, r.Account, project.ID, personOf(r, request, c, state))
	}
	return remarkOf(err)
}

// projectForm returns the form with the brief of a project, to match it again.
func (h *client) projectForm(v *page.Visit, id string) (url.Values, error) {
	p, _, err := h.Projects.Find(v.Context(), v.Account.ID, id)
	if err != nil {
		return nil, err
	}
	form := maps.Clone(p.Brief.Form)
	if form == nil {
		form = url.Values{}
	}
	form.Set(projectField, p.ID)
	if form.Get("limit") == "" {
		form.Set("limit", defaultLimit)
	}
	return form, nil
}

// BriefChips returns the brief of a project in a few words.
func BriefChips(b *projects.Brief) []BriefChip { return briefChips(b.Form, b.Hourly, b.Currency) }

// TermChips returns budget, time and size of the brief of a project.
func TermChips(b *projects.Brief) []BriefChip { return termChips(b.Form, b.Hourly, b.Currency) }

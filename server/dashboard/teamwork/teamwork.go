// Package teamwork serves the pages on which members of an account work on projects together.
package teamwork

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/playground"
)

// A Handler serves the pages. All fields are required.
type Handler struct {
	Projects *projects.Service
	Results  *results.Service
	Users    *account.Users
	Records  Records
	Outcomes Outcomes
	Briefs   playground.Briefs
	// Currencies returns the code of the currency that rates are in, or "" if that is unknown.
	Currencies func(ctx context.Context) (data string, others []string)
	// LinkURL returns the address of the page that a link's token opens.
	LinkURL func(token string) string
}

// Records reads what is stored about freelancers; see freelancers.Service.
type Records interface {
	GetAll(ctx context.Context, ids []string) (map[string]freelancers.Stored, error)
}

// Outcomes stores events about the people in responses; see events.Service.
type Outcomes interface {
	Record(ctx context.Context, account string, list []events.Event) (events.Result, error)
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	const member = account.Member

	return []page.Route{
		page.Get("/projects", member, page.Showing(h.listPage)),
		page.Get("/projects/{project}", member, h.showProject),
		// Forms have a note twice: as it is, and as it was when the page was opened.
		page.Post("/projects/{project}", member, h.changeProject).Limit(page.MaxMatchForm),
		page.Post("/projects/{project}/owner", member, h.takeOver),
		page.Post("/projects/{project}/delete", member, h.deleteProject),
		page.Post("/projects/{project}/links", member, h.share),
		page.Post("/projects/{project}/links/{link}/revoke", member, h.revoke),
		page.Post("/projects/{project}/people/{freelancer}", member, h.changePerson),
		page.Post("/projects/{project}/people/{freelancer}/note", member, h.changeNote).Limit(page.MaxMatchForm),
		page.Get("/projects/{project}/people.csv", member, h.exportCSV),
		page.Get("/projects/{project}/people.json", member, h.exportJSON),
	}
}

const projectsPath = page.Root + "/projects"

func projectURL(id string) string { return projectsPath + "/" + id }

// stateLabel returns the name of a state for people.
func stateLabel(s projects.State) string { return page.Title(s) }

// listView is the data of the page with all projects.
type listView struct {
	Rows []listRow
	Max  int
}

// listRow is a project in the list.
type listRow struct {
	projects.Summary
	URL    string
	Owner  string
	Counts []stateCount // of the states that people are in
}

// stateCount is the number of people in a state.
type stateCount struct {
	Label string
	N     int
}

func (h *Handler) listPage(v *page.Visit) (page.Page, error) {
	list, err := h.Projects.List(v.Context(), v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}
	owners, err := h.emails(v)
	if err != nil {
		return page.Page{}, err
	}

	view := listView{Max: projects.MaxProjects}
	for _, p := range list {
		row := listRow{Summary: p, URL: projectURL(p.ID), Owner: cmp.Or(owners[p.Owner], formerMember)}
		for _, state := range projects.States() {
			if n := p.People[state]; n > 0 {
				row.Counts = append(row.Counts, stateCount{stateLabel(state), n})
			}
		}
		view.Rows = append(view.Rows, row)
	}
	return page.Page{Template: "projects", Title: "Projects", Section: "projects", Data: view}, nil
}

// formerMember takes the place of the address of a user who was removed.
const formerMember = "former member"

// emails returns the addresses of the account's users by ID.
func (h *Handler) emails(v *page.Visit) (map[string]string, error) {
	users, err := h.Users.List(v.Context(), v.Account.ID)
	emails := make(map[string]string, len(users))
	for _, u := range users {
		emails[u.ID] = u.Email
	}
	return emails, err
}

// projectView is the data of the page with one project.
type projectView struct {
	projects.Project
	URL       string
	Owner     string // email address
	Mine      bool   // the user is the owner
	MayDelete bool
	Chips     []playground.BriefChip
	Again     string // address of the form that matches the brief again
	Bell      *playground.Bell
	Matches   string // address of the result that it was saved from; "" if that has expired
	Groups    []group
	Links     []linkView
	NewLink   string // shown once; "" unless it was created just now
}

// People returns the number of people in the project.
func (v *projectView) People() (n int) {
	for i := range v.Groups {
		n += len(v.Groups[i].People)
	}
	return n
}

// group are the people in a state.
type group struct {
	State  projects.State
	Label  string
	People []*personView
}

// linkView is a link that works.
type linkView struct {
	projects.Link
	By string
}

func (h *Handler) showProject(v *page.Visit) error {
	p, _, err := h.projectPage(v)
	if err != nil {
		return err
	}
	return v.OK(p)
}

// projectPage returns the page of the project that the path names.
func (h *Handler) projectPage(v *page.Visit) (page.Page, *projectView, error) {
	p, people, err := h.find(v)
	if err != nil {
		return page.Page{}, nil, err
	}
	emails, err := h.emails(v)
	if err != nil {
		return page.Page{}, nil, err
	}

	view := &projectView{
		Project: p, URL: projectURL(p.ID), Owner: cmp.Or(emails[p.Owner], formerMember), Mine: p.Owner == v.User.ID,
		Chips: playground.BriefChips(&p.Brief),
		Again: page.Root + "/playground?" + url.Values{"project": {p.ID}}.Encode() + "#match",
	}
	view.MayDelete = mayDelete(v, &p)

	shown, err := h.people(v, &p, people)
	if err != nil {
		return page.Page{}, nil, err
	}
	for _, state := range projects.States() {
		g := group{State: state, Label: stateLabel(state)}
		for _, person := range shown {
			if person.State == state {
				g.People = append(g.People, person)
			}
		}
		if len(g.People) > 0 {
			view.Groups = append(view.Groups, g)
		}
	}

	links, err := h.Projects.Links(v.Context(), v.Account.ID, p.ID)
	for _, l := range links {
		view.Links = append(view.Links, linkView{l, cmp.Or(emails[l.MadeBy], formerMember)})
	}
	if err != nil {
		return page.Page{}, nil, err
	}
	view.Bell, err = playground.NewBell(v, h.Briefs, view.URL+"/watch", p.ID, p.Brief.Result)
	if h.exists(v, p.Brief.Result) {
		view.Matches = page.ResultURL(p.Brief.Result)
	}

	return page.Page{
		Template: "project", Title: p.Name, Section: "projects", Data: view,
		Form: url.Values{
			"name": {p.Name}, "note": {p.Note}, "before": {p.Note}, "days": {strconv.Itoa(projects.DefaultLinkDays)},
		},
	}, view, err
}

// exists reports whether a result is still stored.
func (h *Handler) exists(v *page.Visit, result string) bool {
	_, err := h.Results.Get(v.Context(), v.Account.ID, result)
	return err == nil
}

// find returns the project that the path names, with its people.
func (h *Handler) find(v *page.Visit) (projects.Project, []projects.Person, error) {
	return h.Projects.Find(v.Context(), v.Account.ID, v.Request.PathValue("project"))
}

// reject shows the page of the project again with an error.
func (h *Handler) reject(v *page.Visit, err error) error {
	if errors.Is(err, projects.ErrNotFound) {
		return err
	}
	p, _, pageErr := h.projectPage(v)
	if pageErr != nil {
		return pageErr
	}
	for name := range p.Form {
		if v.Request.PostForm.Has(name) {
			p.Form.Set(name, v.Value(name))
		}
	}
	return v.Reject(err, p)
}

// rejectNote shows the page of the project again with the rejected note about a person.
func (h *Handler) rejectNote(v *page.Visit, err error, freelancer string) error {
	if errors.Is(err, projects.ErrNotFound) {
		return err
	}
	p, view, pageErr := h.projectPage(v)
	if pageErr != nil {
		return pageErr
	}
	for _, g := range view.Groups {
		for _, person := range g.People {
			if person.ID() == freelancer {
				person.Text = v.Value("text")
				person.Before = v.Value("before")
				person.Unsaved = true
			}
		}
	}
	// The form has no field with the name of the fault, because the page has the note of the project, too.
	if e, ok := errors.AsType[*matching.Error](err); ok && len(e.Details) > 0 {
		err = &matching.Error{Code: e.Code, Message: e.Details[0].Message}
	}
	return v.Reject(err, p)
}

// changeProject changes name and note.
func (h *Handler) changeProject(v *page.Visit) error {
	p, _, err := h.find(v)
	if err != nil {
		return err
	}
	p.Name = v.Value("name")
	p.Note = v.Value("note")
	if err := h.Projects.Update(v.Context(), p, v.Value("before")); err != nil {
		return h.reject(v, err)
	}
	v.Notice("Saved.")
	return v.Redirect(projectURL(p.ID))
}

// takeOver makes the user the owner.
func (h *Handler) takeOver(v *page.Visit) error {
	id := v.Request.PathValue("project")
	if err := h.Projects.SetOwner(v.Context(), v.Account.ID, id, v.User.ID); err != nil {
		return err
	}
	v.Notice("You own this project now.")
	return v.Redirect(projectURL(id))
}

// mayDelete reports whether a user may delete a project: its owner, or an owner of the account.
func mayDelete(v *page.Visit, p *projects.Project) bool {
	return p.Owner == v.User.ID || page.May(v.User.Role, account.Owner)
}

func (h *Handler) deleteProject(v *page.Visit) error {
	p, _, err := h.find(v)
	if err != nil {
		return err
	}
	if !mayDelete(v, &p) {
		return page.ErrForbidden
	}
	if v.Value("confirm") == "" {
		return h.reject(v, matching.Invalid([]matching.FieldError{{
			Field: "confirm", Code: "required", Message: "select the checkbox to delete the project",
		}}))
	}
	if err := h.Projects.Delete(v.Context(), v.By(), v.Account.ID, p.ID); err != nil {
		return err
	}
	v.Notice("Project deleted.")
	return v.Redirect(projectsPath)
}

// share creates a link for the client and shows it.
func (h *Handler) share(v *page.Visit) error {
	f := &page.FormReader{Visit: v}
	days := f.Integer("days")
	err := matching.Invalid(f.Faults)
	var token string
	if err == nil {
		n := 0
		if days != nil {
			n = *days
		}
		token, _, err = h.Projects.Share(v.Context(), v.By(), v.Account.ID, v.Request.PathValue("project"), n)
	}
	if err != nil {
		return h.reject(v, err)
	}

	p, view, err := h.projectPage(v)
	if err != nil {
		return err
	}
	view.NewLink = h.LinkURL(token)
	return v.Show(http.StatusCreated, p)
}

func (h *Handler) revoke(v *page.Visit) error {
	id := v.Request.PathValue("project")
	if err := h.Projects.Revoke(v.Context(), v.By(), v.Account.ID, id, v.Request.PathValue("link")); err != nil {
		return err
	}
	v.Notice("Revoked. The link no longer works.")
	return v.Redirect(projectURL(id) + "#links")
}

// eventOf returns the event for a button, or "" for those that clients don't report. That a person declines says
// nothing about how well the person fits.
func eventOf(action string) events.Type {
	known := []events.Type{events.Contacted, events.Hired, events.Rejected}
	if t := events.Type(action); slices.Contains(known, t) {
		return t
	}
	return ""
}

// Actions of buttons. Other buttons have the state that they set.
const (
	actionReject  = "rejected" // not suitable: leaves the project
	actionRemove  = "remove"
	actionRelease = "release"
	actionHide    = "hide"
)

// changePerson does what a button about a person says.
func (h *Handler) changePerson(v *page.Visit) error {
	id := v.Request.PathValue("project")
	freelancer := v.Request.PathValue("freelancer")
	person, err := h.Projects.Person(v.Context(), v.Account.ID, id, freelancer)
	if err != nil {
		return err
	}

	action := v.Value("action")
	leaves := action == actionReject || action == actionRemove
	if leaves && person.Note != "" && v.Value("note") == "" {
		v.Notice("Not removed, because the note would be deleted. Tick “Delete the note, too”, and press the button again.")
		return v.Redirect(projectURL(id) + "#" + anchor(freelancer))
	}

	switch action {
	case actionReject, actionRemove:
		err = h.Projects.Remove(v.Context(), v.Account.ID, id, freelancer)
	case actionRelease, actionHide:
		err = h.Projects.Release(v.Context(), v.By(), v.Account.ID, id, freelancer, action == actionRelease)
	default:
		err = h.Projects.SetState(v.Context(), v.Account.ID, id, freelancer, projects.State(action))
	}
	if err != nil {
		return h.reject(v, err)
	}

	notice, err := h.report(v, &person, eventOf(action))
	if err != nil {
		return err
	}
	v.Notice(notice)

	path := projectURL(id)
	if !leaves {
		path += "#" + anchor(freelancer)
	}
	return v.Redirect(path)
}

// report stores the event of a change, and returns the notice for the user. Events about old matches aren't accepted,
// which must not undo the change.
func (h *Handler) report(v *page.Visit, person *projects.Person, t events.Type) (string, error) {
	if t == "" {
		return "Saved.", nil
	}
	outcome, err := h.Outcomes.Record(v.Context(), v.Account.ID, []events.Event{{
		Match: person.Match.Request, Freelancer: person.Freelancer, Type: t,
	}})
	switch {
	case err != nil:
		return "", err
	case len(outcome.Rejected) > 0:
		return "Saved. The match is no longer on record, so the outcomes page doesn't count this.", nil
	default:
		return "Saved.", nil
	}
}

// changeNote changes the note about a person.
func (h *Handler) changeNote(v *page.Visit) error {
	id := v.Request.PathValue("project")
	freelancer := v.Request.PathValue("freelancer")
	err := h.Projects.SetNote(v.Context(), v.Account.ID, id, freelancer, v.Value("text"), v.Value("before"))
	if err != nil {
		return h.rejectNote(v, err, freelancer)
	}
	v.Notice("Saved.")
	return v.Redirect(projectURL(id) + "#" + anchor(freelancer))
}

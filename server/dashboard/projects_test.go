package dashboard_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/projects"
)

// hostilePeople returns an answer about people whom the records of a world have, one of them with a hostile name.
func hostilePeople() string {
	people := strings.Replace(twoMatches, `{"status"`, `{"request_id":"r1","status"`, 1)
	return strings.Replace(people, `"id":"b2"`, `"id":"g"`, 1)
}

var projectPattern = regexp.MustCompile(`/dashboard/projects/prj_\w+`)

// newProject saves a result as a project with some people, and returns the paths of both.
func newProject(t *testing.T, w *world, b *browser, people ...string) (result, project string) {
	t.Helper()
	_, key := w.key(w.owner, "Projects")
	result = resultOf(t, w, b, key.ID, hostilePeople())
	var fields []string
	for _, id := range people {
		fields = append(fields, "people", id)
	}
	saved := b.post(result+"/project", fields...).expect(t, http.StatusSeeOther)
	page := b.get(saved.location).expect(t, http.StatusOK, "Saved as the project “A shop”.", "Open project")
	return result, projectPattern.FindString(page.body)
}

// peopleOf returns "state ID" of the people in a project.
func peopleOf(t *testing.T, w *world, project string) (people []string) {
	t.Helper()
	id := strings.TrimPrefix(project, "/dashboard/projects/")
	_, list, err := w.db.Projects.Find(t.Context(), w.owner.Account, id)
	w.must(err)
	for _, p := range list {
		people = append(people, string(p.State)+" "+p.Freelancer)
	}
	return people
}

func wantPeople(t *testing.T, w *world, project string, want ...string) {
	t.Helper()
	if got := peopleOf(t, w, project); !slices.Equal(got, want) {
		t.Errorf("the project has %q, want %q", got, want)
	}
}

// A result that is saved as a project has its shortlist there from then on.
func TestProjects_Shortlist(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	b.get("/dashboard/projects").expect(t, http.StatusOK, "Briefs that your account works on appear here")
	result, project := newProject(t, w, b, "g", "nobody", "g")
	wantPeople(t, w, project, "shortlisted g")

	page := b.get(result).expect(t, http.StatusOK)
	if n := strings.Count(page.body, "data-chosen"); n != 1 {
		t.Errorf("%d people of the list are marked as chosen, want 1", n)
	}
	b.post(result+"/freelancers/a,1/shortlist", "on", "yes", "back", "script").expect(t, http.StatusNoContent)
	b.post(result+"/freelancers/g/shortlist", "back", "list").expect(t, http.StatusSeeOther)
	b.post(result+"/freelancers/g/shortlist", "back", "list").expect(t, http.StatusSeeOther)
	wantPeople(t, w, project, "shortlisted a,1")

	// Buttons of the list keep the project in step.
	b.post(result+"/freelancers/a,1", "outcome", "contacted").expect(t, http.StatusSeeOther)
	b.post(result+"/freelancers/g", "outcome", "hired").expect(t, http.StatusSeeOther)
	wantPeople(t, w, project, "contacted a,1", "hired g")
	b.post(result+"/freelancers/a,1", "outcome", "rejected").expect(t, http.StatusSeeOther)
	wantPeople(t, w, project, "contacted a,1", "hired g") // a state isn't lost by the way
	b.get(result).expect(t, http.StatusOK, "hired")

	b.get("/dashboard/projects").expect(t, http.StatusOK, "A shop 1 Hired, 1 Contacted member@example.com",
		"1 project of 200")
}

// Buttons of the list don't undo what the account has noted in the project, and say so.
func TestProjects_ListKeepsWork(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	result, project := newProject(t, w, b, "g", "a,1")
	person := result + "/freelancers/g"
	const kept = "The person stays in the project"
	b.post(project+"/people/g/note", "text", "Called twice").expect(t, http.StatusSeeOther)

	list := b.post(person+"/shortlist", "back", "list").expect(t, http.StatusSeeOther).location
	b.get(list).expect(t, http.StatusOK, kept)
	b.post(person+"/shortlist", "back", "script").expect(t, http.StatusConflict)
	b.get(result).expect(t, http.StatusOK, kept)
	rejected := b.post(person, "outcome", "rejected").expect(t, http.StatusSeeOther).location
	b.get(rejected).expect(t, http.StatusOK, ": not suitable. "+kept)
	wantPeople(t, w, project, "shortlisted a,1", "shortlisted g")

	for _, state := range []string{"interested", "hired"} {
		b.post(project+"/people/g", "action", state).expect(t, http.StatusSeeOther)
		pane := b.post(person, "outcome", "contacted", "back", "pane").expect(t, http.StatusSeeOther).location
		b.get(pane).expect(t, http.StatusOK, "The state in the project is still "+state+".")
		wantPeople(t, w, project, "shortlisted a,1", state+" g")
	}
	b.post(project+"/people/g/note", "before", "Called twice").expect(t, http.StatusSeeOther)
	b.post(person+"/shortlist").expect(t, http.StatusSeeOther)
	wantPeople(t, w, project, "shortlisted a,1", "hired g")
}

// A full project isn't a fault: what became of the person is recorded nevertheless.
func TestProjects_Full(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	result, project := newProject(t, w, b)
	var people []projects.Person
	for n := range projects.MaxPeople {
		people = append(people, projects.Person{Freelancer: fmt.Sprint("x", n)})
	}
	service := projects.New(w.db.Projects, w.clock.now)
	w.must(service.Add(t.Context(), w.owner.Account, strings.TrimPrefix(project, "/dashboard/projects/"), people...))

	const full = "The person wasn't added to the project, which already has 100 people."
	b.get(b.post(result+"/freelancers/g/shortlist", "on", "yes").expect(t, http.StatusSeeOther).location).
		expect(t, http.StatusOK, full)
	b.get(b.post(result+"/freelancers/g", "outcome", "hired").expect(t, http.StatusSeeOther).location).
		expect(t, http.StatusOK, "hired. "+full)
	if got := w.outcomes.types("g"); !slices.Contains(got, events.Hired) {
		t.Errorf("events %v", got)
	}
}

// An account with all the projects that it may have keeps the result, and learns what to do.
func TestProjects_TooMany(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	result, _ := newProject(t, w, b)
	service := projects.New(w.db.Projects, w.clock.now)
	for range projects.MaxProjects - 1 {
		_, err := service.Create(t.Context(), audit.By{}, projects.Project{Account: w.owner.Account, Name: "x"}, nil)
		w.must(err)
	}

	saved := b.post(result+"/project", "people", "g").expect(t, http.StatusSeeOther)
	b.get(saved.location).expect(t, http.StatusOK, "The project wasn’t saved: the account already has 200 projects.")
}

// The brief of a project can be matched again, and people of the new answer are added to the same project.
func TestProjects_MatchAgain(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	_, project := newProject(t, w, b, "g")
	id := strings.TrimPrefix(project, "/dashboard/projects/")
	again := b.get("/dashboard/playground?project="+id).expect(t, http.StatusOK, "A shop")
	if !strings.Contains(again.body, `name="project" value="`+id+`"`) {
		t.Fatal("the form doesn't name the project")
	}

	_, key := w.key(w.owner, "Again")
	second := b.post("/dashboard/playground", "key", key.ID, "description", "A bigger shop", "project", id).
		expect(t, http.StatusSeeOther).location
	b.post(second+"/freelancers/a,1/shortlist", "on", "yes").expect(t, http.StatusSeeOther)
	wantPeople(t, w, project, "shortlisted a,1", "shortlisted g")

	b.get("/dashboard/playground?project=prj_none").expect(t, http.StatusNotFound)
	stranger := w.as(w.stranger)
	stranger.get("/dashboard/playground?project="+id).expect(t, http.StatusNotFound)
}

// Each button about a person changes the state, and tells the events what clients report.
func TestProjects_States(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	_, project := newProject(t, w, b, "g", "a,1")
	person := project + "/people/g"
	for _, step := range []struct{ action, want string }{
		{"contacted", "contacted g"},
		{"interested", "interested g"},
		{"declined", "declined g"},
		{"hired", "hired g"},
	} {
		saved := b.post(person, "action", step.action).expect(t, http.StatusSeeOther)
		b.get(saved.location).expect(t, http.StatusOK, "Saved.", "Oren Vask")
		wantPeople(t, w, project, "shortlisted a,1", step.want)
	}
	if got := w.outcomes.types("g"); !slices.Equal(got, []events.Type{events.Shown, events.Contacted, events.Hired}) {
		t.Errorf("events %v", got)
	}
	b.post(project+"/people/a,1", "action", "rejected").expect(t, http.StatusSeeOther)
	wantPeople(t, w, project, "hired g")
	if got := w.outcomes.types("a,1"); !slices.Contains(got, events.Rejected) {
		t.Errorf("events %v", got)
	}
	b.post(person, "action", "promoted").expect(t, http.StatusUnprocessableEntity, "must be one of")
	b.post(project+"/people/nobody", "action", "hired").expect(t, http.StatusNotFound)
	b.post(person, "action", "remove").expect(t, http.StatusSeeOther)
	b.get(project).expect(t, http.StatusOK, "Nobody is on the shortlist yet.")
}

// Notes are shared in the account, and nobody overwrites a note that they haven't seen.
func TestProjects_Notes(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	_, project := newProject(t, w, b, "g")
	colleague := w.as(w.owner)
	note := project + "/people/g/note"
	b.post(note, "text", "=Called <b>twice</b>").expect(t, http.StatusSeeOther)
	colleague.get(project).expect(t, http.StatusOK, "=Called <b>twice</b>", "Owner: member@example.com", "Take over")
	colleague.post(note, "text", "My own words", "before", "").
		expect(t, http.StatusUnprocessableEntity, "Somebody else has changed", "My own words")
	colleague.post(note, "text", "Yes", "before", "=Called <b>twice</b>").expect(t, http.StatusSeeOther)
	long := strings.Repeat("é", projects.MaxNote+1)
	b.post(note, "text", long, "before", "Yes").expect(t, http.StatusUnprocessableEntity, "4000 are allowed")

	for _, action := range []string{"rejected", "remove"} {
		b.post(project+"/people/g", "action", action).expect(t, http.StatusSeeOther)
		b.get(project).expect(t, http.StatusOK, "Not removed, because the note would be deleted", "Delete the note, too")
	}

	// Each character takes 9 bytes of a form.
	full := strings.Repeat("記", projects.MaxNote)
	b.post(note, "text", full, "before", "Yes").expect(t, http.StatusSeeOther)
	b.post(note, "text", "Yes", "before", full).expect(t, http.StatusSeeOther)
	b.post(project, "name", "Kiln & Co", "note", full).expect(t, http.StatusSeeOther)
	b.post(project, "name", "Kiln & Co", "note", "", "before", full).expect(t, http.StatusSeeOther)

	b.post(project, "name", "Kiln & Co", "note", "Budget is fixed.").expect(t, http.StatusSeeOther)
	b.post(project, "name", "Kiln & Co", "note", "Budget is open.").
		expect(t, http.StatusUnprocessableEntity, "Somebody else has changed", "Budget is open.")
	b.post(project, "name", " ", "note", "x", "before", "Budget is fixed.").
		expect(t, http.StatusUnprocessableEntity, "Name is required.")
	colleague.post(project+"/owner").expect(t, http.StatusSeeOther)
	colleague.get(project).expect(t, http.StatusOK, "Owner: owner@example.com")

	b.post(project+"/people/g", "action", "remove", "note", "delete").expect(t, http.StatusSeeOther)
	wantPeople(t, w, project)
}

// Files are safe to open with a spreadsheet program.
func TestProjects_Export(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	_, project := newProject(t, w, b, "g", "a,1")
	b.post(project+"/people/g/note", "text", "=HYPERLINK(\"x\")").expect(t, http.StatusSeeOther)
	rows, err := csv.NewReader(strings.NewReader(b.get(project + "/people.csv").body)).ReadAll()
	w.must(err)
	if len(rows) != 3 || rows[2][1] != "Oren Vask" || rows[2][3] != "shortlisted" || rows[2][11] != `'=HYPERLINK("x")` ||
		rows[1][0] != "a,1" || rows[1][6] != "Clay, Glaze" {
		t.Errorf("rows %q", rows)
	}
	b.get(project+"/people.json").expect(t, http.StatusOK, `"name": "Oren Vask"`, `"hourly_rate": null`)

	// Files leave the service, so the audit log has who took them.
	w.as(w.stranger).get(project+"/people.csv").expect(t, http.StatusNotFound)
	entries, err := w.db.AuditLog.Events(t.Context(), audit.Query{Action: audit.ProjectExported, Limit: 9})
	w.must(err)
	var details []string
	for _, e := range entries {
		if e.Actor == w.member.ID && e.Account == w.member.Account && project == "/dashboard/projects/"+e.Subject {
			details = append(details, e.Detail)
		}
	}
	if !slices.Equal(details, []string{"JSON", "CSV"}) {
		t.Errorf("the audit log has %+v", entries)
	}
}

// A link is shown once, and is gone when it is revoked.
func TestProjects_Links(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	_, project := newProject(t, w, b, "g")
	page := b.post(project+"/links", "days", "3").expect(t, http.StatusCreated, "The link is shown once.", "in 3 days")
	token := regexp.MustCompile(`http://match.example.com/shared/(\w+)`).FindStringSubmatch(page.body)[1]
	service := projects.New(w.db.Projects, w.clock.now)
	if p, people, _, err := service.Open(t.Context(), token); err != nil || p.Name != "A shop" || len(people) != 1 {
		t.Errorf("the link opens %+v, %v, %v", p, people, err)
	}

	page = b.get(project)
	if strings.Contains(page.body, token) {
		t.Error("the link is shown again")
	}
	for _, days := range []string{"", "0", "91", "x"} {
		b.post(project+"/links", "days", days).expect(t, http.StatusUnprocessableEntity)
	}
	revoke := regexp.MustCompile(project + `/links/\w+/revoke`).FindString(page.body)
	w.as(w.stranger).post(revoke).expect(t, http.StatusNotFound)
	b.post(revoke).expect(t, http.StatusSeeOther)
	if _, _, _, err := service.Open(t.Context(), token); err == nil {
		t.Error("a revoked link works")
	}
	b.post(project+"/people/g", "action", "release").expect(t, http.StatusSeeOther)
	b.get(project).expect(t, http.StatusOK, "Links show name and profile")

	var actions []audit.Action
	list, err := w.db.AuditLog.Events(t.Context(), audit.Query{Account: w.owner.Account, Limit: 4})
	w.must(err)
	for _, e := range list {
		actions = append(actions, e.Action)
		if e.Subject != strings.TrimPrefix(project, "/dashboard/projects/") {
			t.Errorf("the entry %+v isn't about the project", e)
		}
	}
	want := []audit.Action{
		audit.ProjectReleased, audit.ProjectLinkRevoked, audit.ProjectShared, audit.ProjectCreated,
	}
	if !slices.Equal(actions, want) {
		t.Errorf("audit log %v, want %v", actions, want)
	}
}

// A project belongs to its account. Only its owner and owners of the account can delete it.
func TestProjects_Access(t *testing.T) {
	w := newWorld(t)
	_, project := newProject(t, w, w.as(w.owner), "g")
	stranger := w.as(w.stranger)
	for _, path := range []string{"", "/people.csv", "/people.json"} {
		stranger.get(project+path).expect(t, http.StatusNotFound)
		w.browser().get(project+path).expect(t, http.StatusSeeOther)
	}
	for _, path := range []string{"", "/owner", "/delete", "/people/g", "/people/g/note"} {
		stranger.post(project+path, "confirm", "yes", "name", "x", "action", "hired").expect(t, http.StatusNotFound)
	}
	stranger.post(project+"/links", "days", "3").expect(t, http.StatusNotFound)

	w.as(w.member).post(project+"/delete", "confirm", "yes").expect(t, http.StatusForbidden)
	b := w.as(w.owner)
	b.post(project+"/delete").expect(t, http.StatusUnprocessableEntity, "Select the checkbox")
	b.post(project+"/delete", "confirm", "yes").expect(t, http.StatusSeeOther)
	b.get(project).expect(t, http.StatusNotFound)
}

// A draft for a mail has the words of the brief. The service sends nothing.
func TestProjects_Message(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	_, project := newProject(t, w, b, "g")
	page := b.get(project).expect(t, http.StatusOK, "Hello Oren Vask,", "A shop", "Open in mail program")
	link := regexp.MustCompile(`mailto:[^"]+`).FindString(page.body)
	if !strings.HasPrefix(link, "mailto:?subject=Project%3A%20A%20shop&amp;body=Hello%20Oren%20Vask%2C%0D%0A") {
		t.Errorf("the link is %q", link)
	}
}

// Browsers send texts with CRLF, which a mail has once.
func TestProjects_MessageLines(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	_, key := w.key(w.owner, "Projects")
	w.api.status, w.api.body = http.StatusOK, hostilePeople()
	result := b.post("/dashboard/playground", "key", key.ID, "description", "A shop\r\nfor lamps").
		expect(t, http.StatusSeeOther).location
	saved := b.post(result+"/project", "people", "g").expect(t, http.StatusSeeOther)
	page := b.get(projectPattern.FindString(b.get(saved.location).body)).expect(t, http.StatusOK)
	link := regexp.MustCompile(`mailto:[^"]+`).FindString(page.body)
	if !strings.Contains(link, "A%20shop%0D%0Afor%20lamps") || strings.Contains(link, "%0D%0D") {
		t.Errorf("the link is %q", link)
	}
}

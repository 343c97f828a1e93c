package people

import (
	"net/url"
	"reflect"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
)

// A short ID is in budgets and in notes about other people. Erasing it changes neither.
func TestTraces_DropLinesOfShortID(t *testing.T) {
	for _, id := range []string{"10", "A", "go", "12345"} {
		p, people := workedOn(id)
		untouched, others := workedOn(id)
		if tracesOf(id).dropLinesOf(&p, people) {
			t.Errorf("the ID %q was found in running text", id)
		}
		if !reflect.DeepEqual(p, untouched) || !reflect.DeepEqual(people, others) {
			t.Errorf("erasing %q changed the project to %+v with %+v", id, p, people)
		}
	}
}

// workedOn returns a project in which a text is a whole value and the first word of lines.
func workedOn(text string) (projects.Project, []projects.Person) {
	return projects.Project{
		Name: text, Note: text + "\n" + text + " days are enough.",
		Brief: projects.Brief{Form: url.Values{
			"budget_high": {text}, "description": {text + " pages\n" + text}, "required_skills": {text},
		}},
	}, []projects.Person{{Freelancer: "b", Note: text}}
}

// What an erasure leaves is a project that members recognize and can change.
func TestTraces_DropLinesOf(t *testing.T) {
	subject := tracesOf("fl-0011223344556677", "ada@example.com")
	subject.learn(&matching.Freelancer{ID: "fl-0011223344556677", Name: "Ada Zorblax"})
	const mention = "Ada Zorblax"
	p := projects.Project{Name: "For Ada Zorblax", Note: "Fixed price.\nAsk ada@example.com", Brief: projects.Brief{
		Form: url.Values{
			"description": {"A shop\nas Ada Zorblax has"}, "job_title": {mention}, "required_skills": {mention},
			"nice_to_have_skills": {mention}, "must_have_skills": {mention}, "exclude_skills": {mention},
			"key": {"fl-0011223344556677"},
		},
	}}
	people := []projects.Person{{Freelancer: "b", Note: "Knows fl-0011223344556677\nSpeaks German"}}
	if !subject.dropLinesOf(&p, people) {
		t.Error("no line was found")
	}

	want := projects.Project{Name: "Project", Note: "Fixed price.", Brief: projects.Brief{Form: url.Values{
		"description": {"A shop"}, "job_title": {""}, "required_skills": {""}, "nice_to_have_skills": {""},
		"must_have_skills": {""}, "exclude_skills": {""}, "key": {"fl-0011223344556677"},
	}}}
	if !reflect.DeepEqual(p, want) || people[0].Note != "Speaks German" {
		t.Errorf("the project is %+v with %+v", p, people)
	}
}

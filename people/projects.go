package people

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/projects"
)

// Projects stores the projects of accounts.
type Projects interface {
	// Each calls yield for all projects of all accounts if account is "", with their people.
	Each(ctx context.Context, account string, yield func(projects.Project, []projects.Person) error) error
	// ErasePeople removes freelancers from all projects, and returns how often each was in one.
	ErasePeople(ctx context.Context, ids []string) (map[string]int, error)
	// Rewrite replaces the texts of a project and the notes about its people.
	Rewrite(ctx context.Context, p projects.Project, people []projects.Person) error
}

// A Shortlisting says that the subject is in a project.
type Shortlisting struct {
	Account    string         `json:"account"`
	Project    string         `json:"project"`    // ID
	Freelancer string         `json:"freelancer"` // ID
	State      projects.State `json:"state"`
	Note       string         `json:"note,omitempty"`
	Added      time.Time      `json:"added"`
}

// findProjects looks for projects with the subject, and for those whose texts mention the subject.
func (s *Service) findProjects(ctx context.Context, found *Found) error {
	return s.Projects.Each(ctx, "", func(p projects.Project, people []projects.Person) error {
		for _, person := range people {
			if slices.Contains(found.traces.subject.IDs, person.Freelancer) {
				found.Shortlisted = append(found.Shortlisted, Shortlisting{
					p.Account, p.ID, person.Freelancer, person.State, person.Note, person.Added,
				})
			}
		}

		others := slices.DeleteFunc(people, func(person projects.Person) bool {
			return slices.Contains(found.traces.subject.IDs, person.Freelancer)
		})
		if found.traces.dropLinesOf(&p, others) {
			found.ProjectTexts = append(found.ProjectTexts, p.ID)
		}
		return nil
	})
}

// eraseProjects removes the subject from projects, and the lines that mention the subject from texts of projects. It
// returns how often each ID was in a project.
func (s *Service) eraseProjects(ctx context.Context, t *traces) (map[string]int, error) {
	removed, err := s.Projects.ErasePeople(ctx, t.subject.IDs)
	if err != nil {
		return nil, err
	}
	return removed, s.Projects.Each(ctx, "", func(p projects.Project, people []projects.Person) error {
		if !t.dropLinesOf(&p, people) {
			return nil
		}
		return s.Projects.Rewrite(ctx, p, people)
	})
}

// briefTexts returns the fields of a brief's form that users write texts in. The others have numbers and choices, which
// mention nobody.
func briefTexts() []string {
	return []string{
		"description", "job_title", "required_skills", "nice_to_have_skills", "must_have_skills", "exclude_skills",
	}
}

// dropLinesOf removes the lines that mention the subject from the texts of a project and from the notes about people.
// It reports whether there were any.
func (t *traces) dropLinesOf(p *projects.Project, people []projects.Person) bool {
	dropped := false
	drop := func(text *string) { dropped = t.dropLines(text) || dropped }

	drop(&p.Name)
	if p.Name == "" {
		p.Name = projects.DefaultName
	}
	drop(&p.Note)
	for _, field := range briefTexts() {
		values := p.Brief.Form[field]
		for i := range values {
			drop(&values[i])
		}
	}
	for i := range people {
		drop(&people[i].Note)
	}

	return dropped
}

// dropLines removes the lines of a running text that mention the subject, and reports whether there were any. Other
// users wrote the text, so what else it says stays.
func (t *traces) dropLines(text *string) bool {
	if !t.occurInRunning(*text) {
		return false
	}
	var kept []string
	for line := range strings.SplitSeq(*text, "\n") {
		if !t.occurInRunning(line) {
			kept = append(kept, line)
		}
	}
	left := strings.TrimSpace(strings.Join(kept, "\n"))
	if t.occurInRunning(left) { // a name or an address that continues on another line
		left = ""
	}
	*text = left
	return true
}

// eraseProjects removes several people from projects.
func (q *quickErasure) eraseProjects(ctx context.Context) error {
	all := q.allTraces()
	removed, err := q.Service.eraseProjects(ctx, &all)
	for id, n := range removed {
		q.count(id, func(e *freelancers.Erasure) { e.Other += n })
	}
	return err
}

// allTraces returns the traces of all people together.
func (q *quickErasure) allTraces() traces {
	all := newTraces(Subject{IDs: q.ids})
	for i := range q.traces {
		all.names = append(all.names, q.traces[i].names...)
		all.urls = append(all.urls, q.traces[i].urls...)
	}
	return all
}

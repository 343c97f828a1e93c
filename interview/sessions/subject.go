package sessions

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/messages"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	maxDescription   = 20_000 // characters of a profile's description
	maxListed        = 200    // skills of a profile
	maxDerivedSkills = 10
	defaultQuestions = 5
)

// newSession returns a session for a request, without questions.
func (s *Service) newSession(ctx context.Context, r *interview.Request) (*session, error) {
	f, err := s.config.Freelancers.Freelancer(ctx, r.FreelancerID)
	if err != nil {
		return nil, err
	}

	id := newID()
	now := s.now()
	se := &session{
		Format:  sessionFormat,
		Kind:    kindOf(r.Mode),
		Begun:   now,
		Planned: r.NumQuestions.Or(min(defaultQuestions, s.config.MaxQuestions)),
		record:  interview.Record{ID: id, Account: r.Account, Expires: now.Add(s.config.Lifetime)},
	}

	se.Subject = interview.Subject{
		Project:  strings.TrimSpace(r.ProjectDescription),
		JobTitle: strings.TrimSpace(r.JobTitle),
		Language: s.languageOf(r),
		Weights:  interview.ScaleWeights(r.ScoringCriteria, interview.DefaultWeights()),
		Seed:     seedOf(id),
	}

	// Both may add notices, which are in the language of the subject.
	se.setProfile(&f)
	s.setSkills(se, &f, r)
	return se, nil
}

// languageOf returns the requested language, or else that of the project description, or else English.
func (s *Service) languageOf(r *interview.Request) string {
	if r.Language != "" {
		return r.Language
	}
	return s.config.Analyzer.Language(r.JobTitle + "\n" + r.ProjectDescription).String()
}

// setProfile copies the freelancer's data to the session. It shortens long data and adds a notice.
func (se *session) setProfile(f *matching.Freelancer) {
	p := interview.Profile{
		ID:          f.ID,
		Name:        f.Name,
		JobTitle:    f.JobTitle,
		Description: f.Description,
		Skills:      f.Skills,
		Experience:  f.Experience,
	}
	if utf8.RuneCountInString(p.Description) > maxDescription {
		p.Description = string([]rune(p.Description)[:maxDescription])
		se.addNotice(interview.Notice{Code: interview.NoticeCut, Message: se.say("cut_description", maxDescription)})
	}
	if len(p.Skills) > maxListed {
		p.Skills = p.Skills[:maxListed]
		se.addNotice(interview.Notice{Code: interview.NoticeCut, Message: se.say("cut_skills", maxListed)})
	}
	se.Subject.Freelancer = p
}

// setSkills resolves the required skills, without duplicates: first the must-have skills, so that they are asked about
// first, and then the others, each in the order of the request. If the request has none, it uses the skills in the job
// title and the project description.
func (s *Service) setSkills(se *session, f *matching.Freelancer, r *interview.Request) {
	profileShows := s.profileShows(f)
	named := slices.Concat(r.MustHaveSkills, r.RequiredSkills)
	for i, name := range named {
		all := s.config.Skills.ResolveAll(name, named...)

		// One name can stand for several skills. The client's spelling then fits none of them.
		isOneSkill := len(all) == 1
		spelling := strings.TrimSpace(name)
		for _, resolved := range all {
			skill := interview.Skill{
				Name:     resolved.Name,
				Gap:      !profileShows(resolved.ID, resolved.Name),
				MustHave: i < len(r.MustHaveSkills),
			}
			if resolved.Known {
				known, _ := s.config.Skills.Skill(resolved.ID)
				skill.ID = resolved.ID
				skill.Category = known.Category
				if isOneSkill && se.Subject.Language != messages.Fallback {
					skill.Term = spelling // the taxonomy's names are English
				}
			} else {
				if isOneSkill {
					skill.Name = spelling
				}
				if !slices.Contains(se.UnknownSkills, skill.Name) {
					se.UnknownSkills = append(se.UnknownSkills, skill.Name)
				}
			}

			se.require(skill)
		}
	}

	if len(se.UnknownSkills) > 0 {
		se.addNotice(se.newNotice(interview.NoticeUnknownSkills))
	}

	if len(se.Subject.Skills) > 0 {
		return
	}

	// Without required skills, the interview is about the skills that the brief's texts name.
	for _, subject := range s.config.Skills.Subjects(se.Subject.JobTitle + "\n" + se.Subject.Project) {
		if len(se.Subject.Skills) == maxDerivedSkills {
			break
		}
		known, ok := s.config.Skills.Skill(subject.ID)
		if !ok || subject.Generic {
			continue
		}

		se.require(interview.Skill{
			ID: known.ID, Name: known.Name, Category: known.Category, Gap: !profileShows(known.ID, known.Name),
		})
		se.DerivedSkills = append(se.DerivedSkills, known.Name)
	}

	if len(se.DerivedSkills) > 0 {
		se.addNotice(se.newNotice(interview.NoticeDerivedSkills))
	}
}

// require adds a required skill, unless it is a duplicate.
func (se *session) require(skill interview.Skill) {
	same := func(other interview.Skill) bool {
		return other.Name == skill.Name || skill.ID != "" && other.ID == skill.ID
	}
	if skill.Name != "" && !slices.ContainsFunc(se.Subject.Skills, same) {
		se.Subject.Skills = append(se.Subject.Skills, skill)
	}
}

// profileShows returns a function that reports whether a profile lists, implies or mentions a skill. It considers the
// same fields as a match.
func (s *Service) profileShows(f *matching.Freelancer) func(id, name string) bool {
	found := map[string]bool{}
	add := func(id string) {
		found[id] = true
		known, _ := s.config.Skills.Skill(id)
		for _, implied := range known.Implies {
			found[implied] = true
		}
	}
	for _, name := range append(slices.Clone(f.Skills), f.JobTitle) {
		for _, r := range s.config.Skills.ResolveAll(name, f.Skills...) {
			add(r.ID)
		}
	}

	for _, text := range []string{f.JobTitle, f.Description} {
		for _, m := range s.config.Skills.Extract(text) {
			add(m.ID)
		}
	}

	// The taxonomy doesn't know every skill, so the texts are searched for the name itself, too.
	text := " " + taxonomy.Normalize(f.JobTitle+"\n"+f.Description) + " "
	return func(id, name string) bool {
		return found[id] || strings.Contains(text, " "+taxonomy.Normalize(name)+" ")
	}
}

package interview

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
	"freelancer-matching/taxonomy"
)

const (
	maxDescription   = 20_000 // characters of a profile that are kept
	maxListed        = 200    // skills of a profile that are kept
	maxDerivedSkills = 10
)

// begin is a session about what a request says, without questions.
func (s *Service) begin(ctx context.Context, r *Request) (*session, error) {
	f, err := s.config.Freelancers.Freelancer(ctx, r.FreelancerID)
	if err != nil {
		return nil, err
	}
	id, now := newID(), s.now()
	se := &session{
		Format: sessionFormat, Kind: r.Mode.kind(), Begun: now,
		Planned: r.NumQuestions.Or(min(defaultQuestions, s.config.MaxQuestions)),
		record:  Record{ID: id, Account: r.Account, Expires: now.Add(s.config.Lifetime)},
	}
	se.Subject = Subject{
		Project: strings.TrimSpace(r.ProjectDescription), JobTitle: strings.TrimSpace(r.JobTitle),
		Language: s.languageOf(r), Weights: shares(r.ScoringCriteria, DefaultWeights()), Seed: seedOf(id),
	}
	se.setProfile(&f)
	s.setSkills(se, &f, r)
	return se, nil
}

// languageOf is the language asked for, or the project description's; of a language that cannot be told, English.
func (s *Service) languageOf(r *Request) string {
	if r.Language != "" {
		return r.Language
	}
	return s.config.Analyzer.Language(r.JobTitle + "\n" + r.ProjectDescription).String()
}

// setProfile keeps what the data says about the freelancer, and tells what of it was too long.
func (se *session) setProfile(f *matching.Freelancer) {
	p := Profile{
		ID: f.ID, Name: f.Name, JobTitle: f.JobTitle, Description: f.Description, Skills: f.Skills, Experience: f.Experience,
	}
	if utf8.RuneCountInString(p.Description) > maxDescription {
		p.Description = string([]rune(p.Description)[:maxDescription])
		se.notice(Notice{NoticeCut, fmt.Sprintf("the profile's description was cut to %d characters", maxDescription)})
	}
	if len(p.Skills) > maxListed {
		p.Skills = p.Skills[:maxListed]
		se.notice(Notice{NoticeCut, fmt.Sprintf("of the profile's skills the first %d were taken", maxListed)})
	}
	se.Subject.Freelancer = p
}

// setSkills resolves what is required, each skill once and in the order of the request; where nothing is, what title and
// description name.
func (s *Service) setSkills(se *session, f *matching.Freelancer, r *Request) {
	shows := s.shownBy(f)
	for _, name := range r.RequiredSkills {
		all := s.config.Skills.ResolveAll(name, r.RequiredSkills...)
		for _, resolved := range all {
			skill := Skill{ID: resolved.ID, Name: resolved.Name, Gap: !shows(resolved.ID, resolved.Name)}
			if resolved.Known {
				known, _ := s.config.Skills.Skill(resolved.ID)
				skill.Category = known.Category
			} else {
				skill.ID = ""
				if len(all) == 1 {
					skill.Name = strings.TrimSpace(name)
				}
				se.UnknownSkills = append(se.UnknownSkills, skill.Name)
			}
			se.require(skill)
		}
	}
	if len(se.UnknownSkills) > 0 {
		se.notice(Notice{
			NoticeUnknownSkills, "the taxonomy does not know all required skills; they are asked about by the names that were sent",
		})
	}
	if len(se.Subject.Skills) > 0 {
		return
	}
	for _, subject := range s.config.Skills.Subjects(se.Subject.JobTitle + "\n" + se.Subject.Project) {
		known, ok := s.config.Skills.Skill(subject.ID)
		if !ok || subject.Generic || len(se.Subject.Skills) == maxDerivedSkills {
			continue
		}
		se.require(Skill{ID: known.ID, Name: known.Name, Category: known.Category, Gap: !shows(known.ID, known.Name)})
		se.DerivedSkills = append(se.DerivedSkills, known.Name)
	}
	if len(se.DerivedSkills) > 0 {
		se.notice(Notice{NoticeDerivedSkills, "no required skills were sent; those that title and description name were taken"})
	}
}

// require adds a skill that is not there yet.
func (se *session) require(skill Skill) {
	same := func(other Skill) bool { return other.Name == skill.Name || skill.ID != "" && other.ID == skill.ID }
	if skill.Name != "" && !slices.ContainsFunc(se.Subject.Skills, same) {
		se.Subject.Skills = append(se.Subject.Skills, skill)
	}
}

// shownBy tells of skills, by id and name, whether a profile lists, implies or mentions them. A match is looked for in the same
// places.
func (s *Service) shownBy(f *matching.Freelancer) func(id, name string) bool {
	has := map[string]bool{}
	add := func(id string) {
		has[id] = true
		known, _ := s.config.Skills.Skill(id)
		for _, implied := range known.Implies {
			has[implied] = true
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
	text := " " + taxonomy.Normalize(f.JobTitle+"\n"+f.Description) + " "
	return func(id, name string) bool {
		return has[id] || strings.Contains(text, " "+taxonomy.Normalize(name)+" ")
	}
}

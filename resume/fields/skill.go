package fields

import (
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

const (
	maxSkills  = 200
	maxListed  = 500 // items of lists of skills that are read
	maxContext = 40  // items that help to resolve ambiguous ones
	maxBlanked = 60  // names that are not read as skills
)

// A skillSet collects skills, each with the section where it was found first.
type skillSet struct {
	extractor *Extractor
	seen      set // ids, and the keys of names that the taxonomy lacks
	list      []resume.Skill
}

// add adds a skill by its id, or by its written name if the taxonomy lacks it. Generic skills, whose names are common
// words, count only in lists of skills. Skills that are probably none are left out.
func (s *skillSet) add(id, written, section string, strength float64) {
	confidence := s.extractor.calibration.confidence("skills", strength)
	name, unique := written, key(written)
	if id != "" {
		skill, ok := s.extractor.taxonomy.Skill(id)
		if !ok || skill.Generic && section != "skills" {
			return
		}
		name, unique = skill.Name, id
	}
	if confidence < .5 || s.seen[unique] || len(s.list) >= maxSkills {
		return
	}
	s.seen[unique], s.seen[key(written)] = true, true
	s.list = append(s.list, resume.Skill{
		ID: id, Name: name, Written: written, Section: section, Confidence: confidence,
	})
}

// skills returns the skills that a document lists, as far as they look like skills, and those of the taxonomy that its
// text mentions. The listed ones come first. Names of companies, schools and places, contacts, references and interests
// are not read.
func (e *Extractor) skills(all []*section, r *resume.Resume) []resume.Skill {
	s := &skillSet{extractor: e, seen: make(set)}
	s.readLists(all)
	s.readProse(all, r)
	return withUse(s.list, e.uses(r))
}

// readLists adds the skills in the sections about skills: the items of lists, and what running text in them mentions.
func (s *skillSet) readLists(all []*section) {
	var items []string
	var running strings.Builder
	for _, section := range all {
		if section.is(skills) {
			list, text := s.extractor.listItems(section)
			items = append(items, list...)
			running.WriteString(text)
		}
	}
	items = items[:min(len(items), maxListed)]
	other := items[:min(len(items), maxContext)]
	for _, item := range items {
		s.addItem(item, other)
	}
	s.read(running.String(), "skills")
}

// readProse adds the skills that running text mentions.
func (s *skillSet) readProse(all []*section, r *resume.Resume) {
	var names []string
	for _, p := range r.Experience {
		names = append(names, p.Company, p.Location)
	}
	for _, d := range r.Education {
		names = append(names, d.Institution)
	}
	readAll := func(name string, of func(kind) bool) {
		for _, section := range all {
			if of(section.kind) {
				s.read(blank(section.text(), names), name)
			}
		}
	}
	readAll("experience", func(k kind) bool { return k == experience })
	s.read(r.Summary, "summary")
	s.read(r.JobTitle, "title")
	readAll("education", func(k kind) bool { return k == education })
	readAll("other", func(k kind) bool {
		switch k {
		case head, margin, summary, experience, education, skills, languages, contact, interests, references:
			return false
		default:
			return true
		}
	})
}

// read adds the skills in running text.
func (s *skillSet) read(text, section string) {
	for _, mention := range s.extractor.taxonomy.Extract(text) {
		s.add(mention.ID, text[mention.Start:mention.End], section, 2)
	}
}

// blank replaces names in a text by semicolons.
func blank(text string, names []string) string {
	for _, name := range names[:min(len(names), maxBlanked)] {
		if utf8.RuneCountInString(name) > 2 {
			text = strings.ReplaceAll(text, name, ";")
		}
	}
	return text
}

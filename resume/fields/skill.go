package fields

import (
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

const (
	maxSkills  = 200
	maxListed  = 500 // names in the sections of skills that are resolved
	maxContext = 40  // names that help to resolve ambiguous ones
	maxBlanked = 60  // names that are not read as skills
)

// A skillSet collects skills, each with the section where it was found first.
type skillSet struct {
	extractor *Extractor
	ids       set
	list      []resume.Skill
}

// add adds a skill. Generic skills, whose names are common words, count only in lists of skills.
func (s *skillSet) add(id, section string) {
	if s.ids[id] || len(s.list) >= maxSkills {
		return
	}
	skill, ok := s.extractor.taxonomy.Skill(id)
	if !ok || skill.Generic && section != "skills" {
		return
	}
	s.ids[id] = true
	s.list = append(s.list, resume.Skill{ID: id, Name: skill.Name, Section: section})
}

// read adds the skills in running text.
func (s *skillSet) read(text, section string) {
	for _, mention := range s.extractor.taxonomy.Extract(text) {
		s.add(mention.ID, section)
	}
}

// skills returns the skills of the taxonomy that a document names, the listed ones first. Names of companies, schools
// and places, contacts, references and interests are not read.
func (e *Extractor) skills(all []*section, r *resume.Resume) []resume.Skill {
	s := &skillSet{extractor: e, ids: make(set)}
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
	for _, section := range all {
		if section.is(skills) {
			s.readList(section)
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
	return s.list
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

// readList adds the skills in a list of skills: its items, and what its lines mention as running text.
func (s *skillSet) readList(section *section) {
	var text strings.Builder
	var items []string
	for i, l := range section.lines {
		values := s.extractor.withoutGroup(section, i)
		if strings.TrimSpace(values) == "" {
			continue
		}
		if l.Bullet {
			text.WriteByte('\n')
		}
		text.WriteString(values)
		text.WriteByte('\n')
		for item := range strings.FieldsFuncSeq(values, listSign) {
			item = strings.Trim(item, " .:-–—")
			if item != "" && utf8.RuneCountInString(item) <= 50 && len(items) < maxListed {
				items = append(items, item)
			}
		}
	}
	context := items[:min(len(items), maxContext)]
	for _, item := range items {
		for _, r := range s.extractor.taxonomy.ResolveAll(item, context...) {
			if r.Known {
				s.add(r.ID, "skills")
			}
		}
	}
	s.read(text.String(), "skills")
}

func listSign(r rune) bool { return strings.ContainsRune(",;|\t•·、●▪∙", r) }

// withoutGroup returns line i of a list of skills without the name of a group: "Databases: MySQL, Redis". It returns ""
// for the name of a group alone, whose skills are on the next line.
func (e *Extractor) withoutGroup(s *section, i int) string {
	l := s.lines[i]
	group, values, ok := strings.Cut(l.text, ":")
	if ok && utf8.RuneCountInString(group) <= 40 && !strings.ContainsAny(group, ",;") && !strings.HasPrefix(values, "//") {
		return values
	}
	if len(l.cells) == 2 && !strings.Contains(l.cells[0], ",") && strings.Contains(l.cells[1], ",") {
		return l.cells[1]
	}
	if l.Bullet || strings.ContainsFunc(l.text, listSign) || i+1 >= len(s.lines) {
		return l.text
	}
	next := s.lines[i+1]
	looksOther := next.style() != l.style()
	if i+2 < len(s.lines) && e.words.levels[next.key] && !strings.ContainsFunc(next.text, listSign) {
		next, looksOther = s.lines[i+2], true // a level is between a group and its skills
	}
	if !next.Bullet && strings.Count(next.text, ",") > 1 && next.Size <= l.Size && looksOther {
		return ""
	}
	return l.text
}

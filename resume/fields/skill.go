package fields

import (
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// maxSkills bounds the list of skills, maxListed the names of one section that are resolved.
const (
	maxSkills = 200
	maxListed = 500
)

// skillSet collects skills, each with the section where it was found first.
type skillSet struct {
	extractor *Extractor
	have      set
	list      []resume.Skill
}

func (s *skillSet) add(id, section string) {
	if s.have[id] || len(s.list) >= maxSkills {
		return
	}
	skill, ok := s.extractor.taxonomy.Skill(id)
	if !ok || skill.Generic && section != "skills" {
		return
	}
	s.have[id] = true
	s.list = append(s.list, resume.Skill{ID: id, Name: skill.Name, Section: section})
}

// read adds the skills that running text names.
func (s *skillSet) read(text, section string) {
	for _, mention := range s.extractor.taxonomy.Extract(text) {
		s.add(mention.ID, section)
	}
}

// skills are those of the taxonomy that the document names: lists first. Names of companies, schools and places are not
// read, nor are addresses, references and interests.
func (e *Extractor) skills(all []*section, r *resume.Resume) []resume.Skill {
	s := &skillSet{extractor: e, have: make(set)}
	var names []string
	for _, p := range r.Experience {
		names = append(names, p.Company, p.Location)
	}
	for _, d := range r.Education {
		names = append(names, d.Institution)
	}
	for _, section := range all {
		if section.is(skills) {
			e.listed(s, section)
		}
	}
	groups := []struct {
		name string
		of   func(k kind) bool
	}{
		{"experience", func(k kind) bool { return k == experience }},
		{"education", func(k kind) bool { return k == education }},
		{"other", func(k kind) bool {
			switch k {
			case head, margin, summary, experience, education, skills, languages, contact, interests, references:
				return false
			default:
				return true
			}
		}},
	}
	for _, g := range groups {
		for _, section := range all {
			if g.of(section.kind) {
				s.read(without(section.text(), names), g.name)
			}
		}
		if g.name == "experience" {
			s.read(r.Summary, "summary")
			s.read(r.JobTitle, "title")
		}
	}
	return s.list
}

// text is the text of a section, a line each.
func (s *section) text() string {
	var b strings.Builder
	for _, l := range s.lines {
		if l.Bullet || l.Gap > .5 {
			b.WriteByte('\n') // no name goes across the entries of a list
		}
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// without blanks names out of a text.
func without(text string, names []string) string {
	for _, name := range names[:min(len(names), 60)] {
		if utf8.RuneCountInString(name) > 2 {
			text = strings.ReplaceAll(text, name, ";")
		}
	}
	return text
}

// listed adds the skills of a section that lists them, labels of groups left out.
func (e *Extractor) listed(s *skillSet, section *section) {
	var text strings.Builder
	var items []string
	for i, l := range section.lines {
		values, ok := e.values(section, i)
		if !ok {
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
	short := items[:min(len(items), 40)]
	for _, item := range items {
		for _, r := range e.taxonomy.ResolveAll(item, short...) {
			if r.Known {
				s.add(r.ID, "skills")
			}
		}
	}
	s.read(text.String(), "skills")
}

func listSign(r rune) bool {
	switch r {
	case ',', ';', '|', '\t', '•', '·', '，', '、', '；', '●', '▪', '∙':
		return true
	default:
		return false
	}
}

// values is a line of a list of skills without the label of its group; ok is false where it is only a label.
func (e *Extractor) values(s *section, i int) (string, bool) {
	l := s.lines[i]
	text := l.text
	for _, sign := range []string{":", "："} {
		label, rest, ok := strings.Cut(text, sign)
		if ok && utf8.RuneCountInString(label) <= 40 && !strings.ContainsAny(label, ",;") && !strings.HasPrefix(rest, "//") {
			return rest, strings.TrimSpace(rest) != ""
		}
	}
	if len(l.cells) == 2 && !strings.Contains(l.cells[0], ",") && strings.Contains(l.cells[1], ",") {
		return l.cells[1], true
	}
	if !l.Bullet && !strings.ContainsFunc(text, listSign) && i+1 < len(s.lines) {
		next := s.lines[i+1]
		if !strings.ContainsFunc(next.text, listSign) && e.words.levels[next.key] && i+2 < len(s.lines) {
			next = s.lines[i+2]
		}
		if !next.Bullet && strings.Count(next.text, ",") > 1 && next.Size <= l.Size && (next.style() != l.style() || next != s.lines[i+1]) {
			return "", false
		}
	}
	return text, true
}

package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

const (
	maxSkills  = 200
	maxListed  = 500 // items of lists of skills that are read
	maxContext = 40  // items that help to resolve ambiguous ones
	maxBlanked = 60  // names that are not read as skills
	minSkill   = .5  // confidence in a skill that is returned
)

// A skillReader reads the skills that a document lists and mentions.
type skillReader struct {
	words       *dictionary
	taxonomy    *taxonomy.Taxonomy
	lists       *listReader
	mentions    *mentionReader
	dates       *dates
	calibration calibration
}

func newSkillReader(words *dictionary, d *dates, t *taxonomy.Taxonomy, c calibration) *skillReader {
	return &skillReader{words, t, &listReader{words, d, t}, &mentionReader{words, t}, d, c}
}

// A skillSet collects skills, each with the section where it was found first.
type skillSet struct {
	*skillReader
	seen  set // ids, and the keys of names that the taxonomy lacks
	names set // of the person, and of companies, schools and places, as keys
	list  []resume.Skill
}

// add adds a skill by its id, or by its written name if the taxonomy lacks it. Generic skills, whose names are common
// words, count only in lists of skills. Human languages, and what is probably no skill, are left out: tables fitted
// to what is returned say nothing about negative strengths.
func (s *skillSet) add(id, written, section string, strength float64) {
	confidence := s.calibration.confidence("skills", strength)
	if strength < 0 || confidence < minSkill {
		return
	}
	name := written
	unique := key(written)

	if id != "" {
		skill, ok := s.taxonomy.Skill(id)
		if !ok || skill.Generic && section != "skills" || s.words.spoken[key(skill.Name)] != "" {
			return
		}
		name = skill.Name
		unique = id
	}

	if s.seen[unique] || len(s.list) >= maxSkills {
		return
	}
	s.seen[unique] = true
	s.seen[key(written)] = true
	s.list = append(s.list, resume.Skill{
		ID: id, Name: name, Written: written, Section: section, Confidence: confidence,
	})
}

// skills returns the skills that a document lists, as far as they look like skills, and those of the taxonomy that its
// text mentions. The listed ones come first. Names of companies, schools and places, contacts, references and interests
// are not read.
func (r *skillReader) skills(all []*section, found *resume.Resume) []resume.Skill {
	s := &skillSet{skillReader: r, seen: make(set), names: make(set)}
	for _, name := range names(found) {
		s.names[key(name)] = true
	}
	s.readLists(all)
	s.readProse(all, found)
	return withUse(s.list, r.uses(found))
}

// readLists adds the skills in the sections about skills: the items of lists, and what running text in them mentions.
func (s *skillSet) readLists(all []*section) {
	var items []string
	var running strings.Builder
	longest := widths(all)
	unlabeled := []kind{ // sections whose labels announce no skills of the person, or are read as running text
		experience, education, languages, certifications, contact, interests, references, "publications",
	}
	for _, section := range all {
		if !section.is(skills) {
			if slices.Contains(unlabeled, section.kind) {
				continue
			}
			section = s.lists.labeledLists(section)
		}

		list, text := s.lists.listItems(section, longest)
		items = append(items, list...)
		running.WriteString(text)
	}

	items = items[:min(len(items), maxListed)]
	other := items[:min(len(items), maxContext)]
	for _, item := range items {
		s.addItem(item, other)
	}

	s.readTexts([]proseText{{section: "skills", text: running.String()}})
}

// readProse adds the skills that running text mentions.
func (s *skillSet) readProse(all []*section, r *resume.Resume) {
	names := names(r)
	var texts []proseText
	add := func(section, text string) {
		if text != "" {
			texts = append(texts, proseText{section: section, text: text, title: section == "title"})
		}
	}

	var titles []string
	for _, p := range r.Experience {
		titles = append(titles, p.Title)
	}
	texts = append(texts, proseText{section: "experience", text: strings.Join(titles, "\n\n"), title: true})
	addAll := func(name string, of func(kind) bool) {
		for _, section := range all {
			if of(section.kind) {
				add(name, blank(section.text(), names))
			}
		}
	}

	addAll("experience", func(k kind) bool { return k == experience })
	add("summary", r.Summary)
	add("title", r.JobTitle)
	addAll("education", func(k kind) bool { return k == education })

	for _, c := range r.Certifications {
		names = append(names, c.Issuer)
	}

	addAll("other", func(k kind) bool {
		switch k {
		case head, margin, summary, experience, education, skills, languages, contact, interests, references:
			return false
		default:
			return true
		}
	})

	s.readTexts(texts)
}

// A proseText is running text of a section.
type proseText struct {
	section, text string
	title         bool // it consists of titles of the person
	mentions      []taxonomy.Mention
}

// certainMention is the evidence from which a mention supports related ones, in log odds.
const certainMention = 1.5

// readTexts adds the skills that running texts mention. The listed skills and the certain mentions support the others.
func (s *skillSet) readTexts(texts []proseText) {
	certain := make(set)
	for i := range s.list {
		certain[s.list[i].ID] = true
	}

	for i := range texts {
		t := &texts[i]
		t.mentions = s.taxonomy.Extract(t.text)
		for _, m := range t.mentions {
			if len(certain) < maxSkills && !certain[m.ID] && s.mentions.evidence(t, m, false) >= certainMention {
				certain[m.ID] = true
			}
		}
	}

	supported := make(map[string]bool)
	for _, t := range texts {
		for _, m := range t.mentions {
			if s.seen[m.ID] {
				continue
			}

			if _, ok := supported[m.ID]; !ok {
				supported[m.ID] = s.mentions.related(m.ID, certain)
			}
			s.add(m.ID, t.text[m.Start:m.End], t.section, s.mentions.evidence(&t, m, supported[m.ID]))
		}
	}
}

// names returns the names of companies, schools and places in a resume.
func names(r *resume.Resume) (all []string) {
	for _, p := range r.Experience {
		all = append(all, p.Company, p.Location)
	}
	for _, d := range r.Education {
		all = append(all, d.Institution)
	}
	return all
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

package skills

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	maxSkills  = 200
	maxListed  = 500 // items of lists of skills that are read
	maxContext = 40  // items that help to resolve ambiguous ones
	maxBlanked = 60  // names that are not read as skills
	minSkill   = .5  // confidence in a skill that is returned
)

// A Reader reads the skills that a document lists and mentions.
type Reader struct {
	words       *lexicon.Lexicon
	taxonomy    *taxonomy.Taxonomy
	lists       *listReader
	mentions    *mentionReader
	dates       *dates.Finder
	calibration odds.Calibration
}

// NewReader returns a reader whose confidences c calibrates.
func NewReader(words *lexicon.Lexicon, d *dates.Finder, t *taxonomy.Taxonomy, c odds.Calibration) *Reader {
	return &Reader{words, t, &listReader{words, d, t}, &mentionReader{words, t}, d, c}
}

// A skillSet collects skills, each with the section where it was found first.
type skillSet struct {
	*Reader
	seen  lexicon.Set // ids, and the keys of names that the taxonomy lacks
	names lexicon.Set // of the person, and of companies, schools and places, as keys
	list  []resume.Skill
}

// add adds a skill by its id, or by its written name if the taxonomy lacks it. Generic skills, whose names are common
// words, count only in lists of skills. Human languages, and what is probably no skill, are left out: tables fitted
// to what is returned say nothing about negative strengths.
func (s *skillSet) add(id, written, section string, strength float64) {
	confidence := s.calibration.Confidence("skills", strength)
	if strength < 0 || confidence < minSkill {
		return
	}
	name := written
	unique := wording.Key(written)

	if id != "" {
		skill, ok := s.taxonomy.Skill(id)
		if !ok {
			return
		}

		ordinaryWord := skill.Generic && section != "skills"
		if ordinaryWord || s.words.Spoken[wording.Key(skill.Name)] != "" {
			return
		}
		name = skill.Name
		unique = id
	}

	if s.seen[unique] || len(s.list) >= maxSkills {
		return
	}
	s.seen[unique] = true
	s.seen[wording.Key(written)] = true
	s.list = append(s.list, resume.Skill{
		ID: id, Name: name, Written: written, Section: section, Confidence: confidence,
	})
}

// Read returns the skills that a document lists, as far as they look like skills, and those of the taxonomy that its
// text mentions. The listed ones come first. Names of companies, schools and places, contacts, references and interests
// are not read.
func (r *Reader) Read(all []*sections.Section, found *resume.Resume) []resume.Skill {
	s := &skillSet{Reader: r, seen: make(lexicon.Set), names: make(lexicon.Set)}
	for _, name := range names(found) {
		s.names[wording.Key(name)] = true
	}
	s.readLists(all)
	s.readProse(all, found)
	return withUse(s.list, r.uses(found))
}

// withoutSkillLabels lists the sections whose labels announce no skills of the person, or are read as running text.
var withoutSkillLabels = []lexicon.Kind{
	lexicon.Experience, lexicon.Education, lexicon.Languages, lexicon.Certifications, lexicon.Contact, lexicon.Interests,
	lexicon.References, lexicon.Publications,
}

// readElsewhere lists the sections that are not read as other running text: they are read by name, or not at all.
var readElsewhere = []lexicon.Kind{
	lexicon.Head, lexicon.Margin, lexicon.Summary, lexicon.Experience, lexicon.Education, lexicon.Skills,
	lexicon.Languages, lexicon.Contact, lexicon.Interests, lexicon.References,
}

// readLists adds the skills in the sections about skills: the items of lists, and what running text in them mentions.
func (s *skillSet) readLists(all []*sections.Section) {
	var items []string
	var running strings.Builder
	longest := widths(all)
	for _, section := range all {
		if !section.Is(lexicon.Skills) {
			if slices.Contains(withoutSkillLabels, section.Kind) {
				continue
			}
			section = s.lists.labeledLists(section)
		}

		list, text := s.lists.listItems(section, longest)
		items = append(items, list...)
		running.WriteString(text)
	}

	// The first items of all lists, not only of its own, decide what an ambiguous name means.
	items = items[:min(len(items), maxListed)]
	other := items[:min(len(items), maxContext)]
	for _, item := range items {
		s.addItem(item, other)
	}

	s.readTexts([]proseText{{section: "skills", text: running.String()}})
}

// readProse adds the skills that running text mentions.
func (s *skillSet) readProse(all []*sections.Section, r *resume.Resume) {
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
	addAll := func(name string, of func(lexicon.Kind) bool) {
		for _, section := range all {
			if of(section.Kind) {
				add(name, blank(section.Text(), names))
			}
		}
	}

	addAll("experience", func(k lexicon.Kind) bool { return k == lexicon.Experience })
	add("summary", r.Summary)
	add("title", r.JobTitle)
	addAll("education", func(k lexicon.Kind) bool { return k == lexicon.Education })

	// Issuers are blanked only where certifications are. In a position, "Oracle" may well mean the skill.
	for _, c := range r.Certifications {
		names = append(names, c.Issuer)
	}

	addAll("other", func(k lexicon.Kind) bool { return !slices.Contains(readElsewhere, k) })

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
	certain := make(lexicon.Set)
	for i := range s.list {
		certain[s.list[i].ID] = true
	}

	for i := range texts {
		t := &texts[i]
		t.mentions = s.taxonomy.Extract(t.text)
		for _, m := range t.mentions {
			if certain[m.ID] || len(certain) >= maxSkills {
				continue
			}

			if s.mentions.evidence(t, m, false) >= certainMention {
				certain[m.ID] = true
			}
		}
	}

	// Support is computed once for each skill, because long texts repeat names.
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

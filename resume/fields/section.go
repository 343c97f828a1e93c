package fields

import (
	"slices"
	"strings"

	"freelancer-matching/resume"
)

// A kind is the subject of a section. The data files use the same names: "heading summary".
type kind string

const (
	head           kind = "head"   // the lines before the first heading
	margin         kind = "margin" // the headers and footers of pages
	summary        kind = "summary"
	experience     kind = "experience"
	education      kind = "education"
	skills         kind = "skills"
	languages      kind = "languages"
	certifications kind = "certifications"
	interests      kind = "interests"
	references     kind = "references"
	contact        kind = "contact"
	other          kind = "other"
	title          kind = "title" // the name of the whole document, such as "Curriculum vitae"
)

// kinds lists the kinds that have headings. If several kinds share a heading, it belongs to the first.
var kinds = []kind{
	summary, experience, education, skills, languages, certifications, "projects", "awards", "publications", "volunteer",
	interests, references, contact, "courses", other, title,
}

// A section is a heading with the lines below it.
type section struct {
	kind    kind
	also    kind   // the second kind of a heading that names two: "Certifications & Skills"
	heading string // as a key
	beside  bool   // the heading is in the margin, beside the lines
	lines   []*line
}

// is reports whether k is one of the kinds of a section.
func (s *section) is(k kind) bool { return s.kind == k || s.also == k }

// text returns the text of a section, with an empty line before each list item and each paragraph, so that no skill is
// recognized across them.
func (s *section) text() string {
	var b strings.Builder
	for _, l := range s.lines {
		if l.Bullet || l.Gap > .5 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// sections divides a page into its sections and counts the headings it recognized. A section in one part of a page,
// such as the sidebar, continues in the same part of the next page.
func (d *dictionary) sections(p *page) (all []*section, recognized int) {
	headings := d.findHeadings(p)
	current := make(map[resume.Part]*section)
	for i := range p.lines {
		l := &p.lines[i]
		part := l.Part
		if part == resume.Footer {
			part = resume.Header
		}
		h, isHeading := headings[i]
		s := current[part]
		switch {
		case isHeading && h.kind == title:
			continue
		case isHeading && part != resume.Header:
			if s == nil || !d.continueHeading(s, h, l) {
				s = &section{kind: h.kind, also: h.also, heading: h.key}
				if h.kind != other {
					recognized++
				}
			}
			if h.rest != "" {
				rest := *l
				rest.text, rest.cells, rest.key = h.rest, strings.Split(h.rest, "\t"), key(h.rest)
				s.lines, s.beside = append(s.lines, &rest), true
			}
		case s == nil:
			s = &section{kind: head, lines: []*line{l}}
			if part == resume.Header {
				s.kind = margin
			}
		default:
			s.lines = append(s.lines, l)
		}
		if s != current[part] {
			all = append(all, s)
			current[part] = s
		}
	}
	d.settleLanguages(all)
	return all, recognized
}

// continueHeading extends the heading of a section by the heading on the next line if both are one broken heading:
// "EXPÉRIENCE" and "PROFESSIONNELLE". It reports whether it did. In the margin, the first line of the section is beside
// the first part of the heading.
func (d *dictionary) continueHeading(s *section, h heading, l *line) bool {
	joined := s.heading + " " + h.key
	known := d.headings[joined]
	inMargin := h.rest != "" && s.beside && len(s.lines) == 1 && s.lines[0].index == l.index-1
	if known == "" || len(s.lines) > 0 && !inMargin {
		return false
	}
	s.kind, s.heading = known, joined
	return true
}

// settleLanguages turns a section called "Languages" into one about skills if its first lines name no human language.
// It lists programming languages then.
func (d *dictionary) settleLanguages(all []*section) {
	for _, s := range all {
		if s.kind != languages || len(s.lines) == 0 {
			continue
		}
		namesLanguage := func(l *line) bool { return len(d.spokenIn(l.text)) > 0 }
		if !slices.ContainsFunc(s.lines[:min(len(s.lines), 20)], namesLanguage) {
			s.kind = skills
		}
	}
}

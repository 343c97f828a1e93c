package fields

import (
	"slices"
	"strings"

	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
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
	projects       kind = "projects"
	publications   kind = "publications"
	volunteer      kind = "volunteer"
	courses        kind = "courses"
	interests      kind = "interests"
	references     kind = "references"
	contact        kind = "contact"
	other          kind = "other"
	title          kind = "title" // the name of the whole document, such as "Curriculum vitae"
)

// kinds lists the kinds that have headings. If several kinds share a heading, it belongs to the first.
var kinds = []kind{
	summary, experience, education, skills, languages, certifications, projects, "awards", publications, volunteer,
	interests, references, contact, courses, other, title,
}

// A section is a heading with the lines below it.
type section struct {
	kind    kind
	also    kind   // the second kind of a heading that names two: "Certifications & Skills"
	heading string // as a key
	guessed bool   // only a part of the heading is in the dictionary
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

// A sectionReader divides a page into its sections.
type sectionReader struct {
	words    *dictionary
	dates    *dates
	titles   *titles
	taxonomy *taxonomy.Taxonomy
}

func newSectionReader(words *dictionary, d *dates, j *titles, t *taxonomy.Taxonomy) *sectionReader {
	return &sectionReader{words, d, j, t}
}

// sections divides a page into its sections and counts the headings whose kind is known. A section in one part of a
// page, such as the sidebar, continues in the same part of the next page.
func (r *sectionReader) sections(p *page) (all []*section, recognized int) {
	headings := r.findHeadings(p)
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
			if !h.continued || s == nil {
				s = &section{kind: h.kind, also: h.also, heading: h.key, guessed: h.guessed}
			}
			if h.rest != "" {
				s.lines = append(s.lines, l.withText(h.rest))
				s.beside = true
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

	for _, s := range all {
		r.settle(s)
		if s.kind != head && s.kind != margin && s.kind != other {
			recognized++
		}
	}

	return r.withoutHeadings(all), recognized
}

// withText returns a copy of a line with another text.
func (l *line) withText(text string) *line {
	changed := *l
	changed.text, changed.cells, changed.key = text, strings.Split(text, "\t"), key(text)
	return &changed
}

// settle decides the kind of a section by its content if its heading leaves that open.
func (r *sectionReader) settle(s *section) {
	switch {
	case s.kind == head, s.kind == margin, len(s.lines) == 0 && s.kind != "":
	case s.kind == education && s.also == skills && !r.listsSkills(s):
		s.also = "" // "Education and qualifications"
	case r.words.openHeadings[s.heading] && r.listsDegrees(s):
		s.kind = education // "Qualifications"
	case s.kind == languages && !r.namesLanguage(s):
		s.kind = skills // programming languages
	case s.kind == "", s.guessed:
		s.kind = r.contentKind(s.lines, s.kind)
	}
}

// listsSkills reports whether most items of a section are skills.
func (r *sectionReader) listsSkills(s *section) bool {
	c := r.contentOf(s.lines)
	return c.skills > 2 && 3*c.skills > c.items
}

// listsDegrees reports whether a section has degrees of schools with dates, and no list of skills.
func (r *sectionReader) listsDegrees(s *section) bool {
	c := r.contentOf(s.lines)
	return c.degrees > 0 && c.schools > 0 && c.dates > 0 && c.degrees+c.schools > c.titles &&
		c.certificates <= c.degrees && 3*c.skills <= c.items
}

// namesLanguage reports whether the first lines of a section name a human language.
func (r *sectionReader) namesLanguage(s *section) bool {
	return slices.ContainsFunc(s.lines[:min(len(s.lines), 20)], func(l *line) bool {
		return len(r.words.spokenIn(l.text)) > 0
	})
}

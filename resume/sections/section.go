package sections

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

// A Section is a heading with the lines below it.
type Section struct {
	Kind    lexicon.Kind
	Also    lexicon.Kind // the second kind of a heading that names two: "Certifications & Skills"
	Heading string       // as a key
	guessed bool         // only a part of the heading is in the dictionary
	beside  bool         // the heading is in the margin, beside the lines
	line    *page.Line   // with the heading, nil without one
	Lines   []*page.Line
}

// Is reports whether k is one of the kinds of a section.
func (s *Section) Is(k lexicon.Kind) bool { return s.Kind == k || s.Also == k }

// Text returns the text of a section, with an empty line before each list item and each paragraph, so that no skill is
// recognized across them.
func (s *Section) Text() string {
	var b strings.Builder
	for _, l := range s.Lines {
		if l.Bullet || l.Gap > .5 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// A Reader divides a page into its sections.
type Reader struct {
	words    *lexicon.Lexicon
	dates    *dates.Finder
	titles   *lexicon.Titles
	taxonomy *taxonomy.Taxonomy
}

// NewReader returns a reader. j rates the texts that may be job titles.
func NewReader(words *lexicon.Lexicon, d *dates.Finder, j *lexicon.Titles, t *taxonomy.Taxonomy) *Reader {
	return &Reader{words, d, j, t}
}

// Read divides a page into its sections and counts the headings whose kind is known. A section in one part of a
// page, such as the sidebar, continues in the same part of the next page.
func (r *Reader) Read(p *page.Page) (all []*Section, recognized int) {
	headings := r.findHeadings(p)
	current := make(map[resume.Part]*Section)
	for i := range p.Lines {
		l := &p.Lines[i]

		// Footers repeat what headers have.
		part := l.Part
		if part == resume.Footer {
			part = resume.Header
		}

		h, isHeading := headings[i]
		s := current[part]
		switch {
		case isHeading && h.Kind == lexicon.Title:
			continue
		case isHeading && part != resume.Header:
			if !h.continued || s == nil {
				s = &Section{Kind: h.Kind, Also: h.Also, Heading: h.Key, guessed: h.guessed, line: l}
			}
			if h.rest != "" {
				s.Lines = append(s.Lines, l.WithText(h.rest))
				s.beside = true
			}

		case s == nil:
			s = &Section{Kind: lexicon.Head, Lines: []*page.Line{l}}
			if part == resume.Header {
				s.Kind = lexicon.Margin
			}

		default:
			s.Lines = append(s.Lines, l)
		}

		if s != current[part] {
			all = append(all, s)
			current[part] = s
		}
	}

	all = r.joinSubheadings(all)

	// A kind can be decided only when all lines of the section are known.
	for _, s := range all {
		r.decideKind(s)
		hasHeading := s.Kind != lexicon.Head && s.Kind != lexicon.Margin
		if hasHeading && s.Kind != lexicon.Other {
			recognized++
		}
	}

	return r.withoutHeadings(all), recognized
}

// decideKind decides the kind of a section by its content if its heading leaves that open.
func (r *Reader) decideKind(s *Section) {
	switch {
	case s.Kind == lexicon.Head, s.Kind == lexicon.Margin, len(s.Lines) == 0 && s.Kind != "":
	case s.Kind == lexicon.Education && s.Also == lexicon.Skills && !r.listsSkills(s):
		s.Also = "" // "Education and qualifications"
	case r.words.OpenHeadings[s.Heading] && r.listsDegrees(s):
		s.Kind = lexicon.Education // "Qualifications"
	case s.Kind == lexicon.Languages && !r.namesLanguage(s):
		s.Kind = lexicon.Skills // programming languages
	case s.Kind == "", s.guessed:
		s.Kind = r.contentKind(s.Lines, s.Kind)
	}
}

// listsSkills reports whether most items of a section are skills.
func (r *Reader) listsSkills(s *Section) bool {
	c := r.ContentOf(s.Lines)
	return c.Skills > 2 && 3*c.Skills > c.Items
}

// listsDegrees reports whether a section has degrees of schools with dates, and no list of skills.
func (r *Reader) listsDegrees(s *Section) bool {
	c := r.ContentOf(s.Lines)
	return c.Degrees > 0 && c.Schools > 0 && c.Dates > 0 && c.Degrees+c.Schools > c.titles &&
		c.certificates <= c.Degrees && 3*c.Skills <= c.Items
}

// namesLanguage reports whether the first lines of a section name a human language.
func (r *Reader) namesLanguage(s *Section) bool {
	return slices.ContainsFunc(s.Lines[:min(len(s.Lines), 20)], func(l *page.Line) bool {
		return len(r.words.SpokenIn(l.Text)) > 0
	})
}

// LabeledText returns the text after a label that is a heading, and the kind of that heading: "Skills: Go, SQL".
func (r *Reader) LabeledText(l *page.Line) (text string, k lexicon.Kind) {
	label, rest, ok := strings.Cut(l.Text, ":")
	if !ok || len(label) > wording.MaxHeading {
		return l.Text, ""
	}
	if h, w := r.words.LookUpHeading(label); w > lexicon.PartWords {
		return strings.TrimSpace(rest), h.Kind
	}
	return l.Text, ""
}

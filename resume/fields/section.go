package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// kind is what a section is about, in the words of data/headings.txt.
type kind string

const (
	head           kind = "head" // what stands before the first heading
	margin         kind = "margin"
	summary        kind = "summary"
	experience     kind = "experience"
	education      kind = "education"
	skills         kind = "skills"
	languages      kind = "languages"
	certifications kind = "certifications"
	contact        kind = "contact"
	interests      kind = "interests"
	references     kind = "references"
	other          kind = "other"
	title          kind = "title" // what a document calls itself
)

// section is a heading and what stands below it.
type section struct {
	kind    kind
	also    kind   // a second kind, of a merged heading: "Certifications & Skills"
	heading string // as a key
	beside  bool   // the heading stands in the margin
	lines   []*line
}

// is reports whether a section is of a kind.
func (s *section) is(k kind) bool { return s.kind == k || s.also == k }

// sections divides a page into its sections and counts the headings it recognized. A section in one part of a page, such
// as the sidebar, continues in the same part of the next page.
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
			s = &section{kind: head}
			if part == resume.Header {
				s.kind = margin
			}
			s.lines = append(s.lines, l)
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

// continueHeading extends the heading of a section with the heading in the next line, where both are one heading that was
// broken: "EXPÉRIENCE" and "PROFESSIONNELLE". It reports whether it did. In the margin, the first line of the section
// stands beside the first part of the heading.
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

// settleLanguages takes a section called "Languages" in which none is named for one of programming languages.
func (d *dictionary) settleLanguages(all []*section) {
	for _, s := range all {
		if s.kind != languages || len(s.lines) == 0 {
			continue
		}
		named := false
		for _, l := range s.lines[:min(len(s.lines), 20)] {
			named = named || len(d.spokenIn(l.text)) > 0
		}
		if !named {
			s.kind = skills
		}
	}
}

// heading is what a line is read as.
type heading struct {
	kind, also kind
	key        string
	rest       string // of the line, behind the heading
	sure       bool   // by the dictionary alone
}

// findHeadings are the headings of a page by the index of their lines. Lines that look like those that the dictionary
// knows are headings of other sections, where few other lines look so.
func (d *dictionary) findHeadings(p *page) map[int]heading {
	found := make(map[int]heading)
	looks := make(map[style]int)
	levels := make(map[int]int)
	for i := range p.lines {
		l := &p.lines[i]
		h, ok := d.heading(p, l)
		if !ok {
			continue
		}
		found[i] = h
		if h.sure && h.rest == "" && h.kind != title {
			looks[l.style()]++
			if l.Heading > 0 {
				levels[l.Heading]++
			}
		}
	}
	if len(looks) == 0 {
		return found
	}
	alike := make(map[style]int)
	for i := range p.lines {
		alike[p.lines[i].style()]++
	}
	first := len(p.lines)
	for i := range found {
		first = min(first, i)
	}
	for i := range p.lines {
		l := &p.lines[i]
		if _, ok := found[i]; ok || i < first || !d.headingShape(l) || l.Part == resume.Header || l.Part == resume.Footer {
			continue
		}
		n := looks[l.style()]
		byStyle := n >= 2 && p.distinct(l) && 2*n >= alike[l.style()]-n && (l.Size > 0 && !p.flat)
		if byStyle || l.Heading > 0 && levels[l.Heading] >= 2 {
			found[i] = heading{kind: d.guess(l.key), key: l.key}
		}
	}
	return found
}

// headingShape reports whether a line is short enough, and has no more parts than a heading.
func (d *dictionary) headingShape(l *line) bool {
	if l.Bullet || len(l.cells) != 1 || l.key == "" || utf8.RuneCountInString(l.text) > maxHeading {
		return false
	}
	return strings.Count(l.key, " ") < 6 && !strings.ContainsAny(l.text, "@|0123456789") && !strings.HasSuffix(l.text, ".") &&
		!strings.Contains(l.text, ", ")
}

// heading reads a line as a heading by the dictionary.
func (d *dictionary) heading(p *page, l *line) (heading, bool) {
	if l.Bullet || len(l.cells) == 0 || l.key == "" {
		return heading{}, false
	}
	text := l.cells[0]
	if len(l.cells) == 1 && utf8.RuneCountInString(text) > maxHeading || utf8.RuneCountInString(text) > maxHeading {
		return heading{}, false
	}
	k := key(withoutBrackets(text))
	if d.headings[k] == title || k == "resume" && l.index < 3 {
		return heading{kind: title}, true
	}
	distinct := p.flat || p.distinct(l) || l.Gap > .3 || l.style().size != p.body.size
	if len(l.cells) > 1 {
		// A heading beside its section: the columns of a table, a margin of headings.
		if sure := d.exact(k); sure != "" && (l.caps || capitals(text) || !p.flat && p.distinct(l)) && d.besides(sure, l.cells[1]) {
			return heading{kind: sure, key: k, rest: strings.Join(l.cells[1:], "\t"), sure: true}, true
		}
		return heading{}, false
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, ",") {
		return heading{}, false
	}
	first, _ := utf8.DecodeRuneInString(text)
	if exact := d.exact(k); exact != "" && (distinct || !d.weak[k] && !unicode.IsLower(first)) {
		return heading{kind: exact, key: k, sure: true}, true
	}
	if strings.ContainsAny(text, "0123456789@") || !distinct || strings.Count(k, " ") > 6 {
		return heading{}, false
	}
	kinds := d.merged(withoutBrackets(text))
	if len(kinds) == 0 {
		return heading{}, false
	}
	h := heading{kind: kinds[0], key: k}
	if len(kinds) > 1 && kinds[1] != kinds[0] {
		h.also = kinds[1]
	}
	return h, true
}

// exact is the kind of a heading, also of one whose spaces were lost.
func (d *dictionary) exact(k string) kind {
	if known := d.headings[k]; known != "" || len(k) < 8 || wide(k) {
		return known
	}
	return d.compact[strings.ReplaceAll(k, " ", "")]
}

// besides reports whether the cell behind a heading may be what it is the heading of.
func (d *dictionary) besides(k kind, cell string) bool {
	return k != other && (k != languages || len(d.spokenIn(cell)) > 0)
}

// merged are the kinds of a heading with several parts, each known after modifiers are taken off: "Skills & Tools",
// "Ausbildung und Sprachen". It is none where any part is unknown and no heading.
func (d *dictionary) merged(text string) []kind {
	var kinds []kind
	for _, part := range splitJoined(text) {
		k := d.unmodified(key(part))
		switch known := d.headings[k]; {
		case known != "" && known != title:
			kinds = append(kinds, known)
		case k == "" || d.modifiers[k]:
		default:
			return nil
		}
	}
	return kinds
}

// splitJoined divides at the signs and words that join two headings.
func splitJoined(text string) []string {
	parts := strings.FieldsFunc(text, func(r rune) bool {
		return r == '&' || r == '/' || r == '+' || r == ',' || r == '、' || r == '|' || r == '·'
	})
	var all []string
	for _, part := range parts {
		start := 0
		words := strings.Fields(part)
		for i, word := range words {
			switch strings.ToLower(word) {
			case "and", "und", "et", "y", "e", "en":
				all = append(all, strings.Join(words[start:i], " "))
				start = i + 1
			}
		}
		all = append(all, strings.Join(words[start:], " "))
	}
	return all
}

// unmodified takes modifiers off both ends of a key until a heading is left.
func (d *dictionary) unmodified(k string) string {
	for range 3 {
		if d.headings[k] != "" {
			return k
		}
		first, rest, ok := strings.Cut(k, " ")
		if !ok {
			return k
		}
		if d.modifiers[first] {
			k = rest
			continue
		}
		last := strings.LastIndexByte(k, ' ')
		if !d.modifiers[k[last+1:]] {
			return k
		}
		k = k[:last]
	}
	return k
}

// guess is the kind of a heading that is not in the dictionary, by its last or first word.
func (d *dictionary) guess(k string) kind {
	words := strings.Fields(k)
	if len(words) < 2 {
		return other
	}
	for _, word := range []string{words[len(words)-1], words[0]} {
		switch known := d.headings[word]; known {
		case "", title, other, contact, summary:
		default:
			return known
		}
	}
	return other
}

// withoutBrackets is text without what stands in brackets.
func withoutBrackets(text string) string {
	open := strings.IndexAny(text, "(（[")
	if open < 0 {
		return strings.TrimRight(text, ":： ")
	}
	end := strings.IndexAny(text[open:], ")）]")
	if end < 0 {
		return text
	}
	_, size := utf8.DecodeRuneInString(text[open+end:])
	return strings.TrimSpace(text[:open] + text[open+end+size:])
}

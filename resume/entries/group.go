package entries

import (
	"strings"

	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// A relation is what the layout says about an entry and the ones before it: an employer with dates of its own stands
// above its positions, or a school above its degrees.
type relation uint8

const (
	unrelated relation = iota
	heads              // an employer or a school whose positions or degrees follow
	within             // a position or a degree that is within the time of the employer or the school above
	belongs            // one that has the employer or the school of the entry before, by its looks
)

// score returns what a relation says about the role of a piece, in log odds: the line of an employer has no title, and
// its positions don't repeat it.
func (x relation) score(r role) float64 {
	switch {
	case x == heads && r == lead:
		return -3
	case x == heads && r == host:
		return 1
	case x == within && r == host:
		return -4
	case x == belongs && r == host:
		return -2.5 // its looks may also be chance
	default:
		return 0
	}
}

// sharesHost reports whether an entry has the employer or the school of the one before.
func (x relation) sharesHost() bool { return x == within || x == belongs }

// missing returns how much less it costs that no piece has a role.
func (x relation) missing(r role) float64 {
	if x == heads && r == lead || x.sharesHost() && r == host {
		return 1
	}
	return 0
}

// A layout is what the lines around the entries of a section say about their headers.
type layout struct {
	related []relation // by entry
	tops    []int      // the line with which the header of an entry starts at the earliest
	schools []int      // the line that has the school by its looks, -1 if none
}

// layout returns how the entries of a section are related.
func (e *EntryReader) layout(p *page.Page, s *sections.Section, anchors []anchor, g *grammar) layout {
	n := len(anchors)
	all := layout{make([]relation, n), make([]int, n), make([]int, n)}
	e.datedGroups(s, anchors, all.related, g)
	e.siblings(p, s, anchors, &all, g)

	for k, a := range anchors {
		all.schools[k] = -1
		if g == &degreeGrammar && e.schoolAbove(s, a) {
			all.schools[k], all.tops[k] = a.line-1, a.line-1
		}
	}

	return all
}

// schoolAbove reports whether the line above a degree and its date is more prominent, and names no degree.
func (e *EntryReader) schoolAbove(s *sections.Section, a anchor) bool {
	if a.line == 0 || !e.words.StartsWithDegree(e.rest(s.Lines[a.line], a)) {
		return false
	}

	l := s.Lines[a.line]
	above := s.Lines[a.line-1]
	prominent := above.Style().Prominence() > l.Style().Prominence()
	return prominent && page.HeaderShape(above) && e.words.DegreeEnd(above.Text) == 0 && len(e.dates.Find(above.Text)) == 0
}

// datedGroups finds lines with an employer and the whole time there, each right above a line with a position and its
// own time. The positions below belong to the employer while they are within its time and look like the first one.
func (e *EntryReader) datedGroups(s *sections.Section, anchors []anchor, all []relation, g *grammar) {
	for k := 0; k+1 < len(anchors); k++ {
		head := anchors[k]
		first := anchors[k+1]
		line, next := s.Lines[head.line], s.Lines[first.line]
		isAbove := first.line == head.line+1 && !line.Bullet && head.span.Covers(first.span)
		if !isAbove || e.rest(line, head) == "" || e.rest(next, first) == "" {
			continue
		}

		// Lines that look alike may also be two positions at the same time.
		if line.Style() == next.Style() && !e.namesHostOnly(line, head) {
			continue
		}

		all[k] = heads
		for k+1 < len(anchors) {
			member := anchors[k+1]
			l := s.Lines[member.line]
			alike := l.Style() == next.Style() && l.Bullet == next.Bullet
			if !alike || !head.span.Covers(member.span) || !e.mayLackHost(e.rest(l, member), g) {
				break
			}
			k++
			all[k] = within
		}
	}
}

// namesHostOnly reports whether a line with a date names an organization and no job title.
func (e *EntryReader) namesHostOnly(l *page.Line, a anchor) bool {
	const organization signSet = 1<<legalForm | 1<<organizationLast | 1<<organizationWord | 1<<schoolWord
	const title signSet = 1<<titleOutside | 1<<titleInside | 1<<knownTitle | 1<<degreeFirst
	signs := e.headers.signs(e.rest(l, a))
	first, _, _ := strings.Cut(e.rest(l, a), ",")
	signs |= e.headers.signs(first)
	return signs&organization != 0 && signs&title == 0
}

// rest returns the text beside the date of an entry.
func (e *EntryReader) rest(l *page.Line, a anchor) string {
	return strings.Trim(e.dates.Without(l.Text, a.span), " \t,;|·•–—-")
}

// mayLackHost reports whether a text may be a title or a degree without its employer or school: no separator divides
// it, or only a degree from its field.
func (e *EntryReader) mayLackHost(text string, g *grammar) bool {
	if g == &degreeGrammar && e.words.StartsWithDegree(text) {
		return !e.words.Schools.Any(wording.Key(text))
	}
	return len(e.headers.pieces(nil, 0, text)) == 1
}

// siblings finds entries whose header is one line, where the same line of other entries has a more prominent one above:
// the employer, which isn't repeated.
func (e *EntryReader) siblings(p *page.Page, s *sections.Section, anchors []anchor, all *layout, g *grammar) {
	headed := make(map[page.Style]bool) // by the style of the line with the title
	tops := make([]int, len(anchors))
	found := false
	for k, a := range anchors {
		title, above, ok := e.titleLine(p, s, a, g)
		if !ok || all.related[k] == heads {
			continue
		}

		style := s.Lines[title].Style()
		isHeaded := above >= 0 && s.Lines[above].Style().Prominence() > style.Prominence() && page.HeaderShape(s.Lines[above])
		datedAbove := k > 0 && anchors[k-1].line == title-1
		switch {
		case isHeaded:
			headed[style] = true
			tops[k] = above
		case headed[style] && (datedAbove || endsText(s, title)):
			all.related[k] = belongs
			found = true
		}
	}

	// Only a section with such entries shows that the prominent line is the first one of a header.
	if found {
		all.tops = tops
	}
}

// endsText reports whether line i of a section is set apart from the text of the entry above it.
func endsText(s *sections.Section, i int) bool {
	const apart = .1
	if i == 0 {
		return false
	}
	before := s.Lines[i-1]
	isText := before.Bullet || wording.Sentence(before.Text) || strings.HasSuffix(before.Text, ".")
	return isText || s.Lines[i].Gap > before.Gap+apart
}

// titleLine returns the index of the only line of a header with a title, and of the line above it, -1 without one: the
// line with the date, or the prominent line above a date that is alone. ok is false if a separator divides the line,
// because it may have the employer.
func (e *EntryReader) titleLine(
	p *page.Page, s *sections.Section, a anchor, g *grammar,
) (title, above int, ok bool) {
	title = a.line
	text := e.rest(s.Lines[title], a)
	if text == "" {
		if title--; title < 0 {
			return 0, 0, false
		}

		l := s.Lines[title]
		text = l.Text
		if !page.HeaderShape(l) || l.Style().Prominence() <= p.Body.Prominence() {
			return 0, 0, false
		}
	}

	above = title - 1
	for above >= 0 && e.words.Duration(s.Lines[above].Text) {
		above--
	}

	return title, above, !s.Lines[title].Bullet && !wording.Sentence(text) && e.mayLackHost(text, g)
}

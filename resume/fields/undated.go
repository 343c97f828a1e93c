package fields

import (
	"strings"
	"unicode/utf8"
)

// maxHeaderLines bounds the header of a position without a date.
const maxHeaderLines = 3

// undatedPositions splits a section about experience that has no dates. A position starts with lines that name a title
// and a company, and that stand out or precede running text. All other lines are descriptions.
func (e *Extractor) undatedPositions(p *page, s *section) []item {
	var items []item
	described := 0 // the first line below the header of the last item
	describeLast := func(end int) {
		if last := len(items) - 1; last >= 0 {
			items[last].description = describe(s.lines[described:end])
		}
	}
	for i := 0; i < len(s.lines) && len(items) < maxEntries; {
		fragments, n := e.undatedHeader(p, s, i)
		if n == 0 {
			i++
			continue
		}
		describeLast(i)
		items = append(items, item{fragments: fragments})
		i += n
		described = i
	}
	describeLast(len(s.lines))
	return items
}

// undatedHeader reads the header of a position that starts at line from. It returns the number of its lines, or 0.
func (e *Extractor) undatedHeader(p *page, s *section, from int) (fragments []fragment, n int) {
	const maxSpaces = 9
	for n < maxHeaderLines && from+n < len(s.lines) {
		l := s.lines[from+n]
		if !headerShape(l) || strings.Count(l.text, " ") > maxSpaces || n > 0 && l.Gap > paragraphGap ||
			strings.HasSuffix(l.text, ".") && !e.words.endsLegal(l.key) ||
			from+n > 0 && wrapped(p, s.lines[from+n-1], l) {
			break
		}
		fragments = append(fragments, e.fragments(l.text, false)...)
		n++
		h := e.header(fragments, true)
		aboveText := from+n < len(s.lines) && (s.lines[from+n].Bullet || sentence(s.lines[from+n].text))
		if h.sure && h.company != "" && (p.distinct(s.lines[from]) || aboveText) {
			return fragments, n
		}
	}
	return nil, 0
}

// undatedDegrees splits a section about education that has no dates. An entry starts at a school or a degree if the
// previous entry already has one.
func (e *Extractor) undatedDegrees(s *section) []item {
	var items []item
	hasSchool, hasDegree := true, true // of the last item
	for _, l := range s.lines {
		if l.Bullet || utf8.RuneCountInString(l.text) > maxHeader || len(items) == maxEntries {
			continue
		}
		school, degree := e.words.schools.any(l.key), e.words.degreeEnd(l.text) > 0
		if !school && !degree {
			continue
		}
		if school && hasSchool || degree && hasDegree {
			items = append(items, item{})
			hasSchool, hasDegree = false, false
		}
		last := &items[len(items)-1]
		last.fragments = append(last.fragments, e.fragments(l.text, false)...)
		hasSchool, hasDegree = hasSchool || school, hasDegree || degree
	}
	return items
}

package fields

import (
	"strings"
	"unicode/utf8"
)

// maxHeaderLines bounds the header of a position without a date.
const maxHeaderLines = 3

// readLines returns the best reading of whole lines.
func (h *headerReader) readLines(lines []string, g *grammar) reading {
	w := &window{
		grammar: g,
		texts:   lines,
		likes:   make([]float64, len(lines)),
		starts:  make([]float64, 1),
		breaks:  make([]separator, len(lines)),
	}
	w.cut(h)
	var t table
	return w.read(&neutral, 0, len(lines)-1, &t)
}

// undatedPositions splits a section about experience that has no dates. A position starts with lines that name a title
// and a company, and that stand out or precede running text. All other lines are descriptions.
func (e *entryReader) undatedPositions(p *page, s *section) []item {
	var items []item
	described := 0 // the first line below the header of the last item
	describeLast := func(end int) {
		if last := len(items) - 1; last >= 0 {
			items[last].description = describe(s.lines[described:end])
		}
	}

	for i := 0; i < len(s.lines) && len(items) < maxEntries; {
		r, n := e.undatedHeader(p, s, i)
		if n == 0 {
			i++
			continue
		}

		describeLast(i)
		items = append(items, item{reading: r})
		i += n
		described = i
	}

	describeLast(len(s.lines))
	return items
}

// undatedHeader reads the header of a position that starts at line from. It returns the number of its lines, or 0.
func (e *entryReader) undatedHeader(p *page, s *section, from int) (r reading, n int) {
	var lines []string
	const maxSpaces = 9

	for n < maxHeaderLines && from+n < len(s.lines) {
		l := s.lines[from+n]
		if !headerShape(l) || strings.Count(l.text, " ") > maxSpaces || n > 0 && l.Gap > paragraphGap ||
			strings.HasSuffix(l.text, ".") && !e.words.endsLegal(l.key) ||
			from+n > 0 && wrapped(p, s.lines[from+n-1], l) {
			break
		}

		lines = append(lines, l.text)
		n++
		r = e.headers.readLines(lines, &positionGrammar)
		sure := e.headers.signs(r.texts[lead])&(1<<titleOutside|1<<titleInside|1<<seniorFirst|1<<knownTitle) != 0
		aboveText := from+n < len(s.lines) && (s.lines[from+n].Bullet || sentence(s.lines[from+n].text))
		if sure && r.texts[host] != "" && (p.distinct(s.lines[from]) || aboveText) {
			return r, n
		}
	}

	return reading{}, 0
}

// undatedDegrees splits a section about education that has no dates. An entry starts at a school or a degree if the
// previous entry already has one.
func (e *entryReader) undatedDegrees(s *section) []item {
	var items []item
	var lines []string
	// of the last item
	hasSchool := true
	hasDegree := true
	for _, l := range s.lines {
		if l.Bullet || utf8.RuneCountInString(l.text) > maxHeader || len(items) == maxEntries {
			continue
		}
		r := e.headers.readLines([]string{l.text}, &degreeGrammar)
		degree := e.words.degreeEnd(r.texts[lead]) > 0
		school := r.texts[host] != "" && e.words.isOrganization(key(r.texts[host]))
		if !school && !degree {
			continue
		}

		if school && hasSchool || degree && hasDegree {
			items = append(items, item{})
			lines = nil
			hasSchool = false
			hasDegree = false
		}

		lines = append(lines, l.text)
		items[len(items)-1].reading = e.headers.readLines(lines[:min(len(lines), maxHeaderLines)], &degreeGrammar)
		hasSchool = hasSchool || school
		hasDegree = hasDegree || degree
	}

	return items
}

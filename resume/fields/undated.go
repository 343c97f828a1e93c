package fields

import "strings"

// maxHeaderLines bounds the header of a position without a date.
const maxHeaderLines = 3

// undatedPositions divides a section of experience without dates: a position begins with lines that name a title and a
// company, and look so, or stand above text. Lines that only might do so are text.
func (e *Extractor) undatedPositions(p *page, s *section) []item {
	var items []item
	described := 0 // the first line below the header of the last item
	for i := 0; i < len(s.lines) && len(items) < maxEntries; {
		it, n := e.undatedHeader(p, s, i)
		if n == 0 {
			i++
			continue
		}
		if last := len(items) - 1; last >= 0 {
			items[last].description = describe(s.lines[described:i])
		}
		items = append(items, it)
		i += n
		described = i
	}
	if last := len(items) - 1; last >= 0 {
		items[last].description = describe(s.lines[described:])
	}
	return items
}

// undatedHeader reads the header of a position at a line and answers how many lines it has, 0 where there is none.
func (e *Extractor) undatedHeader(p *page, s *section, from int) (it item, n int) {
	const short = 10 // words
	for n < maxHeaderLines && from+n < len(s.lines) {
		l := s.lines[from+n]
		if !headerShape(l) || strings.Count(l.text, " ") >= short || strings.HasSuffix(l.text, ".") && !e.words.endsLegal(l.key) ||
			from+n > 0 && wrapped(p, s.lines[from+n-1], l) || n > 0 && l.Gap > .3 {
			break
		}
		it.add(l.text, false)
		n++
		if h := e.header(it.fragments, true); h.sure && h.company != "" && (p.distinct(s.lines[from]) || aboveText(s, from+n)) {
			return it, n
		}
	}
	return item{}, 0
}

// aboveText reports whether the line at an index is one of text.
func aboveText(s *section, i int) bool {
	return i < len(s.lines) && (s.lines[i].Bullet || sentence(s.lines[i].text))
}

package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An item is what a section says about one position or one degree.
type item struct {
	fragments   []fragment // of the header
	span        span       // the zero span if the item has no date
	adjacent    bool       // its header follows that of the item before, without text between them
	description string
}

// An anchor is a line whose date marks an entry.
type anchor struct {
	line int // index in the section
	span span
}

// The header of an entry has at most maxBefore lines above its date, and maxAfter below.
const (
	maxBefore = 4
	maxAfter  = 2
)

// paragraphGap is the gap above a line, in lines, from which it starts a paragraph.
const paragraphGap = .3

// entries divides a section into entries by its dates. It returns nil if no date marks an entry. The header of an entry
// is the line with the date, the lines above that look like a header, and those below while parts are missing.
func (e *Extractor) entries(p *page, s *section) []item {
	s = e.joinBrokenDates(s)
	anchors := e.anchors(s)
	starts := e.headerStarts(p, s, anchors)
	items := make([]item, 0, len(anchors))
	for k, a := range anchors {
		it := item{span: a.span}
		for _, l := range s.lines[starts[k]:a.line] {
			it.fragments = append(it.fragments, e.fragments(l.text, true)...)
		}
		it.fragments = append(it.fragments, e.fragments(e.dates.without(s.lines[a.line].text, a.span), false)...)
		next := a.line + 1
		for ; next < min(starts[k+1], a.line+1+maxAfter) && e.continuesHeader(p, s, &it, next); next++ {
			it.fragments = append(it.fragments, e.fragments(s.lines[next].text, false)...)
		}
		it.description = describe(s.lines[next:starts[k+1]])
		it.adjacent = k > 0 && items[k-1].description == ""
		items = append(items, it)
	}
	return items
}

// joinBrokenDates returns the section with every time in one line that was broken at the end of a line ("05/2019 –" and
// "03/2021"), or at the end of the first cell of a line.
func (e *Extractor) joinBrokenDates(s *section) *section {
	joined := *s
	joined.lines = nil
	for i := 0; i < len(s.lines); i++ {
		l := s.lines[i]
		joined.lines = append(joined.lines, l)
		if i+1 == len(s.lines) {
			break
		}
		next := s.lines[i+1]
		whole, rest := *l, *next
		switch {
		case len(l.cells) > 0 && len(next.cells) == 1 && e.dividesTime(l.text, next.text):
			whole.text += " " + next.text
			joined.lines[len(joined.lines)-1] = &whole
			i++
		case len(l.cells) > 1 && len(next.cells) > 1 && e.dividesTime(l.cells[0], next.cells[0]):
			whole.text = l.cells[0] + " " + next.cells[0] + "\t" + strings.Join(l.cells[1:], "\t")
			rest.cells = next.cells[1:]
			rest.text = strings.Join(rest.cells, "\t")
			rest.key = key(rest.text)
			joined.lines[len(joined.lines)-1] = &whole
			joined.lines = append(joined.lines, &rest)
			i++
		}
	}
	return &joined
}

// dividesTime reports whether text ends within a time of which next is the rest.
func (e *Extractor) dividesTime(text, next string) bool {
	if len(next) > maxHeading || len(text) > 3*maxHeader {
		return false
	}
	whole := text + " " + next
	spans := e.dates.find(whole)
	if len(spans) == 0 {
		return false
	}
	last := spans[len(spans)-1]
	return !last.single() && last.start < len(text) && last.end == len(whole)
}

// anchors returns the lines whose dates mark entries. List items do so only if no other line does.
func (e *Extractor) anchors(s *section) []anchor {
	for _, bullets := range []bool{false, true} {
		var anchors []anchor
		for i, l := range s.lines {
			if l.Bullet != bullets || len(l.text) > 3*maxHeader || len(anchors) == maxEntries {
				continue
			}
			if marking, ok := e.markingDate(l.text); ok {
				anchors = append(anchors, anchor{i, marking})
			}
		}
		if len(anchors) > 0 {
			return anchors
		}
	}
	return nil
}

// markingDate returns the date by which a line marks an entry: the first time with two ends, or else the first date. It
// must stand apart from the rest of the line, which must be no running text.
func (e *Extractor) markingDate(text string) (span, bool) {
	spans := e.dates.find(text)
	if len(spans) == 0 {
		return span{}, false
	}
	s := spans[max(0, slices.IndexFunc(spans, func(s span) bool { return !s.single() }))]
	rest := strings.Trim(e.dates.without(text, s), "\t ")
	if rest == "" {
		return s, true
	}
	for cell := range strings.SplitSeq(rest, "\t") {
		if cell = strings.TrimSpace(cell); cell != "" && sentence(cell) {
			return span{}, false
		}
	}
	if !s.single() {
		return s, true
	}
	before, after := strings.TrimRight(text[:s.start], " "), strings.TrimLeft(text[s.end:], " ")
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	apart := (before == "" || strings.ContainsRune("\t,|(:;.–-·—", last)) && strings.ContainsRune("\t,|):;.·–", first)
	return s, !firstIsLower(text) && (after == "" || apart)
}

// headerStarts returns where the header of each entry starts, and as the last element the end of the section. The first
// entry has as many lines above its date as look like a header; the others have no more than the first.
func (e *Extractor) headerStarts(p *page, s *section, anchors []anchor) []int {
	starts := make([]int, 0, len(anchors)+1)
	from, most := 0, maxBefore
	for k, a := range anchors {
		start, n := headerBefore(p, s, from, a.line, most)
		starts = append(starts, start)
		if k == 0 {
			most = n
		}
		from = a.line + 1
	}
	return append(starts, len(s.lines))
}

// headerBefore returns where the lines between from and to start that look like the header of the line at to, and how
// many they are, at most most. Addresses on the web do not count.
func headerBefore(p *page, s *section, from, to, most int) (start, n int) {
	start = to
	for i := to - 1; i >= from && n < most; i-- {
		l := s.lines[i]
		if !headerShape(l) || i > 0 && wrapped(p, s.lines[i-1], l) {
			break
		}
		start = i
		if webAddress(l.text) == "" {
			n++
		}
		if l.Gap > paragraphGap && i < to-1 && n > 1 {
			break
		}
	}
	return start, n
}

// headerShape reports whether a line may be part of the header of an entry.
func headerShape(l *line) bool {
	if l.Bullet || sentence(l.text) || utf8.RuneCountInString(l.text) > maxHeader || strings.HasSuffix(l.text, ":") ||
		strings.Contains(l.text, "://") && strings.Contains(l.text, " ") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(l.text)
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("(\"'“„«「", first)
}

// wrapped reports whether a line continues the text of the line before it.
func wrapped(p *page, before, l *line) bool {
	if l.Gap > paragraphGap || p.distinct(l) && !p.distinct(before) || webAddress(l.text) != "" {
		return false
	}
	runningText := before.Bullet || sentence(before.text)
	unfinished := utf8.RuneCountInString(before.text) > 60 && !strings.HasSuffix(before.text, ".")
	return firstIsLower(l.text) || runningText && unfinished
}

// continuesHeader reports whether line i still belongs to the header of an item: it looks like it, and the header does
// not have two parts yet besides places, grades and kinds of contract. Only a place may follow them.
func (e *Extractor) continuesHeader(p *page, s *section, it *item, i int) bool {
	l := s.lines[i]
	if !headerShape(l) || wrapped(p, s.lines[i-1], l) || strings.Count(l.text, ",") > 3 ||
		strings.HasSuffix(l.text, ".") && !e.words.endsLegal(l.key) {
		return false
	}
	parts := 0
	for _, f := range it.fragments {
		if e.words.place(f.text) < placeByName && !e.words.grade(f.key) && !e.words.contracts[f.key] {
			parts++
		}
	}
	if parts >= 2 {
		return e.words.place(l.text) == placeByName
	}
	return strings.Count(l.text, " ") < 11
}

// describe joins the lines below a header, without addresses on the web, which are those of companies.
func describe(lines []*line) string {
	var b strings.Builder
	for i, l := range lines {
		if l.Bullet || webAddress(l.text) == "" {
			joinLine(&b, l.text, l.Bullet || i > 0 && l.Gap > .5)
		}
	}
	return b.String()
}

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

// An anchor is a line whose date starts an entry.
type anchor struct {
	line int // index in the section
	span span
}

// The header of an entry has at most maxBefore lines above its date, and maxAfter below.
const (
	maxBefore = 4
	maxAfter  = 2
)

// paragraphGap is the largest gap above a line within a paragraph, in the unit of resume.Line.Gap.
const paragraphGap = .3

// entries splits a section into entries by its dates. It returns nil if no date starts an entry. The header of an entry
// consists of the line with the date, the lines above it that look like a header, and the lines below it as long as
// parts are missing.
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

// joinBrokenDates returns the section after joining the date ranges that a line break divides: "05/2019 –" and
// "03/2021" on two lines, or in the first cells of two lines.
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
		case len(l.cells) > 0 && len(next.cells) == 1 && e.dividesRange(l.text, next.text):
			whole.text += " " + next.text
			joined.lines[len(joined.lines)-1] = &whole
			i++
		case len(l.cells) > 1 && len(next.cells) > 1 && e.dividesRange(l.cells[0], next.cells[0]):
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

// dividesRange reports whether text ends within a date range that next completes.
func (e *Extractor) dividesRange(text, next string) bool {
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

// anchors returns the lines whose dates start entries. List items count only if no other line does.
func (e *Extractor) anchors(s *section) []anchor {
	for _, bullets := range []bool{false, true} {
		var anchors []anchor
		for i, l := range s.lines {
			if l.Bullet != bullets || len(l.text) > 3*maxHeader || len(anchors) == maxEntries {
				continue
			}
			if marking, ok := e.startingDate(l.text); ok {
				anchors = append(anchors, anchor{i, marking})
			}
		}
		if len(anchors) > 0 {
			return anchors
		}
	}
	return nil
}

// startingDate returns the date that makes a line the start of an entry: the first date range, or else the first date.
// It must be set apart from the rest of the line, and the rest must not be running text.
func (e *Extractor) startingDate(text string) (span, bool) {
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

// headerStarts returns the line where the header of each entry starts, followed by the end of the section. The first
// entry takes all lines above its date that look like a header; the other entries take at most as many.
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

// headerBefore returns where the header of line to starts, and how many of its lines precede line to: at most most
// lines after line from. Web addresses don't count.
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

// continuesHeader reports whether line i still belongs to the header of an item. It must look like a header, and the
// header must have fewer than two parts, not counting places, grades and contract types. After two parts, only a place
// may follow.
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

// describe joins the lines below a header. It leaves out web addresses, which belong to companies.
func describe(lines []*line) string {
	var b strings.Builder
	for i, l := range lines {
		if l.Bullet || webAddress(l.text) == "" {
			joinLine(&b, l.text, l.Bullet || i > 0 && l.Gap > .5)
		}
	}
	return b.String()
}

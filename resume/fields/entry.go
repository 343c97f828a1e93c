package fields

import (
	"freelancer-matching/taxonomy"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An entryReader divides sections into entries, each with a header and a description.
type entryReader struct {
	words     *dictionary
	dates     *dates
	dateLines *dateLines
	headers   *headerReader
}

func newEntryReader(words *dictionary, d *dates, t *taxonomy.Taxonomy) *entryReader {
	return &entryReader{words, d, &dateLines{words, d}, &headerReader{words, t}}
}

// An item is what a section says about one position or one degree.
type item struct {
	reading          // of the header
	span        span // the zero span if the item has no date
	adjacent    bool // its header follows that of the item before, without text between them
	shared      bool // it has the same employer as the position before
	group       bool // an employer whose positions follow
	description string
}

// An anchor is a line whose date starts an entry.
type anchor struct {
	line int // index in the section
	span span
}

// paragraphGap is the largest gap above a line within a paragraph, in the unit of resume.Line.Gap.
const paragraphGap = .3

// entries splits a section into entries by its dates. It returns nil if no date starts an entry. The header of an entry
// consists of the line with the date and of some lines above and below it. Which ones, and what their parts are, is
// chosen by score, for all entries of the section together (order.go).
func (e *entryReader) entries(p *page, s *section, g *grammar) []item {
	s = e.dateLines.withWholeDates(s)
	anchors := e.dateLines.anchors(s, g)
	windows := make([]*window, len(anchors))
	for k, a := range anchors {
		from := 0
		to := len(s.lines)

		if k > 0 {
			from = anchors[k-1].line + 1
		}

		if k+1 < len(anchors) {
			to = anchors[k+1].line
		}
		windows[k] = e.window(p, s, a, from, to, g)
	}

	anchors, windows = dropText(anchors, windows)
	readings := readAll(anchors, windows)
	items := make([]item, len(anchors))
	for k, a := range anchors {
		end := len(s.lines)
		if k+1 < len(anchors) {
			end = anchors[k+1].line - readings[k+1].above
		}
		items[k] = item{reading: readings[k], span: a.span}
		items[k].description = describe(s.lines[a.line+1+readings[k].below : end])
		items[k].adjacent = k > 0 && items[k-1].description == ""
	}

	return items
}

// window returns the line of an anchor with the lines around it that may be its header, within lines from to to of the
// section.
func (e *entryReader) window(p *page, s *section, a anchor, from, to int, g *grammar) *window {
	w := &window{grammar: g}
	start := max(from, a.line-maxBefore)
	end := min(to, a.line+maxAfter+1)
	w.date = a.line - start

	for i := start; i < end; i++ {
		l := s.lines[i]
		text := l.text
		like := 0.0
		switch {
		case i == a.line:
			text = e.dates.without(text, a.span)
		case len(text) > 3*maxHeader:
			text = truncate(text, maxHeader)
			like = impossible
		default:
			like = e.headerLike(p, s, i, i < a.line)
		}

		begin := 0.0
		if i == 0 {
			begin = firstLine
		} else if i <= a.line {
			begin = e.headerStart(p, s, i)
		}

		w.breaks = append(w.breaks, byLine)
		if i > start && i != a.line && i-1 != a.line {
			w.breaks[i-start] = s.lineBreak(i)
		}
		w.texts, w.likes, w.starts = append(w.texts, text), append(w.likes, like), append(w.starts, begin)
	}

	w.cut(e.headers)
	return w
}

// lineBreak returns what stands between two lines of a section, of which the second has index i.
func (s *section) lineBreak(i int) separator {
	before := s.lines[i-1]
	l := s.lines[i]
	if l.style() != before.style() || l.Gap > paragraphGap || l.Bullet || len(l.cells) > 1 || len(before.cells) > 1 {
		return byLine
	}
	word, _, _ := strings.Cut(l.text, " ")
	if utf8.RuneCountInString(before.text)+1+utf8.RuneCountInString(word) > s.width() {
		return byFull
	}
	return byAlike
}

// width returns the number of characters of the longest line of a section.
func (s *section) width() int {
	longest := 0
	for _, l := range s.lines {
		longest = max(longest, utf8.RuneCountInString(l.text))
	}
	return longest
}

// What lines look like, in log odds: how much it speaks for a line to be a part of the header of an entry, or its
// start.
const (
	impossible   = -50
	asBullet     = -5   // a list item
	asText       = -4   // it reads like running text, or continues some
	asSentence   = -1.8 // it ends with a stop
	asLabel      = -2.5 // it ends with a colon
	asRest       = -1.2 // it starts with a small letter
	asDistinct   = .7   // it stands out
	asApart      = -1.8 // there is a gap between it and the other lines of the header
	afterGap     = .6   // the header starts after a gap
	belowOutcast = -1   // the header starts below a line that stands out
	firstLine    = .8   // the header starts with the first line of the section
)

// headerLike returns how much a line looks like a part of a header, above or below its date.
func (e *entryReader) headerLike(p *page, s *section, i int, above bool) float64 {
	l := s.lines[i]
	apart := s.lines[i].Gap > .5

	if above {
		apart = s.lines[i+1].Gap > .5
	}
	text := l.text
	for _, phrase := range e.words.employerAfter { // "at Acme"
		text = strings.TrimPrefix(text, phrase[1:])
	}

	first, _ := utf8.DecodeRuneInString(text)
	runningText := sentence(text)
	divided := i > 0 && headerShape(s.lines[i-1]) && wrapsPhrase(s.lines[i-1].text, l.text) // "Head of" and "sales"
	continued := i > 0 && !divided && wrapped(p, s.lines[i-1], l)
	stop := strings.HasSuffix(l.text, ".")

	return sum(
		feature{"list item", l.Bullet, asBullet},
		feature{"running text", runningText && (above || !e.summarizes(l)) || continued, asText},
		feature{"a stop at the end", stop && !e.words.endsLegal(l.key) && !abbreviated(l.text), asSentence},
		feature{"a colon at the end", strings.HasSuffix(l.text, ":"), asLabel},
		feature{"a small letter first", unicode.IsLower(first) && !divided, asRest},
		feature{"stands out", p.distinct(l) && !runningText, asDistinct},
		feature{"a gap", apart, asApart},
	)
}

// summarizes reports whether a line may be the summary of an employer, which some resumes have above the title.
func (e *entryReader) summarizes(l *line) bool {
	return !l.Bullet && l.Gap <= paragraphGap && len(l.text) <= maxHeader
}

// headerStart returns how much speaks for a header that starts at a line that isn't the first of its section.
func (e *entryReader) headerStart(p *page, s *section, i int) float64 {
	before := s.lines[i-1]
	outcast := p.distinct(before) && headerShape(before) && s.lines[i].Gap <= .5
	return sum(
		feature{"a gap above", s.lines[i].Gap > paragraphGap, afterGap},
		feature{"a heading above", outcast, belowOutcast},
	)
}

// A dateLines finds the lines whose dates start entries.
type dateLines struct {
	words *dictionary
	dates *dates
}

// withWholeDates returns the section with each date on one line. Some layouts divide a date range over up to three
// lines, or the first cells of three rows: "05/2019", "–" and "03/2021". Others have a column of dates beside a list,
// so that a date seems to end the first item.
func (d *dateLines) withWholeDates(s *section) *section {
	whole := *s
	whole.lines = nil
	for i := 0; i < len(s.lines); i++ {
		l := s.lines[i]
		if date, text, ok := d.dateBeside(l); ok {
			whole.lines = append(whole.lines, date, text)
			continue
		}

		n, inCells, text := d.dividedRange(s.lines[i:min(i+3, len(s.lines))])
		if n == 0 {
			whole.lines = append(whole.lines, l)
			continue
		}

		joined := *l
		if inCells {
			joined.text = text + "\t" + strings.Join(l.cells[1:], "\t")
		} else {
			joined.text = text
		}

		joined.key = key(joined.text)
		joined.cells = strings.Split(joined.text, "\t")
		whole.lines = append(whole.lines, &joined)
		for _, next := range s.lines[i+1 : i+n] {
			if inCells {
				whole.lines = append(whole.lines, withCells(next, next.cells[1:]))
			}
		}

		i += n - 1
	}

	return &whole
}

// withCells returns a line with other cells.
func withCells(l *line, cells []string) *line {
	other := *l
	other.cells, other.text = cells, strings.Join(cells, "\t")
	other.key = key(other.text)
	return &other
}

// dateBeside divides a list item, or running text, that ends with a date in a cell of its own.
func (d *dateLines) dateBeside(l *line) (date, text *line, ok bool) {
	n := len(l.cells) - 1
	if n < 1 || len(l.text) > 3*maxHeader || !d.dates.isDate(l.cells[n]) ||
		!l.Bullet && !sentence(strings.Join(l.cells[:n], " ")) {
		return nil, nil, false
	}
	date = withCells(l, l.cells[n:])
	date.Bullet = false
	return date, withCells(l, l.cells[:n]), true
}

// isDate reports whether a text is a date or a date range and nothing else.
func (d *dates) isDate(text string) bool {
	spans := d.find(text)
	return len(spans) == 1 && spans[0].start == 0 && spans[0].end == len(strings.TrimRight(text, " ."))
}

// dividedRange returns the number of lines, two or three, over which a date range is divided, 0 if it isn't. inCells
// reports whether it is divided over their first cells. text is the first line, or its first cell, with the whole
// range.
func (d *dateLines) dividedRange(lines []*line) (n int, inCells bool, text string) {
	for n = len(lines); n > 1; n-- {
		texts := make([]string, n)
		cells := make([]string, n)
		alone, tabular := true, true
		for i, l := range lines[:n] {
			texts[i] = l.text
			alone = alone && len(l.cells) > 0 && (i == 0 || len(l.cells) == 1)
			tabular = tabular && len(l.cells) > 1 && len(l.cells[0]) < maxHeading
			if tabular {
				cells[i] = l.cells[0]
			}
		}

		switch {
		case alone && d.completes(texts):
			return n, false, d.rangeOf(texts)
		case tabular && d.completes(cells) && (!d.dates.isDate(cells[0]) || !d.dates.isDate(cells[1])):
			return n, true, d.rangeOf(cells)
		}
	}

	return 0, false, ""
}

// rangeOf joins the parts of a date range. It puts a dash between dates that stand one below the other without one.
func (d *dateLines) rangeOf(parts []string) string {
	if len(parts) == 2 && d.dates.isDate(parts[0]) && d.dates.isDate(parts[1]) {
		return parts[0] + " – " + parts[1]
	}
	return strings.Join(parts, " ")
}

// completes reports whether the parts of a text are a date range only together: the first ends within the range, and
// the others consist of its rest.
func (d *dateLines) completes(parts []string) bool {
	for i, part := range parts {
		if len(part) > 3*maxHeader || i > 0 && len(part) > maxHeading/2 {
			return false
		}
	}

	first := d.dates.find(parts[0])
	if len(first) > 0 && !first[len(first)-1].single() {
		return false
	}
	stacked := len(parts) == 2 && d.dates.isDate(parts[0]) && d.dates.isDate(parts[1]) && len(parts[1]) >= len(parts[0])-3

	if len(parts) == 3 && d.dates.isDate(parts[1]) {
		return false
	}
	whole := d.rangeOf(parts)
	spans := d.dates.find(whole)
	if len(spans) == 0 {
		return false
	}

	last := spans[len(spans)-1]
	rest := strings.TrimRight(whole[last.end:], " .")
	return !last.single() && last.start < len(parts[0]) && rest == "" &&
		(stacked || len(parts) == 3 || !d.dates.isDate(parts[1]) || !d.dates.isDate(parts[0]))
}

// anchors returns the lines whose dates start entries. List items count only if no other line does.
func (d *dateLines) anchors(s *section, g *grammar) []anchor {
	for _, bullets := range []bool{false, true} {
		var anchors []anchor
		for i, l := range s.lines {
			if l.Bullet != bullets || len(l.text) > 3*maxHeader || len(anchors) == maxEntries {
				continue
			}
			marking, ok := d.startingDate(l.text)
			if !ok && g == &degreeGrammar {
				marking, ok = d.dateWithin(l)
			}

			if ok {
				anchors = append(anchors, anchor{i, marking})
			}
		}

		if len(anchors) > 0 {
			return anchors
		}
	}

	return nil
}

// dateWithin returns the only date of a line that names a degree or a school: "BSc Physics 2016 University of X".
func (d *dateLines) dateWithin(l *line) (span, bool) {
	spans := d.dates.find(l.text)
	if len(spans) != 1 || sentence(l.text) || firstIsLower(l.text) {
		return span{}, false
	}
	before := l.text[:spans[0].start]
	after := l.text[spans[0].end:]
	return spans[0], d.words.degreeEnd(l.text) > 0 && (d.words.schools.any(l.key) ||
		d.words.startsWithDegree(before) || d.words.startsWithDegree(strings.TrimLeft(after, " ,")))
}

// startingDate returns the date that makes a line the start of an entry: the first date range, or else the first date.
// It must be set apart from the rest of the line, and the rest must not be running text.
func (d *dateLines) startingDate(text string) (span, bool) {
	spans := d.dates.find(text)
	if len(spans) == 0 {
		return span{}, false
	}
	s := spans[max(0, slices.IndexFunc(spans, func(s span) bool { return !s.single() }))]
	rest := strings.Trim(d.dates.without(text, s), "\t ")
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
	before := strings.TrimRight(text[:s.start], " ")
	after := strings.TrimLeft(text[s.end:], " ")
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	apart := (before == "" || strings.ContainsRune("\t,|(:;.–-·—", last)) && strings.ContainsRune("\t,|):;.·–", first)

	return s, !firstIsLower(text) && (after == "" || apart)
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

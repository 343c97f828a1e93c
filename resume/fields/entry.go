package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// item is what a section says about one position or one degree: the parts of its header, its time, and its text.
type item struct {
	fragments   []fragment
	span        span
	dated       bool
	adjacent    bool // its header follows that of the entry before it, without text between them
	description string
}

// fragment is a part of the header of an entry.
type fragment struct {
	text, key string
	behindAt  bool // "… at Company"
	before    bool // in a line before the one with the date
}

// anchor is a line of a section with the time of an entry.
type anchor struct {
	line int // in the section
	span span
}

// maxBefore and maxAfter bound how many lines the header of an entry has before and behind the one with its time.
const (
	maxBefore = 4
	maxAfter  = 2
)

// entries divides a section by its dates.
func (e *Extractor) entries(p *page, s *section) []item {
	s = e.withWholeDates(s)
	anchors := e.anchors(s, false)
	if len(anchors) == 0 {
		anchors = e.anchors(s, true)
	}
	if len(anchors) == 0 {
		return nil
	}
	if len(anchors) > maxEntries {
		anchors = anchors[:maxEntries]
	}
	starts := make([]int, len(anchors)+1) // of the entries
	starts[len(anchors)] = len(s.lines)
	usual := 0
	for k, a := range anchors {
		from := 0
		if k > 0 {
			from = anchors[k-1].line + 1
		}
		most := usual
		if k == 0 {
			most = maxBefore
		}
		start, have := e.headerBefore(p, s, from, a.line, most)
		if k == 0 {
			usual = have
		}
		starts[k] = start
	}
	items := make([]item, 0, len(anchors))
	for k, a := range anchors {
		it := item{span: a.span, dated: true}
		for _, l := range s.lines[starts[k]:a.line] {
			it.add(l.text, true)
		}
		own := s.lines[a.line].text
		it.add(withoutSpan(own, a.span), false)
		next := a.line + 1
		for ; next < min(starts[k+1], a.line+1+maxAfter) && e.continues(p, s, &it, next); next++ {
			it.add(s.lines[next].text, false)
		}
		it.description = describe(s.lines[next:starts[k+1]])
		it.adjacent = k > 0 && items[k-1].description == ""
		items = append(items, it)
	}
	return items
}

// withWholeDates is a section in which no time is divided by the end of a line: "05/2019 –", "03/2021", nor by that of the
// first cell of one.
func (e *Extractor) withWholeDates(s *section) *section {
	whole := *s
	whole.lines = nil
	for i := 0; i < len(s.lines); i++ {
		l := s.lines[i]
		if i+1 < len(s.lines) && len(l.cells) > 0 && len(s.lines[i+1].cells) > 0 {
			next := s.lines[i+1]
			if len(next.cells) == 1 && e.dividesTime(l.text, next.text) {
				joined := *l
				joined.text += " " + next.text
				whole.lines = append(whole.lines, &joined)
				i++
				continue
			}
			if len(l.cells) > 1 && len(next.cells) > 1 && e.dividesTime(l.cells[0], next.cells[0]) {
				joined, rest := *l, *next
				joined.text = l.cells[0] + " " + next.cells[0] + "\t" + strings.Join(l.cells[1:], "\t")
				rest.cells = next.cells[1:]
				rest.text = strings.Join(rest.cells, "\t")
				rest.key = key(rest.text)
				whole.lines = append(whole.lines, &joined, &rest)
				i++
				continue
			}
		}
		whole.lines = append(whole.lines, l)
	}
	return &whole
}

// dividesTime reports whether the end of a text divides a time, of which the rest is what follows it.
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

// anchors are the lines of a section with the time of an entry: one that stands apart in its line.
func (e *Extractor) anchors(s *section, bullets bool) []anchor {
	var anchors []anchor
	for i, l := range s.lines {
		if l.Bullet != bullets || len(l.text) > 3*maxHeader {
			continue
		}
		if found, ok := e.anchor(l.text); ok {
			anchors = append(anchors, anchor{i, found})
		}
	}
	return anchors
}

func (e *Extractor) anchor(text string) (span, bool) {
	spans := e.dates.find(text)
	best := -1
	for i := range spans {
		if best < 0 || spans[best].single() && !spans[i].single() {
			best = i
		}
	}
	if best < 0 {
		return span{}, false
	}
	s := spans[best]
	rest := strings.Trim(withoutSpan(text, s), "\t ")
	if rest == "" {
		return s, true
	}
	for cell := range strings.SplitSeq(rest, "\t") {
		if cell = strings.TrimSpace(cell); cell != "" && sentence(cell) {
			return span{}, false
		}
	}
	if first, _ := utf8.DecodeRuneInString(text); s.single() && unicode.IsLower(first) {
		return span{}, false
	}
	if !s.single() {
		return s, true
	}
	before, after := strings.TrimRight(text[:s.start], " "), strings.TrimLeft(text[s.end:], " ")
	left := before == "" || strings.ContainsAny(before[len(before)-1:], "\t,|(:;.") || strings.HasSuffix(before, "–") ||
		strings.HasSuffix(before, "-") || strings.HasSuffix(before, "·") || strings.HasSuffix(before, "—")
	right := after == "" || strings.ContainsAny(after[:1], "\t,|):;.") || strings.HasPrefix(after, "·") || strings.HasPrefix(after, "–")
	return s, after == "" || left && right
}

// headerBefore is where the lines right before an anchor begin that may belong to its header, n of them at most that are
// no address on the web.
func (e *Extractor) headerBefore(p *page, s *section, from, to, most int) (start, n int) {
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
		if l.Gap > .3 && i < to-1 && n > 1 { // a paragraph begins here
			break
		}
	}
	return start, n
}

// headerShape reports whether a line may be a part of the header of an entry.
func headerShape(l *line) bool {
	if l.Bullet || sentence(l.text) || utf8.RuneCountInString(l.text) > maxHeader || strings.HasSuffix(l.text, ":") {
		return false
	}
	if strings.Contains(l.text, "://") && strings.Contains(l.text, " ") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(l.text)
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("(\"'“„«「", first)
}

// wrapped reports whether a line goes on with the one before it.
func wrapped(p *page, before, l *line) bool {
	if l.Gap > .3 || p.distinct(l) && !p.distinct(before) || webAddress(l.text) != "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(l.text)
	if !before.Bullet && !sentence(before.text) {
		return unicode.IsLower(first)
	}
	return unicode.IsLower(first) || utf8.RuneCountInString(before.text) > 60 && !strings.HasSuffix(before.text, ".")
}

// continues reports whether the line at an index still belongs to the header of an entry: as long as it misses a part.
func (e *Extractor) continues(p *page, s *section, it *item, i int) bool {
	l := s.lines[i]
	if !headerShape(l) || wrapped(p, s.lines[i-1], l) || strings.Count(l.text, ",") > 3 {
		return false
	}
	if strings.HasSuffix(l.text, ".") && !e.words.endsLegal(l.key) {
		return false
	}
	parts := 0
	for _, f := range it.fragments {
		if e.words.place(f.text) < 2 && !grade(f.key) && !contractType(f.key) {
			parts++
		}
	}
	if parts >= 2 {
		return e.words.place(l.text) == 2
	}
	return strings.Count(l.text, " ") < 11
}

// add takes the parts of a line of the header.
func (it *item) add(text string, before bool) {
	for _, part := range splitHeader(text) {
		f := fragment{text: part, key: key(part), before: before}
		if f.key == "" || webAddress(part) != "" && strings.ContainsAny(part, "/") {
			continue
		}
		if left, right, ok := cutAt(part); ok {
			it.fragments = append(it.fragments, fragment{text: left, key: key(left), before: before},
				fragment{text: right, key: key(right), before: before, behindAt: true})
			continue
		}
		it.fragments = append(it.fragments, f)
	}
}

// splitHeader divides a line of a header where its parts are told apart: at tabs, bars, dots and dashes.
func splitHeader(text string) []string {
	var parts []string
	start := 0
	take := func(end, next int) {
		if part := strings.Trim(text[start:end], " \t,;|·•–—-:/■▪●"); part != "" {
			parts = append(parts, closeBrackets(part))
		}
		start = next
	}
	for i, r := range text {
		size := utf8.RuneLen(r)
		switch r {
		case '\t', '|', '•', '·', '｜', '∣':
			take(i, i+size)
		case '–', '—', '-', '/', '―': // not within words and addresses
			if i > 0 && text[i-1] == ' ' && i+size < len(text) && text[i+size] == ' ' {
				take(i, i+size)
			}
		}
	}
	take(len(text), len(text))
	return parts
}

// closeBrackets drops a bracket that lost its other one.
func closeBrackets(part string) string {
	if strings.Count(part, "(") != strings.Count(part, ")") {
		part = strings.Trim(part, "() ")
	}
	return part
}

// cutAt divides "Title at Company".
func cutAt(text string) (left, right string, ok bool) {
	for _, word := range []string{" at ", " @ ", " bei ", " chez ", " presso ", " bij "} {
		if i := strings.Index(text, word); i > 0 {
			return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+len(word):]), true
		}
	}
	return "", "", false
}

// withoutSpan is text without a time and the brackets around it, and without a duration in brackets.
func withoutSpan(text string, s span) string {
	left := strings.TrimRight(text[:s.start], " (（[,:")
	for _, word := range []string{"from", "du", "de", "von", "vom", "desde", "dal", "del", "da", "since", "Depuis", "depuis", "Seit", "seit", "Expected", "expected"} {
		if rest, ok := strings.CutSuffix(left, " "+word); ok {
			left = rest
		} else if rest, ok := strings.CutSuffix(left, "\t"+word); ok || left == word {
			left = rest[:len(rest)*btoi(left != word)]
		}
	}
	right := strings.TrimLeft(text[s.end:], " )）],:")
	if rest, ok := strings.CutPrefix(right, "("); ok {
		if inside, after, ok := strings.Cut(rest, ")"); ok && duration(inside) {
			right = strings.TrimLeft(after, " )")
		}
	}
	if cell, after, _ := strings.Cut(right, "\t"); duration(strings.Trim(cell, " ·•-–|")) {
		right = after
	}
	return left + "\t" + right
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// duration reports whether text says how long: "2 years 3 months", "6 mois".
func duration(text string) bool {
	words := strings.Fields(key(text))
	units := 0
	for _, word := range words {
		if strings.Trim(word, "0123456789") == "" {
			continue
		}
		unit := strings.TrimLeft(word, "0123456789")
		if !slices.Contains(timeUnits(), strings.TrimSuffix(unit, "s")) {
			return text == "less than a year"
		}
		units++
	}
	return units > 0 && units < len(words)+1 && strings.ContainsAny(text, "0123456789")
}

func timeUnits() []string {
	return []string{
		"year", "yr", "month", "mo", "mon", "mois", "an", "annee", "ano", "mese", "mes", "meses", "jahr", "jahre", "monat", "monate", "week",
		"anni", "anno", "mesi", "jaar", "maanden", "maand", "年", "个月", "ヶ月", "か月", "y", "m", "and", "et", "und",
	}
}

// describe joins the lines below a header.
func describe(lines []*line) string {
	var b strings.Builder
	for i, l := range lines {
		if !l.Bullet && webAddress(l.text) != "" {
			continue // that of the company
		}
		join(&b, l.text, l.Bullet || i > 0 && l.Gap > .5)
	}
	return b.String()
}

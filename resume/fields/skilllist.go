package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// This file divides sections about skills into items. skillitem.go turns an item into skills.

// A skillRow is a row of a list of skills: a line without the name of its group, and the lines that continue it.
type skillRow struct {
	text    string
	skipped bool // its group is about something else, such as certifications
}

// widths returns the number of characters in the longest line of each part of the pages.
func widths(all []*section) map[resume.Part]int {
	longest := make(map[resume.Part]int)
	for _, s := range all {
		for _, l := range s.lines {
			longest[l.Part] = max(longest[l.Part], utf8.RuneCountInString(l.text))
		}
	}
	return longest
}

// skillRows returns the rows of a list of skills.
func (e *Extractor) skillRows(s *section, longest map[resume.Part]int) []skillRow {
	var rows []skillRow
	var before *line
	for i, l := range s.lines {
		label, values := e.withoutGroup(s, i)
		if values = strings.TrimSpace(values); values == "" {
			before = nil
			continue
		}
		if before != nil && label == "" && e.continuesRow(rows[len(rows)-1].text, before, l, longest[l.Part]) {
			row := &rows[len(rows)-1].text
			between, divided := joint(*row, values)
			if divided {
				*row = (*row)[:len(*row)-1]
			}
			*row += between + values
		} else {
			rows = append(rows, skillRow{values, e.otherGroup(label, values)})
		}
		before = l
	}
	return rows
}

// withoutGroup returns the name of the group that starts line i of a list of skills, and the rest of the line:
// "Databases" and "MySQL, Redis". The rest is "" for the name of a group alone, whose skills are on the next line.
func (e *Extractor) withoutGroup(s *section, i int) (label, values string) {
	l := s.lines[i]
	if group, rest, ok := e.cutLabel(l.text); ok {
		return group, rest
	}
	if len(l.cells) > 1 {
		first, rest := l.cells[0], strings.Join(l.cells[1:], "\t")
		named := e.namesGroup(first) || len(l.cells) == 2 && strings.ContainsFunc(rest, listSign)
		if named && !strings.ContainsFunc(first, listSign) {
			return first, rest
		}
		return "", l.text
	}
	for _, dash := range []string{" – ", " — ", " - "} {
		group, rest, ok := strings.Cut(l.text, dash)
		listed := strings.ContainsFunc(rest, listSign) && !strings.ContainsFunc(group, listSign) &&
			strings.Count(group, " ") < 3 && !strings.Contains(rest, dash)
		if ok && (listed || e.namesGroup(group)) && !e.isRating(rest) && !e.isRating(group) {
			return group, rest
		}
	}
	if strings.ContainsFunc(l.text, listSign) || i+1 >= len(s.lines) {
		return "", l.text
	}
	if s.headsGroup(e, i) {
		return l.text, ""
	}
	return "", l.text
}

// headsGroup reports whether line i of a list, which has no separators, is the heading of the group below it. It looks
// bolder or larger than that, or stands closer to it than to the group above.
func (s *section) headsGroup(e *Extractor, i int) bool {
	l, next := s.lines[i], s.lines[i+1]
	if i+2 < len(s.lines) && e.isRating(next.text) && s.lines[i+2].style() != l.style() {
		next = s.lines[i+2] // a level is between a group and its skills
	}
	listed := strings.ContainsFunc(next.text, listSign)
	stronger := l.Bold && !next.Bold || l.Size > next.Size+.4 || next.Bullet && !l.Bullet ||
		l.caps && !next.caps && strings.Contains(l.text, " ") && !hasDigit(l.text) && !e.knownName(l.text)
	switch {
	case l.Bullet, e.isRating(next.text), e.prose(next.text, splitList(next.text), false):
		return false
	case stronger:
		return true
	case listed && (i == 0 || l.Gap > next.Gap+.15):
		return l.style().size >= next.style().size
	default:
		return next.style() != l.style() && (listed && !l.caps || e.namesGroup(l.text))
	}
}

// maxGroup is the maximum length of the name of a group in characters.
const maxGroup = 40

// cutLabel cuts a text at the colon after the name of a group. A level after the colon belongs to the skill before it.
func (e *Extractor) cutLabel(text string) (label, rest string, ok bool) {
	label, rest, ok = strings.Cut(text, ":")
	if !ok || utf8.RuneCountInString(label) > maxGroup || strings.ContainsFunc(label, listSign) ||
		strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, ":") || strings.TrimSpace(label) == "" {
		return "", text, false
	}
	if strings.TrimSpace(rest) != "" && e.isRating(rest) && !e.isRating(label) {
		return "", text, false
	}
	return label, rest, true
}

// namesGroup reports whether a text is the heading of a group of skills, such as "Tools" or "Web frameworks".
func (e *Extractor) namesGroup(text string) bool {
	k := e.words.withoutModifiers(key(text))
	return k != "" && strings.Count(k, " ") < 4 &&
		(e.words.exactHeading(k) == skills || e.words.skillGroups[k[strings.LastIndexByte(k, ' ')+1:]])
}

// otherGroup reports whether a group in a list of skills is about something else: human languages, certifications.
func (e *Extractor) otherGroup(label, values string) bool {
	switch k := e.words.exactHeading(e.words.withoutModifiers(key(label))); k {
	case "", skills, other, experience, summary, "courses", "projects":
		return false
	case languages:
		return len(e.words.spokenIn(values)) > 0
	default:
		return true
	}
}

// continuesRow reports whether a line continues the row that ends with the line before. A line break is part of a row
// if the row announces more (a comma, an open bracket), if both ends of it make one skill, or if the line was too full
// for another word and the list goes on.
func (e *Extractor) continuesRow(row string, before, l *line, width int) bool {
	if l.Bullet || l.Part != before.Part || l.Page != before.Page && l.Page > before.Page+1 ||
		l.Gap > .5 && l.Page == before.Page || len(l.cells) > 1 || l.style().size != before.style().size {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(row)
	items := splitList(row)
	if len(items) == 0 {
		return false
	}
	end := items[len(items)-1]
	endWords := strings.Fields(end)
	start := l.text
	if j := strings.IndexFunc(start, listSign); j >= 0 {
		start = start[:j]
	}
	_, divided := joint(row, l.text)
	several := (len(items) > 1 || utf8.RuneCountInString(row) > 2*maxGroup) && !strings.Contains(row, "\t")
	switch {
	case divided, strings.ContainsRune(",;&/，、(", last), openBracket(row),
		len(endWords) > 0 && e.words.joiners[strings.ToLower(endWords[len(endWords)-1])]:
		return true
	case e.knownName(end + " " + start):
		return several || !e.knownName(end) || !e.knownName(start)
	case firstIsLower(l.text) && (before.Bullet || several) && !firstIsLower(row):
		return true
	case e.knownName(end) && e.knownName(start), !several:
		return false
	}
	first, _, _ := strings.Cut(l.text, " ")
	const full = .9 // of the longest line, because letters differ in width
	return float64(utf8.RuneCountInString(before.text)+1+utf8.RuneCountInString(first)) > full*float64(width)
}

// knownName reports whether the taxonomy has a name.
func (e *Extractor) knownName(name string) bool { return e.taxonomy.Resolve(name).Known }

// openBracket reports whether a text ends within brackets.
func openBracket(text string) bool {
	return strings.LastIndexByte(text, '(') > strings.LastIndexByte(text, ')')
}

func listSign(r rune) bool {
	return strings.ContainsRune(",;|\t•·、，；・｜●▪∙■◦‣", r)
}

// splitList splits a text at the signs that separate the items of a list. Brackets, if all of them are closed, keep
// their items together.
func splitList(text string) []string {
	brackets := strings.Count(text, "(") == strings.Count(text, ")")
	var items []string
	depth, start := 0, 0
	cut := func(end, next int) {
		if item := strings.TrimSpace(text[start:end]); item != "" {
			items = append(items, item)
		}
		start = next
	}
	for i, r := range text {
		switch {
		case brackets && r == '(':
			depth++
		case brackets && r == ')':
			depth = max(depth-1, 0)
		case depth == 0 && listSign(r):
			cut(i, i+utf8.RuneLen(r))
		case depth == 0 && r == '.' && endsItem(text[start:i], text[i+1:]):
			cut(i, i+1)
		}
	}
	cut(len(text), len(text))
	return items
}

// endsItem reports whether a full stop between two texts ends a sentence.
func endsItem(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " "))
	word := before[strings.LastIndexByte(before, ' ')+1:]
	return strings.HasPrefix(after, " ") && unicode.IsUpper(next) && len(word) > 3
}

// prose reports whether a row of a list of skills is running text: its parts between commas are too long for names.
// afterLead says that words such as "experience with" were cut off.
func (e *Extractor) prose(text string, items []string, afterLead bool) bool {
	if wide(text) {
		return strings.Contains(text, "。")
	}
	words, function := 0, 0
	for word := range strings.FieldsSeq(text) {
		words++
		if e.words.functionWords[strings.ToLower(strings.Trim(word, ",;."))] {
			function++
		}
	}
	switch perItem := float64(words) / float64(max(len(items), 1)); {
	case perItem > 6:
		return true
	case perItem > 3:
		return strings.HasSuffix(text, ".") || afterLead || len(items) > 1 && 6*function >= words
	default:
		return false
	}
}

// withoutLead returns a text without words that introduce skills: "Over five years of experience with".
func (e *Extractor) withoutLead(text string) (rest string, ok bool) {
	for lead := range e.words.skillLeads {
		if wide(lead) && strings.HasPrefix(text, lead) { // no space follows
			rest, _ := e.withoutLead(text[len(lead):])
			return rest, true
		}
	}
	const maxLead = 9 // words
	words := wordRanges(text, maxLead, func(r rune) bool { return r != ' ' && r != '\t' })
	for i := len(words) - 1; i > 0; i-- {
		for n := min(4, i+1); n > 0; n-- {
			from := words[i-n+1].start
			if e.words.skillLeads[key(text[from:words[i].end])] && !strings.ContainsFunc(text[:from], listSign) {
				return strings.TrimSpace(text[words[i].end:]), true
			}
		}
	}
	return text, false
}

// listItems returns the items of the lists in a section, and its running text. A section with many lines of other
// entries, such as degrees below "Qualifications", has running text only.
func (e *Extractor) listItems(s *section, longest map[resume.Part]int) (items []string, running string) {
	rows := e.skillRows(s, longest)
	others := 0
	for _, row := range rows {
		if e.otherEntry(row.text) {
			others++
		}
	}
	var text strings.Builder
	for i, row := range rows {
		if row.skipped {
			continue
		}
		rest, led := e.withoutLead(row.text)
		list := splitList(rest)
		if len(list) == 1 && strings.Count(row.text, " ") < 4 && !strings.HasSuffix(row.text, ".") {
			rest, led, list = row.text, false, []string{row.text} // "Experience in leadership" is a name
		}
		if glued := e.splitGlued(rest); len(list) == 1 && glued != nil && !strings.HasSuffix(rest, ".") {
			list = glued
		}
		switch {
		case e.otherEntry(row.text):
			continue
		case 3*others >= len(rows), e.prose(rest, list, led):
			text.WriteString("\n" + row.text + "\n")
			continue
		case len(list) == 1 && e.aboveList(rows[i:]) || len(list) == 0:
			continue
		}
		list[0] = e.withoutHeading(list)
		items = append(items, list[:min(len(list), maxListed-len(items))]...)
	}
	return slices.Clip(items), text.String()
}

// labeledLists returns a section with the lines of another one that are lists of skills, because their label says so:
// "Technical skills: Go, Rust" in a summary.
func (e *Extractor) labeledLists(s *section) *section {
	found := &section{kind: skills}
	for _, l := range s.lines {
		label, rest, ok := e.cutLabel(l.text)
		if ok && e.words.exactHeading(e.words.withoutModifiers(key(label))) == skills && len(splitList(rest)) > 1 {
			found.lines = append(found.lines, l)
		}
	}
	return found
}

// otherEntry reports whether a row of a list of skills belongs to an entry of another list: it has a date, a school or a
// degree.
func (e *Extractor) otherEntry(text string) bool {
	k, begin := key(text), text
	if i := strings.IndexAny(text, ",("); i >= 0 {
		begin = text[:i]
	}
	if e.words.degrees[key(begin)] || e.words.schools.any(k) && len(text) > 2*maxGroup/4 && !strings.ContainsFunc(text, listSign) {
		return true
	}
	for _, end := range []string{" of ", " s degree", " degree"} {
		if i := strings.Index(k, end); i > 0 && e.words.degrees[k[:i+len(end)-1]] {
			return true
		}
	}
	if !hasDigit(text) || len(text) > maxHeader {
		return false
	}
	if year(k) {
		return true
	}
	for _, found := range e.dates.find(text) {
		if found.from.month > 0 || found.to.year > 0 {
			return !strings.Contains(text, "(")
		}
	}
	return false
}

// aboveList reports whether the first of some rows, which has no separators, is the heading of a group: as many such
// rows are followed by as many lists.
func (e *Extractor) aboveList(rows []skillRow) bool {
	lists := func(row skillRow) bool {
		list := splitList(row.text)
		return len(list) > 1 && !strings.Contains(row.text, "\t")
	}
	headings := 0
	for headings < len(rows) && !lists(rows[headings]) && strings.Count(rows[headings].text, " ") < 3 {
		headings++
	}
	if headings == 1 {
		return len(rows) > 1 && lists(rows[1]) && e.namesGroup(rows[0].text)
	}
	for i := range headings {
		if headings+i >= len(rows) || !lists(rows[headings+i]) {
			return false
		}
	}
	return headings > 0
}

// withoutHeading returns the first item of a list without the name of its group, from which only a space separates it:
// "Tools Quillmark, Docker". What remains is a skill of the taxonomy, or the group is a known one, or the other items
// have their only capital at the beginning.
func (e *Extractor) withoutHeading(list []string) string {
	const maxHeadingWords = 3
	words := strings.Fields(list[0])
	if len(list) < 2 || e.knownName(list[0]) {
		return list[0]
	}
	for n := min(maxHeadingWords, len(words)-1); n > 0; n-- {
		heading, rest := strings.Join(words[:n], " "), strings.Join(words[n:], " ")
		if !capitalized(rest) {
			continue
		}
		exact, known := e.taxonomy.Named(rest)
		if e.namesGroup(heading) || known && !exact.Generic && n+1 < len(words) {
			return rest
		}
	}
	plain := 0 // items of several words whose second one is in lower case
	for _, item := range list[1:] {
		if _, second, ok := strings.Cut(item, " "); ok && firstIsLower(second) {
			plain++
		}
	}
	if plain > 1 && len(words) > 2 && capitalized(words[1]) && firstIsLower(words[2]) {
		return strings.Join(words[1:], " ")
	}
	return list[0]
}

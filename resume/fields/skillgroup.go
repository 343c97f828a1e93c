package fields

import (
	"strings"
	"unicode/utf8"
)

// This file recognizes groups in lists of skills, and what is in a list but belongs to another one.

// withoutGroup returns the name of the group that starts line i of a list of skills, and the rest of the line:
// "Databases" and "MySQL, Redis". The rest is "" for the name of a group alone, whose skills are on the next line.
func (r *listReader) withoutGroup(s *section, i int) (label, values string) {
	l := s.lines[i]
	if group, rest, ok := r.cutLabel(l.text); ok {
		return group, rest
	}

	if len(l.cells) > 1 {
		first := l.cells[0]
		rest := strings.Join(l.cells[1:], "\t")
		named := r.namesGroup(first) || len(l.cells) == 2 && strings.ContainsFunc(rest, listSign)
		if named && !strings.ContainsFunc(first, listSign) {
			return first, rest
		}

		return "", l.text
	}

	for _, dash := range []string{" – ", " — ", " - "} {
		group, rest, ok := strings.Cut(l.text, dash)
		listed := strings.ContainsFunc(rest, listSign) && !strings.ContainsFunc(group, listSign) &&
			strings.Count(group, " ") < 3 && !strings.Contains(rest, dash)
		if ok && (listed || r.namesGroup(group)) && !r.isRating(rest) && !r.isRating(group) {
			return group, rest
		}
	}

	if strings.ContainsFunc(l.text, listSign) || i+1 >= len(s.lines) {
		return "", l.text
	}
	if s.headsGroup(r, i) {
		return l.text, ""
	}

	return "", l.text
}

// headsGroup reports whether line i of a list, which has no separators, is the heading of the group below it. It looks
// bolder or larger than that, or stands closer to it than to the group above.
func (s *section) headsGroup(lists *listReader, i int) bool {
	l := s.lines[i]
	next := s.lines[i+1]
	if i+2 < len(s.lines) && lists.isRating(next.text) && s.lines[i+2].style() != l.style() {
		next = s.lines[i+2] // a level is between a group and its skills
	}
	listed := strings.ContainsFunc(next.text, listSign)
	stronger := l.Bold && !next.Bold || l.Size > next.Size+.4 || next.Bullet && !l.Bullet ||
		l.caps && !next.caps && strings.Contains(l.text, " ") && !hasDigit(l.text) && !lists.knownName(l.text)
	switch {
	case l.Bullet, lists.isRating(next.text), lists.prose(next.text, splitList(next.text), false):
		return false
	case stronger:
		return true
	case listed && (i == 0 || l.Gap > next.Gap+.15):
		return l.style().size >= next.style().size
	default:
		return next.style() != l.style() && (listed && !l.caps || lists.namesGroup(l.text))
	}
}

// maxGroup is the maximum length of the name of a group in characters.
const maxGroup = 40

// cutLabel cuts a text at the colon after the name of a group. A level after the colon belongs to the skill before it.
func (r *listReader) cutLabel(text string) (label, rest string, ok bool) {
	label, rest, ok = strings.Cut(text, ":")
	if !ok || utf8.RuneCountInString(label) > maxGroup || strings.ContainsFunc(label, listSign) ||
		strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, ":") || strings.TrimSpace(label) == "" {
		return "", text, false
	}
	if strings.TrimSpace(rest) != "" && r.isRating(rest) && !r.isRating(label) {
		return "", text, false
	}
	return label, rest, true
}

// namesGroup reports whether a text is the heading of a group of skills, such as "Tools" or "Web frameworks".
func (r *listReader) namesGroup(text string) bool {
	k := r.words.withoutModifiers(key(text))
	return k != "" && strings.Count(k, " ") < 4 &&
		(r.words.exactHeading(k) == skills || r.words.skillGroups[k[strings.LastIndexByte(k, ' ')+1:]])
}

// otherGroup reports whether a group in a list of skills is about something else: human languages, certifications.
func (r *listReader) otherGroup(label, values string) bool {
	switch k := r.words.exactHeading(r.words.withoutModifiers(key(label))); k {
	case "", skills, other, experience, summary, "courses", "projects":
		return false
	case languages:
		return len(r.words.spokenIn(values)) > 0
	default:
		return true
	}
}

// labeledLists returns a section with the lines of another one that are lists of skills, because their label says so:
// "Technical skills: Go, Rust" in a summary.
func (r *listReader) labeledLists(s *section) *section {
	found := &section{kind: skills}
	for _, l := range s.lines {
		label, rest, ok := r.cutLabel(l.text)
		if ok && r.words.exactHeading(r.words.withoutModifiers(key(label))) == skills && len(splitList(rest)) > 1 {
			found.lines = append(found.lines, l)
		}
	}
	return found
}

// otherEntry reports whether a row of a list of skills belongs to an entry of another list: it has a date, a school or
// a degree.
func (r *listReader) otherEntry(text string) bool {
	k := key(text)
	begin := text

	if i := strings.IndexAny(text, ",("); i >= 0 {
		begin = text[:i]
	}
	school := r.words.schools.any(k) && strings.Contains(k, " ") && !strings.ContainsFunc(text, listSign)
	if school || r.words.degrees[key(begin)] {
		return true
	}

	for _, end := range []string{" of ", " s degree", " degree"} {
		if i := strings.Index(k, end); i > 0 && r.words.degrees[k[:i+len(end)-1]] {
			return true
		}
	}

	if !hasDigit(text) || len(text) > maxHeader {
		return false
	}
	if year(k) {
		return true
	}

	for _, found := range r.dates.find(text) {
		if found.from.month > 0 || found.to.year > 0 {
			return !strings.Contains(text, "(")
		}
	}

	return false
}

// aboveList reports whether the first of some rows, which has no separators, is the heading of a group: as many such
// rows are followed by as many lists.
func (r *listReader) aboveList(rows []skillRow) bool {
	lists := func(row skillRow) bool {
		list := splitList(row.text)
		return len(list) > 1 && !strings.Contains(row.text, "\t")
	}
	headings := 0
	for headings < len(rows) && !lists(rows[headings]) && strings.Count(rows[headings].text, " ") < 3 {
		headings++
	}
	if headings == 1 {
		return len(rows) > 1 && lists(rows[1]) && r.namesGroup(rows[0].text)
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
func (r *listReader) withoutHeading(list []string) string {
	const maxHeadingWords = 3
	words := strings.Fields(list[0])

	if len(list) < 2 || r.knownName(list[0]) {
		return list[0]
	}

	for n := min(maxHeadingWords, len(words)-1); n > 0; n-- {
		heading := strings.Join(words[:n], " ")
		rest := strings.Join(words[n:], " ")
		if !capitalized(rest) {
			continue
		}

		exact, known := r.taxonomy.Named(rest)
		if r.namesGroup(heading) || known && !exact.Generic && n+1 < len(words) {
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

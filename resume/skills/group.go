package skills

import (
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// This file recognizes groups in lists of skills, and what is in a list but belongs to another one.

// withoutGroup returns the name of the group that starts line i of a list of skills, and the rest of the line:
// "Databases" and "MySQL, Redis". The rest is "" for the name of a group alone, whose skills are on the next line.
func (r *listReader) withoutGroup(s *sections.Section, i int) (label, values string) {
	l := s.Lines[i]
	if group, rest, ok := r.cutLabel(l.Text); ok {
		return group, rest
	}

	// In a table, the first cell of a row may name the group of the others.
	if len(l.Cells) > 1 {
		first := l.Cells[0]
		rest := strings.Join(l.Cells[1:], "\t")
		besideList := len(l.Cells) == 2 && isList(rest) && !r.isRating(rest) // "Go" beside "●●●○"
		mayBeGroup := besideList || r.namesGroup(first)
		if mayBeGroup && !isList(first) {
			return first, rest
		}
		return "", l.Text
	}

	// A dash also separates a skill from its level, so the rest must be a list.
	for _, dash := range []string{" – ", " — ", " - "} {
		group, rest, ok := strings.Cut(l.Text, dash)
		if !ok {
			continue
		}

		shortGroup := !isList(group) && strings.Count(group, " ") < 3
		beforeList := shortGroup && isList(rest) && !strings.Contains(rest, dash)
		if !beforeList && !r.namesGroup(group) {
			continue
		}

		if !r.isRating(rest) && !r.isRating(group) {
			return group, rest
		}
	}

	isLast := i+1 >= len(s.Lines)
	mayHead := !isLast && !isList(l.Text)
	if mayHead && r.headsGroup(s, i) {
		return l.Text, ""
	}
	return "", l.Text
}

// isList reports whether a text has a sign that separates the items of a list.
func isList(text string) bool { return strings.ContainsFunc(text, wording.ListSign) }

// headsGroup reports whether line i of a list, which has no separators, is the heading of the group below it. It looks
// bolder or larger than that, or stands closer to it than to the group above.
func (r *listReader) headsGroup(s *sections.Section, i int) bool {
	l := s.Lines[i]
	next := s.Lines[i+1]

	// A level may be between a group and its skills.
	levelNext := i+2 < len(s.Lines) && r.isRating(next.Text)
	if levelNext && s.Lines[i+2].Style() != l.Style() {
		next = s.Lines[i+2]
	}

	if l.Bullet || r.isRating(next.Text) || r.prose(next.Text, splitList(next.Text), false) {
		return false
	}

	// Acronyms and names of products are in capitals without being headings.
	onlyCaps := l.Caps && !next.Caps
	capsOfHeading := onlyCaps && strings.Contains(l.Text, " ") && !wording.HasDigit(l.Text) && !r.knownName(l.Text)
	bolder := l.Bold && !next.Bold
	larger := l.Size > next.Size+.4
	aboveItems := next.Bullet && !l.Bullet
	if bolder || larger || aboveItems || capsOfHeading {
		return true
	}

	startsGroup := i == 0 || l.Gap > next.Gap+.15
	if isList(next.Text) && startsGroup {
		return l.Style().Size >= next.Style().Size
	}

	mayHead := isList(next.Text) && !l.Caps || r.namesGroup(l.Text)
	return mayHead && next.Style() != l.Style()
}

// maxGroup is the maximum length of the name of a group in characters.
const maxGroup = 40

// cutLabel cuts a text at the colon after the name of a group. A level after the colon belongs to the skill before it.
func (r *listReader) cutLabel(text string) (label, rest string, ok bool) {
	label, rest, ok = strings.Cut(text, ":")
	if !ok {
		return "", text, false
	}

	// The colons of "https://" and "Foo::Bar" are parts of a name.
	insideName := strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, ":")
	isLabel := strings.TrimSpace(label) != "" && utf8.RuneCountInString(label) <= maxGroup &&
		!strings.ContainsFunc(label, wording.ListSign)
	if insideName || !isLabel {
		return "", text, false
	}

	isLevel := strings.TrimSpace(rest) != "" && r.isRating(rest)
	if isLevel && !r.isRating(label) {
		return "", text, false
	}

	return label, rest, true
}

// namesGroup reports whether a text is the heading of a group of skills, such as "Tools" or "Web frameworks".
func (r *listReader) namesGroup(text string) bool {
	k := r.words.WithoutModifiers(wording.Key(text))
	return k != "" && strings.Count(k, " ") < 4 &&
		(r.words.ExactHeading(k) == lexicon.Skills || r.words.SkillGroups[k[strings.LastIndexByte(k, ' ')+1:]])
}

// otherGroup reports whether a group in a list of skills is about something else: human languages, certifications.
func (r *listReader) otherGroup(label, values string) bool {
	switch k := r.words.ExactHeading(r.words.WithoutModifiers(wording.Key(label))); k {
	case "", lexicon.Skills, lexicon.Other, lexicon.Experience, lexicon.Summary, "courses", "projects":
		return false
	case lexicon.Languages:
		return len(r.words.SpokenIn(values)) > 0
	default:
		return true
	}
}

// labeledLists returns a section with the lines of another one that are lists of skills, because their label says so:
// "Technical skills: Go, Rust" in a summary.
func (r *listReader) labeledLists(s *sections.Section) *sections.Section {
	found := &sections.Section{Kind: lexicon.Skills}
	for _, l := range s.Lines {
		label, rest, ok := r.cutLabel(l.Text)
		if !ok {
			continue
		}

		kind := r.words.ExactHeading(r.words.WithoutModifiers(wording.Key(label)))
		if kind == lexicon.Skills && len(splitList(rest)) > 1 {
			found.Lines = append(found.Lines, l)
		}
	}
	return found
}

// otherEntry reports whether a row of a list of skills belongs to an entry of another list: it has a date, a school or
// a degree.
func (r *listReader) otherEntry(text string) bool {
	key := wording.Key(text)
	schoolName := r.words.Schools.Any(key) && strings.Contains(key, " ") && !isList(text)
	if schoolName || r.startsWithDegree(text, key) {
		return true
	}

	if !wording.HasDigit(text) || len(text) > wording.MaxHeader {
		return false
	}
	if year(key) {
		return true
	}

	// A year alone may be a version, but a month or a range is the date of an entry. In brackets, it says how long a
	// skill was used.
	for _, found := range r.dates.Find(text) {
		if found.From.Month > 0 || found.To.Year > 0 {
			return !strings.Contains(text, "(")
		}
	}

	return false
}

// startsWithDegree reports whether a row of a list of skills starts with a degree. key is its key.
func (r *listReader) startsWithDegree(text, key string) bool {
	start := text
	if i := strings.IndexAny(text, ",("); i >= 0 {
		start = text[:i]
	}
	if r.words.Degrees[wording.Key(start)] {
		return true
	}

	// "Master of Science" and "bachelor's degree" are degrees; "master data" is a skill.
	for _, end := range []string{" of ", " s degree", " degree"} {
		if i := strings.Index(key, end); i > 0 && r.words.Degrees[key[:i+len(end)-1]] {
			return true
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
		if !wording.Capitalized(rest) {
			continue
		}

		// Many single words are skills by chance: "Team Leadership" must not lose its "Team".
		exact, known := r.taxonomy.Named(rest)
		restIsSkill := known && !exact.Generic && n+1 < len(words)
		if restIsSkill || r.namesGroup(heading) {
			return rest
		}
	}

	// No name of a group is known. Where the other items start with their only capital, a second capital in the first
	// item starts its name.
	plain := 0 // items of several words whose second one is in lower case
	for _, item := range list[1:] {
		if _, second, ok := strings.Cut(item, " "); ok && wording.FirstIsLower(second) {
			plain++
		}
	}

	secondStartsName := len(words) > 2 && wording.Capitalized(words[1]) && wording.FirstIsLower(words[2])
	if plain > 1 && secondStartsName {
		return strings.Join(words[1:], " ")
	}

	return list[0]
}

package fields

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// A degreeReader reads the sections about education.
type degreeReader struct {
	words       *dictionary
	entries     *entryReader
	calibration calibration
}

func newDegreeReader(words *dictionary, e *entryReader, c calibration) *degreeReader {
	return &degreeReader{words, e, c}
}

// degrees returns the entries of the sections about education.
func (r *degreeReader) degrees(p *page, all []*section) []resume.Degree {
	var degrees []resume.Degree
	for _, s := range all {
		if !s.is(education) {
			continue
		}
		items := r.entries.entries(p, s, &degreeGrammar)
		if len(items) == 0 {
			items = r.entries.undatedDegrees(s)
		}

		for _, it := range items {
			d := degreeOf(r.words, &it.reading)
			d.Start, d.End = it.span.from.String(), it.span.to.String()

			if it.span.single() {
				d.Start, d.End = "", d.Start
			}

			if d.Degree != "" || d.Institution != "" {
				d.Confidence = r.calibration.confidence("education", it.strength())
				degrees = append(degrees, d)
			}
		}
	}

	return degrees[:min(len(degrees), maxEntries)]
}

// degreeOf splits the fragment with the degree, which may also name the field and the school.
func degreeOf(words *dictionary, r *reading) resume.Degree {
	found := resume.Degree{
		Institution: strings.TrimRight(r.texts[host], "."),
		Field:       withoutRemark(withoutLabel(r.texts[field])),
	}
	degree, field, school := words.splitDegree(strings.TrimRight(r.texts[lead], "."))
	found.Degree = degree
	found.Field = cmp.Or(withoutLabel(field), found.Field)
	found.Institution = cmp.Or(found.Institution, school)
	if found.Institution == "" && words.namesSchool(found.Field) { // "Diploma Harbor High School 3.7"
		found.Institution = strings.TrimRight(found.Field, " .,0123456789")
		found.Field = ""
	}
	return found
}

// namesSchool reports whether a text without a comma is the name of a school: its last word before a number is a word
// for schools, or "of" follows one. "School Psychology" is a field.
func (d *degreeWords) namesSchool(text string) bool {
	words := strings.Fields(key(strings.TrimRight(text, " .,0123456789")))
	if len(words) < 2 || strings.Contains(text, ",") {
		return false
	}
	for i, word := range words[:len(words)-1] {
		if words[i+1] == "of" && d.schools.any(word) {
			return true
		}
	}
	return d.schools.any(words[len(words)-1])
}

func (d *degreeWords) startsWithDegree(text string) bool {
	end := d.degreeEnd(text)
	return end > 0 && d.degrees[key(text[:end])]
}

// withoutLabel drops a label of one or two words: "Major: Physics".
func withoutLabel(text string) string {
	if label, value, ok := strings.Cut(text, ": "); ok && strings.Count(label, " ") < 2 {
		return value
	}
	return text
}

// splitDegree splits "Bachelor of Science in Physics, University of X" into its parts.
func (d *degreeWords) splitDegree(text string) (degree, field, school string) {
	text, school = d.takeSchool(text)
	end := d.degreeEnd(text)
	switch {
	case end > 0 && wide(text):
		degree, field = d.splitWideDegree(text, end)
	case end > 0 && d.degrees[key(text[:end])]:
		degree, field = d.splitField(text, end)
	default:
		degree = text
	}
	return degree, field, school
}

// takeSchool removes the schools at the end of a text, or else the one at its start.
func (d *degreeWords) takeSchool(text string) (rest, school string) {
	for {
		i := strings.LastIndex(text, ", ")
		if i <= 0 || !d.schools.any(key(text[i:])) || d.degreeEnd(text[i+2:]) > 0 {
			break
		}
		school = strings.TrimPrefix(strings.Trim(text[i+2:]+", "+school, ", "), " ")
		text = text[:i]
	}
	first, after, ok := strings.Cut(text, ", ")
	if ok && school == "" && d.schools.any(key(first)) && d.degreeEnd(first) == 0 {
		return after, first
	}
	return text, school
}

// splitField splits a text after its degree, which ends at offset end: "BSc in Physics", "BSc (Physics)", "Bachelor of
// Science (B.Sc.) Physics", "Master of Engineering in Physics".
func (d *degreeWords) splitField(text string, end int) (degree, field string) {
	degree = strings.TrimSpace(text[:end])
	rest := strings.Trim(text[end:], " ,:;.–—-•·")

	if before, brackets, ok := strings.Cut(text[end:], "("); ok && strings.TrimSpace(before) == "" {
		inside, after, closed := strings.Cut(brackets, ")")
		after = strings.Trim(after, " ,:;–-")
		switch {
		case !closed:
		case after == "" && (d.degrees[key(inside)] || d.grade(key(inside))):
			return degree + " (" + inside + ")", ""
		case after == "":
			rest = inside
		case utf8.RuneCountInString(inside) <= 8: // an abbreviation
			degree = degree + " (" + inside + ")"
			rest = after
		}
	}

	if startsWithAny(rest, d.degreeName) > 0 {
		name, field, ok := cutAtFirst(rest, d.fieldsIn)
		if !ok {
			return strings.TrimSpace(text), ""
		}
		return degree + " " + strings.TrimSpace(name), withoutRemark(field)
	}

	return degree, withoutRemark(rest[startsWithAny(rest, d.degreeField):])
}

// startsWithAny returns the length of the prefix of text that is one of words, including the space after it, or 0. No
// space follows an apostrophe.
func startsWithAny(text string, words []string) int {
	lower := strings.ToLower(text)
	for _, word := range words {
		if !strings.HasSuffix(word, "'") && !strings.HasSuffix(word, "’") {
			word += " "
		}
		if strings.HasPrefix(lower, word) {
			return len(word)
		}
	}
	return 0
}

// splitWideDegree splits a text of a script without spaces. The field comes before or after the degree, which ends at
// offset end: "软件工程硕士".
func (d *degreeWords) splitWideDegree(text string, end int) (degree, field string) {
	before := text[:end]
	for _, name := range d.degreesInside {
		if rest, ok := strings.CutSuffix(before, name); ok {
			degree = name
			before = rest
			break
		}
	}
	field = strings.Trim(before, " ,()") + " " + strings.Trim(text[end:], " ,()")
	field = strings.TrimSpace(field)
	for _, suffix := range d.degreeSuffixes {
		field = strings.TrimSuffix(field, suffix)
	}
	return degree, field
}

// withoutRemark drops a grade or another remark after a field.
func withoutRemark(field string) string {
	if before, _, ok := cutAtFirst(field, []string{" - ", " – ", " (", "; "}); ok {
		field = before
	}
	return strings.Trim(field, " ,.:;)")
}

// degreeEnd returns the offset at which the first degree in a text ends, or 0. At most two words may precede it. A
// degree of two letters must have capitals or dots, and a single short word must come first.
func (d *degreeWords) degreeEnd(text string) int {
	if wide(text) {
		for _, name := range d.degreesInside {
			if i := strings.Index(text, name); i >= 0 {
				return i + len(name)
			}
		}
		return 0
	}

	const maxSkipped, maxWords = 2, 5
	words := wordRanges(text, 12, func(r rune) bool { return !strings.ContainsRune(" ,:;()/", r) })
	for i := range min(len(words), maxSkipped+1) {
		for n := min(maxWords, len(words)-i); n > 0; n-- {
			end := words[i+n-1].end
			name := text[words[i].start:end]
			k := key(name)
			ordinary := len(k) <= 2 && !capitals(name) && !strings.Contains(name, ".")
			short := !strings.Contains(k, " ") && len(k) < 4
			if d.degrees[k] && !ordinary && (i == 0 || !short) {
				return end
			}
		}
	}

	return 0
}

// grade reports whether a part of a header is a grade, or a remark about one.
func (d *degreeWords) grade(k string) bool {
	first, _, _ := strings.Cut(k, " ")
	return d.grades[first] || strings.Trim(k, "0123456789 ") == ""
}

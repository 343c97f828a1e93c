package lexicon

import (
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/wording"
)

// NamesSchool reports whether a text without a comma is the name of a school: its last word before a number is a word
// for schools, or "of" follows one. "School Psychology" is a field.
func (d *degreeWords) NamesSchool(text string) bool {
	words := strings.Fields(wording.Key(strings.TrimRight(text, " .,0123456789")))
	if len(words) < 2 || strings.Contains(text, ",") {
		return false
	}
	for i, word := range words[:len(words)-1] {
		if words[i+1] == "of" && d.Schools.Any(word) {
			return true
		}
	}
	return d.Schools.Any(words[len(words)-1])
}

// StartsWithDegree reports whether a text starts with a degree of the dictionary.
func (d *degreeWords) StartsWithDegree(text string) bool {
	end := d.DegreeEnd(text)
	return end > 0 && d.Degrees[wording.Key(text[:end])]
}

// SplitDegree splits "Bachelor of Science in Physics, University of X" into its parts.
func (d *degreeWords) SplitDegree(text string) (degree, field, school string) {
	text, school = d.takeSchool(text)
	end := d.DegreeEnd(text)
	switch {
	case end > 0 && wording.Wide(text):
		degree, field = d.splitWideDegree(text, end)
	case end > 0 && d.Degrees[wording.Key(text[:end])]:
		degree, field = d.SplitField(text, end)
	default:
		degree = text
	}
	return degree, field, school
}

// takeSchool removes the schools at the end of a text, or else the one at its start.
func (d *degreeWords) takeSchool(text string) (rest, school string) {
	for {
		i := strings.LastIndex(text, ", ")
		if i <= 0 {
			break
		}

		isSchool := d.Schools.Any(wording.Key(text[i:])) && d.DegreeEnd(text[i+2:]) == 0
		if !isSchool {
			break
		}

		school = strings.TrimPrefix(strings.Trim(text[i+2:]+", "+school, ", "), " ")
		text = text[:i]
	}

	first, after, ok := strings.Cut(text, ", ")
	if ok && school == "" {
		isSchool := d.Schools.Any(wording.Key(first)) && d.DegreeEnd(first) == 0
		if isSchool {
			return after, first
		}
	}

	return text, school
}

// SplitField splits a text after its degree, which ends at offset end: "BSc in Physics", "BSc (Physics)", "Bachelor of
// Science (B.Sc.) Physics", "Master of Engineering in Physics".
func (d *degreeWords) SplitField(text string, end int) (degree, field string) {
	degree = strings.TrimSpace(text[:end])
	rest := strings.Trim(text[end:], " ,:;.–—-•·")

	if before, brackets, ok := strings.Cut(text[end:], "("); ok && strings.TrimSpace(before) == "" {
		inside, after, closed := strings.Cut(brackets, ")")
		after = strings.Trim(after, " ,:;–-")
		switch {
		case !closed:
		case after == "" && (d.Degrees[wording.Key(inside)] || d.Grade(wording.Key(inside))):
			return degree + " (" + inside + ")", ""
		case after == "":
			rest = inside
		case utf8.RuneCountInString(inside) <= 8: // an abbreviation
			degree = degree + " (" + inside + ")"
			rest = after
		}
	}

	if StartsWithAny(rest, d.degreeName) > 0 {
		name, field, ok := wording.CutAtFirst(rest, d.fieldsIn)
		if !ok {
			return strings.TrimSpace(text), ""
		}
		return degree + " " + strings.TrimSpace(name), WithoutRemark(field)
	}

	return degree, WithoutRemark(rest[StartsWithAny(rest, d.DegreeField):])
}

// StartsWithAny returns the length of the prefix of text that is one of words, including the space after it, or 0. No
// space follows an apostrophe.
func StartsWithAny(text string, words []string) int {
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

// WithoutRemark drops a grade or another remark after a field.
func WithoutRemark(field string) string {
	if before, _, ok := wording.CutAtFirst(field, []string{" - ", " – ", " (", "; "}); ok {
		field = before
	}
	return strings.Trim(field, " ,.:;)")
}

// DegreeEnd returns the offset at which the first degree in a text ends, or 0. At most two words may precede it. A
// degree of two letters must have capitals or dots, and a single short word must come first.
func (d *degreeWords) DegreeEnd(text string) int {
	if wording.Wide(text) {
		for _, name := range d.degreesInside {
			if i := strings.Index(text, name); i >= 0 {
				return i + len(name)
			}
		}
		return 0
	}

	const maxSkipped, maxWords = 2, 5
	words := wording.WordRanges(text, 12, func(r rune) bool { return !strings.ContainsRune(" ,:;()/", r) })
	for i := range min(len(words), maxSkipped+1) {
		for n := min(maxWords, len(words)-i); n > 0; n-- {
			end := words[i+n-1].End
			name := text[words[i].Start:end]
			key := wording.Key(name)
			ordinary := len(key) <= 2 && !wording.Capitals(name) && !strings.Contains(name, ".")
			shortLater := i > 0 && len(key) < 4 && !strings.Contains(key, " ")
			ambiguous := ordinary || shortLater
			if d.Degrees[key] && !ambiguous {
				return end
			}
		}
	}

	return 0
}

// Grade reports whether a part of a header is a grade, or a remark about one.
func (d *degreeWords) Grade(k string) bool {
	first, _, _ := strings.Cut(k, " ")
	return d.Grades[first] || strings.Trim(k, "0123456789 ") == ""
}

package interview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
)

// maxShown bounds the characters of a client's own text in a message.
const maxShown = 40

// faults gathers everything that is wrong with a request, so that all of it is told at once.
type faults []matching.FieldError

func (f *faults) add(field, code, format string, args ...any) {
	*f = append(*f, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

func (f *faults) err() error { return matching.Invalid(*f) }

// text holds a text to its length, and to what can be stored.
func (f *faults) text(field, text string, most int) {
	if invalidText(text) {
		f.add(field, "invalid_text", "%s must be UTF-8 without NUL characters", field)
	} else if n := utf8.RuneCountInString(text); n > most {
		f.add(field, "too_long", "%s must have at most %d characters, got %d", field, most, n)
	}
}

// needed is text for one that must say something.
func (f *faults) needed(field, text string, most int) {
	if strings.TrimSpace(text) == "" {
		f.add(field, "blank", "%s must not be blank", field)
		return
	}
	f.text(field, text, most)
}

// id is needed for a member that must be there.
func (f *faults) id(field, text string, most int) {
	if text == "" {
		f.add(field, "required", "%s is required", field)
		return
	}
	f.needed(field, text, most)
}

// list holds a list to its length, and each of its texts to theirs.
func (f *faults) list(field string, texts []string, most, characters int) {
	if len(texts) > most {
		f.add(field, "too_many", "%s must have at most %d entries, got %d", field, most, len(texts))
		return
	}
	for i, text := range texts {
		f.text(fmt.Sprintf("%s[%d]", field, i), text, characters)
	}
}

// names is list for texts that must say something.
func (f *faults) names(field string, texts []string, most, characters int) {
	if len(texts) > most {
		f.add(field, "too_many", "%s must have at most %d entries, got %d", field, most, len(texts))
		return
	}
	for i, text := range texts {
		f.needed(fmt.Sprintf("%s[%d]", field, i), text, characters)
	}
}

// criteria holds shares to criteria that exist, each named once, and together more than nothing.
func (f *faults) criteria(field string, named map[string]int) {
	if len(named) == 0 {
		return
	}
	if len(named) > 2*len(criteria()) {
		f.add(field, "too_many", "%s must have at most %d members, got %d", field, len(criteria()), len(named))
		return
	}
	total, seen := 0, map[Criterion]bool{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		at, share := field+"."+shown(name), named[name]
		c, known := CriterionNamed(name)
		switch {
		case !known:
			f.add(at, "unknown_value", "%s must have technical, experience and communication for names, got %s", field, shown(name))
		case seen[c]:
			f.add(at, "repeated", "%s names the criterion %s twice", field, c)
		case share < 0 || share > MaxShare:
			f.add(at, "out_of_range", "%s must be 0 to %d, got %d", at, MaxShare, share)
		}
		seen[c] = true
		total += max(0, share)
	}
	if total == 0 {
		f.add(field, "too_small", "%s must give a criterion more than 0", field)
	}
}

func (f *faults) wrongLength(want, got int) {
	f.add("provided_answers", "wrong_length", "provided_answers must hold one answer for each of %d questions, "+
		"a blank one for a question without, got %d", want, got)
}

// shown is a client's own text, short and well-formed enough to be repeated in a message.
func shown(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + "…"
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) || text == "" {
		return fmt.Sprintf("%q", text)
	}
	return text
}

package interview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
)

// maxShown is the maximum number of characters of a client's text to quote in a message.
const maxShown = 40

// faults collects all faults of a request, so that the client sees them at once.
type faults []matching.FieldError

func (f *faults) add(field, code, format string, args ...any) {
	*f = append(*f, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

func (f *faults) err() error { return matching.Invalid(*f) }

// text checks that a text can be stored and has at most maxLength characters.
func (f *faults) text(field, text string, maxLength int) {
	if invalidText(text) {
		f.add(field, "invalid_text", "%s must be UTF-8 without NUL characters", field)
	} else if n := utf8.RuneCountInString(text); n > maxLength {
		f.add(field, "too_long", "%s must have at most %d characters, got %d", field, maxLength, n)
	}
}

// nonBlank checks a text that must not be blank.
func (f *faults) nonBlank(field, text string, maxLength int) {
	if strings.TrimSpace(text) == "" {
		f.add(field, "blank", "%s must not be blank", field)
		return
	}
	f.text(field, text, maxLength)
}

// list checks that a list has at most maxEntries entries, and each entry with check: text or nonBlank.
func (f *faults) list(
	field string, entries []string, maxEntries int, check func(field, text string, maxLength int), maxLength int,
) {
	if len(entries) > maxEntries {
		f.add(field, "too_many", "%s must have at most %d entries, got %d", field, maxEntries, len(entries))
		return
	}
	for i, text := range entries {
		check(fmt.Sprintf("%s[%d]", field, i), text, maxLength)
	}
}

// total checks the total length of the texts of a field.
func (f *faults) total(field string, length, maxLength int) {
	if length > maxLength {
		f.add(field, "too_long", "%s must have at most %d bytes in UTF-8 in total, got %d", field, maxLength, length)
	}
}

// criteria checks that scoring criteria exist, that each occurs once, and that their weights are in range and not all
// 0.
func (f *faults) criteria(field string, named map[string]int) {
	if len(named) == 0 {
		return
	}

	// No criterion has more than two names. A longer list gets one fault instead of one for each member.
	if len(named) > 2*len(criteria()) {
		f.add(field, "too_many", "%s must have at most %d members, got %d", field, len(criteria()), len(named))
		return
	}

	total := 0
	seen := map[Criterion]bool{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		at := field + "." + shown(name)
		weight := named[name]
		c, known := CriterionNamed(name)
		switch {
		case !known:
			f.add(at, "unknown_value",
				"the names in %s must be technical, experience or communication, got %s", field, shown(name))
		case seen[c]:
			f.add(at, "repeated", "%s has two weights for the criterion %s", field, c)
		case weight < 0 || weight > MaxWeight:
			f.add(at, "out_of_range", "%s must be between 0 and %d, got %d", at, MaxWeight, weight)
		}

		seen[c] = true
		// A negative weight must not cancel out a positive one.
		total += max(0, weight)
	}

	if total == 0 {
		f.add(field, "too_small", "%s must have at least one weight above 0", field)
	}
}

func (f *faults) wrongLength(want, got int) {
	f.add("provided_answers", "wrong_length",
		"provided_answers must have one entry for each of the %d questions, blank for a skipped question, got %d", want, got)
}

// shown returns a client's text in a form that is safe to quote in a message: shortened and, if necessary, escaped.
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

// Package faults collects the faults of a request, so that the client sees all of them at once.
package faults

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

// maxShown is the maximum number of characters of a client's text to quote in a message.
const maxShown = 40

// A List collects all faults of a request, so that the client sees them at once.
type List []matching.FieldError

// Add adds a fault with a message for people.
func (f *List) Add(field, code, format string, args ...any) {
	*f = append(*f, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// Err returns the faults as a matching.Error, or nil if there are none.
func (f *List) Err() error { return matching.Invalid(*f) }

// Text checks that a text can be stored and has at most maxLength characters.
func (f *List) Text(field, text string, maxLength int) {
	if InvalidText(text) {
		f.Add(field, "invalid_text", "%s must be UTF-8 without NUL characters", field)
	} else if n := utf8.RuneCountInString(text); n > maxLength {
		f.Add(field, "too_long", "%s must have at most %d characters, got %d", field, maxLength, n)
	}
}

// NonBlank checks a text that must not be blank.
func (f *List) NonBlank(field, text string, maxLength int) {
	if strings.TrimSpace(text) == "" {
		f.Add(field, "blank", "%s must not be blank", field)
		return
	}
	f.Text(field, text, maxLength)
}

// Each checks that a list has at most maxEntries entries, and each entry with check: Text or NonBlank.
func (f *List) Each(
	field string, entries []string, maxEntries int, check func(field, text string, maxLength int), maxLength int,
) {
	if len(entries) > maxEntries {
		f.Add(field, "too_many", "%s must have at most %d entries, got %d", field, maxEntries, len(entries))
		return
	}
	for i, text := range entries {
		check(fmt.Sprintf("%s[%d]", field, i), text, maxLength)
	}
}

// Total checks the total length of the texts of a field.
func (f *List) Total(field string, length, maxLength int) {
	if length > maxLength {
		f.Add(field, "too_long", "%s must have at most %d bytes in UTF-8 in total, got %d", field, maxLength, length)
	}
}

// Shown returns a client's text in a form that is safe to quote in a message: shortened and, if necessary, escaped.
func Shown(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + "…"
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) || text == "" {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// InvalidText reports whether a text contains characters that some databases or clients cannot handle.
func InvalidText(text string) bool { return !utf8.ValidString(text) || strings.ContainsRune(text, 0) }

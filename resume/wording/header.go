package wording

import (
	"strings"
	"unicode/utf8"
)

// A Fragment is a part of the header of an entry, such as a title, a company or a place.
type Fragment struct {
	Text, Key string
}

// NewFragment returns the fragment with a text and its key.
func NewFragment(text string) Fragment { return Fragment{Text: text, Key: Key(text)} }

// CutAtFirst cuts text at whichever separator comes first. A separator at the start doesn't count.
func CutAtFirst(text string, separators []string) (before, after string, ok bool) {
	first := len(text)
	for _, s := range separators {
		if i := strings.Index(text, s); i > 0 && i < first {
			first = i
			before = text[:i]
			after = text[i+len(s):]
			ok = true
		}
	}
	return before, after, ok
}

// SplitHeader splits a line at tabs, bars and dots, and at dashes and slashes between spaces.
func SplitHeader(text string) []string {
	var parts []string
	start := 0
	take := func(end, next int) {
		if part := strings.Trim(text[start:end], " \t,;|·•–—-:/■▪●"); part != "" {
			if strings.Count(part, "(") != strings.Count(part, ")") { // its counterpart is in another part
				part = strings.Trim(part, "() ")
			}
			parts = append(parts, part)
		}

		start = next
	}
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch r {
		case '\t', '|', '•', '·', '∣':
			take(i, next)
		case '–', '—', '-', '/', '―':
			if strings.HasSuffix(text[:i], " ") && strings.HasPrefix(text[next:], " ") {
				take(i, next)
			}
		}
	}

	take(len(text), len(text))
	return parts
}

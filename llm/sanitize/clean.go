// Package sanitize prepares texts that other people wrote for a language model: it removes invisible characters, the
// names of people, and how to reach them.
package sanitize

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Clean returns a text in form NFKC, without characters that people can't see and models can: text in tag characters or
// variation selectors, bidirectional controls that reorder a sentence, zero-width characters that split words.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, string(unicode.ReplacementChar))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(Visible, text) // before NFKC, which then composes the characters that they separated
	return strings.Map(Visible, norm.NFKC.String(text))
}

// Visible returns the character to keep for r, or -1 to drop it.
func Visible(r rune) rune {
	switch {
	case r == '\n', r == '\t', r > ' ' && r <= '~':
		return r
	case r == '\r', r == '\v', r == '\f', r == '\u0085', r == '\u2028', r == '\u2029':
		return '\n'
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // Arabic and Syriac signs: category Cf, but visible
		return r
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point):
		return -1
	}
	return r
}

// Cut returns the first n characters of a text.
func Cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// OneLine returns a text without line breaks, so that it can't pose as another line of a list.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

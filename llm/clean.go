package llm

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// clean is a hostile text in form NFKC, without what a reader cannot see and a model can: a text in tag characters or
// variation selectors, an order turned round by bidirectional controls, words split by zero-width ones.
func clean(text string) string {
	text = strings.ToValidUTF8(text, string(unicode.ReplacementChar))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(seen, text) // first, so that what was kept apart by it is composed
	return strings.Map(seen, norm.NFKC.String(text))
}

// seen is a character as it is left in a text, or -1.
func seen(r rune) rune {
	switch {
	case r == '\n', r == '\t', r > ' ' && r <= '~':
		return r
	case r == '\r', r == '\v', r == '\f', r == '\u0085', r == '\u2028', r == '\u2029':
		return '\n'
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // of Arabic and Syriac, visible though of category Cf
		return r
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point):
		return -1
	}
	return r
}

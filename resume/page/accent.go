package page

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// combining maps accents that stand alone to those that combine with the letter before them.
var combining = map[rune]string{
	'´': "\u0301", 'ˋ': "\u0300", '¨': "\u0308", 'ˆ': "\u0302", '˜': "\u0303", '¸': "\u0327", 'ˇ': "\u030c",
	'˘': "\u0306", '˚': "\u030a", '˝': "\u030b", '˛': "\u0328", '¯': "\u0304",
}

// composeAccents combines accents that stand alone with the letter they belong to. TeX prints an accent before its
// letter ("Ren´e"), other programs after it ("Mu¨ller"). A vowel beside the accent is its letter, or an n after a
// tilde, and the letter after it in case of doubt.
func composeAccents(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return combining[r] != "" }) {
		return text
	}

	out := make([]byte, 0, len(text))

	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		accent := combining[r]
		if accent == "" {
			out = append(out, text[i:i+size]...)
			i += size
			continue
		}

		i += size
		before, sizeBefore := utf8.DecodeLastRune(out)
		after, sizeAfter := utf8.DecodeRuneInString(text[i:])
		composedBefore := compose(before, accent)
		composedAfter := compose(after, accent)

		// TeX puts the accent first, so the letter after it wins in case of doubt.
		isAfter := composedBefore == "" || !vowel(before) || vowel(after) || composedAfter == "ñ"
		switch {
		case composedAfter != "" && isAfter:
			out = append(out, composedAfter...)
			i += sizeAfter
		case composedBefore != "":
			out = append(out[:len(out)-sizeBefore], composedBefore...)
		default:
			out = utf8.AppendRune(out, r)
		}
	}

	return string(out)
}

// compose returns the letter with the accent, or "" if Unicode lacks it. TeX puts the accent of an i above a dotless
// one.
func compose(letter rune, accent string) string {
	if letter == 'ı' {
		letter = 'i'
	}
	composed := norm.NFC.String(string(letter) + accent)
	if utf8.RuneCountInString(composed) != 1 {
		return ""
	}
	return composed
}

func vowel(r rune) bool { return strings.ContainsRune("aeiouyıAEIOUY", r) }

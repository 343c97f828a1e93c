package page

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// repaired returns a text after reading again what was written in UTF-8 and read as Windows-1252: "â€“" becomes "–".
// Some programs put such text into the files that they make. Text that is right doesn't have such sequences: in UTF-8,
// a letter with an accent would have to be followed by signs.
func repaired(text string) string {
	if !strings.ContainsAny(text, "ÂÃâïðåäæçè") { // what the first bytes of frequent characters look like
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		if r, size := repairedRune(text); size > 0 {
			b.WriteRune(r)
			text = text[size:]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		b.WriteString(text[:size])
		text = text[size:]
	}
	return b.String()
}

// repairedRune returns the character whose bytes a text starts with, each as a character of Windows-1252, and the
// length of these; 0 if it doesn't. The bytes that Windows-1252 lacks get lost; of what lacks one, only the frequent
// signs are known.
func repairedRune(text string) (r rune, size int) {
	var encoded []byte
	for _, c := range text {
		code, ok := charmap.Windows1252.EncodeRune(c)
		if !ok || code < utf8.RuneSelf || len(encoded) == utf8.UTFMax {
			break
		}

		encoded = append(encoded, code)
		size += utf8.RuneLen(c)

		if len(encoded) > 1 && utf8.FullRune(encoded) {
			break
		}
	}

	if r, n := utf8.DecodeRune(encoded); len(encoded) > 1 && n == len(encoded) && r != utf8.RuneError {
		return r, size
	}

	switch {
	case strings.HasPrefix(text, "ï¼ "): // U+FF0D without its last byte, 8D
		return '-', len("ï¼")
	case strings.HasPrefix(text, "â€ "): // U+201D without its last byte, 9D
		return '”', len("â€")
	}

	return 0, 0
}

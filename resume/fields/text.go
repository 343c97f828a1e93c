package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/internal/analysis"
)

// Limits on texts.
const (
	maxText    = 4_000 // bytes of a description or a summary
	maxHeading = 60    // characters
	maxHeader  = 140   // characters of a line in the header of an entry
)

// key returns the form in which words and phrases are compared: letters and digits in lower case without accents,
// with a single space in place of anything else.
func key(text string) string {
	folded := analysis.Fold(text)
	var b strings.Builder
	b.Grow(len(folded))
	space := false
	for _, r := range folded {
		switch {
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ı': // as in Turkish, of which capitals lose the difference
			b.WriteByte('i')
		case r == 'ł':
			b.WriteByte('l')
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)

		default:
			space = true
		}
	}

	return b.String()
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// wide reports whether text has characters of a script that is written without spaces.
func wide(text string) bool { return strings.ContainsFunc(text, wideRune) }

func wideRune(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// capitals reports whether text has two or more letters with case, all of them capitals.
func capitals(text string) bool {
	upper := 0
	for _, r := range text {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			upper++
		}
	}
	return upper > 1
}

func firstIsLower(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(first)
}

// sentence reports whether a line reads like running text rather than a name, a title or a date.
func sentence(text string) bool {
	words := strings.Count(text, " ") + 1
	switch {
	case utf8.RuneCountInString(text) > maxHeader || words > 16 || firstIsLower(text) && words > 3:
		return true
	case wide(text):
		return strings.Contains(text, "。") || utf8.RuneCountInString(text) > 45
	case strings.HasSuffix(text, ";"), strings.HasSuffix(text, ".") && words > 5 && !abbreviated(text):
		return true
	}
	lower := 0
	for word := range strings.FieldsSeq(text) {
		if firstIsLower(word) {
			lower++
		}
	}
	return words > 7 && 2*lower > words
}

// abbreviated reports whether text ends with an abbreviation like those in the names of companies: "S.A.", "Inc.".
func abbreviated(text string) bool {
	word := strings.TrimSuffix(text[strings.LastIndexByte(text, ' ')+1:], ".")
	first, _ := utf8.DecodeRuneInString(word)
	return strings.Contains(word, ".") || unicode.IsUpper(first) && len(word) < 6
}

// A textRange is a part of a text, by its byte offsets.
type textRange struct{ start, end int }

// wordRanges returns the first words of a text, at most limit. A word is a run of characters that inWord accepts.
func wordRanges(text string, limit int, inWord func(rune) bool) []textRange {
	var words []textRange
	for from := 0; len(words) < limit; {
		start := strings.IndexFunc(text[from:], inWord)
		if start < 0 {
			break
		}
		start += from
		length := strings.IndexFunc(text[start:], func(r rune) bool { return !inWord(r) })
		if length < 0 {
			length = len(text) - start
		}
		from = start + length
		words = append(words, textRange{start, from})
	}
	return words
}

func letterOrMark(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }

// joinLine appends a line to running text: on a new line if it starts a list item or a paragraph, without the hyphen
// if one divides a word, and without a space between Chinese or Japanese characters.
func joinLine(b *strings.Builder, text string, newLine bool) {
	if b.Len() >= maxText {
		return
	}
	text = strings.ReplaceAll(text, "\t", " ")
	before := b.String()
	switch between, divided := joint(before, text); {
	case before == "":
	case newLine:
		b.WriteByte('\n')
	case divided:
		b.Reset()
		b.WriteString(before[:len(before)-1])
	default:
		b.WriteString(between)
	}
	b.WriteString(truncate(text, maxText-b.Len()))
}

// joint returns what belongs between two lines of running text, and whether they divide a word, so that the first one
// loses the hyphen at its end.
func joint(before, text string) (between string, divided bool) {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case strings.HasSuffix(before, "-") && unicode.IsLower(first) && !strings.HasSuffix(before, " -"):
		return "", true
	case wideRune(last) && wideRune(first):
		return "", false
	default:
		return " ", false
	}
}

// truncate returns the first characters of text, at most size bytes.
func truncate(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size = max(size, 0); size > 0 && !utf8.RuneStart(text[size]); size-- {
	}
	return text[:size]
}

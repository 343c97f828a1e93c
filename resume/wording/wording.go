package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/analysis"
)

// Kana reports whether a text is in kana only, as the reading of a name is.
func Kana(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Hiragana, unicode.Katakana) && r != ' ' && r != 'ー'
	})
}

// CutLabel splits "Label: value".
func CutLabel(text string) (label, value string, ok bool) {
	label, value, ok = strings.Cut(text, ":")
	if label == "" || !ok || len(label) > 60 || strings.HasPrefix(value, "//") {
		return "", "", false
	}
	return strings.TrimSpace(label), strings.TrimSpace(value), true
}

// Quoted reports whether a text has a title in quotation marks.
func Quoted(text string) bool { return strings.ContainsAny(text, `"“”„«»`) }

// Capitalized reports whether a word starts with a capital.
func Capitalized(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// Capital reports whether a text is a single capital.
func Capital(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size == len(text) && unicode.IsUpper(r)
}

// WithoutBrackets drops the first bracketed part of a text, or else colons at its end.
func WithoutBrackets(text string) string {
	open := strings.IndexAny(text, "([")
	if open < 0 {
		return strings.TrimRight(text, ": ")
	}
	length := strings.IndexAny(text[open:], ")]")
	if length < 0 {
		return text
	}
	return strings.TrimSpace(text[:open] + text[open+length+1:])
}

// CountDigits returns how many ASCII digits a text has.
func CountDigits(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			n++
		}
	}
	return n
}

// ListSign reports whether r separates or starts the items of a list.
func ListSign(r rune) bool {
	return strings.ContainsRune(",;|\t•·、，；・｜●▪∙■◦‣", r)
}

// Limits on texts.
const (
	MaxText    = 4_000 // bytes of a description or a summary
	MaxHeading = 60    // characters
	MaxHeader  = 140   // characters of a line in the header of an entry
)

// Key returns the form in which words and phrases are compared: letters and digits in lower case without accents,
// with a single space in place of anything else.
func Key(text string) string {
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

// IsASCII reports whether a text has only ASCII characters.
func IsASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Wide reports whether text has characters of a script that is written without spaces.
func Wide(text string) bool { return strings.ContainsFunc(text, WideRune) }

// WideRune reports whether r is Chinese or Japanese, of a script that is written without spaces.
func WideRune(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// HasDigit reports whether a text has an ASCII digit.
func HasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// Capitals reports whether text has two or more letters with case, all of them capitals.
func Capitals(text string) bool {
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

// FirstIsLower reports whether a text starts with a lower-case letter.
func FirstIsLower(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(first)
}

// Sentence reports whether a line reads like running text rather than a name, a title or a date.
func Sentence(text string) bool {
	words := strings.Count(text, " ") + 1
	switch {
	case utf8.RuneCountInString(text) > MaxHeader || words > 16 || FirstIsLower(text) && words > 3:
		return true
	case Wide(text):
		return strings.Contains(text, "。") || utf8.RuneCountInString(text) > 45
	case strings.HasSuffix(text, ";"), strings.HasSuffix(text, ".") && words > 5 && !Abbreviated(text):
		return true
	}
	lower := 0
	for word := range strings.FieldsSeq(text) {
		if FirstIsLower(word) {
			lower++
		}
	}
	return words > 7 && 2*lower > words
}

// Abbreviated reports whether text ends with an abbreviation like those in the names of companies: "S.A.", "Inc.".
func Abbreviated(text string) bool {
	word := strings.TrimSuffix(text[strings.LastIndexByte(text, ' ')+1:], ".")
	first, _ := utf8.DecodeRuneInString(word)
	return strings.Contains(word, ".") || unicode.IsUpper(first) && len(word) < 6
}

// A Range is a part of a text, by its byte offsets.
type Range struct{ Start, End int }

// WordRanges returns the first words of a text, at most limit. A word is a run of characters that inWord accepts.
func WordRanges(text string, limit int, inWord func(rune) bool) []Range {
	var words []Range
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
		words = append(words, Range{start, from})
	}
	return words
}

// LetterOrMark reports whether r is a letter or a mark that takes no space of its own, such as an accent.
func LetterOrMark(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }

// JoinLine appends a line to running text: on a new line if it starts a list item or a paragraph, without the hyphen
// if one divides a word, and without a space between Chinese or Japanese characters.
func JoinLine(b *strings.Builder, text string, newLine bool) {
	if b.Len() >= MaxText {
		return
	}
	text = strings.ReplaceAll(text, "\t", " ")
	before := b.String()
	switch between, divided := Joint(before, text); {
	case before == "":
	case newLine:
		b.WriteByte('\n')
	case divided:
		b.Reset()
		b.WriteString(before[:len(before)-1])
	default:
		b.WriteString(between)
	}
	b.WriteString(Truncate(text, MaxText-b.Len()))
}

// Joint returns what belongs between two lines of running text, and whether they divide a word, so that the first one
// loses the hyphen at its end.
func Joint(before, text string) (between string, divided bool) {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case strings.HasSuffix(before, "-") && unicode.IsLower(first) && !strings.HasSuffix(before, " -"):
		return "", true
	case WideRune(last) && WideRune(first):
		return "", false
	default:
		return " ", false
	}
}

// Truncate returns the first characters of text, at most size bytes.
func Truncate(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size = max(size, 0); size > 0 && !utf8.RuneStart(text[size]); size-- {
	}
	return text[:size]
}

package dates

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/wording"
)

// A token is a word or a number in a text that is searched for dates.
type token struct {
	wording.Range
	text   string // the key of a word, or the digits of a number
	number int    // -1 for words, and for numbers of more than four digits
}

// maxTokens bounds the tokens of a line. Lines with dates are short.
const maxTokens = 400

// tokenize returns the first tokens of a text. Each of characters is a token of its own, which Chinese and Japanese
// dates need.
func tokenize(text, characters string) []token {
	var tokens []token
	for i := 0; i < len(text) && len(tokens) < maxTokens; {
		r, size := utf8.DecodeRuneInString(text[i:])
		start := i
		i += size
		number := -1

		switch {
		case r >= '0' && r <= '9':
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			if i-start <= 4 {
				number, _ = strconv.Atoi(text[start:i]) // it has digits only
			}

		case strings.ContainsRune(characters, r):
		case unicode.IsLetter(r):
			for i < len(text) {
				r, size := utf8.DecodeRuneInString(text[i:])
				if !wording.LetterOrMark(r) || strings.ContainsRune(characters, r) {
					break
				}
				i += size
			}

		default:
			continue
		}

		at := wording.Range{Start: start, End: i}
		tokens = append(tokens, token{Range: at, text: wording.Key(text[start:i]), number: number})
	}

	return tokens
}

// leftBounded reports whether a number that starts at an offset is not part of a word, an amount or an address.
func leftBounded(text string, start int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:start])
	switch {
	case start == 0:
		return true
	case unicode.IsLetter(r):
		return wording.WideRune(r)
	default:
		return !strings.ContainsRune("$€£¥+#_.@&=%/", r) || r == '.' && start > 1 && text[start-2] == ' '
	}
}

// rightBounded reports whether a number that ends at an offset is not part of a word, an amount or an address.
func rightBounded(text string, end int) bool {
	r, _ := utf8.DecodeRuneInString(text[end:])
	switch {
	case end == len(text):
		return true
	case unicode.IsLetter(r):
		return wording.WideRune(r)
	default:
		return !strings.ContainsRune("%$€£¥+#_@&=", r)
	}
}

// yearBounded reports the same about a year, which must not be part of a larger number either: "2,019" is not a year,
// but "2019.03" starts with one.
func yearBounded(text string, end int) bool {
	if end+1 < len(text) && (text[end] == '.' || text[end] == ',') && text[end+1] >= '0' && text[end+1] <= '9' {
		return text[end] == '.'
	}
	return rightBounded(text, end)
}

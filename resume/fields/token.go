package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a number, or what stands between them.
type token struct {
	text       string // a word as a key
	number     int    // -1: a word
	start, end int
}

// maxTokens bounds the words of a line; dates stand in short ones.
const maxTokens = 400

// tokenize divides text. The characters of Chinese and Japanese dates are words of their own.
func tokenize(text string) []token {
	var tokens []token
	for i := 0; i < len(text) && len(tokens) < maxTokens; {
		r, size := utf8.DecodeRuneInString(text[i:])
		start := i
		switch {
		case r >= '0' && r <= '9':
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			n := -1
			if i-start <= 4 {
				n = 0
				for _, c := range text[start:i] {
					n = 10*n + int(c-'0')
				}
			}
			tokens = append(tokens, token{text: text[start:i], number: n, start: start, end: i})
		case dateRune(r):
			i += size
			tokens = append(tokens, token{text: text[start:i], number: -1, start: start, end: i})
		case unicode.IsLetter(r):
			for i < len(text) {
				r, size := utf8.DecodeRuneInString(text[i:])
				if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) || dateRune(r) {
					break
				}
				i += size
			}
			tokens = append(tokens, token{text: key(text[start:i]), number: -1, start: start, end: i})
		default:
			i += size
		}
	}
	return tokens
}

func dateRune(r rune) bool {
	switch r {
	case '年', '月', '日', '至', '今', '到', '从', '自':
		return true
	default:
		return false
	}
}

// bounded reports whether a number stands by itself.
func bounded(text string, start, end int) bool {
	return leftBounded(text, start) && rightBounded(text, end)
}

func leftBounded(text string, start int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:start])
	switch {
	case start == 0:
		return true
	case unicode.IsLetter(r):
		return wideRune(r)
	default:
		return !strings.ContainsRune("$€£¥+#_.@&=%/", r) || r == '.' && start > 1 && text[start-2] == ' '
	}
}

func rightBounded(text string, end int) bool {
	r, _ := utf8.DecodeRuneInString(text[end:])
	switch {
	case end == len(text):
		return true
	case unicode.IsLetter(r):
		return wideRune(r)
	default:
		return !strings.ContainsRune("%$€£¥+#_@&=", r)
	}
}

// yearBounded is rightBounded, and the year is no part of a larger number.
func yearBounded(text string, end int) bool {
	if end+1 < len(text) && (text[end] == '.' || text[end] == ',') && text[end+1] >= '0' && text[end+1] <= '9' {
		return text[end] == '.' // 2019.03
	}
	return rightBounded(text, end)
}

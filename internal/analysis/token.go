package analysis

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxTokenBytes is the length limit of a token; longer ones (encoded data, links) aren't words and are left out.
const maxTokenBytes = 64

// tokens yields the tokens of text in order, as substrings. They don't depend on the language, so two texts with a
// common word match in it, whichever languages are detected.
func tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1 // start of the current token, or -1 between tokens

		// finish yields the current token, which ends at text[end], if there is one of a reasonable length. It returns
		// false if the caller wants no more tokens.
		finish := func(end int) bool {
			from := start
			start = -1
			return from < 0 || end-from > maxTokenBytes || yield(text[from:end])
		}

		for i := 0; i < len(text); {
			size, class := classify(text[i:])
			next := i + size

			switch {
			case class == letter:
				if start < 0 {
					start = i
				}

			// Chinese has no spaces, so each ideograph is a token.
			case class == ideograph:
				if !finish(i) || !yield(text[i:next]) {
					return
				}

			case class == apostrophe && start >= 0:
				isElided := elided(text[start:i]) && startsWithLetter(text[next:])
				if isElided {
					start = -1 // of "l'image", only the word after the article counts
				} else {
					// "client's" and "don't" end at the apostrophe, and the letters after it are left out.
					if !finish(i) {
						return
					}
					next += letters(text[next:])
				}

			// Another character ends the token, but the signs of "c++" and "c#" belong to it.
			case start >= 0:
				end := i + signs(text[start:i], text[i:])
				if !finish(end) {
					return
				}
				next = max(next, end)
			}

			i = next
		}

		finish(len(text))
	}
}

// letters returns the length of the letters at the start of text.
func letters(text string) int {
	for i := 0; i < len(text); {
		size, class := classify(text[i:])
		if class != letter {
			return i
		}
		i += size
	}
	return len(text)
}

func startsWithLetter(text string) bool {
	if text == "" {
		return false
	}
	_, class := classify(text)
	return class == letter
}

// elided reports whether word is an article, preposition or pronoun that French or Italian shortens before a vowel:
// l'image, d'une, qu'il, dell'azienda.
func elided(word string) bool {
	switch strings.ToLower(word) {
	case "l", "d", "j", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quelqu", // but not "c", the language
		"un", "all", "dall", "dell", "nell", "sull", "quell", "quest", "tutt":
		return true
	}
	return false
}

// Fold returns text in lower case, with compatibility forms replaced (𝑫𝒂𝒕𝒂, ﬁ, Ⅷ) and without accents.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// signs returns the length of the signs after word that belong to it: c++, c#, f#.
func signs(word, rest string) int {
	if len(word) != 1 {
		return 0
	}
	switch word[0] | 0x20 {
	case 'c':
		if strings.HasPrefix(rest, "++") {
			return 2
		}
		fallthrough
	case 'f':
		if strings.HasPrefix(rest, "#") {
			return 1
		}
	}
	return 0
}

// Character classes of the tokenizer.
const (
	other = iota
	letter
	apostrophe
	ideograph
)

// classify returns the length in bytes and the class of the first character of text.
func classify(text string) (size, class int) {
	c := text[0]
	if c < utf8.RuneSelf {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			return 1, letter
		case c == '\'':
			return 1, apostrophe
		default:
			return 1, other
		}
	}

	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == '’' || r == 'ʼ':
		return size, apostrophe
	case unicode.Is(unicode.Han, r):
		return size, ideograph
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return size, letter
	default:
		return size, other
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

package negation

import (
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
)

// A word is a run of letters and digits.
type word struct {
	text       string // folded
	start, end int    // byte offsets
	gap        gap    // before the word
	roles      uint32 // of the word alone
	cue        uint32 // roles of the longest cue that starts here
	cueWords   int    // its length in words
}

// A gap is what separates a word from the one before it.
type gap uint8

const (
	joined   gap = iota // spaces or signs within a name
	comma               // ends an item of a list
	boundary            // ends a clause
)

// split returns the words of a text.
func split(text string) []word {
	var words []word
	start, last := -1, 0
	add := func(end int) {
		words = append(words, word{
			text: analysis.Fold(text[start:end]), start: start, end: end, gap: gapOf(text[last:start]),
		})
		last = end
		start = -1
	}

	for i, r := range text {
		switch inWord := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r); {
		case inWord && start < 0:
			start = i
		case !inWord && start >= 0:
			add(i)
		}
	}
	if start >= 0 {
		add(len(text))
	}

	return words
}

// gapOf returns what the signs between two words separate. A full stop without a space belongs to a name (Next.js), as
// does a hyphen without one.
func gapOf(signs string) gap {
	result := joined
	for i, r := range signs {
		spaced := i+1 == len(signs) || signs[i+1] == ' ' || signs[i+1] == '\n'
		switch r {
		case ';', '!', '?', '\n', '\r', '(', ')', '[', ']', '–', '—', '•', '|':
			return boundary
		case '.', ':':
			if spaced && len(signs) > 1 {
				return boundary
			}
		case '-':
			isDash := i > 0 && signs[i-1] == ' ' && spaced
			if isDash {
				return boundary
			}
		case ',':
			result = comma
		}
	}
	return result
}

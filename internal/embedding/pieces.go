package embedding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	continuation = "##" // begins a piece that continues a word
	// maxWordBytes bounds a word; longer ones (links, encoded data) have no piece.
	maxWordBytes = 100
)

// pieces yields the numbers of the pieces of text: lower case without accents, split at spaces and punctuation, and each word
// into the longest pieces that the table has, from its beginning (WordPiece, Wu et al. 2016, as BERT's uncased models
// use it). A word that cannot be put together from pieces has none.
func (m *Model) pieces(text string, yield func(piece int32)) {
	text = fold(text)
	start := -1 // of the word being read
	word := func(end int) {
		if start >= 0 {
			m.word(text[start:end], yield)
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			word(i)
		case alone(r):
			word(i)
			m.word(text[i:i+utf8.RuneLen(r)], yield)
		case start < 0:
			start = i
		}
	}
	word(len(text))
}

// word yields the pieces of one word.
func (m *Model) word(word string, yield func(piece int32)) {
	if len(word) > maxWordBytes {
		return
	}
	var found [maxWordBytes]int32
	n := 0
	var buffer [len(continuation) + maxWordBytes]byte
	copy(buffer[:], continuation)
	for start := 0; start < len(word); n++ {
		piece, length := int32(-1), len(word)-start
		for ; length > 0; length-- {
			// The compiler looks up map[string(bytes)] without making a string.
			key := buffer[:len(continuation)+copy(buffer[len(continuation):], word[start:start+length])]
			if start == 0 {
				key = key[len(continuation):]
			}
			if number, ok := m.numbers[string(key)]; ok {
				piece = number
				break
			}
		}
		if piece < 0 {
			return
		}
		found[n] = piece
		start += length
	}
	for _, piece := range found[:n] {
		yield(piece)
	}
}

// fold is the text in lower case, without accents, and without control characters.
func fold(text string) string {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] >= ' ' && text[i] <= '~'
	}
	if ascii {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.Is(unicode.Mn, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r):
			return -1
		default:
			return r
		}
	}, norm.NFD.String(strings.ToLower(text)))
}

// alone reports whether a character is a word of its own: punctuation, a symbol of ASCII, or an ideograph.
func alone(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r) || unicode.Is(unicode.Han, r)
}

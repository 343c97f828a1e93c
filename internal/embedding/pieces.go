package embedding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	continuation = "##" // starts a piece that continues a word
	// maxWordBytes is the length limit of a word; longer ones (links, encoded data) have no pieces.
	maxWordBytes = 100
)

// pieces yields the rows of the pieces of text. The text is folded and split at spaces and punctuation; each word is
// split from its start into the longest pieces of the table (WordPiece, Wu et al. 2016, as in BERT's uncased models). A
// word that the table's pieces can't form has none.
func (m *Model) pieces(text string, yield func(piece int32)) {
	text = fold(text)
	start := -1 // start of the current word
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

// word yields the rows of the pieces of one word.
func (m *Model) word(word string, yield func(piece int32)) {
	if len(word) > maxWordBytes {
		return
	}
	var found [maxWordBytes]int32
	n := 0
	for start, table := 0, m.starts; start < len(word); n++ {
		piece, length := table.prefix(word[start:])
		if length == 0 {
			return
		}
		found[n] = piece
		start += length
		table = m.others
	}
	for _, piece := range found[:n] {
		yield(piece)
	}
}

// fold returns text in lower case, without accents and control characters.
func fold(text string) string {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] >= ' ' && text[i] <= '~'
	}

	if ascii {
		return strings.ToLower(text)
	}

	// Decomposition separates accents from letters, so they can be dropped.
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

// alone reports whether a character is a word by itself: punctuation, an ASCII symbol or an ideograph.
func alone(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r) || unicode.Is(unicode.Han, r)
}

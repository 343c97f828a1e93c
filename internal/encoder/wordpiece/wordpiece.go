// Package wordpiece splits text into the tokens of BERT's uncased models, as the tokenizers library of Hugging Face
// does: clean, separate CJK characters, decompose, drop accents, lower-case, split at spaces and punctuation, and cut
// each word into the longest known pieces. Unlike there, the names of special tokens, such as "[SEP]", are ordinary
// text, so that a text can't forge them.
package wordpiece

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// continuation precedes pieces that continue a word in a vocabulary.
const continuation = "##"

// maxWordRunes is the length from which a word is unknown.
const maxWordRunes = 100

// A Tokenizer has a vocabulary. It is safe for concurrent use.
type Tokenizer struct {
	starts, continuations map[string]int32 // pieces without "##"
	longest               int              // piece, in bytes
	start, end, unknown   int32            // [CLS], [SEP] and [UNK]
}

// New returns a tokenizer with a vocabulary, by token.
func New(vocabulary []string) (*Tokenizer, error) {
	t := &Tokenizer{
		starts:        make(map[string]int32, len(vocabulary)),
		continuations: make(map[string]int32, len(vocabulary)/4),
	}
	for token, piece := range vocabulary {
		t.longest = max(t.longest, len(piece))
		if rest, ok := strings.CutPrefix(piece, continuation); ok && rest != "" {
			t.continuations[rest] = int32(token)
			continue
		}
		t.starts[piece] = int32(token)
	}

	for name, token := range map[string]*int32{"[CLS]": &t.start, "[SEP]": &t.end, "[UNK]": &t.unknown} {
		var ok bool
		if *token, ok = t.starts[name]; !ok {
			return nil, errors.New("wordpiece: the vocabulary lacks " + name)
		}
	}
	return t, nil
}

// Append appends at most limit tokens of a text to tokens, beginning with [CLS] and ending with [SEP], for which limit
// must have room. It reports whether the text has more tokens.
func (t *Tokenizer) Append(tokens []int32, text string, limit int) (_ []int32, truncated bool) {
	s := splitter{Tokenizer: t, tokens: append(tokens, t.start), room: limit - 2}

	// Decomposition never crosses a space, so a long text is read only as far as there is room.
	for field := range strings.FieldsFuncSeq(text, isSpace) {
		s.field(field)
		if s.room < 0 {
			break
		}
	}
	return append(s.tokens, t.end), s.room < 0
}

// A splitter appends the tokens of a text.
type splitter struct {
	*Tokenizer
	tokens []int32
	word   []byte // the word that is being read
	runes  int    // its length
	room   int    // tokens that may follow; negative if one didn't fit
}

// field appends the tokens of a text without spaces.
func (s *splitter) field(text string) {
	for _, r := range norm.NFD.String(clean(text)) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue // an accent
		case isCJK(r) || isPunctuation(r):
			s.endWord()
			s.addRune(unicode.ToLower(r))
			s.endWord()
		default:
			s.addRune(unicode.ToLower(r))
		}
		if s.room < 0 {
			return
		}
	}
	s.endWord()
}

func (s *splitter) addRune(r rune) {
	s.runes++
	if s.runes <= maxWordRunes {
		s.word = utf8.AppendRune(s.word, r)
	}
}

// endWord appends the tokens of the word that was read, or [UNK] if its pieces aren't all known.
func (s *splitter) endWord() {
	word, runes := s.word, s.runes
	s.word, s.runes = s.word[:0], 0
	if runes == 0 {
		return
	}
	if runes > maxWordRunes {
		s.add(s.unknown)
		return
	}

	before, room := len(s.tokens), s.room
	for start := 0; start < len(word); {
		token, length := s.piece(word[start:], start > 0)
		if length == 0 {
			s.tokens, s.room = s.tokens[:before], room
			s.add(s.unknown)
			return
		}
		s.add(token)
		start += length
	}
}

// add appends a token if there is room.
func (s *splitter) add(token int32) {
	s.room--
	if s.room >= 0 {
		s.tokens = append(s.tokens, token)
	}
}

// piece returns the longest piece at the start of a text, or length 0.
func (t *Tokenizer) piece(text []byte, continues bool) (token int32, length int) {
	pieces := t.starts
	if continues {
		pieces = t.continuations
	}
	for length = min(len(text), t.longest); length > 0; length-- {
		if token, ok := pieces[string(text[:length])]; ok {
			return token, length
		}
	}
	return 0, 0
}

// clean returns the text without control, format and private characters, and what isn't UTF-8.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || isOther(r) {
			return -1
		}
		return r
	}, text)
}

// isOther reports whether a character is in the general category "Other", unless it is unassigned.
func isOther(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isSpace reports whether a character separates words. Vertical tabs, form feeds and U+0085 are control characters.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\r', ' ':
		return true
	}
	return r > 0x9f && unicode.IsSpace(r)
}

// isPunctuation reports whether a character is a word of its own: all ASCII symbols are.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x7f
	}
	return unicode.IsPunct(r)
}

// isCJK reports whether a character is a Chinese one, which BERT treats as a word.
func isCJK(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2a6df ||
		r >= 0x2a700 && r <= 0x2b73f || r >= 0x2b740 && r <= 0x2b81f || r >= 0x2b820 && r <= 0x2ceaf ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f
}

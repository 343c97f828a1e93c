// Package analysis turns running text into the terms that are indexed and searched. Freelancers and briefs pass through
// the same Analyzer before they reach an engine, so every engine compares the same words.
//
// A term is a run of letters and digits, folded to lower case without accents (NFKD), reduced to its English stem
// (Snowball, "Porter2"). Stop words are left out. Han characters are terms of their own, because their words are not
// written apart. "c++", "c#" and "f#" keep their signs.
package analysis

import (
	"hash/maphash"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxTokenBytes bounds a token; longer ones (encoded data, links without spaces) are no words and are left out.
	maxTokenBytes = 64
	// shardTokens bounds the cache: 64 shards × 4,096 tokens, about 20 MB when full of long tokens. Once a shard is
	// full, tokens beyond it are analysed anew each time.
	shardTokens = 4096
	shards      = 64
)

// Analyzer makes terms from text. It remembers the terms of words it has seen, which makes loading several times
// faster. It is safe for concurrent use.
type Analyzer struct {
	stop  map[string]bool
	seed  maphash.Seed
	cache [shards]shard
}

type shard struct {
	sync.RWMutex
	terms map[string]string
}

// New is an Analyzer with the stop words of the package.
func New() *Analyzer {
	a := &Analyzer{stop: make(map[string]bool), seed: maphash.MakeSeed()}
	for word := range strings.FieldsSeq(stopWords) {
		a.stop[word] = true
	}
	for i := range a.cache {
		a.cache[i].terms = make(map[string]string)
	}
	return a
}

// Append adds the terms of text to terms, in the order of the text, and returns the extended slice. The terms do not
// refer to text's memory.
func (a *Analyzer) Append(terms []string, text string) []string {
	start := -1 // of the token being read
	for i := 0; i < len(text); {
		size, class := classify(text[i:])
		switch {
		case class == letter:
			if start < 0 {
				start = i
			}
		case class == ideograph:
			terms = a.token(terms, text, start, i)
			terms = a.token(terms, text, i, i+size)
			start = -1
		case class == apostrophe && start >= 0:
			// "client's" and "don't" are read up to the apostrophe; what follows is dropped with it.
			terms = a.token(terms, text, start, i)
			start = -1
			i += size
			for i < len(text) {
				size, class = classify(text[i:])
				if class != letter {
					break
				}
				i += size
			}
			continue
		case start >= 0:
			if end := i + signs(text[start:i], text[i:]); end > i {
				terms = a.token(terms, text, start, end)
				start, i = -1, end
				continue
			}
			terms = a.token(terms, text, start, i)
			start = -1
		}
		i += size
	}
	return a.token(terms, text, start, len(text))
}

// token adds the term of text[start:end], if it has one.
func (a *Analyzer) token(terms []string, text string, start, end int) []string {
	if start < 0 || end-start > maxTokenBytes {
		return terms
	}
	token := text[start:end]
	s := &a.cache[maphash.String(a.seed, token)%shards]
	s.RLock()
	term, ok := s.terms[token]
	s.RUnlock()
	if !ok {
		term = a.term(token)
		s.Lock()
		if len(s.terms) < shardTokens {
			s.terms[strings.Clone(token)] = term
		}
		s.Unlock()
	}
	if term == "" {
		return terms
	}
	return append(terms, term)
}

// term is the term of one token, "" for a stop word. It shares no memory with token.
func (a *Analyzer) term(token string) string {
	word := Fold(token)
	if !isASCII(token) {
		word = strings.Join(strings.Fields(word), "") // a single Arabic ligature can stand for four words
	}
	if word == "" || a.stop[word] {
		return ""
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return strings.Clone(env.Current())
}

// Fold is text in lower case, with compatibility forms replaced (𝑫𝒂𝒕𝒂, ﬁ, Ⅷ) and accents taken off.
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

// signs is the length of the signs behind word that belong to it: c++, c#, f#.
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

// The classes of characters that the tokenizer tells apart.
const (
	other = iota
	letter
	apostrophe
	ideograph
)

// classify is the length in bytes and the class of the first character of text.
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

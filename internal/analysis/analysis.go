// Package analysis turns running text into the terms that are indexed and searched. Freelancers and briefs pass through
// the same Analyzer before they reach an engine, so every engine compares the same words.
//
// A token is a run of letters and digits. Each Han character is a token, because Chinese doesn't separate words; "c++",
// "c#" and "f#" keep their signs. Function words are left out. The term of any other token is its English stem
// (Snowball, "Porter2"), after folding to lower case without accents.
//
// A text whose function words and letters are clearly Spanish, French, German, Portuguese or Italian produces a second
// term for each token with a different stem in that language: "diseñadores" becomes "disenador" and "disen". The
// English stem stays, in freelancers and briefs, so that texts in different languages match in the words they share:
// the Spanish stem of "marketing" is "marketing", the English one is "market". Most short texts count as English in any
// language. A second term therefore only adds matches, and a wrongly detected language loses at most function words.
// The price is a quarter (French) to two thirds (Spanish, Portuguese, Italian) more terms, each of which weighs
// slightly less in BM25.
package analysis

import "github.com/freelancer-matching/service/internal/textcache"

// Cache sizes: tokens of texts whose language isn't known yet, tokens of each language but English, and names. Filled
// with ordinary words, all caches together take about 45 MB.
const (
	unknownTokens  = 1 << 18
	languageTokens = 1 << 14
	cachedNames    = 1 << 14
)

// Analyzer turns text into terms. It caches the terms of words, which makes loading several times faster and doesn't
// change results. It is safe for concurrent use.
type Analyzer struct {
	lexicon  *lexicon
	readings *textcache.Cache[reading]
	stems    [languages]*textcache.Cache[stems] // nil for English
	names    *textcache.Cache[[]string]
}

// reading is a token in a text whose language isn't known yet.
type reading struct {
	term  string // English stem, "" for an English function word
	tells bool   // whether the token has votes
	votes votes
}

// stems holds the stems of a token in a text in another language than English; both are "" for a function word.
type stems struct {
	english string
	own     string
}

// New returns an Analyzer.
func New() *Analyzer {
	a := &Analyzer{
		lexicon:  newLexicon(),
		readings: textcache.New[reading](unknownTokens),
		names:    textcache.New[[]string](cachedNames),
	}
	for l := Spanish; l < languages; l++ {
		a.stems[l] = textcache.New[stems](languageTokens)
	}
	return a
}

// Append appends the terms of text to terms, in the order of the text, and returns the extended slice. The terms don't
// refer to text's memory. The result equals AppendIn with the Language of text; English takes one pass.
func (a *Analyzer) Append(terms []string, text string) []string {
	terms, _ = a.AppendDetected(terms, text)
	return terms
}

// AppendDetected appends the terms of text like Append, and also returns the language that it detects.
func (a *Analyzer) AppendDetected(terms []string, text string) ([]string, Language) {
	before := len(terms)
	var e evidence
	words := 0
	for token := range tokens(text) {
		r := a.read(token)
		words++
		if r.tells {
			e.add(&r.votes)
		}
		if r.term != "" {
			terms = append(terms, r.term)
		}
	}
	if l := e.language(words); l != English {
		return a.AppendIn(terms[:before], text, l), l
	}
	return terms, English
}

// maxName is the length in bytes of the longest text that AppendName caches.
const maxName = 96

// AppendName does the same as Append. It is faster for texts that occur again and again, such as the names of skills.
func (a *Analyzer) AppendName(terms []string, name string) []string {
	if len(name) > maxName {
		return a.Append(terms, name)
	}
	known := a.names.Get(name)
	if known == nil {
		known = a.names.Put(name, a.Append(nil, name))
	}
	return append(terms, *known...)
}

// Language returns the language of text: English if in doubt, and for every unsupported language.
func (a *Analyzer) Language(text string) Language {
	var e evidence
	words := 0
	for token := range tokens(text) {
		e.add(&a.read(token).votes)
		words++
	}
	return e.language(words)
}

// AppendIn appends the terms of text like Append, in a known language, such as that of a longer text it belongs to.
func (a *Analyzer) AppendIn(terms []string, text string, l Language) []string {
	if l == English {
		return a.AppendStems(terms, text, l)
	}
	for token := range tokens(text) {
		s := a.stem(token, l)
		if s.english != "" {
			terms = append(terms, s.english)
		}
		if s.own != "" && s.own != s.english {
			terms = append(terms, s.own)
		}
	}
	return terms
}

// AppendStems appends one term per word of text: its stem in that language only. It serves comparisons of single words.
func (a *Analyzer) AppendStems(terms []string, text string, l Language) []string {
	for token := range tokens(text) {
		var term string
		if l == English {
			term = a.read(token).term
		} else {
			term = a.stem(token, l).own
		}
		if term != "" {
			terms = append(terms, term)
		}
	}
	return terms
}

func (a *Analyzer) read(token string) *reading {
	if r := a.readings.Get(token); r != nil {
		return r
	}
	var r reading
	word := Fold(token)
	if !a.lexicon.stop[English][word] {
		r.term = stem(token, English)
	}
	r.votes = a.lexicon.votes(token, word)
	r.tells = r.votes != votes{}
	return a.readings.Put(token, r)
}

func (a *Analyzer) stem(token string, l Language) *stems {
	if s := a.stems[l].Get(token); s != nil {
		return s
	}
	var s stems
	if !a.lexicon.stop[l][Fold(token)] {
		s = stems{english: stem(token, English), own: stem(token, l)}
	}
	return a.stems[l].Put(token, s)
}

// Package analysis turns running text into the terms that are indexed and searched. Freelancers and briefs pass through
// the same Analyzer before they reach an engine, so every engine compares the same words.
//
// A token is a run of letters and digits; Han characters are tokens of their own, because their words are not written
// apart; "c++", "c#" and "f#" keep their signs. Function words are left out. The term of any other token is its English
// stem (Snowball, "Porter2"), after folding it to lower case without accents.
//
// A text that is clearly Spanish, French, German, Portuguese or Italian, by its function words and letters, gives a
// second term for each token whose stem in that language is another one: "diseñadores" gives "disenador" and "disen".
// The English stem stays, on both sides, because texts of different languages must meet in the words they share: to the
// Spanish stemmer "marketing" stays "marketing", which is "market" in English, and "Figma" would be "figm". Most
// short texts count as English in any language, and must be met, too. So a second term only ever adds matches, and a text taken for
// another language loses none but by a function word. The price: a text in such a language has more terms, by a quarter
// (French) to two thirds (Spanish, Portuguese, Italian) on real texts, and BM25 takes each for a little less in a longer
// document.
package analysis

// What the caches hold: 64 × 4,096 tokens of texts whose language is not known yet, and 64 × 256 of each language but
// English. Full of ordinary words they take some 40 MB together.
const (
	unknownShardTokens  = 4096
	languageShardTokens = 256
)

// Analyzer makes terms from text. It remembers what it made of words it has seen, which makes loading several times
// faster; terms are the same whatever was analysed before. It is safe for concurrent use.
type Analyzer struct {
	lexicon  *lexicon
	readings *cache[*reading]
	stems    [languages]*cache[*stems] // none for English
}

// reading is a token of a text whose language is not known yet.
type reading struct {
	term  string // English stem, "" for an English function word
	tells bool   // whether there are votes
	votes votes
}

// stems are those of a token in a text of another language than English, both "" for a function word.
type stems struct {
	english string
	own     string
}

// New is an Analyzer with the function words of the package.
func New() *Analyzer {
	a := &Analyzer{lexicon: newLexicon(), readings: newCache[*reading](unknownShardTokens)}
	for l := Spanish; l < languages; l++ {
		a.stems[l] = newCache[*stems](languageShardTokens)
	}
	return a
}

// Append adds the terms of text to terms, in the order of the text, and returns the extended slice. The terms do not
// refer to text's memory. It is AppendIn with the Language of text, in one pass where that is English.
func (a *Analyzer) Append(terms []string, text string) []string {
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
		return a.AppendIn(terms[:before], text, l)
	}
	return terms
}

// Language is the language of text, as far as it can be told: English where it is doubtful, and for every language that
// has no analysis of its own.
func (a *Analyzer) Language(text string) Language {
	var e evidence
	words := 0
	for token := range tokens(text) {
		e.add(&a.read(token).votes)
		words++
	}
	return e.language(words)
}

// AppendIn adds the terms of text in a language that is known, from the text that it is a part of.
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

// AppendStems adds one term for each word of text, its stem in one language alone: what words of two texts are compared
// by one at a time.
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
	r, ok := a.readings.get(token)
	if ok {
		return r
	}
	r = new(reading)
	word := Fold(token)
	if !a.lexicon.stop[English][word] {
		r.term = stem(token, English)
	}
	r.votes = a.lexicon.votes(token, word)
	r.tells = r.votes != votes{}
	a.readings.put(token, r)
	return r
}

func (a *Analyzer) stem(token string, l Language) *stems {
	s, ok := a.stems[l].get(token)
	if ok {
		return s
	}
	s = new(stems)
	if !a.lexicon.stop[l][Fold(token)] {
		*s = stems{english: stem(token, English), own: stem(token, l)}
	}
	a.stems[l].put(token, s)
	return s
}

package analysis

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Language is a language in which texts are analyzed.
type Language uint8

// English also stands for every unsupported language.
const (
	English Language = iota
	Spanish
	French
	German
	Portuguese
	Italian
	languages
)

// String returns the ISO 639-1 code.
func (l Language) String() string { return [languages]string{"en", "es", "fr", "de", "pt", "it"}[l] }

const (
	// foreign indexes the evidence for unsupported languages.
	foreign = int(languages)
	lanes   = foreign + 1

	// distinct is the evidence of a word or letter unique to one language. If n languages share it, each gets 1/n.
	distinct = 12
	// enough is the minimum evidence for a language other than English: one unique word, and one shared with one other
	// language.
	enough = 3 * distinct / 2
	// wordsPerDistinct is the number of words for which a longer text needs the evidence of one unique word. Running text
	// has three times as much or more; a text in an unsupported language that shares some words has less.
	wordsPerDistinct = 24
)

// evidence accumulates the evidence for each Language and for foreign.
type evidence [lanes]int

func (e *evidence) add(v *votes) {
	for lane, points := range v {
		e[lane] += int(points)
	}
}

// language returns the language with the most evidence, if that exceeds the evidence for English and for unsupported
// languages by a third, and English otherwise.
func (e *evidence) language(words int) Language {
	best := English
	tie := false
	for l := Spanish; l < languages; l++ {
		switch {
		case e[l] > e[best]:
			best = l
			tie = false
		case e[l] == e[best]:
			tie = true
		}
	}
	if tie || e[best] < enough || e[best]*wordsPerDistinct < words*distinct || 4*max(e[English], e[foreign]) > 3*e[best] {
		return English
	}
	return best
}

// votes holds the evidence that one token adds.
type votes [lanes]uint8

// lexicon holds the function words and letters of all languages.
type lexicon struct {
	stop    [languages]map[string]bool // by folded word; every language includes the English words
	words   map[string]votes
	letters map[rune]votes
}

func newLexicon() *lexicon {
	x := &lexicon{words: make(map[string]votes), letters: make(map[rune]votes)}
	words := [lanes]string{
		English: englishWords, Spanish: spanishWords, French: frenchWords, German: germanWords,
		Portuguese: portugueseWords, Italian: italianWords, foreign: otherWords,
	}
	for lane, list := range words {
		for word := range strings.FieldsSeq(list) {
			v := x.words[word]
			v[lane] = 1
			x.words[word] = v
		}
	}

	letters := [lanes]string{
		Spanish: spanishLetters, French: frenchLetters, German: germanLetters,
		Portuguese: portugueseLetters, Italian: italianLetters, foreign: otherLetters,
	}
	for lane, list := range letters {
		for _, r := range list {
			v := x.letters[r]
			v[lane] = 1
			x.letters[r] = v
		}
	}

	// English words are stop words in every language, because briefs mix them.
	for l := range languages {
		x.stop[l] = make(map[string]bool)
		for word := range strings.FieldsSeq(englishWords + words[l]) {
			x.stop[l][word] = true
		}
	}

	// Words that mean something else in another language vote for none.
	for word := range strings.FieldsSeq(lookalikes) {
		delete(x.words, word)
	}

	weigh(x.words)
	weigh(x.letters)

	return x
}

// weigh splits the evidence of each key among the languages that have it.
func weigh[K comparable](all map[K]votes) {
	for key, v := range all {
		sharers := uint8(0)
		for _, has := range v {
			sharers += has
		}
		for lane, has := range v {
			v[lane] = has * distinct / sharers
		}
		all[key] = v
	}
}

// votes returns the evidence of a token, folded to word: as a function word, or by its letters.
func (x *lexicon) votes(token, word string) votes {
	if v, ok := x.words[word]; ok || isASCII(token) {
		return v
	}
	var v votes
	for _, r := range strings.ToLower(norm.NFC.String(token)) {
		if r < utf8.RuneSelf {
			continue
		}
		for lane, points := range x.letters[r] {
			v[lane] = max(v[lane], points)
		}
	}
	return v
}

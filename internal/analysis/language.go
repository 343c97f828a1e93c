package analysis

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Language is a language that texts are analysed in.
type Language uint8

// English stands for every language that has no analysis of its own, too.
const (
	English Language = iota
	Spanish
	French
	German
	Portuguese
	Italian
	languages
)

// String is the ISO 639-1 code.
func (l Language) String() string { return [languages]string{"en", "es", "fr", "de", "pt", "it"}[l] }

const (
	// foreign is the lane of evidence for languages that have no analysis of their own.
	foreign = int(languages)
	lanes   = foreign + 1

	// distinct is the evidence of a word or letter that one language has alone. The n languages that share one get 1/n
	// of that each.
	distinct = 12
	// enough is the evidence that a text in another language than English must give, however short: one such word, and
	// another shared with one language.
	enough = 3 * distinct / 2
	// wordsPerDistinct: a longer text must have one such word, or as much evidence, for so many words. Running text has
	// three or more; a text in an unknown language that shares some words has less.
	wordsPerDistinct = 24
)

// evidence is how much speaks for each Language, and for foreign.
type evidence [lanes]int

func (e *evidence) add(v *votes) {
	for lane, points := range v {
		e[lane] += int(points)
	}
}

// language is the one with the most evidence, a third more than for English and for foreign languages; English where
// there is none.
func (e *evidence) language(words int) Language {
	best, tie := English, false
	for l := Spanish; l < languages; l++ {
		switch {
		case e[l] > e[best]:
			best, tie = l, false
		case e[l] == e[best]:
			tie = true
		}
	}
	if tie || e[best] < enough || e[best]*wordsPerDistinct < words*distinct || 4*max(e[English], e[foreign]) > 3*e[best] {
		return English
	}
	return best
}

// votes is what one token adds to the evidence.
type votes [lanes]uint8

// lexicon knows the function words and letters of all languages.
type lexicon struct {
	stop    [languages]map[string]bool // by folded word; of other languages than English, the English ones too
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
	for l := range languages {
		x.stop[l] = make(map[string]bool)
		for word := range strings.FieldsSeq(englishWords + words[l]) {
			x.stop[l][word] = true
		}
	}
	for word := range strings.FieldsSeq(lookalikes) {
		delete(x.words, word)
	}
	weigh(x.words)
	weigh(x.letters)
	return x
}

// weigh shares the evidence of each key among those that have it.
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

// votes is what a token, folded to word, says about the language of its text: as a function word, or by its letters.
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

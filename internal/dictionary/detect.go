package dictionary

import (
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/analysis"
)

// maxShort is the number of words of the longest text whose language Language decides by the dictionary.
const maxShort = 40

// tellingBytes is the length of a word that is hardly English by chance.
const tellingBytes = 9

// Language returns the language of a text. The analyzer knows languages by their function words and accents, which a
// title often lacks: "Erfahrener Full-Stack-Entwickler". In a short text that it takes for English, words of the
// dictionary decide, if they are at least two, a third of all words, and twice as many as English ones. A word that
// English has, too, decides nothing. A single word is enough in a text without English words if it is long or has an
// accent.
func (d *Dictionary) Language(text string) analysis.Language {
	if l := d.analyzer.Language(text); l != analysis.English {
		return l
	}

	words := tokens(text)
	if len(words) > maxShort {
		return analysis.English
	}

	all := d.votes()
	var votes, english [len(columns)]int
	hasTelling := false
	for _, w := range words {
		languages := all[analysis.Fold(w.text)]
		if d.isFunction(w.text, analysis.English) {
			languages = inEnglish
		}

		for i, language := range columns {
			inDictionary := languages>>i&1 == 1
			if languages&inEnglish != 0 {
				if !inDictionary {
					english[i]++
				}
				continue
			}

			if inDictionary || d.isLowerFunction(w.text, language) {
				votes[i]++
			}
			if inDictionary && isTelling(w.text) {
				hasTelling = true
			}
		}
	}

	best := 0
	for i := range votes {
		if votes[i] > votes[best] {
			best = i
		}
	}

	enough := 2
	if hasTelling {
		enough = 1
	}

	if votes[best] < max(enough, 2*english[best], (len(words)+2)/3) {
		return analysis.English
	}

	return columns[best]
}

// isTelling reports whether a word is so long, or has an accent, that its language is no coincidence.
func isTelling(word string) bool {
	return len(word) >= tellingBytes || len(word) > utf8.RuneCountInString(word)
}

// isLowerFunction reports whether a word is a function word in a language. Capitals are names or abbreviations even if
// they spell a function word.
func (d *Dictionary) isLowerFunction(word string, language analysis.Language) bool {
	return word != strings.ToUpper(word) && d.isFunction(word, language)
}

// inEnglish is the vote of a word that English has.
const inEnglish = 1 << len(columns)

// countVotes returns, by folded word, a bit for each column that has it, and inEnglish for English words.
func (d *Dictionary) countVotes() map[string]uint8 {
	votes := make(map[string]uint8)
	english := make(map[string]bool)
	for i, l := range columns {
		t := d.tables[l]()
		for word := range t.words {
			votes[strings.TrimPrefix(word, capital)] |= 1 << i
		}
		for phrase := range t.english {
			for word := range strings.FieldsSeq(phrase) {
				english[analysis.Fold(word)] = true
			}
		}
	}
	for word := range english {
		votes[word] |= inEnglish
	}
	return votes
}

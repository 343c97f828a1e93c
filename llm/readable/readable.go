// Package readable checks whether texts that a language model wrote can be texts in some language.
package readable

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/llm/sanitize"
)

var wordPattern = regexp.MustCompile(`[\pL\pM]+`)

// What a text of a model may be like. Small or misloaded models write fragments, and repeat a few words again and
// again, in valid JSON.
const (
	maxWordLength    = 60  // letters; more than the longest words of German and Finnish
	maxRepeats       = 2   // of a word in a row
	minLetters       = 0.5 // share of letters among the characters that are not spaces; code has fewer than prose
	minQuestionWords = 3   // of a question in a script that separates words
	minDistinctFrom  = 12  // words from which on minDistinct applies
	minDistinct      = 0.4 // share of distinct words
)

// Check returns an error if a text can't be a text in some language: it has invisible characters, few letters,
// endless words, or repeats words again and again.
func Check(text string) error {
	letters, others := 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	if !wordPattern.MatchString(text) || float64(letters) < minLetters*float64(letters+others) {
		return errors.New("a text consists of signs rather than of words")
	}
	return CheckWords(text)
}

// CheckWords checks a text like Check, but accepts one with few letters, for names such as C++.
func CheckWords(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || sanitize.Visible(r) < 0 }) {
		return errors.New("a text contains control characters or invisible ones")
	}
	words := wordPattern.FindAllString(strings.ToLower(text), -1)
	distinct := make(map[string]bool)
	repeats := 0

	for i, word := range words {
		// Scripts without spaces have no word boundaries, so a whole sentence is one word there.
		if hasSpaces(word) && len([]rune(word)) > maxWordLength {
			return fmt.Errorf("a text contains a word of more than %d letters", maxWordLength)
		}

		if i == 0 || word != words[i-1] {
			repeats = 0
		}

		if repeats++; repeats > maxRepeats {
			return errors.New("a text repeats a word in a row")
		}
		distinct[word] = true
	}

	// A short text may repeat itself by chance.
	if len(words) >= minDistinctFrom && float64(len(distinct)) < minDistinct*float64(len(words)) {
		return errors.New("a text repeats a few words again and again")
	}

	return nil
}

// CheckQuestion returns an error if a readable text can't be a question or a request: it has hardly any words, or ends
// in the middle of a sentence.
func CheckQuestion(text string) error {
	words := wordPattern.FindAllString(text, -1)
	if len(words) == 0 || !hasSpaces(words[len(words)-1]) {
		return nil
	}
	if len(words) < minQuestionWords {
		return fmt.Errorf("a question has fewer than %d words", minQuestionWords)
	}
	if !endsSentence(text) {
		return errors.New("a question ends in the middle of a sentence, without a question mark or a full stop")
	}
	return nil
}

// hasSpaces reports whether a word is in an alphabet whose languages put spaces between words, and full stops or
// question marks at the end of sentences.
func hasSpaces(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
	})
}

// endsSentence reports whether a text ends with a mark that ends a sentence, perhaps before closing quotation marks or
// brackets.
func endsSentence(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi) || strings.ContainsRune("\"'`*_“", r)
	})
	last := []rune(text)
	return len(last) > 0 && (unicode.Is(unicode.Sentence_Terminal, last[len(last)-1]) ||
		strings.ContainsRune(";:…", last[len(last)-1])) // Greek questions end in a semicolon
}
